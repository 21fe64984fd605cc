/*
 * p4sim: boot a multiboot kernel on a simulated Pentium 4 and report its verdict.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "pmc/count_of.h"
#include "sim/board/elf_loader.h"
#include "sim/board/firmware.h"
#include "sim/board/ram.h"
#include "sim/board/vga.h"
#include "sim/engine/power.h"
#include "sim/machine/machine.h"
#include "sim/waves/waves.h"
#include "program.h"

#define TEXT_MAX 1000 /* longest line on stderr */

/* ---- The kernel file ---- */

struct kernel_file {
    uint8_t *bytes;
    size_t length;
};

/* A larger file does not fit into the simulated memory. */
#define KERNEL_FILE_MAX RAM_SIZE

/* Read the whole file. False with one line in error[0..size). */
static bool read_file(struct kernel_file *kernel, const char *path, char *error, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        snprintf(error, size, "cannot open kernel %s: %s", path, strerror(errno));
        return false;
    }
    uint8_t *bytes = NULL;
    long end = -1;
    if (fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (end >= 0 && (unsigned long)end <= KERNEL_FILE_MAX)
        bytes = malloc((size_t)end + 1);
    rewind(file);
    size_t length = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    if (!bytes || length != (size_t)end) {
        snprintf(error, size, "cannot read kernel %s: %s", path,
                 ferror(file) ? strerror(errno) : "not a regular file of at most 64 MiB");
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *kernel = (struct kernel_file){bytes, length};
    return bytes != NULL;
}

/* Load the kernel, write the boot information, and start the boot processor. */
static bool boot(struct machine *machine, const struct sim_options *options, const struct kernel_file *kernel,
                 char *error, size_t size)
{
    struct loaded_image image;
    char reason[TEXT_MAX / 2];
    if (!loader_load(&image, kernel->bytes, kernel->length, machine->ram, RAM_SIZE, reason, sizeof reason)) {
        snprintf(error, size, "cannot load kernel %s: %s", options->kernel, reason);
        return false;
    }
    bool by_spcr = machine->board.uart_stride != 0 || defect_is(&options->defects, BOARD_COM_SPCR);
    const struct firmware firmware = {
        .ram_size = RAM_SIZE,
        .uart_port = options->uart && !by_spcr ? (uint16_t)machine->board.uart_base : 0,
        .spcr_base = by_spcr ? machine->board.uart_base : 0,
        .spcr_stride = machine->board.uart_stride,
        .processors = machine->processors,
        .first_apic_id = machine->quirks.first_apic_id,
        .ids_apart = machine->engine.ids_apart,
        .two_packages = defect_is(&options->defects, BOARD_TWO_PACKAGES),
        .boot_line = options->boot_line,
        .acpi_timer = defect_is(&options->defects, BOARD_ACPI_TIMER) ? ICH_ACPI_TIMER : 0,
        .tables = defect_tables(&options->defects),
        .int13 =
            defect_is(&options->defects, BOARD_BIOS_CALLS) || defect_is(&options->defects, BOARD_BIOS_HANGS),
    };
    uint32_t boot_info = firmware_install(&firmware, machine->ram);
    processor_boot(&machine->processor[machine->boot], image.entry, FIRMWARE_BOOT_MAGIC, boot_info);
    return true;
}

/* ---- Output ---- */

static void serial_out(void *context, uint8_t byte)
{
    putchar(byte);
    if (byte == '\n')
        fflush(stdout);
    serial_watch_byte(context, byte);
}

/* True with one line in text[0..size) if something that was printed on standard output is lost: a full disk,
 * for example. */
static bool output_lost(char *text, size_t size)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return false;
    snprintf(text, size, "cannot write to standard output: part of what was printed is lost");
    return true;
}

#define AS_BYTES ".vga" /* how the name of a file ends that gets the cells with their colours */

static bool write_screen(const struct machine *machine, const char *path, char *error, size_t size)
{
    const size_t length = strlen(path), ending = strlen(AS_BYTES);
    const bool as_bytes = length > ending && strcmp(path + length - ending, AS_BYTES) == 0;
    FILE *file = fopen(path, "w");
    if (file) {
        if (as_bytes)
            fwrite(screen_bytes(machine->ram), 1, SCREEN_BYTES, file);
        for (unsigned row = 0; row < SCREEN_ROWS && !as_bytes; row++) {
            char line[SCREEN_COLUMNS + 1];
            screen_row(machine->ram, row, line);
            fprintf(file, "%s\n", line);
        }
        if (fclose(file) == 0)
            return true;
    }
    snprintf(error, size, "cannot write screen %s: %s", path, strerror(errno));
    return false;
}

static uint64_t latest_clock(const struct machine *machine)
{
    uint64_t clock = 0;
    for (unsigned c = 0; c < machine->cores; c++)
        if (machine->core[c].clock > clock)
            clock = machine->core[c].clock;
    return clock;
}

static void print_stats(const struct machine *machine, const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    double seconds = (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
    uint64_t clocks = latest_clock(machine);
    fprintf(stderr,
            "p4sim: %llu instructions, %llu clocks (%.3f s simulated) in %.3f s of processor time: %.1f "
            "million instructions/s\n",
            (unsigned long long)machine->engine.instructions, (unsigned long long)clocks,
            (double)clocks / (double)machine->clock_hz, seconds,
            (double)machine->engine.instructions / seconds / 1e6);
    fputs("p4sim: INIT or a start-up IPI reached local APIC", stderr);
    bool any = false;
    for (unsigned i = 0; i < machine->processors; i++) {
        if (machine->processor[i].woken)
            fprintf(stderr, " %u", machine->processor[i].lapic.id);
        any |= machine->processor[i].woken;
    }
    fputs(any ? "\n" : " none\n", stderr);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        fprintf(stderr, "p4sim: at most %ld MB of memory in use\n", usage.ru_maxrss / 1024);
}

/* How often a composed fault has struck: in the PMUs, or in the local APICs. */
static void print_acts(const struct machine *machine, const struct nbpmu_fault *fault,
                       const struct lapic_defects *lapics)
{
    uint64_t acts = lapics->acts, struck = lapics->struck, of_core[2];
    for (unsigned c = 0; c < machine->cores; c++) {
        nbpmu_fault_acts(machine->core[c].pmu, &of_core[0], &of_core[1]);
        acts += of_core[0];
        struck += of_core[1];
    }
    fprintf(stderr, "p4sim: the fault struck in %llu of %llu acts", (unsigned long long)struck,
            (unsigned long long)acts);
    if (fault->once_in)
        fprintf(stderr, " (once in %u, seed %u)", (unsigned)fault->once_in, (unsigned)fault->seed);
    fputc('\n', stderr);
}

/* ---- Verdict ---- */

/* Without a COM1 that transmits, the end of the log is only on the screen; after a failure its last row alone
 * says the verdict. */
static void watch_screen(const struct machine *machine, struct serial_watch *watch)
{
    static const char *const last_row[][2] = {{" PASS:", "pass"}, {" FAIL:", "fail"}, {" SKIPPED:", "skip"}};
    char line[SCREEN_COLUMNS + 1];

    for (unsigned row = 0; row < SCREEN_ROWS; row++) {
        screen_row(machine->ram, row, line);
        for (const char *c = line; *c; c++)
            serial_watch_byte(watch, (uint8_t)*c);
        serial_watch_byte(watch, '\n');
    }
    for (size_t i = 0; i < COUNT_OF(last_row); i++)
        if (strncmp(line, last_row[i][0], strlen(last_row[i][0])) == 0)
            snprintf(watch->end, sizeof watch->end, "%s", last_row[i][1]);
}

static enum verdict_status judge(const struct machine *machine, const struct serial_watch *watch, char *text,
                                 size_t size)
{
    const char *after = watch->end[0] ? "" : ", the log has no END line";
    switch (machine->control.end) {
    case MACHINE_EXIT:
        return verdict_of(watch, machine->board.exit_value, text, size);
    case MACHINE_RESET:
        snprintf(text, size, "broken: the kernel reset the machine%s", after);
        break;
    case MACHINE_WATCHDOG:
        snprintf(text, size, "broken: board reset by its watchdog%s", after);
        break;
    case MACHINE_ALL_HALTED:
        snprintf(text, size, "broken: every processor is halted for good%s", after);
        break;
    case MACHINE_LIMIT:
        snprintf(text, size, "broken: limit of %llu million instructions passed%s (see --limit)",
                 (unsigned long long)(machine->engine.limit / 1000000), after);
        break;
    default:
        snprintf(text, size, "broken: %s%s", machine->control.reason, after);
        break;
    }
    return STATUS_BROKEN;
}

/* ---- A run ---- */

#define RESTARTS 3u

static bool restarts(const struct machine *machine, const struct defects *defects)
{
    return machine->control.end == MACHINE_WATCHDOG &&
           (defect_is(defects, BOARD_RESTARTS) || defect_is(defects, BOARD_TCO_CLEARED));
}

/* Power-up anew, but for what outlives a reset. */
static bool start_again(struct machine *machine, const struct machine_config *config,
                        const struct sim_options *options, const struct kernel_file *kernel, char *text,
                        size_t size)
{
    struct ich before = machine->board.ich;

    before.second_timeout = before.second_timeout && !defect_is(&options->defects, BOARD_TCO_CLEARED);
    machine_free(machine);
    memset(machine, 0, sizeof *machine);
    if (!machine_init(machine, config, text, size) || !boot(machine, options, kernel, text, size))
        return false;
    ich_resume(&machine->board.ich, &before);
    return true;
}

static enum verdict_status run(struct machine *machine, const struct sim_options *options,
                               const struct kernel_file *kernel, char *text, size_t size)
{
    struct timespec start;
    struct serial_watch watch;
    struct noise noise = {.hot = false};
    struct defects defects = options->defects;
    struct lapic_defects lapic_defects;
    struct machine_config config = {
        .model = options->model,
        .ht = options->ht,
        .uart = options->uart,
        .limit = options->limit,
        .pmu = options->pmu,
        .variants = options->variants,
        .trace = options->trace,
        .quirks = defect_quirks(&defects),
        .sink = serial_out,
        .sink_context = &watch,
    };

    timing_init(&config.timing, options->timing_kind, options->timing_seed, cpu_model_number(options->model),
                options->model->bus_mhz * options->model->multiplier);
    if (lapic_defects_of(&lapic_defects, &options->pmu.fault, &defects))
        injectors_add(&config.injectors, lapic_defects_injector(&lapic_defects));
    if (options->noise)
        injectors_add(&config.injectors, noise_injector(&noise, options->noise_seed));
    noise.hot = noise.hot && !defects.run_eighths; /* a processor has one TM1 */
    if (defects.boards)
        injectors_add(&config.injectors, defect_injector(&defects));
    memset(&watch, 0, sizeof watch);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    if (!machine_init(machine, &config, text, size) || !boot(machine, options, kernel, text, size))
        return STATUS_BROKEN;
    crash_watch(machine);
    if (!options->vcd) {
        machine_run(machine);
        for (unsigned starts = 0; starts < RESTARTS && restarts(machine, &defects); starts++) {
            memset(&watch, 0, sizeof watch);
            if (!start_again(machine, &config, options, kernel, text, size))
                return STATUS_BROKEN;
            machine_run(machine);
        }
    } else if (!waves_run(machine, options->vcd, options->vcd_all, watch.vector, text, size)) {
        return STATUS_BROKEN;
    }
    if (output_lost(text, size))
        return STATUS_BROKEN;
    if (!options->uart || defect_is(&options->defects, BOARD_UART_STUCK) ||
        defect_is(&options->defects, BOARD_UART_MUTE))
        watch_screen(machine, &watch);
    if (options->pmu.fault.composition.history ||
        (options->pmu.fault.composition.stage && !options->pmu.fault.row))
        print_acts(machine, &options->pmu.fault, &lapic_defects);
    if (options->stats)
        print_stats(machine, &start);
    if (options->screen && !write_screen(machine, options->screen, text, size))
        return STATUS_BROKEN;
    return judge(machine, &watch, text, size);
}

/* Run in *machine, which is all zero. text[0..size) gets the line for stderr, which says how the run ended.
 */
static enum verdict_status run_kernel(struct machine *machine, const struct sim_options *options, char *text,
                                      size_t size)
{
    struct kernel_file kernel;
    if (!read_file(&kernel, options->kernel, text, size))
        return STATUS_BROKEN;
    enum verdict_status status = run(machine, options, &kernel, text, size);
    free(kernel.bytes);
    return status;
}

/* ---- The program ---- */

/* libunicorn ends the program itself, with another status, when it gets no memory. */
static bool ends_itself;

static void explain_exit(void)
{
    static const char TEXT[] = "p4sim: broken: libunicorn ended the run: there is not enough memory for it\n";

    if (!ends_itself && write(STDERR_FILENO, TEXT, sizeof TEXT - 1) > 0)
        _exit(STATUS_BROKEN);
}

/* Say it on stderr, whatever bytes an option or a file brought into the line, and end. */
static int end(char *text, int status)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7F')
            *c = '?';
    fprintf(stderr, "p4sim: %s\n", text);
    ends_itself = true;
    return status;
}

int main(int argc, char **argv)
{
    struct sim_options options;
    char text[TEXT_MAX];

    signal(SIGXFSZ, SIG_IGN); /* a file at its limit is an error of write() then */
    atexit(explain_exit);
    switch (sim_options_parse(&options, argc, argv, text, sizeof text)) {
    case OPTIONS_DONE:
        ends_itself = true;
        return output_lost(text, sizeof text) ? end(text, STATUS_BROKEN) : EXIT_SUCCESS;
    case OPTIONS_WRONG:
        return end(text, STATUS_BROKEN);
    case OPTIONS_RUN:
        break;
    }
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return end(strcpy(text, "out of memory"), STATUS_BROKEN);
    enum verdict_status status = run_kernel(machine, &options, text, sizeof text);
    machine_free(machine);
    free(machine);
    return end(text, (int)status);
}
