/*
 * The copy is opaque. It is a copy of libunicorn's CPUX86State, whose beginning is struct state below, and
 * which has struct debug_state further on; contents that were written before tell where both are.
 */
#include "registers.h"

#include <stddef.h>
#include <string.h>

struct segment_state {
    uint32_t selector;
    uint64_t base;
    uint32_t limit;
    uint32_t flags;
};

struct state {
    uint64_t general[16]; /* EAX, ECX, EDX, EBX, ... */
    uint64_t eip, eflags;
    uint64_t conditions[3];
    uint32_t condition, direction;
    uint32_t modes, modes2;
    struct segment_state segment[SEGMENTS];
};

struct debug_state {
    int32_t error_code, is_software;
    uint64_t next_eip;
    uint64_t dr[8];
    void *breakpoint[4];
    int32_t in_flight; /* interrupt vector, or NOT_IN_FLIGHT */
};

#define NOT_IN_FLIGHT (-1)

/* Bits of state.modes. */
#define MODE_CPL  3u
#define MODE_CS32 (1u << 4)
#define MODE_SS32 (1u << 5)
#define MODE_BASE (1u << 6) /* a data segment has a base */

/* ---- Layout ---- */

#define PROBES 4

/* Put these values into four registers, and find the first of these in the copy. Returns false if it is not
 * there. */
static bool find(struct processor *processor, const int *registers, size_t *at)
{
    uint64_t values[PROBES];
    size_t size = uc_context_size(processor->uc);
    const uint8_t *bytes = (const uint8_t *)processor->context;
    bool found = false;

    for (unsigned i = 0; i < PROBES; i++) {
        values[i] = 0xD0D0D0D0u + i;
        processor_set(processor, registers[i], (uint32_t)values[i]);
    }
    uc_context_save(processor->uc, processor->context);
    for (*at = 0; *at + sizeof values <= size; ++*at) {
        found = memcmp(bytes + *at, values, sizeof values) == 0;
        if (found)
            break;
    }
    for (unsigned i = 0; i < PROBES; i++)
        processor_set(processor, registers[i], 0);
    return found;
}

/* libunicorn 2.1 does not align the copy, so its parts are taken out of it and put back as bytes. */
static uint8_t *part(const struct processor *processor, size_t at)
{
    return (uint8_t *)processor->context + at;
}

/* Save the engine's state into the copy. Returns the part of it that struct state describes. */
static struct state save_state(const struct processor *processor)
{
    struct state state;
    uc_context_save(processor->uc, processor->context);
    memcpy(&state, part(processor, processor->context_state), sizeof state);
    return state;
}

static struct debug_state save_debug(const struct processor *processor)
{
    struct debug_state debug;
    uc_context_save(processor->uc, processor->context);
    memcpy(&debug, part(processor, processor->context_debug), sizeof debug);
    return debug;
}

/* Change a part of the copy, and the engine's state with it. */
static void restore(struct processor *processor, size_t at, const void *from, size_t size)
{
    memcpy(part(processor, at), from, size);
    uc_context_restore(processor->uc, processor->context);
}

bool context_init(struct processor *processor)
{
    static const int GENERAL[PROBES] = {UC_X86_REG_EAX, UC_X86_REG_ECX, UC_X86_REG_EDX, UC_X86_REG_EBX};
    static const int DEBUG[PROBES] = {UC_X86_REG_DR0, UC_X86_REG_DR1, UC_X86_REG_DR2, UC_X86_REG_DR3};
    size_t size = uc_context_size(processor->uc), at;

    if (uc_context_alloc(processor->uc, &processor->context) != UC_ERR_OK)
        return false;
    if (!find(processor, GENERAL, &at) || at + sizeof(struct state) > size)
        return false;
    processor->context_state = at;
    if (!find(processor, DEBUG, &at))
        return false;
    at -= offsetof(struct debug_state, dr);
    if (at + sizeof(struct debug_state) > size)
        return false;
    processor->context_debug = at;

    /* libunicorn opens with PE set, hence CS and SS of 32 bits. */
    const struct debug_state debug = save_debug(processor);
    uint32_t modes = save_state(processor).modes;
    return debug.error_code == 0 && debug.in_flight == NOT_IN_FLIGHT && (modes & MODE_CPL) == 0 &&
           modes & MODE_CS32 && modes & MODE_SS32;
}

void context_free(struct processor *processor)
{
    if (processor->context)
        uc_context_free(processor->context);
}

/* ---- Segments ---- */

static struct segment to_segment(const struct segment_state *from)
{
    return (struct segment){(uint16_t)from->selector, (uint32_t)from->base, from->limit, from->flags};
}

static struct segment_state from_segment(const struct segment *from)
{
    return (struct segment_state){from->selector, from->base, from->limit, from->flags};
}

uint8_t context_code_segment(const struct processor *processor, struct segment *cs)
{
    const struct state state = save_state(processor);
    *cs = to_segment(&state.segment[SEGMENT_CS]);
    return (uint8_t)(state.modes & MODE_CPL);
}

uint8_t context_segments(const struct processor *processor, struct segment segments[SEGMENTS])
{
    const struct state state = save_state(processor);
    for (unsigned i = 0; i < SEGMENTS; i++)
        segments[i] = to_segment(&state.segment[i]);
    return (uint8_t)(state.modes & MODE_CPL);
}

void context_stack_segment(const struct processor *processor, struct segment *ss)
{
    const struct state state = save_state(processor);
    *ss = to_segment(&state.segment[SEGMENT_SS]);
}

void context_load_segments(struct processor *processor, const struct segment *cs, const struct segment *ss)
{
    struct state state = save_state(processor);
    const struct segment_state *segment = state.segment;
    uint32_t modes = state.modes & ~(MODE_CPL | MODE_CS32 | MODE_SS32 | MODE_BASE);

    state.segment[SEGMENT_CS] = from_segment(cs);
    state.segment[SEGMENT_SS] = from_segment(ss);
    modes |= SEGMENT_DPL(ss->flags);
    modes |= cs->flags & SEGMENT_BIG ? MODE_CS32 : MODE_BASE;
    modes |= ss->flags & SEGMENT_BIG ? MODE_SS32 : 0;
    if (segment[SEGMENT_DS].base | segment[SEGMENT_ES].base | segment[SEGMENT_SS].base)
        modes |= MODE_BASE;
    state.modes = modes;
    restore(processor, processor->context_state, &state, sizeof state);
}

/* ---- Exceptions ---- */

uint32_t context_take_exception(struct processor *processor)
{
    struct debug_state debug = save_debug(processor);
    debug.in_flight = NOT_IN_FLIGHT;
    restore(processor, processor->context_debug, &debug, sizeof debug);
    return (uint32_t)debug.error_code;
}
