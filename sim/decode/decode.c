/*
 * Fills in struct insn from what libcapstone says of an instruction: length, branch, uops.
 *
 * Uops are stated, not measured: one for a register operation, one more for a load, two for a store;
 * microcoded instructions have a table (classify_cost.c). These numbers only have to be plausible and
 * constant: no exact check depends on them (pmu-rules 8.3, "never"). What an instruction costs in clocks is
 * not the decoder's to say (sim/cpu/timing.c).
 */
#include "classify.h"

#include <stdlib.h>
#include <string.h>
#include <capstone/capstone.h>
#include <unicorn/x86.h>
#include "pmc/count_of.h"

#define X87_STACK        17u
#define UOPS_TRACE_CACHE 4 /* an instruction with more uops is microcoded */

struct decoder {
    csh handle[2]; /* 32-bit and 16-bit code */
    cs_insn *scratch[2];
};

struct decoder *decoder_new(void)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder)
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        if (cs_open(CS_ARCH_X86, i ? CS_MODE_16 : CS_MODE_32, &decoder->handle[i]) != CS_ERR_OK ||
            cs_option(decoder->handle[i], CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK) {
            decoder_free(decoder);
            return NULL;
        }
        decoder->scratch[i] = cs_malloc(decoder->handle[i]);
    }
    return decoder;
}

void decoder_free(struct decoder *decoder)
{
    if (!decoder)
        return;
    for (unsigned i = 0; i < 2; i++) {
        if (decoder->scratch[i])
            cs_free(decoder->scratch[i], 1);
        if (decoder->handle[i])
            cs_close(&decoder->handle[i]);
    }
    free(decoder);
}

/* libunicorn's number of a register of a memory operand; 0 for none. */
static uint16_t decode_engine_register(x86_reg reg)
{
    static const struct {
        x86_reg capstone;
        uint16_t unicorn;
    } NAMES[] = {
        {X86_REG_EAX, UC_X86_REG_EAX}, {X86_REG_EBX, UC_X86_REG_EBX}, {X86_REG_ECX, UC_X86_REG_ECX},
        {X86_REG_EDX, UC_X86_REG_EDX}, {X86_REG_ESI, UC_X86_REG_ESI}, {X86_REG_EDI, UC_X86_REG_EDI},
        {X86_REG_EBP, UC_X86_REG_EBP}, {X86_REG_ESP, UC_X86_REG_ESP}, {X86_REG_BX, UC_X86_REG_BX},
        {X86_REG_BP, UC_X86_REG_BP},   {X86_REG_SI, UC_X86_REG_SI},   {X86_REG_DI, UC_X86_REG_DI},
    };
    for (unsigned i = 0; i < COUNT_OF(NAMES); i++)
        if (NAMES[i].capstone == reg)
            return NAMES[i].unicorn;
    return 0;
}

/* The segment register of a memory operand; SEGMENTS: a string instruction has DS, ES or both. */
static uint8_t segment_of(const cs_insn *insn, const cs_x86_op *memory)
{
    static const x86_reg NAMES[SEGMENTS] = {X86_REG_ES, X86_REG_CS, X86_REG_SS,
                                            X86_REG_DS, X86_REG_FS, X86_REG_GS};
    x86_reg base = memory->mem.base;
    if (classify_is_string(insn))
        return SEGMENTS;
    for (unsigned i = 0; i < SEGMENTS; i++)
        if (memory->mem.segment == NAMES[i])
            return (uint8_t)i;
    return base == X86_REG_EBP || base == X86_REG_BP || base == X86_REG_ESP ? SEGMENT_SS : SEGMENT_DS;
}

static void decode_memory(struct insn *insn, const cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    for (unsigned i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];
        if (op->type != X86_OP_MEM)
            continue;
        insn->base = decode_engine_register(op->mem.base);
        insn->index = decode_engine_register(op->mem.index);
        insn->scale = (uint8_t)op->mem.scale;
        insn->offset = (uint32_t)op->mem.disp;
        insn->size = op->size;
        insn->flags |= classify_access(decoded, op);
        insn->segment = segment_of(decoded, op);
        /* FS and GS often hold a null selector, and no code segment can be written. */
        if (insn->intercept == INSN_PLAIN && (insn->segment == SEGMENT_FS || insn->segment == SEGMENT_GS ||
                                              (insn->segment == SEGMENT_CS && insn->flags & INSN_STORES)))
            insn->intercept = INSN_OVERRIDE;
    }
}

/* The x87 stack counts as one register: uops on it stay in their order. */
static void decode_fp_registers(struct insn *insn, const cs_insn *decoded)
{
    insn->fp_to = classify_fp_register(classify_operand(decoded, 0));
    insn->fp_from = classify_fp_register(classify_operand(decoded, 1));
    if (insn->fp != FP_NONE && !insn->fp_to && !insn->fp_from)
        insn->fp_to = X87_STACK;
}

/* MOV to a control register; INVLPG and LMSW have none. */
static void decode_control_register(struct insn *insn, const cs_insn *decoded)
{
    const cs_x86_op *control = classify_operand(decoded, 0);
    insn->control_register = NO_CONTROL_REGISTER;
    if (decoded->id != X86_INS_MOV)
        return;
    insn->control_register = (uint8_t)(control->reg - X86_REG_CR0);
    insn->base = decode_engine_register(classify_operand(decoded, 1)->reg);
}

static void decode_port(struct insn *insn, const cs_insn *decoded)
{
    bool out = classify_is_output(decoded);
    const cs_x86_op *port = classify_operand(decoded, out ? 0 : 1);
    const cs_x86_op *data = classify_operand(decoded, out ? 1 : 0);
    insn->port_bytes = (uint8_t)(data->size | (out ? PORT_IS_OUTPUT : 0));
    if (port->type == X86_OP_IMM) {
        insn->port_bytes |= PORT_IS_IMMEDIATE;
        insn->port = (uint8_t)port->imm;
    }
}

static void decode_branch(struct insn *insn, const cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    insn->branch = classify_branch(decoded);
    if (insn->branch == BRANCH_CONDITIONAL)
        insn->condition = classify_condition(decoded);
    if (x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM)
        insn->target = (uint32_t)x86->operands[0].imm;
}

static void decode_uops(struct insn *insn, const cs_insn *decoded)
{
    unsigned uops = classify_microcode(decoded);
    insn->cost = (uint8_t)classify_cost(decoded, insn);
    if (uops) {
        insn->uops = (uint8_t)uops;
        insn->flags |= INSN_MICROCODED;
        return;
    }
    /* One uop for the operation, one for a load, two for a store (address and data); a move has no operation.
     */
    bool loads = insn->flags & INSN_LOADS, stores = insn->flags & INSN_STORES;
    uops = (unsigned)loads + 2 * stores;
    if (!classify_is_move(decoded) || uops == 0)
        uops++;
    if (insn->branch == BRANCH_CALL || insn->branch == BRANCH_INDIRECT_CALL)
        uops += 2; /* a store: it pushes the return address */
    else if (insn->branch == BRANCH_RETURN)
        uops += 2; /* a load: it pops the return address */
    insn->uops = (uint8_t)(uops > UOPS_TRACE_CACHE ? UOPS_TRACE_CACHE : uops);
}

/* FFH /3 and /5, a far call and jump by way of memory, are near ones to libcapstone 5. */
static void name_far_transfer(cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    unsigned operation = x86->modrm >> 3 & 7;
    if (x86->opcode[0] == 0xFF && operation == 3)
        decoded->id = X86_INS_LCALL;
    if (x86->opcode[0] == 0xFF && operation == 5)
        decoded->id = X86_INS_LJMP;
}

/* What libcapstone says of the instruction at code (at least 16 readable bytes); null: it is none. */
static cs_insn *decode_by_capstone(struct decoder *decoder, const uint8_t *code, uint32_t address,
                                   bool code16)
{
    size_t size = 16;
    uint64_t at = address;
    cs_insn *decoded = decoder->scratch[code16];
    return cs_disasm_iter(decoder->handle[code16], &code, &size, &at, decoded) ? decoded : NULL;
}

void decode_instruction(struct decoder *decoder, struct insn *insn, const uint8_t *code, uint32_t address,
                        bool code16)
{
    memset(insn, 0, sizeof *insn);
    insn->tag = address | INSN_TAG_VALID | (code16 ? INSN_TAG_16BIT : 0);
    memcpy(&insn->bytes, code, sizeof insn->bytes);
    insn->length = 1;
    insn->uops = 1;

    bool pushes;
    cs_insn *decoded = decode_by_capstone(decoder, code, address, code16);
    if (decoded) {
        name_far_transfer(decoded);
        insn->length = (uint8_t)decoded->size;
        insn->intercept = classify_intercept(decoded);
        insn->flags = classify_flags(decoded);
        if (insn->flags & INSN_TRAP)
            insn->trap = classify_trap(decoded);
        insn->fp = classify_fp(decoded);
        insn->sse_arithmetic = classify_is_sse_arithmetic(decoded, insn->fp);
        decode_fp_registers(insn, decoded);
        insn->x87_reads = classify_x87_reads(decoded, &pushes);
        if (pushes)
            insn->flags |= INSN_X87_PUSH;
        decode_memory(insn, decoded);
        if (insn->intercept == INSN_DEBUG && classify_operand(decoded, 0)->reg == X86_REG_DR7)
            insn->base = decode_engine_register(classify_operand(decoded, 1)->reg);
        if (insn->intercept == INSN_FLUSH)
            decode_control_register(insn, decoded);
        if (insn->intercept == INSN_PORT)
            decode_port(insn, decoded);
        decode_branch(insn, decoded);
        decode_uops(insn, decoded);
        classify_tagged(decoded, insn);
    }
    insn->mask = insn->length >= 8 ? ~0ull : (1ull << 8 * insn->length) - 1;
    insn->bytes &= insn->mask;
}
