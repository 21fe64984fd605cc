/* Waveforms of a run (--vcd): which signals there are, and when their values are written. */
#include "waves.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "pmc/count_of.h"
#include "sim/cpu/lapic.h"

#define FILE_LIMIT (1ull << 30) /* bytes; viewers need several times as much memory */

struct waves {
    struct vcd vcd;
    struct core *core;
    bool begun; /* the file has a first clock */
    struct picture picture;
    bool running, overflowed;            /* a counter is enabled; one that was has overflowed */
    const char *vector;                  /* id of the vector that runs */
    char vector_shown[WAVES_ID_MAX + 1]; /* that the file has last */
    uint64_t clock;                      /* of the last call */
    unsigned pmis;                       /* in it */
    struct {
        unsigned value, increment, enable, ovf;
    } counter[NBPMU_COUNTERS];
    struct {
        unsigned cpl, hlt, lvtpc_mask, pmi;
    } lp[NBPMU_LPS];
};

static_assert(NBPMU_COUNTERS * 4 + NBPMU_LPS * 4 <= VCD_SIGNALS, "each signal has a place");

/* A signal of counter n or of logical processor n: its name ends in the number, because viewers show names
 * without their scopes. */
static unsigned declare(struct waves *waves, const char *name, unsigned n, unsigned bits)
{
    char numbered[24];
    snprintf(numbered, sizeof numbered, "%s%u", name, n);
    return vcd_number(&waves->vcd, numbered, bits);
}

static void declare_counter(struct waves *waves, unsigned n)
{
    waves->counter[n].enable = declare(waves, "enable", n, 1);
    waves->counter[n].increment = declare(waves, "increment", n, 4);
    waves->counter[n].value = declare(waves, "counter", n, 40);
    waves->counter[n].ovf = declare(waves, "OVF", n, 1);
}

static void declare_blocks(struct waves *waves)
{
    static const struct {
        const char *name;
        unsigned first, last;
    } block[] = {{"BPU", 0, 3}, {"MS", 4, 7}, {"FLAME", 8, 11}, {"IQ", 12, 17}};
    for (unsigned i = 0; i < COUNT_OF(block); i++) {
        vcd_scope(&waves->vcd, block[i].name);
        for (unsigned n = block[i].first; n <= block[i].last; n++)
            declare_counter(waves, n);
        vcd_end_scope(&waves->vcd);
    }
}

static void declare_lp(struct waves *waves, unsigned lp)
{
    char scope[16];
    snprintf(scope, sizeof scope, "LP%u", lp);
    vcd_scope(&waves->vcd, scope);
    waves->lp[lp].cpl = declare(waves, "CPL_LP", lp, 2);
    waves->lp[lp].hlt = declare(waves, "HLT_LP", lp, 1);
    waves->lp[lp].pmi = declare(waves, "PMI_LP", lp, 1);
    waves->lp[lp].lvtpc_mask = declare(waves, "LVTPC_mask_LP", lp, 1);
    vcd_end_scope(&waves->vcd);
}

/* Another kernel may announce anything as an id; a text in the file has no blanks. */
static void show_vector(struct waves *waves, uint64_t clock)
{
    char text[WAVES_ID_MAX + 1];
    snprintf(waves->vector_shown, sizeof waves->vector_shown, "%s", waves->vector);
    for (size_t i = 0; (text[i] = waves->vector_shown[i]) != '\0'; i++)
        if (!isgraph((unsigned char)text[i]))
            text[i] = '?';
    vcd_set_text(&waves->vcd, clock, text);
}

static void show_lp(struct waves *waves, const struct processor *processor, uint64_t clock)
{
    unsigned lp = processor->thread;
    struct vcd *vcd = &waves->vcd;
    vcd_set(vcd, clock, waves->lp[lp].cpl, processor->cpl);
    vcd_set(vcd, clock, waves->lp[lp].hlt, processor->state != PROCESSOR_ACTIVE);
    vcd_set(vcd, clock, waves->lp[lp].pmi, waves->pmis >> lp & 1);
    vcd_set(vcd, clock, waves->lp[lp].lvtpc_mask, !lapic_takes(&processor->lapic, LVT_PERFORMANCE));
}

static void show_counter(struct waves *waves, unsigned n, uint64_t clock, uint32_t *enabled, bool *overflowed)
{
    struct nbpmu_view view;
    nbpmu_look(waves->core->pmu, n, &view);
    *enabled |= (uint32_t)view.enabled << n;
    *overflowed |= view.enabled && view.ovf;
    vcd_set(&waves->vcd, clock, waves->counter[n].enable, view.enabled);
    vcd_set(&waves->vcd, clock, waves->counter[n].increment, view.increment);
    vcd_set(&waves->vcd, clock, waves->counter[n].value, view.value);
    vcd_set(&waves->vcd, clock, waves->counter[n].ovf, view.ovf);
}

static bool anything_enabled(const struct core *core)
{
    struct nbpmu_view view = {.enabled = false};
    for (unsigned n = 0; n < NBPMU_COUNTERS && !view.enabled; n++)
        nbpmu_look(core->pmu, n, &view);
    return view.enabled;
}

static void begin_at(struct waves *waves, uint64_t clock)
{
    waves->begun = true;
    waves->picture.from = clock;
    vcd_declared(&waves->vcd, clock);
}

/* The picture is the first time that counters run in which one overflows; without such a time the last one.
 */
static void frame_picture(struct waves *waves, uint64_t clock, uint32_t enabled, bool overflowed)
{
    struct picture *picture = &waves->picture;
    const bool running = enabled != 0;
    picture->counters |= enabled;
    if (running && !waves->running && !waves->overflowed)
        picture->from = clock;
    if (!running && waves->running && !(waves->overflowed && picture->to > picture->from))
        picture->to = clock;
    waves->running = running;
    waves->overflowed |= overflowed;
}

static void show(void *context, uint64_t clock, unsigned pmis)
{
    struct waves *waves = context;
    const struct core *core = waves->core;
    uint32_t enabled = 0;
    bool overflowed = false;
    if (!waves->begun && !waves->vector[0] && !anything_enabled(core))
        return;
    if (!waves->begun)
        begin_at(waves, clock);
    waves->pmis = clock == waves->clock ? waves->pmis | pmis : pmis;
    waves->clock = clock;
    if (strcmp(waves->vector, waves->vector_shown) != 0)
        show_vector(waves, clock);
    for (unsigned t = 0; t < NBPMU_LPS && core->processor[t]; t++)
        show_lp(waves, core->processor[t], clock);
    for (unsigned n = 0; n < NBPMU_COUNTERS; n++)
        show_counter(waves, n, clock, &enabled, &overflowed);
    frame_picture(waves, clock, enabled, overflowed);
}

static void begin(struct waves *waves, FILE *file, struct machine *machine, bool from_start,
                  const char *vector)
{
    char comment[80];
    struct core *core = machine->processor[machine->boot].core;
    memset(waves, 0, sizeof *waves);
    waves->core = core;
    waves->vector = vector;
    snprintf(comment, sizeof comment, "1 ns stands for one clock of the core, which has %llu MHz",
             (unsigned long long)(machine->clock_hz / 1000000));
    vcd_begin(&waves->vcd, file, FILE_LIMIT, comment);
    vcd_scope(&waves->vcd, "p4sim");
    vcd_text(&waves->vcd, "vector");
    for (unsigned t = 0; t < NBPMU_LPS && core->processor[t]; t++)
        declare_lp(waves, t);
    declare_blocks(waves);
    vcd_end_scope(&waves->vcd);
    if (from_start)
        begin_at(waves, 0);
    core_set_watch(core, show, waves);
}

static void end(struct waves *waves, const char *path)
{
    if (!waves->begun)
        begin_at(waves, waves->core->clock);
    show(waves, waves->core->clock, 0);
    vcd_end(&waves->vcd, waves->core->clock);
    waves->picture.lps = waves->core->processor[1] ? 2 : 1;
    if (waves->picture.to <= waves->picture.from)
        waves->picture.to = waves->vcd.clock;
    core_set_watch(waves->core, NULL, NULL);
    if (waves->vcd.full)
        fprintf(stderr, "p4sim: %s ends at clock %llu, because it has %llu MB; run fewer vectors (only=)\n",
                path, (unsigned long long)waves->vcd.clock, FILE_LIMIT >> 20);
}

bool waves_run(struct machine *machine, const char *path, bool from_start, const char *vector, char *error,
               size_t size)
{
    struct waves waves;
    FILE *file = fopen(path, "w");
    if (!file) {
        snprintf(error, size, "cannot write waveforms %s: %s", path, strerror(errno));
        return false;
    }
    begin(&waves, file, machine, from_start, vector);
    machine_run(machine);
    end(&waves, path);
    bool good = !ferror(file);
    if (fclose(file) == 0 && good)
        return save_file_write(path, &waves.picture, error, size);
    snprintf(error, size, "cannot write waveforms %s: %s", path, strerror(errno));
    return false;
}
