/*
 * The options, read by getopt_long. A wrong one is answered with one line that names it and says what is
 * allowed.
 */
#include "program.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "pmc/count_of.h"

/* ---- Names that options take ---- */

/* Write one line for each processor: signature, core, brand, logical processors. */
static void processor_list(FILE *out)
{
    for (const struct cpu_model *model = CPU_MODELS; model->signature; model++)
        fprintf(out, "%04X  %-15s %-36s %s\n", (unsigned)model->signature, model->core, model->brand,
                model->cores == 2 && model->ht ? "two cores, Hyper-Threading"
                : model->cores == 2            ? "two cores"
                : model->ht                    ? "Hyper-Threading"
                                               : "");
}

/* The processor whose signature is text, four hex digits. Null when there is none. */
static const struct cpu_model *processor_named(const char *text)
{
    if (strlen(text) != 4 || strspn(text, "0123456789abcdefABCDEF") != 4)
        return NULL;
    return cpu_model_find((uint32_t)strtoul(text, NULL, 16));
}

/* Two tables have the variants: the PMU model's (sim/netburst/variants.c) and the processor's
 * (sim/cpu/processor_variants.c). */
static void variant_list(FILE *out)
{
    const char *name, *meaning;
    for (unsigned i = 0; (name = nbpmu_variant_name(i, &meaning)); i++)
        fprintf(out, "%-25s %s\n", name, meaning);
    for (unsigned i = 0; (name = processor_variant_name(i, &meaning)); i++)
        fprintf(out, "%-25s %s\n", name, meaning);
}

/* ---- What is said of an option that is wrong ---- */

__attribute__((format(printf, 3, 4))) static enum options_outcome wrong(char *error, size_t size,
                                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return OPTIONS_WRONG;
}

/* The value of --OPTION was found in its list, or is the word "list", or neither; then the line suggests a
 * name that is nearly right. */
static enum options_outcome chosen(bool found, const char *option, const char *value, void (*list)(FILE *out),
                                   char *error, size_t size)
{
    char hint[NEAR_NAME_MAX + 32];
    if (found)
        return OPTIONS_RUN;
    if (strcmp(value, "list") == 0) {
        list(stdout);
        return OPTIONS_DONE;
    }
    near_hint(value, list, hint, sizeof hint);
    return wrong(error, size, "--%s %s: no such %s; see --%s list%s", option, value, option, option, hint);
}

/* ---- The options ---- */

#define DEFAULT_LIMIT  20000u /* millions of instructions */
#define MAXIMUM_LIMIT  1000000000u
#define FAULT_TEXT_MAX 256

enum {
    OPT_HELP = 256,
    OPT_VERSION,
    OPT_CPU,
    OPT_HT,
    OPT_TRACE,
    OPT_LIMIT,
    OPT_NO_UART,
    OPT_SCREEN,
    OPT_VCD,
    OPT_VCD_ALL,
    OPT_VARIANT,
    OPT_FAULT,
    OPT_PROGRAMS,
    OPT_NOISE,
    OPT_TIMING,
    OPT_BOARD,
    OPT_STATS
};

static const struct option LONG_OPTIONS[] = {
    {"help", no_argument, NULL, OPT_HELP},           {"cpu", required_argument, NULL, OPT_CPU},
    {"ht", required_argument, NULL, OPT_HT},         {"trace", no_argument, NULL, OPT_TRACE},
    {"limit", required_argument, NULL, OPT_LIMIT},   {"no-uart", no_argument, NULL, OPT_NO_UART},
    {"screen", required_argument, NULL, OPT_SCREEN}, {"variant", required_argument, NULL, OPT_VARIANT},
    {"fault", required_argument, NULL, OPT_FAULT},   {"programs", required_argument, NULL, OPT_PROGRAMS},
    {"noise", required_argument, NULL, OPT_NOISE},   {"timing", required_argument, NULL, OPT_TIMING},
    {"stats", no_argument, NULL, OPT_STATS},         {"board", required_argument, NULL, OPT_BOARD},
    {"vcd", required_argument, NULL, OPT_VCD},       {"vcd-all", no_argument, NULL, OPT_VCD_ALL},
    {"version", no_argument, NULL, OPT_VERSION},     {NULL, 0, NULL, 0},
};

/* A decimal number from least to most. */
static bool parse_number(const char *text, uint32_t least, uint32_t most, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < least || value > most)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool parse_limit(const char *text, uint64_t *limit)
{
    uint32_t millions;
    bool good = parse_number(text, 1, MAXIMUM_LIMIT, &millions);
    if (good)
        *limit = (uint64_t)millions * 1000000;
    return good;
}

static void print_options(FILE *out)
{
    for (const struct option *option = LONG_OPTIONS; option->name; option++)
        fprintf(out, "--%s\n", option->name);
}

/* The error that getopt_long found, as one line. */
static enum options_outcome bad_option(char **argv, int found, char *error, size_t size)
{
    const char *word = argv[optind - 1];
    char hint[NEAR_NAME_MAX + 32];
    if (found == ':')
        return wrong(error, size, "option %s needs a value (see --help)", word);
    if (optopt >= OPT_HELP)
        return wrong(error, size, "option %s takes no value (see --help)", word);
    near_hint(word, print_options, hint, sizeof hint);
    return wrong(error, size, "unknown or ambiguous option %s%s", word, *hint ? hint : "; see --help");
}

/* --fault draw=CLASS:COUNT:SEED: print so many composed faults for the processor, drawn by the seed: the text
 * and the rule of each. What is wrong with it is said by the caller. */
static bool draw_faults(const struct sim_options *options, const char *value)
{
    static const char *const CLASSES[NBPMU_FAULT_CLASSES] = {"plain", "condition", "two-conditions",
                                                             "history"};
    char word[32];
    unsigned count, seed, which = 0;
    struct nbpmu_part part;
    if (sscanf(value, "%31[a-z-]:%u:%u", word, &count, &seed) != 3)
        return false;
    while (which < NBPMU_FAULT_CLASSES && strcmp(word, CLASSES[which]) != 0)
        which++;
    if (which == NBPMU_FAULT_CLASSES)
        return false;
    nbpmu_part_of_signature(options->model->signature, options->model->ht ? 2 : 1, &part);
    for (unsigned number = 0; number < count; number++) {
        struct nbpmu_fault fault;
        char text[FAULT_TEXT_MAX];
        nbpmu_fault_draw(&part, (enum nbpmu_fault_class)which, seed, number, &fault);
        nbpmu_fault_text(&fault, text, sizeof text);
        printf("%s %s\n", text, nbpmu_fault_rule_of(&fault));
    }
    return true;
}

/* The names of faults, for the answer to one that is misspelt. */
static void fault_names(FILE *out)
{
    nbpmu_fault_list(out, "*");
}

/* A part of a composition that is misspelt is answered with the nearest of those that are allowed. */
static enum options_outcome wrong_composition(const char *value, const char *why, char *error, size_t size)
{
    static const char ALLOWED[] = "; allowed are ";
    const char *allowed = strstr(why, ALLOWED);
    char word[64], hint[NEAR_NAME_MAX + 32] = "";
    if (allowed && sscanf(why, "no %*s '%63[^']'", word) == 1)
        near_hint_of(word, allowed + strlen(ALLOWED), ", ", hint, sizeof hint);
    return wrong(error, size, "--fault %s: %s%s", value, why, hint);
}

/* What follows --fault: a word of the list, or a fault, whose head is a name or has a dot. */
static enum options_outcome apply_fault(struct sim_options *options, const char *value, const char *next,
                                        char *error, size_t size)
{
    char name[128], why[2048];

    if (strcmp(value, "list") == 0) {
        if (next && next[0] != '-')
            nbpmu_fault_list(stdout, next);
        else
            nbpmu_fault_parts(stdout);
        return OPTIONS_DONE;
    }
    if (strncmp(value, "draw=", 5) == 0)
        return draw_faults(options, value + 5)
                   ? OPTIONS_DONE
                   : wrong(error, size,
                           "--fault %s: allowed is draw=CLASS:COUNT:SEED, "
                           "CLASS being plain, condition, two-conditions or history",
                           value);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(value, ","), value);
    if (!strchr(name, '.') && !nbpmu_fault_find(name, &options->pmu.fault))
        return chosen(false, "fault", name, fault_names, error, size);
    return nbpmu_fault_compose(value, &options->pmu.fault, why, sizeof why)
               ? OPTIONS_RUN
               : wrong_composition(value, why, error, size);
}

static enum options_outcome apply_board(struct sim_options *options, const char *name, char *error,
                                        size_t size)
{
    const char *why = defect_add(&options->defects, name, &options->pmu.fault);
    if (why && why != NO_SUCH_BOARD)
        return wrong(error, size, "--board %s: %s", name, why);
    return chosen(!why, "board", name, defect_list, error, size);
}

static void print_timings(FILE *out)
{
    fputs("kind\ntypical\nlist\n", out);
}

static bool parse_timing(struct sim_options *options, const char *value)
{
    options->list_timing = strcmp(value, "list") == 0;
    if (strcmp(value, "kind") == 0)
        options->timing_kind = TIMING_KIND;
    else if (strcmp(value, "typical") == 0)
        options->timing_kind = TIMING_TYPICAL;
    else if (parse_number(value, 0, UINT32_MAX, &options->timing_seed))
        options->timing_kind = TIMING_DRAWN;
    else
        return options->list_timing;
    return true;
}

/* A file that p4sim shall write. It must not be there: what stands in it may be wanted, or may be the kernel.
 * A device, such as /dev/null, may. */
static enum options_outcome output_file(const char **file, const char *other, const char *option,
                                        const char *value, char *error, size_t size)
{
    struct stat there;

    *file = value;
    if (other && strcmp(value, other) == 0)
        return wrong(error, size, "--screen and --vcd name one file, %s", value);
    if (stat(value, &there) == 0 && !S_ISCHR(there.st_mode))
        return wrong(error, size, "--%s %s: it exists, and is not overwritten", option, value);
    return OPTIONS_RUN;
}

/* `next` is the word after the value; null: there is none. */
static enum options_outcome apply_option(struct sim_options *options, int option, const char *value,
                                         const char *next, const char **ht, char *error, size_t size)
{
    switch (option) {
    case OPT_HELP:
        fputs(P4SIM_HELP, stdout);
        return OPTIONS_DONE;
    case OPT_VERSION:
        printf(
            "p4sim (pmuproof) %s"
            "It is linked with libunicorn, so this program may be passed on under the GNU GPL, version 2.\n"
            "Its own sources are under the BSD 2-clause licence. There is no warranty.\n",
            P4SIM_VERSION);
        return OPTIONS_DONE;
    case OPT_CPU:
        options->model = processor_named(value);
        return chosen(options->model, "cpu", value, processor_list, error, size);
    case OPT_HT:
        *ht = value;
        if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
            return wrong(error, size, "--ht %s: allowed are on and off", value);
        return OPTIONS_RUN;
    case OPT_TRACE:
        options->trace = true;
        return OPTIONS_RUN;
    case OPT_LIMIT:
        if (!parse_limit(value, &options->limit))
            return wrong(error, size, "--limit %s: allowed is 1 to %u (millions of instructions)", value,
                         MAXIMUM_LIMIT);
        return OPTIONS_RUN;
    case OPT_NO_UART:
        options->uart = false;
        return OPTIONS_RUN;
    case OPT_SCREEN:
        return output_file(&options->screen, options->vcd, "screen", value, error, size);
    case OPT_VCD:
        return output_file(&options->vcd, options->screen, "vcd", value, error, size);
    case OPT_VCD_ALL:
        options->vcd_all = true;
        return OPTIONS_RUN;
    case OPT_VARIANT:
        return chosen(nbpmu_set_variant(&options->pmu.variants, value) ||
                          processor_set_variant(&options->variants, value),
                      "variant", value, variant_list, error, size);
    case OPT_FAULT:
        return apply_fault(options, value, next, error, size);
    case OPT_PROGRAMS:
        if (!parse_number(value, 1, UINT32_MAX, &options->programs))
            return wrong(error, size, "--programs %s: allowed is 1 to %u", value, UINT32_MAX);
        return OPTIONS_RUN;
    case OPT_BOARD:
        return apply_board(options, value, error, size);
    case OPT_TIMING:
        if (!parse_timing(options, value)) {
            char hint[NEAR_NAME_MAX + 32];
            near_hint(value, print_timings, hint, sizeof hint);
            return wrong(error, size, "--timing %s: allowed are kind, typical, list and a seed, 0 to %u%s",
                         value, UINT32_MAX, hint);
        }
        return OPTIONS_RUN;
    case OPT_NOISE:
        options->noise = parse_number(value, 0, UINT32_MAX, &options->noise_seed);
        if (!options->noise)
            return wrong(error, size, "--noise %s: allowed is a seed, 0 to %u", value, UINT32_MAX);
        return OPTIONS_RUN;
    default:
        options->stats = true;
        return OPTIONS_RUN;
    }
}

/* Find the kernel that was built or installed with p4sim. */
static bool find_kernel(char path[PATH_MAX])
{
    static const char *const PLACES[] = {"pmuproof.elf", "../share/pmuproof/pmuproof.elf"};
    char self[PATH_MAX], place[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    while (length > 0 && self[length - 1] != '/')
        length--;
    for (size_t i = 0; length > 0 && i < COUNT_OF(PLACES); i++) {
        snprintf(place, sizeof place, "%.*s%s", (int)length, self, PLACES[i]);
        if (realpath(place, path))
            return true;
    }
    return false;
}

/* The boot line as a boot loader passes it: the kernel's name, then the words, separated by blanks. A blank
 * in the name would end it, so it becomes '_'. */
static bool join_boot_line(struct sim_options *options, char **words)
{
    size_t used = (size_t)snprintf(options->boot_line, sizeof options->boot_line, "%s", options->kernel);
    for (char *c = options->boot_line; *c; c++)
        if (*c == ' ' || *c == '\t')
            *c = '_';
    for (; *words && used < sizeof options->boot_line; words++)
        used += (size_t)snprintf(options->boot_line + used, sizeof options->boot_line - used, " %s", *words);
    return used < sizeof options->boot_line;
}

static enum options_outcome choose_part(struct sim_options *options, const char *ht, char *error, size_t size)
{
    const struct cpu_model *model = options->model;
    if (ht && strcmp(ht, "on") == 0 && !model->ht)
        return wrong(error, size, "--ht on: processor %04X has no Hyper-Threading",
                     (unsigned)model->signature);
    options->ht = model->ht && !(ht && strcmp(ht, "off") == 0) && !defect_is(&options->defects, BOARD_HT_OFF);
    nbpmu_part_of_signature(model->signature, options->ht ? 2 : 1, &options->pmu.part);
    const char *misfit = nbpmu_fault_misfit(&options->pmu.fault, &options->pmu.part);
    if (misfit)
        return wrong(error, size, "the fault does not apply to processor %04X: %s",
                     (unsigned)model->signature, misfit);
    return OPTIONS_RUN;
}

/* Register programs instead of a kernel: can software notice the fault? An equivalent fault must have acted
 * in so many programs. */
#define ACTED_LEAST 100u

static enum options_outcome try_fault(const struct sim_options *options, char *error, size_t size)
{
    const struct nbpmu_fault *fault = &options->pmu.fault;
    struct nbpmu_fault_trial trial = {0};
    const bool of_lvtpc = nbpmu_fault_is_of_lvtpc(fault);
    if (!fault->composition.stage)
        return wrong(error, size, "--programs %u: it needs --fault with a composed fault", options->programs);
    if (!(of_lvtpc ? lapic_try : nbpmu_fault_try)(&options->pmu.part, fault, 1, options->programs, &trial))
        return wrong(error, size, "--programs %u: out of memory", options->programs);
    printf("%u programs, the fault acted in %u: %s\n", trial.programs, trial.acted,
           trial.changed                ? "software can notice it"
           : trial.acted >= ACTED_LEAST ? "equivalent"
                                        : "undecided, because it acted in too few");
    return OPTIONS_DONE;
}

enum options_outcome sim_options_parse(struct sim_options *options, int argc, char **argv, char *error,
                                       size_t size)
{
    const char *ht = NULL;
    int option;

    memset(options, 0, sizeof *options);
    options->model = cpu_model_find(CPU_MODEL_DEFAULT);
    options->uart = true;
    options->timing_kind = TIMING_TYPICAL;
    options->limit = (uint64_t)DEFAULT_LIMIT * 1000000;
    opterr = 0;
    optind = 0; /* glibc starts anew */
    while ((option = getopt_long(argc, argv, "+:", LONG_OPTIONS, NULL)) != -1) {
        if (option == '?' || option == ':')
            return bad_option(argv, option, error, size);
        enum options_outcome outcome = apply_option(options, option, optarg, argv[optind], &ht, error, size);
        if (outcome != OPTIONS_RUN)
            return outcome;
    }
    if (options->list_timing) {
        timing_list(stdout, cpu_model_number(options->model));
        return OPTIONS_DONE;
    }
    if (options->programs) {
        enum options_outcome outcome = choose_part(options, ht, error, size);
        return outcome == OPTIONS_RUN ? try_fault(options, error, size) : outcome;
    }
    const char *first = argv[optind];
    if (first && (access(first, F_OK) == 0 || (!strchr(first, '=') && strpbrk(first, "/."))))
        options->kernel = argv[optind++];
    else if (find_kernel(options->found_kernel))
        options->kernel = options->found_kernel;
    else
        return wrong(error, size, "there is no pmuproof.elf beside p4sim; name the KERNEL (see --help)");
    if (!join_boot_line(options, argv + optind))
        return wrong(error, size, "boot line is too long; at most %u characters", FIRMWARE_LINE_MAX - 1);
    return choose_part(options, ht, error, size);
}
