/* Which stages are gone, and what was not run for it. */
#include "gone.h"

#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "needs.h"
#include "pmc/netburst/map.h"
#include "soak.h"

static struct {
    uint16_t judged, gone;
    bool sign; /* of the counter that is tried */
    struct {
        char by[VECTOR_ID_SIZE]; /* the vector that failed */
        unsigned tried, signs, not_run;
    } of[STAGES];
} stages;

void stage_sign(void)
{
    stages.sign = true;
}

/* These stages, and all that they rest on. */
static unsigned whole(unsigned set)
{
    for (unsigned i = STAGES; i-- > 0;)
        if (set >> i & 1)
            set |= STAGE[i].rests_on;
    return set;
}

/* Returns whether the counter is right. */
static bool try_counter(unsigned i, unsigned counter, stage_try *try)
{
    stages.sign = false;
    const bool right = try(&STAGE[i], counter);
    stages.of[i].tried++;
    stages.of[i].signs += stages.sign;
    return right;
}

static void conclude(unsigned i)
{
    if (stages.of[i].signs < STAGE[i].least)
        stages.gone |= (uint16_t)(1u << i);
}

static void judge(unsigned i, const char *id, stage_try *try)
{
    format(stages.of[i].by, sizeof stages.of[i].by, "%s", id);
    for (unsigned n = 0; n < PMC_COUNTERS && stages.of[i].signs < STAGE[i].least; n++)
        if (stage_has(&STAGE[i], n))
            try_counter(i, n, try);
    conclude(i);
}

uint32_t gone_try_all(const struct stage *stage, stage_try *try)
{
    const unsigned i = (unsigned)(stage - STAGE);
    uint32_t right = 0;

    stages.of[i].tried = stages.of[i].signs = 0;
    stages.gone &= (uint16_t) ~(1u << i);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (stage_has(stage, n))
            right |= (uint32_t)try_counter(i, n, try) << n;
    conclude(i);
    return right;
}

const char *gone_sentence(const struct stage *stage)
{
    return stages.gone >> (stage - STAGE) & 1 ? stage->gone : NULL;
}

void gone_judge(const struct vector *row, const char *id, stage_try *try)
{
    const unsigned all = whole(row->stages);

    for (unsigned i = 0; i < STAGES; i++) {
        if (!((all & ~stages.judged) >> i & 1) || whole(STAGE[i].rests_on) & stages.gone ||
            STAGE[i].needs & ~machine_meets())
            continue;
        stages.judged |= (uint16_t)(1u << i);
        judge(i, id, try);
    }
}

const struct stage *gone_below(const struct vector *row)
{
    const unsigned gone = stages.gone ? whole(row->stages) & stages.gone : 0;

    for (unsigned i = 0; i < STAGES; i++)
        if (gone >> i & 1)
            return &STAGE[i];
    return NULL;
}

void gone_skip(const char *id, const struct stage *stage)
{
    if (!soak_is_later())
        stages.of[stage - STAGE].not_run++;
    tap_skip(id, "not run: needs %s", stage->name);
}

void gone_report(void)
{
    for (unsigned i = 0; i < STAGES; i++)
        if (stages.gone >> i & 1)
            tap_follows("stage %s is gone: %s: %s failed, and so did %u of %u counters, each tried alone; %u "
                        "vectors not run",
                        STAGE[i].name, STAGE[i].gone, stages.of[i].by,
                        stages.of[i].tried - stages.of[i].signs, stages.of[i].tried, stages.of[i].not_run);
}
