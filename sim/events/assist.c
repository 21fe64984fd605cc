/* Assists: faults of the x87 register stack, and operands or results that the hardware leaves to microcode.
 */
#include "events.h"

#include <string.h>
#include "sim/cpu/registers.h"
#include "pmc/netburst/regs.h"

/* ---- Faults of the x87 register stack ---- */

#define FPSW_TOP(word)       ((unsigned)FIELD_GET(13, 11, word))
#define FPTAG_OF(word, phys) ((word) >> 2 * (phys)&3u)
#define TAG_EMPTY            3u
#define STACK_REGISTERS      8u

static bool is_empty(uint32_t tags, unsigned top, unsigned i)
{
    return FPTAG_OF(tags, (top + i) % STACK_REGISTERS) == TAG_EMPTY;
}

static unsigned x87_stack_fault(const struct processor *processor, const struct insn *insn)
{
    bool pushes = insn->flags & INSN_X87_PUSH;
    if (!insn->x87_reads && !pushes)
        return 0;
    uint32_t tags = processor_get(processor, UC_X86_REG_FPTAG);
    unsigned top = FPSW_TOP(processor_get(processor, UC_X86_REG_FPSW));
    for (unsigned i = 0; i < STACK_REGISTERS; i++)
        if (insn->x87_reads & 1u << i && is_empty(tags, top, i))
            return 1u << FPSU;
    return pushes && !is_empty(tags, top, STACK_REGISTERS - 1) ? 1u << FPSO : 0;
}

/* ---- Numbers ---- */

enum number { NUMBER_NORMAL, NUMBER_ZERO, NUMBER_DENORMAL, NUMBER_HUGE }; /* HUGE: infinity or NaN */

static enum number number_of(unsigned exponent, unsigned most, uint64_t fraction)
{
    if (exponent == most)
        return NUMBER_HUGE;
    if (exponent > 0)
        return NUMBER_NORMAL;
    return fraction ? NUMBER_DENORMAL : NUMBER_ZERO;
}

#define X87_EXPONENT FIELD_MASK(14, 0) /* of the upper 16 of 80 bits */

/* What register `physical` of the stack holds. */
static enum number x87_number(const struct processor *processor, unsigned physical)
{
    struct {
        uint64_t mantissa;
        uint16_t sign_exponent;
    } value = {0, 0};
    uc_reg_read(processor->uc, UC_X86_REG_FP0 + (int)physical, &value);
    return number_of(value.sign_exponent & X87_EXPONENT, X87_EXPONENT, value.mantissa);
}

/* ---- x87 operands and results ---- */

/* The registers, by their number, that the instruction calculates with. */
static unsigned x87_sources(const struct processor *processor, const struct insn *insn)
{
    unsigned top = FPSW_TOP(processor_get(processor, UC_X86_REG_FPSW)), sources = 0;
    for (unsigned i = 0; i < STACK_REGISTERS; i++)
        if (insn->x87_reads & 1u << i)
            sources |= 1u << (top + i) % STACK_REGISTERS;
    return sources;
}

static bool holds(const struct processor *processor, unsigned registers, enum number number)
{
    for (unsigned i = 0; i < STACK_REGISTERS; i++)
        if (registers & 1u << i && x87_number(processor, i) == number)
            return true;
    return false;
}

void x87_look_at_operands(struct processor *processor, const struct insn *insn)
{
    unsigned sources = insn->fp == FP_X87 ? x87_sources(processor, insn) : 0;
    processor->x87_assists = (uint8_t)x87_stack_fault(processor, insn);
    processor->x87_normal = 0;
    if (!processor->x87_assists && holds(processor, sources, NUMBER_DENORMAL))
        processor->x87_assists = 1u << PREA;
    if (!processor->x87_assists && !holds(processor, sources, NUMBER_HUGE) &&
        !holds(processor, sources, NUMBER_ZERO))
        processor->x87_normal = (uint8_t)sources;
}

void x87_post_assists(const struct processor *processor)
{
    unsigned assists = processor->x87_assists;
    if (holds(processor, processor->x87_normal, NUMBER_HUGE))
        assists |= 1u << POAO;
    if (holds(processor, processor->x87_normal, NUMBER_DENORMAL))
        assists |= 1u << POAU;
    if (assists)
        post_mask(processor, NBPMU_X87_ASSIST, assists, 1);
}

/* ---- SSE operands ---- */

#define MXCSR_DAZ     FIELD_MASK(6, 6)
#define XMM_REGISTERS 8u

/* Numbers of an operand, by the class of the uop: how many, and the bits of one. */
static const struct {
    uint8_t numbers, fraction, exponent;
} OPERAND[] = {
    [FP_PACKED_SP] = {4, 23, 8},
    [FP_PACKED_DP] = {2, 52, 11},
    [FP_SCALAR_SP] = {1, 23, 8},
    [FP_SCALAR_DP] = {1, 52, 11},
};

static bool has_denormal(const struct processor *processor, const struct insn *insn, unsigned operand)
{
    unsigned fraction = OPERAND[insn->fp].fraction, exponent = OPERAND[insn->fp].exponent,
             bytes = (1 + fraction + exponent) / 8, most = (1u << exponent) - 1;
    uint8_t xmm[16];
    if (operand == 0 || operand > XMM_REGISTERS)
        return false;
    uc_reg_read(processor->uc, UC_X86_REG_XMM0 + (int)operand - 1, xmm);
    for (unsigned i = 0; i < OPERAND[insn->fp].numbers; i++) {
        uint64_t value = 0;
        memcpy(&value, xmm + i * bytes, bytes);
        if (number_of(value >> fraction & most, most, value & ((1ull << fraction) - 1)) == NUMBER_DENORMAL)
            return true;
    }
    return false;
}

bool sse_input_is_assisted(const struct processor *processor, const struct insn *insn)
{
    return !(processor_get(processor, UC_X86_REG_MXCSR) & MXCSR_DAZ) &&
           (has_denormal(processor, insn, insn->fp_to) || has_denormal(processor, insn, insn->fp_from));
}
