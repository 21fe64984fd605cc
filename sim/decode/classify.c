/*
 * Interception, branches, memory operands, SIMD uops, flags and tags of an instruction.
 *
 * The uop event of an SSE, MMX or x87 instruction follows Table 19-28 and its notes: for arithmetic the
 * operand type decides; moves, loads and stores are x87_SIMD_moves_uop.
 */
#include "classify.h"

#include <string.h>
#include "pmc/count_of.h"

static bool is_among(const cs_insn *insn, const uint16_t ids[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == insn->id)
            return true;
    return false;
}
#define IS_AMONG(insn, ids) is_among(insn, ids, COUNT_OF(ids))

static bool ends(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

/* ---- Instructions that p4sim executes itself, or must act on after them ---- */

/* Is it of an extension that came after the Pentium 4? */
static bool is_later(const cs_insn *insn)
{
    static const uint8_t LATER[] = {X86_GRP_SSSE3, X86_GRP_SSE41, X86_GRP_SSE42,
                                    X86_GRP_SSE4A, X86_GRP_AES,   X86_GRP_PCLMUL};
    for (unsigned i = 0; i < insn->detail->groups_count; i++)
        if (memchr(LATER, insn->detail->groups[i], sizeof LATER))
            return true;
    return false;
}

static bool is_segment_register(const cs_x86_op *op)
{
    static const x86_reg SEGMENT_REGISTERS[] = {X86_REG_DS, X86_REG_ES, X86_REG_FS, X86_REG_GS, X86_REG_SS};
    for (unsigned i = 0; op && op->type == X86_OP_REG && i < COUNT_OF(SEGMENT_REGISTERS); i++)
        if (op->reg == SEGMENT_REGISTERS[i])
            return true;
    return false;
}

bool classify_is_output(const cs_insn *insn)
{
    static const uint16_t OUTPUT[] = {X86_INS_OUT, X86_INS_OUTSB, X86_INS_OUTSW, X86_INS_OUTSD};
    return IS_AMONG(insn, OUTPUT);
}

static bool is_debug_register(const cs_x86_op *op)
{
    return op && op->type == X86_OP_REG && op->reg >= X86_REG_DR0 && op->reg <= X86_REG_DR7;
}

/* The instructions for which this does not depend on an operand. */
static const struct {
    uint16_t id;
    uint8_t intercept;
} INTERCEPTED[] = {
    {X86_INS_IN, INSN_PORT},          {X86_INS_INSB, INSN_PORT},        {X86_INS_INSW, INSN_PORT},
    {X86_INS_INSD, INSN_PORT},        {X86_INS_OUT, INSN_PORT},         {X86_INS_OUTSB, INSN_PORT},
    {X86_INS_OUTSW, INSN_PORT},       {X86_INS_OUTSD, INSN_PORT},       {X86_INS_SYSCALL, INSN_UNDEFINED},
    {X86_INS_SYSRET, INSN_UNDEFINED}, {X86_INS_RDTSCP, INSN_UNDEFINED}, {X86_INS_POPCNT, INSN_UNDEFINED},
    {X86_INS_MOVBE, INSN_UNDEFINED},  {X86_INS_RDTSC, INSN_RDTSC},      {X86_INS_RDMSR, INSN_RDMSR},
    {X86_INS_WRMSR, INSN_WRMSR},      {X86_INS_RDPMC, INSN_RDPMC},      {X86_INS_HLT, INSN_HLT},
    {X86_INS_LJMP, INSN_FAR},         {X86_INS_LCALL, INSN_FAR},        {X86_INS_RETF, INSN_FAR},
    {X86_INS_RETFQ, INSN_FAR},        {X86_INS_IRET, INSN_IRET},        {X86_INS_IRETD, INSN_IRET},
    {X86_INS_STI, INSN_IF},           {X86_INS_POPF, INSN_IF},          {X86_INS_POPFD, INSN_IF},
    {X86_INS_LDS, INSN_SEGMENT},      {X86_INS_LES, INSN_SEGMENT},      {X86_INS_LFS, INSN_SEGMENT},
    {X86_INS_LGS, INSN_SEGMENT},      {X86_INS_LSS, INSN_SEGMENT},      {X86_INS_INVLPG, INSN_FLUSH},
    {X86_INS_LMSW, INSN_FLUSH},       {X86_INS_INT1, INSN_ICEBP},
};

enum insn_intercept classify_intercept(const cs_insn *insn)
{
    const cs_x86_op *first = classify_operand(insn, 0);
    if (is_later(insn))
        return INSN_UNDEFINED;
    for (unsigned i = 0; i < COUNT_OF(INTERCEPTED); i++)
        if (INTERCEPTED[i].id == insn->id)
            return (enum insn_intercept)INTERCEPTED[i].intercept;
    if (insn->id == X86_INS_DIVSS && classify_operand(insn, 1)->type == X86_OP_REG)
        return INSN_DIVSS;
    if (insn->id != X86_INS_MOV && insn->id != X86_INS_POP)
        return INSN_PLAIN;
    if (is_debug_register(first) || is_debug_register(classify_operand(insn, 1)))
        return INSN_DEBUG;
    if (is_segment_register(first))
        return INSN_SEGMENT;
    return classify_is_cr(first) ? INSN_FLUSH : INSN_PLAIN;
}

/* ---- Memory operands ---- */

/* Does it have a memory operand, and use only its address? */
static bool only_names_memory(const cs_insn *insn)
{
    static const uint16_t NAMING[] = {X86_INS_LEA,        X86_INS_NOP,         X86_INS_INVLPG,
                                      X86_INS_CLFLUSH,    X86_INS_PREFETCHNTA, X86_INS_PREFETCHT0,
                                      X86_INS_PREFETCHT1, X86_INS_PREFETCHT2};
    return IS_AMONG(insn, NAMING);
}

/* What the manual says where a version of libcapstone says something else; 0 for all other instructions. */
static uint16_t access_by_name(const cs_insn *insn, const cs_x86_op *memory)
{
    static const uint16_t LOADING[] = {X86_INS_TEST, X86_INS_CVTSD2SI, X86_INS_CVTSS2SI};
    static const uint16_t NONTEMPORAL[] = {X86_INS_MOVNTI, X86_INS_MOVNTQ, X86_INS_MOVNTDQ, X86_INS_MOVNTPS,
                                           X86_INS_MOVNTPD};
    if (IS_AMONG(insn, LOADING))
        return INSN_LOADS;
    if (IS_AMONG(insn, NONTEMPORAL))
        return INSN_STORES | INSN_NONTEMPORAL;
    if (insn->id == X86_INS_MOVDQA || insn->id == X86_INS_MOVQ)
        return memory == classify_operand(insn, 0) ? INSN_STORES : INSN_LOADS;
    return classify_is_x87_store(insn) ? INSN_STORES : 0;
}

static bool is_eax(const cs_x86_op *op)
{
    return op->type == X86_OP_REG && op->reg == X86_REG_EAX;
}

uint16_t classify_access(const cs_insn *insn, const cs_x86_op *memory)
{
    uint16_t flags = access_by_name(insn, memory);
    if (flags || only_names_memory(insn))
        return flags | (insn->id == X86_INS_CLFLUSH ? INSN_FLUSHES : 0);
    if (memory == classify_operand(insn, 0) && insn->id == X86_INS_MOV && is_eax(classify_operand(insn, 1)))
        flags |= INSN_STORES_EAX;
    if (memory->access & CS_AC_READ)
        flags |= INSN_LOADS;
    if (memory->access & CS_AC_WRITE)
        flags |= INSN_STORES;
    if (insn->detail->x86.prefix[0] == X86_PREFIX_LOCK || insn->id == X86_INS_XCHG)
        flags |= INSN_LOCKED;
    return flags;
}

/* ---- Floating-point and SIMD uops ---- */

static bool has_register(const cs_insn *insn, x86_reg first, x86_reg last)
{
    for (unsigned i = 0; i < insn->detail->x86.op_count; i++) {
        const cs_x86_op *op = classify_operand(insn, i);
        if (op->type == X86_OP_REG && op->reg >= first && op->reg <= last)
            return true;
    }
    return false;
}

static bool is_simd_move(const char *name)
{
    return classify_starts(name, "mov") || strcmp(name, "lddqu") == 0 || classify_starts(name, "maskmov");
}

static enum insn_fp move_port(const cs_insn *insn)
{
    const cs_x86_op *source = classify_operand(insn, 1);
    return source && source->type == X86_OP_MEM ? FP_MOVE_P2 : FP_MOVE_P0;
}

enum insn_fp classify_fp(const cs_insn *insn)
{
    const char *name = insn->mnemonic;
    bool xmm = has_register(insn, X86_REG_XMM0, X86_REG_XMM7);
    bool mm = has_register(insn, X86_REG_MM0, X86_REG_MM7);
    if (!xmm && !mm)
        return classify_x87(insn);
    if (is_simd_move(name))
        return move_port(insn);
    if (xmm && ends(name, "ps"))
        return FP_PACKED_SP;
    if (xmm && ends(name, "pd"))
        return FP_PACKED_DP;
    if (xmm && ends(name, "ss"))
        return FP_SCALAR_SP;
    if (xmm && ends(name, "sd"))
        return FP_SCALAR_DP;
    return xmm ? FP_MMX128 : FP_MMX64;
}

bool classify_is_sse_arithmetic(const cs_insn *insn, enum insn_fp fp)
{
    static const char *const BEGINNINGS[] = {"add", "sub", "mul",   "div",   "min",
                                             "max", "cmp", "comis", "ucomis"};

    for (size_t i = 0; i < COUNT_OF(BEGINNINGS) && fp >= FP_PACKED_SP && fp <= FP_SCALAR_DP; i++)
        if (classify_starts(insn->mnemonic, BEGINNINGS[i]))
            return true;
    return false;
}

uint8_t classify_fp_register(const cs_x86_op *op)
{
    if (!op || op->type != X86_OP_REG)
        return 0;
    if (op->reg >= X86_REG_XMM0 && op->reg <= X86_REG_XMM7)
        return (uint8_t)(1 + op->reg - X86_REG_XMM0);
    return op->reg >= X86_REG_MM0 && op->reg <= X86_REG_MM7 ? (uint8_t)(9 + op->reg - X86_REG_MM0) : 0;
}

/* ---- Flags ---- */

bool classify_is_string(const cs_insn *insn)
{
    static const uint16_t STRING[] = {
        X86_INS_MOVSB, X86_INS_MOVSW, X86_INS_MOVSD, X86_INS_STOSB, X86_INS_STOSW, X86_INS_STOSD,
        X86_INS_LODSB, X86_INS_LODSW, X86_INS_LODSD, X86_INS_CMPSB, X86_INS_CMPSW, X86_INS_CMPSD,
        X86_INS_SCASB, X86_INS_SCASW, X86_INS_SCASD, X86_INS_INSB,  X86_INS_INSW,  X86_INS_INSD,
        X86_INS_OUTSB, X86_INS_OUTSW, X86_INS_OUTSD};
    return IS_AMONG(insn, STRING) && !has_register(insn, X86_REG_XMM0, X86_REG_XMM7);
}

/* Is it one of the instructions that instr_retired counts twice (E13; pmu-rules 8.2)? */
static bool counts_twice(const cs_insn *insn)
{
    static const uint16_t TWICE[] = {X86_INS_FLDCW, X86_INS_FLDENV, X86_INS_FRSTOR, X86_INS_MASKMOVQ,
                                     X86_INS_EMMS,  X86_INS_SFENCE, X86_INS_MFENCE};
    static const uint16_t TWICE_FROM_MEMORY[] = {X86_INS_CVTPD2PI, X86_INS_CVTTPD2PI};
    const cs_x86_op *source = classify_operand(insn, 1);
    return IS_AMONG(insn, TWICE) ||
           (IS_AMONG(insn, TWICE_FROM_MEMORY) && source && source->type == X86_OP_MEM);
}

static bool loads_ss(const cs_insn *insn)
{
    const cs_x86_op *first = classify_operand(insn, 0);
    return (insn->id == X86_INS_MOV || insn->id == X86_INS_POP) && first && first->type == X86_OP_REG &&
           first->reg == X86_REG_SS;
}

/* SDM vol. 3, 8.3 (F4). */
static bool serialises(const cs_insn *insn)
{
    static const uint16_t SERIALISING[] = {X86_INS_CPUID, X86_INS_IRET,   X86_INS_IRETD,  X86_INS_WRMSR,
                                           X86_INS_INVD,  X86_INS_INVLPG, X86_INS_WBINVD, X86_INS_LGDT,
                                           X86_INS_LIDT,  X86_INS_LLDT,   X86_INS_LTR,    X86_INS_RSM};
    const cs_x86_op *first = classify_operand(insn, 0);
    return IS_AMONG(insn, SERIALISING) ||
           (insn->id == X86_INS_MOV && (classify_is_cr(first) || is_debug_register(first)));
}

static bool is_copy(const cs_insn *insn)
{
    return insn->id == X86_INS_MOVSB || insn->id == X86_INS_MOVSW || insn->id == X86_INS_MOVSD;
}

/* Does it push or pop? */
static bool moves_stack(const cs_insn *insn)
{
    for (unsigned i = 0; i < insn->detail->regs_write_count; i++)
        if (insn->detail->regs_write[i] == X86_REG_ESP || insn->detail->regs_write[i] == X86_REG_SP)
            return true;
    return false;
}

uint16_t classify_flags(const cs_insn *insn)
{
    uint8_t prefix = insn->detail->x86.prefix[0];
    uint16_t flags = 0;
    if ((prefix == X86_PREFIX_REP || prefix == X86_PREFIX_REPNE) && classify_is_string(insn))
        flags |= is_copy(insn) ? INSN_REP | INSN_REP_MOVS : INSN_REP;
    if (insn->id == X86_INS_STI || loads_ss(insn))
        flags |= INSN_SHADOW;
    if (serialises(insn))
        flags |= INSN_SERIALISES;
    if (counts_twice(insn))
        flags |= INSN_TWICE;
    if (insn->id == X86_INS_DIV || insn->id == X86_INS_IDIV)
        flags |= INSN_DIVIDES;
    if (insn->id == X86_INS_INT || insn->id == X86_INS_INT3 || insn->id == X86_INS_INTO ||
        insn->id == X86_INS_INT1)
        flags |= INSN_TRAP;
    if (moves_stack(insn))
        flags |= INSN_STACK;
    return flags;
}

uint8_t classify_trap(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_INT1:
        return 1;
    case X86_INS_INT3:
        return 3;
    case X86_INS_INTO:
        return 4;
    default:
        return (uint8_t)classify_operand(insn, 0)->imm;
    }
}

/* ---- Kinds of branches, and the conditions of conditional branches ---- */

#define OPCODE_TWO_BYTES 0x0Fu /* first byte of the long form of Jcc */
#define OPCODE_LOOPNE    0xE0u /* LOOPE, LOOP and JECXZ follow it */
#define OPCODE_JCXZ      0xE3u

static bool in_group(const cs_insn *insn, uint8_t group)
{
    for (unsigned i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group)
            return true;
    return false;
}

enum insn_branch classify_branch(const cs_insn *insn)
{
    const cs_x86_op *first = classify_operand(insn, 0);
    bool direct = first && first->type == X86_OP_IMM;
    enum insn_intercept intercept = classify_intercept(insn);
    if (intercept == INSN_FAR || intercept == INSN_IRET)
        return BRANCH_FAR;
    if (insn->id == X86_INS_RET)
        return BRANCH_RETURN;
    if (insn->id == X86_INS_CALL)
        return direct ? BRANCH_CALL : BRANCH_INDIRECT_CALL;
    if (insn->id == X86_INS_JMP)
        return direct ? BRANCH_JUMP : BRANCH_INDIRECT_JUMP;
    if (in_group(insn, X86_GRP_JUMP) || insn->id == X86_INS_LOOP || insn->id == X86_INS_LOOPE ||
        insn->id == X86_INS_LOOPNE)
        return BRANCH_CONDITIONAL;
    return BRANCH_NONE;
}

uint8_t classify_condition(const cs_insn *insn)
{
    const uint8_t *opcode = insn->detail->x86.opcode;
    if (opcode[0] >= OPCODE_LOOPNE && opcode[0] <= OPCODE_JCXZ)
        return (uint8_t)(CONDITION_LOOPNE + opcode[0] - OPCODE_LOOPNE);
    return (opcode[0] == OPCODE_TWO_BYTES ? opcode[1] : opcode[0]) & 0xF;
}

/* ---- Tags ---- */

/*
 * How many uops front_end_event finds for an instruction whose loads or stores are tagged, as measured on
 * 0F64H (F13). A plain move is one of either kind.
 */
#define ANY_SIZE 0

static const struct row {
    unsigned id;
    uint8_t size; /* of the operand */
    uint8_t loads, stores;
} TAGS[] = {
    {X86_INS_MOVDQU, ANY_SIZE, 2, 2},   {X86_INS_LDDQU, ANY_SIZE, 2, 0},   {X86_INS_MOVUPD, ANY_SIZE, 2, 2},
    {X86_INS_MOVUPS, ANY_SIZE, 1, 2},   {X86_INS_FLD, 10, 2, 0},           {X86_INS_FSTP, 4, 2, 2},
    {X86_INS_FSTP, 10, 0, 2},           {X86_INS_FBSTP, ANY_SIZE, 0, 2},   {X86_INS_FLDENV, ANY_SIZE, 7, 0},
    {X86_INS_FNSTENV, ANY_SIZE, 0, 7},  {X86_INS_FRSTOR, ANY_SIZE, 23, 0}, {X86_INS_FNSAVE, ANY_SIZE, 0, 23},
    {X86_INS_FXRSTOR, ANY_SIZE, 26, 0}, {X86_INS_FXSAVE, ANY_SIZE, 0, 25}, {X86_INS_CPUID, ANY_SIZE, 0, 1},
    {X86_INS_SFENCE, ANY_SIZE, 0, 1},   {X86_INS_MFENCE, ANY_SIZE, 0, 1},  {X86_INS_CLFLUSH, ANY_SIZE, 0, 1},
};

void classify_tagged(const cs_insn *insn, struct insn *out)
{
    bool loads = out->flags & INSN_LOADS, stores = out->flags & INSN_STORES;
    out->tagged_loads = loads;
    out->tagged_stores = stores;
    for (unsigned i = 0; i < COUNT_OF(TAGS); i++) {
        const struct row *row = &TAGS[i];
        if (row->id != insn->id || (row->size != ANY_SIZE && row->size != out->size))
            continue;
        bool two_ways = row->id != X86_INS_FSTP && row->loads && row->stores;
        out->tagged_loads = two_ways && !loads ? 0 : row->loads;
        out->tagged_stores = two_ways && !stores ? 0 : row->stores;
    }
}
