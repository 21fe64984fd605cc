/*
 * The whole simulated machine: memory, one or two cores with a PMU each, logical processors, board, and the
 * scheduler that decides which logical processor runs. Nothing depends on the host's time.
 */
#ifndef SIM_MACHINE_MACHINE_H
#define SIM_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/board/uart.h"
#include "sim/board/board.h"
#include "sim/cpu/core.h"
#include "sim/cpu/models.h"
#include "sim/cpu/processor.h"
#include "sim/engine/engine.h"
#include "sim/netburst/nbpmu.h"

#define MACHINE_CORES 2
#define MACHINE_LPS   4 /* two in each core */

struct machine_config {
    const struct cpu_model *model;
    bool ht;                /* Hyper-Threading is on; no effect where model->ht is false */
    bool uart;              /* the board has a COM1 */
    uint64_t limit;         /* the run ends after so many instructions */
    struct core_config pmu; /* of each core */
    struct processor_variants variants;
    bool trace; /* write PMU-visible changes to stderr */
    struct timing timing;
    struct quirks quirks;
    struct injectors injectors;
    uart_sink_fn *sink; /* gets the bytes that COM1 transmits */
    void *sink_context;
};

struct machine {
    uint8_t *ram;
    struct core core[MACHINE_CORES];
    unsigned cores;
    struct processor processor[MACHINE_LPS];
    unsigned processors;
    unsigned boot; /* index of the processor that the board starts on */
    struct board board;
    uint64_t clock_hz; /* of the cores */
    struct timing timing;
    struct quirks quirks;
    struct processor_variants variants;
    struct injectors injectors;
    struct run_control control;
    struct engine engine;
};

/* Build a machine at power-up in *machine, which is all zero. False with one line in error[0..size). */
bool machine_init(struct machine *machine, const struct machine_config *config, char *error, size_t size);
void machine_free(struct machine *machine);

/* Run the machine until the run ends; returns why it did. */
enum machine_end machine_run(struct machine *machine);

#endif
