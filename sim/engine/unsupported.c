#include "unsupported.h"

#include <stdio.h>
#include "engine.h"
#include "sim/cpu/paging.h"

#define LINE_MAX 160

static const char *const NAMES[UNSUPPORTED_KINDS] = {
    [UNSUPPORTED_TASK_GATE] = "a task gate in the IDT",
    [UNSUPPORTED_TSS16] = "a stack from a 16-bit TSS",
    [UNSUPPORTED_REAL_MODE_EVENT] = "an interrupt or exception in real mode",
    [UNSUPPORTED_VIRTUAL_8086] = "virtual-8086 mode",
    [UNSUPPORTED_DATA_BREAKPOINT] = "a breakpoint on data or a port",
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

bool unsupported_code(struct processor *processor, uint32_t address)
{
    struct page_walk walk;
    if (!paging_walk(processor, address, 0, &walk) || walk.physical == address)
        return false;
    processor->pending = NULL;
    processor->eip = address - processor->cs_base;
    unsupported_end(processor, UNSUPPORTED_REMAPPED_CODE);
    return true;
}

void unsupported_end(struct processor *processor, enum unsupported kind)
{
    char line[LINE_MAX];
    format(processor, kind, line, sizeof line);
    run_control_stop(processor->control, MACHINE_BROKEN, line);
}
