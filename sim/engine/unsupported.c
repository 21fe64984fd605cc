/* Notices that a kernel needs what p4sim does not simulate, and says so or ends the run. */
#include "unsupported.h"
#include "engine.h"

#include <stdio.h>
#include "sim/cpu/registers.h"
#include "pmc/netburst/regs.h"

#define LINE_MAX 160

/* GD, and the enable bits of the breakpoints. */
#define DR7_ENABLES (FIELD_MASK(13, 13) | FIELD_MASK(7, 0))

static const char *const NAMES[UNSUPPORTED_KINDS] = {
    [UNSUPPORTED_TASK_GATE] = "a task gate in the IDT",
    [UNSUPPORTED_TSS16] = "a stack from a 16-bit TSS",
    [UNSUPPORTED_REAL_MODE_EVENT] = "an interrupt or exception in real mode",
    [UNSUPPORTED_VIRTUAL_8086] = "virtual-8086 mode",
    [UNSUPPORTED_BREAKPOINT] = "a debug register, beyond DR7 without a breakpoint",
    [UNSUPPORTED_SEGMENT] = "what the limit or the rights of a segment refuse",
    [UNSUPPORTED_REMAPPING] = "a page that is mapped to another address than its own",
    [UNSUPPORTED_REMAPPED_CODE] = "code in a page that is mapped to another address than its own",
    [UNSUPPORTED_LONG_MODE] = "64-bit mode",
    [UNSUPPORTED_NO_EXECUTE] = "pages without the right to execute (IA32_EFER.NXE)",
    [UNSUPPORTED_SYSENTER] = "SYSENTER, which IA32_SYSENTER_CS was written for",
    [UNSUPPORTED_IPI] = "an interprocessor interrupt of this delivery mode, or INIT to the sender",
};

static void format(const struct processor *processor, enum unsupported kind, char *line, size_t size)
{
    uint32_t eip =
        processor->pending ? (uint32_t)processor->pending->tag - processor->cs_base : processor->eip;
    snprintf(line, size, "not simulated: %s, on LP%u at EIP %08XH", NAMES[kind], processor->index, eip);
}

void unsupported_report(struct processor *processor, enum unsupported kind)
{
    struct engine *engine = processor->engine;
    char line[LINE_MAX];
    if (engine->reported & 1u << kind)
        return;
    engine->reported |= 1u << kind;
    format(processor, kind, line, sizeof line);
    fprintf(stderr, "p4sim: %s; what follows may be wrong\n", line);
}

static void end_at(struct processor *processor, uint32_t address, enum unsupported kind)
{
    processor->pending = NULL;
    processor->eip = address - processor->cs_base;
    unsupported_end(processor, kind);
}

bool unsupported_code(struct processor *processor, uint32_t address)
{
    struct page_walk walk;
    if (!paging_walk(processor, address, 0, &walk) || walk.physical == address)
        return false;
    end_at(processor, address, UNSUPPORTED_REMAPPED_CODE);
    return true;
}

#define STACK_BYTES 32u /* that one instruction pushes or pops, at most */

/* libunicorn asks neither limits nor rights. Are these bytes such that a processor would access them, too? */
static bool is_safe(const struct segment *segment, uint64_t offset, unsigned bytes)
{
    return segment_is_flat(segment) || (segment_is_writable(segment) && offset + bytes - 1 <= segment->limit);
}

static bool accesses_are_safe(const struct processor *processor, const struct insn *insn,
                              const struct segment segments[SEGMENTS])
{
    bool operand = insn->flags & (INSN_LOADS | INSN_STORES) && insn->intercept != INSN_FLUSH &&
                   insn->intercept != INSN_PORT;
    uint32_t esp = processor_get(processor, UC_X86_REG_ESP);
    if (insn->flags & INSN_STACK && !is_safe(&segments[SEGMENT_SS], esp - STACK_BYTES, 2 * STACK_BYTES))
        return false;
    if (!operand || (insn->segment == SEGMENT_CS && !(insn->flags & INSN_STORES)))
        return true;
    if (insn->segment == SEGMENTS)
        return segment_is_flat(&segments[SEGMENT_DS]) && segment_is_flat(&segments[SEGMENT_ES]);
    uint64_t offset = insn->offset;
    if (insn->base)
        offset += processor_get(processor, insn->base);
    if (insn->index)
        offset += (uint64_t)processor_get(processor, insn->index) * insn->scale;
    return is_safe(&segments[insn->segment], offset, insn->size);
}

bool unsupported_instruction(struct processor *processor, const struct insn *insn, uint32_t address)
{
    /* libunicorn crashes on some of them. Firmware and kernels clear DR7. */
    if (insn->intercept == INSN_DEBUG &&
        (!insn->base || (processor->cpl == 0 && processor_get(processor, insn->base) & DR7_ENABLES))) {
        end_at(processor, address, UNSUPPORTED_BREAKPOINT);
        return true;
    }
    struct segment segments[SEGMENTS];
    context_segments(processor, segments);
    uint32_t last = address - processor->cs_base + insn->length - 1;
    if (!processor_protected(processor) ||
        (last <= segments[SEGMENT_CS].limit && accesses_are_safe(processor, insn, segments)))
        return false;
    end_at(processor, address, UNSUPPORTED_SEGMENT);
    return true;
}

void unsupported_end(struct processor *processor, enum unsupported kind)
{
    char line[LINE_MAX];
    format(processor, kind, line, sizeof line);
    run_control_stop(processor->control, MACHINE_BROKEN, line);
}
