/*
 * p4sim as a machine: the input is a processor, the machine's timing (kind, typical or drawn by a seed), and
 * a program that writes system registers, tables and local APICs at random, jumps and faults at random, and
 * holds random bytes (guest.c). Whatever it does: p4sim does not crash, and the run ends within its
 * limit of instructions.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
#include "sim/engine/power.h"
#include "sim/machine/machine.h"
#include "pmc/count_of.h"

#define INSTRUCTIONS 4000u
#define SECONDS      120u /* a run that takes longer hangs */

static void drop_byte(void *context, uint8_t value)
{
    (void)context;
    (void)value;
}

#define HEADER 3u /* bytes before the program: model, kind of timing, seed of a drawn one */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t MODELS[] = {0x0F12, 0x0F29, 0x0F43, 0x0F43};
    static const enum timing_kind KINDS[] = {TIMING_KIND, TIMING_TYPICAL, TIMING_DRAWN, TIMING_DRAWN};
    struct machine *machine = calloc(1, sizeof *machine);
    struct machine_config config = {.ht = true, .uart = true, .limit = INSTRUCTIONS, .sink = drop_byte};
    char error[200];

    uint8_t header[HEADER] = {0};
    size_t given = size < HEADER ? size : HEADER;
    for (size_t i = 0; i < given; i++)
        header[i] = data[i];
    config.model = cpu_model_find(MODELS[header[0] % COUNT_OF(MODELS)]);
    timing_init(&config.timing, KINDS[header[1] % COUNT_OF(KINDS)], header[2], cpu_model_number(config.model),
                config.model->bus_mhz * config.model->multiplier);
    assert(machine != NULL && machine_init(machine, &config, error, sizeof error));
    machine->engine.reported = ~0u;
    struct guest guest = {.ram = machine->ram};
    uint32_t entry = guest_fill(&guest);
    if (size > given)
        guest_program(&guest, data + given, size - given);
    alarm(SECONDS);
    processor_boot(&machine->processor[machine->boot], entry, 0, 0);
    enum machine_end end = machine_run(machine);
    alarm(0);
    assert(end != MACHINE_RUNS && machine->engine.instructions <= INSTRUCTIONS);
    machine_free(machine);
    free(machine);
    return 0;
}
