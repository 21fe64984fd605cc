#include "segments.h"

#include "delivery.h"
#include "engine.h"
#include "intercept.h"
#include "sim/cpu/registers.h"
#include "sim/cpu/exceptions.h"

/* Can it be written, or read? */
static bool has_right(const struct segment *segment, bool writes)
{
    unsigned type = (unsigned)DESCRIPTOR_TYPE(segment->flags);
    if (type & TYPE_CODE)
        return !writes && type & TYPE_READABLE;
    return !writes || type & TYPE_WRITABLE;
}

static bool within_limit(const struct segment *segment, uint32_t offset, uint32_t bytes)
{
    unsigned type = (unsigned)DESCRIPTOR_TYPE(segment->flags);
    uint64_t last = (uint64_t)offset + bytes - 1;
    if ((type & (TYPE_CODE | TYPE_DOWNWARDS)) != TYPE_DOWNWARDS)
        return last <= segment->limit;
    return offset > segment->limit && last <= (segment->flags & SEGMENT_BIG ? UINT32_MAX : UINT16_MAX);
}

static uint32_t offset_of(const struct processor *processor, const struct access *access,
                          const struct segment *segment)
{
    uint32_t offset = access->offset;
    bool has_16_bits = access->is_stack ? !(segment->flags & SEGMENT_BIG) : access->has_16_bits;
    if (access->base)
        offset += processor_get(processor, access->base);
    if (access->index)
        offset += processor_get(processor, access->index) * access->scale;
    return has_16_bits ? offset & UINT16_MAX : offset;
}

static int check(const struct processor *processor, const struct segment *segment,
                 const struct access *access)
{
    if (!DESCRIPTOR_PRESENT(segment->flags) || !has_right(segment, access->writes))
        return EXCEPTION_GP; /* what holds a null selector is not present */
    if (within_limit(segment, offset_of(processor, access, segment), access->bytes))
        return NO_EXCEPTION;
    return access->segment == SEGMENT_SS ? EXCEPTION_SS : EXCEPTION_GP;
}

int segments_refuse(struct processor *processor, const struct insn *insn, uint32_t address)
{
    struct segment segments[SEGMENTS];
    struct access accesses[ACCESSES];
    bool code16 = processor->mode_tag & INSN_TAG_16BIT;
    if (!processor_protected(processor))
        return NO_EXCEPTION;
    context_segments(processor, segments);
    if (!within_limit(&segments[SEGMENT_CS], address - processor->cs_base, insn->length))
        return EXCEPTION_GP;
    unsigned count =
        decode_accesses(processor->engine->decoder, processor->ram + address, address, code16, accesses);
    if (insn->flags & INSN_REP &&
        processor_get(processor, accesses[0].has_16_bits ? UC_X86_REG_CX : UC_X86_REG_ECX) == 0)
        return NO_EXCEPTION;
    for (unsigned i = 0; i < count; i++) {
        int exception = check(processor, &segments[accesses[i].segment], &accesses[i]);
        if (exception != NO_EXCEPTION)
            return exception;
    }
    return NO_EXCEPTION;
}
