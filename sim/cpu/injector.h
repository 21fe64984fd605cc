/*
 * The interface through which noise and board defects (sim/inject/) disturb a run. program/main.c registers
 * them; the rooms below sim/inject/ call these functions at the places where something can be disturbed.
 */
#ifndef SIM_CPU_INJECTOR_H
#define SIM_CPU_INJECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct machine;
struct nbpmu_variants;
struct processor;

#define INJECTORS_MAX 3

/* Every function may be null. */
struct injector {
    void *context;
    /* Before the PMUs are made: switch on legal differences of the part. */
    void (*add_errata)(void *context, struct nbpmu_variants *variants);
    /* At power-up, when the machine is complete: set registers and devices as this board leaves them. */
    void (*init)(void *context, struct machine *machine);
    /* Core clock by which run() is to be called for this core; UINT64_MAX: not needed. */
    uint64_t (*next)(void *context, const struct core *core);
    /* Called between two instructions of the core. */
    void (*run)(void *context, struct core *core);
    /* Length in clocks of the next quantum; usual is what the scheduler would choose. */
    uint64_t (*quantum)(void *context, uint64_t usual);
    /* The PMU raised a PMI for this processor: clocks by which it arrives later than usual. */
    uint64_t (*pmi_skid)(void *context, const struct processor *processor);
    /* A register write of this processor made counters of its core start to count. */
    void (*counting_started)(void *context, struct processor *processor);
    /* A branch is retiring, and its events are being posted. */
    void (*branch_retired)(void *context, const struct processor *processor);
    /* The processor, which waits for a start-up IPI, is sent one. True: it does not get it. */
    bool (*sipi_lost)(void *context, const struct processor *processor);
    /* The processor executes HLT. True: it has to execute it again, because it is not halted yet. */
    bool (*halt_delayed)(void *context, const struct processor *processor);
    /* INT n in real mode: serve it, as the BIOS would. False when this board's BIOS has no such service.
     */
    bool (*bios_called)(void *context, struct processor *processor, uint8_t interrupt);
    /* The processor is about to execute the first instruction of an interrupt or exception handler. */
    void (*handler_entered)(void *context, struct processor *processor);
};

/* The injectors of a machine, in the order in which they are called. */
struct injectors {
    struct injector list[INJECTORS_MAX];
    unsigned count;
};

/* Add an injector; a machine has at most INJECTORS_MAX. */
void injectors_add(struct injectors *injectors, struct injector injector);

/* Each calls the function of that name of every injector that has one. */
void injectors_add_errata(const struct injectors *injectors, struct nbpmu_variants *variants);
void injectors_init(const struct injectors *injectors, struct machine *machine);
void injectors_run(const struct injectors *injectors, struct core *core);
void injectors_counting_started(const struct injectors *injectors, struct processor *processor);
void injectors_branch_retired(const struct injectors *injectors, const struct processor *processor);
void injectors_handler_entered(const struct injectors *injectors, struct processor *processor);
/* True when one of the injectors that have that function returned true. */
bool injectors_sipi_lost(const struct injectors *injectors, const struct processor *processor);
bool injectors_halt_delayed(const struct injectors *injectors, const struct processor *processor);
bool injectors_bios_called(const struct injectors *injectors, struct processor *processor, uint8_t interrupt);
/* The earliest of their clocks, UINT64_MAX when no injector waits for one. */
uint64_t injectors_next(const struct injectors *injectors, const struct core *core);
/* The quantum that the injectors make of the usual one. */
uint64_t injectors_quantum(const struct injectors *injectors, uint64_t usual);
/* The sum of their clocks. */
uint64_t injectors_pmi_skid(const struct injectors *injectors, const struct processor *processor);

#endif
