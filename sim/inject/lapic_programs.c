/*
 * Register programs for a composed fault of LVTPC: can software notice it at all? As sim/faults/programs.c
 * does with two PMUs, this compares two local APICs for each logical processor, sound ones and ones with the
 * fault, through drawn sequences of writes, PMIs, interrupts that are taken, EOIs and INITs.
 */
#include "inject.h"

#include <stdlib.h>
#include <string.h>
#include "pmc/count_of.h"
#include "sim/faults/grammar.h"

#define STEPS      60 /* of a program, but for a history that takes longer */
#define OFFSET_TPR 0x080u
#define OFFSET_EOI 0x0B0u
#define OFFSET_SVR 0x0F0u
#define SVR_VECTOR 0xFFu
#define INT_VECTOR 0x40u
#define PMI_VECTOR 0x55u
#define HIGH_TPR   0xF0u

struct lapic_program {
    struct random random;
    unsigned lps;
    struct machine *machine[2]; /* sound, with the fault */
    bool differs;
};

static unsigned below(struct lapic_program *program, unsigned n)
{
    return random_below(&program->random, n);
}

static struct lapic *lapic_of(struct lapic_program *program, unsigned which, unsigned lp)
{
    return &program->machine[which]->processor[lp].lapic;
}

/* One core at power-up, as far as a local APIC asks for it. */
static struct machine *new_machine(const struct nbpmu_part *part)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    machine->processors = part->lps;
    machine->cores = 1;
    machine->core[0].pmu = nbpmu_new(part, NULL);
    for (unsigned lp = 0; lp < part->lps; lp++) {
        struct processor *processor = &machine->processor[lp];
        processor->thread = lp;
        processor->core = &machine->core[0];
        processor->state = PROCESSOR_ACTIVE;
        machine->core[0].processor[lp] = processor;
        lapic_reset(&processor->lapic, (uint8_t)lp, 1);
    }
    return machine;
}

static void free_machine(struct machine *machine)
{
    if (machine)
        nbpmu_free(machine->core[0].pmu);
    free(machine);
}

/* ---- Steps ---- */

static void write_both(struct lapic_program *program, unsigned lp, uint32_t offset, uint32_t value)
{
    for (unsigned which = 0; which < 2; which++) {
        struct lapic *lapic = lapic_of(program, which, lp);
        lapic->stages->write(lapic, offset, value, 0);
    }
}

static void write_lvtpc(struct lapic_program *program, unsigned lp)
{
    const uint32_t vector = below(program, 2) ? PMI_VECTOR : 0x20u + below(program, 0xC0);
    const uint32_t value = LVT_VECTOR(vector) |
                           (below(program, 3) == 0 ? LVT_DELIVERY_NMI : LVT_DELIVERY_FIXED) |
                           (below(program, 4) == 0 ? LVT_MASKED : 0);
    write_both(program, lp, APIC_LVTPC, value);
}

static void take(struct lapic_program *program, unsigned lp)
{
    for (unsigned which = 0; which < 2; which++) {
        struct lapic *lapic = lapic_of(program, which, lp);
        const int interrupt = lapic_deliverable(lapic);
        lapic->nmi_pending = false;
        if (interrupt >= 0)
            lapic_accept(lapic, (uint8_t)interrupt);
    }
}

static void change_lp(struct lapic_program *program, unsigned lp)
{
    const bool active = below(program, 2);
    const unsigned cpl = below(program, 2) * 3;
    for (unsigned which = 0; which < 2; which++) {
        program->machine[which]->processor[lp].state = active ? PROCESSOR_ACTIVE : PROCESSOR_HALTED;
        nbpmu_set_lp(program->machine[which]->core[0].pmu, lp, active, cpl);
    }
}

static void take_step(struct lapic_program *program)
{
    const unsigned kind = below(program, 100), lp = below(program, program->lps);
    if (kind < 25)
        write_lvtpc(program, lp);
    else if (kind < 50)
        for (unsigned which = 0; which < 2; which++)
            lapic_of(program, which, lp)->stages->raise(lapic_of(program, which, lp), LVT_PERFORMANCE);
    else if (kind < 65)
        take(program, lp);
    else if (kind < 78)
        write_both(program, lp, OFFSET_EOI, 0);
    else if (kind < 83)
        write_both(program, lp, OFFSET_TPR, below(program, 2) ? HIGH_TPR : 0);
    else if (kind < 90)
        write_both(program, lp, OFFSET_SVR, SVR_VECTOR | (below(program, 3) ? LAPIC_SVR_ENABLE : 0));
    else if (kind < 92)
        for (unsigned which = 0; which < 2; which++)
            lapic_of(program, which, lp)->stages->reset(lapic_of(program, which, lp), (uint8_t)lp, 1);
    else
        change_lp(program, lp);
}

/* ---- Comparing: the registers, what is pending, and whether it ends HLT ---- */

static bool are_alike(const struct lapic *sound, const struct lapic *faulty)
{
    return sound->lvt[LVT_PERFORMANCE] == faulty->lvt[LVT_PERFORMANCE] &&
           memcmp(sound->irr, faulty->irr, sizeof sound->irr) == 0 &&
           memcmp(sound->isr, faulty->isr, sizeof sound->isr) == 0 &&
           sound->nmi_pending == faulty->nmi_pending && lapic_deliverable(sound) == lapic_deliverable(faulty);
}

static bool wakes(const struct lapic *lapic)
{
    return (lapic->nmi_pending || lapic_deliverable(lapic) >= 0) && lapic->stages->wakes(lapic);
}

/* A history needs so many steps. */
static unsigned steps_of(const struct nbpmu_composition *composition)
{
    return composition->history == HISTORY_AFTER || composition->history == HISTORY_EVERY
               ? STEPS * (composition->number + 1)
               : STEPS;
}

static void run_program(struct lapic_program *program, unsigned steps)
{
    for (unsigned lp = 0; lp < program->lps; lp++)
        write_both(program, lp, OFFSET_SVR, SVR_VECTOR | LAPIC_SVR_ENABLE);
    for (unsigned i = 0; i < steps && !program->differs; i++) {
        take_step(program);
        for (unsigned lp = 0; lp < program->lps; lp++)
            program->differs |= !are_alike(lapic_of(program, 0, lp), lapic_of(program, 1, lp)) ||
                                wakes(lapic_of(program, 0, lp)) != wakes(lapic_of(program, 1, lp));
    }
}

bool lapic_try(const struct nbpmu_part *part, const struct nbpmu_fault *fault, uint32_t seed,
               uint32_t programs, struct nbpmu_fault_trial *trial)
{
    const struct defects no_boards = {.boards = 0};
    struct lapic_program program = {.random = random_of_seed(seed), .lps = part->lps};
    bool good = true;
    struct nbpmu_fault drawn = *fault; /* whose acts are drawn anew in each program */
    *trial = (struct nbpmu_fault_trial){.programs = 0};
    while (good && trial->programs < programs && !trial->changed) {
        struct lapic_defects defects;
        program.machine[0] = new_machine(part);
        program.machine[1] = new_machine(part);
        good = program.machine[0] && program.machine[1] && lapic_defects_of(&defects, &drawn, &no_boards);
        if (good) {
            const struct injector injector = lapic_defects_injector(&defects);
            injector.init(injector.context, program.machine[1]);
            run_program(&program, steps_of(&fault->composition));
            trial->programs++;
            drawn.seed++;
            trial->acted += defects.struck > 0;
            trial->changed = program.differs;
        }
        free_machine(program.machine[0]);
        free_machine(program.machine[1]);
    }
    return good;
}
