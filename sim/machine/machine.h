/*
 * The whole simulated machine: memory, one or two cores with a PMU each, logical processors, board, and the
 * scheduler that gives the logical processors their turns. Deterministic: no host time anywhere.
 */
#ifndef SIM_MACHINE_MACHINE_H
#define SIM_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/engine/block_cuts.h"
#include "sim/board/ports.h"
#include "sim/cpu/models.h"
#include "sim/inject/hostile.h"
#include "sim/decode/insn.h"
#include "sim/inject/noise.h"
#include "sim/netburst/pmu.h"
#include "sim/cpu/core.h"
#include "sim/cpu/processor.h"
#include "sim/engine/ram_stores.h"

#define MACHINE_RAM    (64u * 1024 * 1024)
#define MACHINE_LPS    2
#define MACHINE_CORES  2
#define MACHINE_SCREEN 0xB8000u /* VGA text memory: 80x25 characters with attributes */

enum machine_end {
    MACHINE_RUNS,
    MACHINE_EXIT,         /* isa-debug-exit was written */
    MACHINE_RESET,        /* the kernel reset the board */
    MACHINE_WATCHDOG,     /* its watchdog did */
    MACHINE_ASLEEP,       /* every processor halted and nothing can wake one */
    MACHINE_LIMIT,        /* instruction limit passed */
    MACHINE_TRIPLE_FAULT, /* trouble says where and why */
    MACHINE_BROKEN        /* libunicorn gave up; trouble says why */
};

struct machine_config {
    const struct cpu_model *model;
    bool ht;        /* Hyper-Threading is on (only where model->ht) */
    bool uart;      /* COM1 is there */
    uint64_t limit; /* instructions */
    struct pmu_config pmu;
    bool trace;          /* PMU-visible changes to stderr */
    bool noise;          /* what real boards add (noise.h), */
    uint32_t noise_seed; /* decided by this */
    struct hostile hostile;
    uart_sink_fn *sink; /* takes what COM1 transmits */
    void *sink_context;
};

struct machine {
    struct machine_config config;
    uint8_t *ram;
    struct core core[MACHINE_CORES];
    unsigned cores;
    struct processor processor[MACHINE_LPS];
    unsigned processors;
    unsigned boot; /* the processor that the board starts on */
    struct board board;
    struct noise noise;
    struct decoder *decoder;
    struct insn_cache *cache;
    struct block_cuts cuts;
    uint8_t
        code_map[MACHINE_RAM / 8 + 1]; /* a bit for each byte libunicorn may have translated (ram_stores.h) */
    uint64_t clock_hz;
    uint64_t instructions; /* started by all logical processors */
    struct processor *running;
    bool reschedule; /* the running processor shall give the scheduler a look */
    enum machine_end end;
    char trouble[200];
};

/* Build a machine at power-up. False with one line in error[0..size). */
bool machine_init(struct machine *machine, const struct machine_config *config, char *error, size_t size);
void machine_free(struct machine *machine);

/* Logical processors of the whole machine with these settings. */
unsigned machine_processor_count(const struct machine_config *config);

/* Find the block cuts of the image, whose file's bytes are loaded to [start, end). Call before machine_run().
 */
void machine_image_loaded(struct machine *machine, uint32_t start, uint32_t end);

/* Run until it ends; returns why. */
enum machine_end machine_run(struct machine *machine);

/* End the run after the current instruction; the first reason stands. */
void machine_finish(struct machine *machine, enum machine_end end, const char *trouble);

/* A row (0..24) of the text screen, without trailing blanks; a full block (DBH) is a '#', other
 * characters that do not print are blanks. */
#define MACHINE_ROWS    25u
#define MACHINE_COLUMNS 80u
void machine_screen_row(const struct machine *machine, unsigned row, char text[MACHINE_COLUMNS + 1]);

#endif
