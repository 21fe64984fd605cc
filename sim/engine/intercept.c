/*
 * Instructions that reach outside of libunicorn, and their costs (sim/cpu/timing.c). RDMSR, RDPMC and RDTSC
 * read before their clocks pass. WRMSR serialises and takes effect somewhere inside its clocks (F3, F4).
 */
#include "intercept.h"
#include "engine.h"
#include "mmio.h"
#include "unsupported.h"
#include "delivery.h"

#include "sim/cpu/registers.h"
#include "sim/board/board.h"
#include "pmc/netburst/regs.h"
#include "sim/events/events.h"

#define LIMITED_LEAF           3u /* highest leaf of a CPUID that the BIOS has limited */
#define CPUID_1_EDX_APIC       FIELD_MASK(9, 9)
#define CPUID_1_ECX_HYPERVISOR FIELD_MASK(31, 31)
#define CR4_TSD                FIELD_MASK(2, 2)
#define OPCODE_BYTES           2u /* of these instructions, without a prefix */

static uint64_t get_edx_eax(const struct processor *processor)
{
    return (uint64_t)processor_get(processor, UC_X86_REG_EDX) << 32 |
           processor_get(processor, UC_X86_REG_EAX);
}

static void set_edx_eax(struct processor *processor, uint64_t value)
{
    processor->repeated.due = true;
    processor->repeated.edx_eax = value;
}

void intercept_give(struct processor *processor)
{
    struct repeated *repeated = &processor->repeated;
    if (!repeated->due)
        return;
    repeated->due = false;
    processor_set(processor, UC_X86_REG_EAX, (uint32_t)repeated->edx_eax);
    processor_set(processor, UC_X86_REG_EDX, (uint32_t)(repeated->edx_eax >> 32));
}

static bool cr4_has(const struct processor *processor, uint64_t bits)
{
    return (processor_get(processor, UC_X86_REG_CR4) & bits) != 0;
}

static uint32_t access_clocks(const struct processor *processor, enum cost cost)
{
    const bool *active = processor->core->active;
    return timing_draw_shared(processor->timing, cost, active[0] && active[1]);
}

static void charge(struct processor *processor, enum cost cost)
{
    processor_stall(processor, access_clocks(processor, cost));
}

static bool rdtsc(struct processor *processor)
{
    if (processor->cpl != 0 && cr4_has(processor, CR4_TSD))
        return false;
    set_edx_eax(processor, msrs_tsc(processor));
    charge(processor, COST_RDTSC);
    return true;
}

static bool rdpmc(struct processor *processor)
{
    uint64_t value;
    uint32_t index = processor_get(processor, UC_X86_REG_ECX);
    if (!nbpmu_rdpmc(processor->core->pmu, processor->thread, cr4_has(processor, CR4_PCE), index, &value))
        return false;
    charge(processor, index & RDPMC_FAST ? COST_RDPMC_FAST : COST_RDPMC);
    set_edx_eax(processor, value);
    return true;
}

static bool rdmsr(struct processor *processor)
{
    uint64_t value;
    uint32_t msr = processor_get(processor, UC_X86_REG_ECX);
    if (processor->cpl != 0 || !msrs_read(processor, msr, &value))
        return false;
    charge(processor, timing_of_rdmsr(msr));
    set_edx_eax(processor, value);
    return true;
}

/* Before WRMSR takes effect at least one clock passes, to which the events of older instructions belong. */
static bool wrmsr(struct processor *processor)
{
    uint32_t msr = processor_get(processor, UC_X86_REG_ECX);
    if (processor->cpl != 0)
        return false;
    uint32_t clocks = access_clocks(processor, timing_of_wrmsr(msr));
    uint32_t before = 1 + (clocks - 1) * processor->timing->wrmsr_acts / 100;
    core_clock(processor->core, before, true); /* these clocks do not pass unseen, because of E2 */
    processor_stall(processor, clocks - before);
    if (!nbpmu_has_msr(msr))
        processor->repeated.harmless = false;
    if (msr == MSR_SYSENTER_CS)
        unsupported_report(processor, UNSUPPORTED_SYSENTER); /* libunicorn does not see these registers */
    return msrs_write(processor, msr, get_edx_eax(processor));
}

int intercept_execute(struct processor *processor, const struct insn *insn)
{
    bool done = true;
    /* libunicorn raises #UD for RDPMC, and for some prefixes. */
    processor->repeated.harmless = insn->length == OPCODE_BYTES && insn->intercept != INSN_RDPMC;
    switch (insn->intercept) {
    case INSN_RDTSC:
        done = rdtsc(processor);
        break;
    case INSN_RDPMC:
        done = rdpmc(processor);
        break;
    case INSN_RDMSR:
        done = rdmsr(processor);
        break;
    case INSN_WRMSR:
        done = wrmsr(processor);
        break;
    default:
        break;
    }
    return done ? NO_EXCEPTION : EXCEPTION_GP;
}

/* ---- CPUID and ports: hooks of the engine ---- */

/* The result, not 0, keeps libunicorn from executing CPUID too. */
static int hook_cpuid(uc_engine *uc, void *context)
{
    struct processor *processor = context;
    uint32_t leaf = processor_get(processor, UC_X86_REG_EAX);
    struct cpu_model model = *processor->model;
    (void)uc;
    if ((processor->msrs.misc_enable & MISC_ENABLE_CPUID_LIMITED) && model.max_leaf > LIMITED_LEAF)
        model.max_leaf = LIMITED_LEAF;
    if (!(processor->msrs.apic_base & APIC_BASE_ENABLE))
        model.features_edx &= ~CPUID_1_EDX_APIC; /* SDM vol. 3, 10.4.3 */
    if (processor->msrs.misc_enable & MISC_ENABLE_XD_DISABLED)
        model.extended_edx &= ~EXTENDED_EDX_XD;
    const unsigned threads = processor->quirks->ht_manufactured && model.ht ? 2 : processor->engine->threads;
    const unsigned apic_id =
        processor->index * (processor->quirks->two_packages ? PACKAGES_APART : processor->engine->ids_apart);
    struct cpuid_leaf out =
        cpu_model_cpuid(&model, threads, (uint8_t)apic_id, leaf, processor_get(processor, UC_X86_REG_ECX));
    if (leaf == 1 && processor->quirks->hypervisor)
        out.ecx |= CPUID_1_ECX_HYPERVISOR;
    processor_set(processor, UC_X86_REG_EAX, out.eax);
    processor_set(processor, UC_X86_REG_EBX, out.ebx);
    processor_set(processor, UC_X86_REG_ECX, out.ecx);
    processor_set(processor, UC_X86_REG_EDX, out.edx);
    charge(processor, COST_CPUID);
    if (leaf == 1)
        msrs_load_microcode_revision(processor);
    return 1;
}

/* A port access waits for the stores before it (SDM vol. 1, 16.6). */
static void access_port(struct processor *processor)
{
    apic_stores_drain(processor);
    processor_stall(processor, timing_draw(processor->timing, COST_PORT) + processor->quirks->port_clocks);
}

static uint32_t hook_in(uc_engine *uc, uint32_t port, int size, void *context)
{
    struct processor *processor = context;
    (void)uc;
    access_port(processor);
    return board_in(processor->engine->board, (uint16_t)port, (unsigned)size, processor->core->clock);
}

static void hook_out(uc_engine *uc, uint32_t port, int size, uint32_t value, void *context)
{
    struct processor *processor = context;
    struct board *board = processor->engine->board;
    (void)uc;
    access_port(processor);
    uint64_t watchdog = ich_next(&board->ich);
    board_out(board, (uint16_t)port, (unsigned)size, value, processor->core->clock);
    if (ich_next(&board->ich) != watchdog)
        run_control_reschedule(processor->control); /* the quantum may have to end earlier */
    if (board->exit_written)
        run_control_stop(processor->control, MACHINE_EXIT, "");
    else if (board->reset_asked)
        run_control_stop(processor->control, MACHINE_RESET, "");
}

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    int (*cpuid)(uc_engine *, void *);
    uint32_t (*in)(uc_engine *, uint32_t, int, void *);
    void (*out)(uc_engine *, uint32_t, int, uint32_t, void *);
    void *address;
};

static bool install(struct processor *processor, union hook hook, int instruction)
{
    uc_hook handle;
    return uc_hook_add(processor->uc, &handle, UC_HOOK_INSN, hook.address, processor, 1, 0, instruction) ==
           UC_ERR_OK;
}

bool intercept_install(struct processor *processor)
{
    return install(processor, (union hook){.cpuid = hook_cpuid}, UC_X86_INS_CPUID) &&
           install(processor, (union hook){.in = hook_in}, UC_X86_INS_IN) &&
           install(processor, (union hook){.out = hook_out}, UC_X86_INS_OUT);
}

/* ---- Checks of the processor that libunicorn leaves out ---- */

#define CR0_PE FIELD_MASK(0, 0)
#define CR0_NW FIELD_MASK(29, 29)
#define CR0_CD FIELD_MASK(30, 30)
#define CR0_PG FIELD_MASK(31, 31)

/* VME to OSXMMEXCPT: all that the processors of this family have (SDM vol. 3, 2.5). */
#define CR4_DEFINED FIELD_MASK(10, 0)

#define EFLAGS_GET_IOPL(eflags) FIELD_GET(13, 12, eflags)
#define EFLAGS_AC               FIELD_MASK(18, 18)

#define MXCSR_ZM               FIELD_MASK(9, 9)
#define SINGLE_MAGNITUDE(bits) FIELD_GET(30, 0, bits)
#define SINGLE_INFINITE        FIELD_MASK(30, 23)

#define TSS_BITMAP 102u /* offset of the word that says where the bitmap is; one in a TSS of 32 bits */

static bool bitmap_allows(struct processor *processor, uint16_t port, unsigned bytes, struct delivery *fault)
{
    const uc_x86_mmr tr = processor_get_table(processor, UC_X86_REG_TR);
    uint16_t bitmap, bits;
    if (tr.limit < TSS_BITMAP + sizeof bitmap - 1)
        return false;
    if (!delivery_access(processor, (uint32_t)tr.base + TSS_BITMAP, 0, &bitmap, sizeof bitmap, fault))
        return false;
    uint32_t at = bitmap + port / 8u; /* the bits of a port may lie across two bytes, so two are read */
    if (at + sizeof bits - 1 > tr.limit ||
        !delivery_access(processor, (uint32_t)tr.base + at, 0, &bits, sizeof bits, fault))
        return false;
    return (bits >> port % 8 & ((1u << bytes) - 1)) == 0;
}

int privilege_of_port(struct processor *processor, const struct insn *insn)
{
    if (processor->cpl <= EFLAGS_GET_IOPL(processor_get(processor, UC_X86_REG_EFLAGS)))
        return NO_EXCEPTION;
    bool immediate = insn->port_bytes & PORT_IS_IMMEDIATE;
    uint16_t port = immediate ? insn->port : (uint16_t)processor_get(processor, UC_X86_REG_EDX);
    struct delivery fault = {.interrupt = EXCEPTION_GP};
    if (bitmap_allows(processor, port, PORT_BYTES(insn), &fault))
        return NO_EXCEPTION;
    return fault.interrupt;
}

int privilege_of_control(const struct processor *processor, const struct insn *insn)
{
    bool faults = false;
    if (insn->control_register == NO_CONTROL_REGISTER)
        return NO_EXCEPTION;
    uint32_t value = processor_get(processor, insn->base);
    if (insn->control_register == 0)
        faults = (value & CR0_PG && !(value & CR0_PE)) || (value & CR0_NW && !(value & CR0_CD));
    else if (insn->control_register == 4)
        faults = value & ~CR4_DEFINED;
    return faults ? EXCEPTION_GP : NO_EXCEPTION;
}

int privilege_of_access(const struct processor *processor, const struct insn *insn)
{
    const unsigned size = insn->size;
    if (!processor_may_check_alignment(processor) ||
        !(processor_get(processor, UC_X86_REG_EFLAGS) & EFLAGS_AC) ||
        !(insn->flags & (INSN_LOADS | INSN_STORES)) || (size != 2 && size != 4 && size != 8))
        return NO_EXCEPTION;
    return memory_operand(processor, insn) % size ? EXCEPTION_AC : NO_EXCEPTION;
}

int privilege_of_divide(const struct processor *processor, const struct insn *insn)
{
    uint32_t to[4] = {0}, from[4] = {0};
    uc_reg_read(processor->uc, UC_X86_REG_XMM0 + insn->fp_to - 1, to);
    uc_reg_read(processor->uc, UC_X86_REG_XMM0 + insn->fp_from - 1, from);
    const uint32_t dividend = SINGLE_MAGNITUDE(to[0]);
    if (processor_get(processor, UC_X86_REG_MXCSR) & MXCSR_ZM || SINGLE_MAGNITUDE(from[0]) || !dividend ||
        dividend >= SINGLE_INFINITE)
        return NO_EXCEPTION;
    return EXCEPTION_XM;
}
