/*
 * The steps of courses. A new step is a row here with its small functions, and what is done to the machine, a
 * row of PLAY in course_play.c.
 */
#include "course_steps.h"

#include <stdarg.h>

#include "kernel/lib/lib.h"
#include "pmc/count_of.h"
#include "rules.h"
#include "setting.h"
#include "vector.h"

/* ---- Pieces of texts ---- */

void course_write(struct course_writer *w, const char *fmt, ...)
{
    const size_t at = w->length < w->size ? w->length : w->size;
    va_list args;

    va_start(args, fmt);
    w->length += vformat(w->out + at, w->size - at, fmt, args);
    va_end(args);
}

void course_put(struct course_writer *w, char c)
{
    if (w->length + 1 < w->size) {
        w->out[w->length] = c;
        w->out[w->length + 1] = '\0';
    }
    w->length++;
}

bool course_take(const char **text, const char *word)
{
    const char *at = *text;

    while (*word != '\0' && *at == *word)
        at++, word++;
    if (*word != '\0')
        return false;
    *text = at;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool course_take_number(const char **text, unsigned *number)
{
    const char *const first = *text;

    for (*number = 0; is_digit(**text) && *text - first < 5; ++*text)
        *number = *number * 10 + (unsigned)(**text - '0');
    return *text != first && !is_digit(**text);
}

#define LARGE 1000000 /* in decimal; what is larger is written in hexadecimal */

void course_write_value(struct course_writer *w, uint64_t value)
{
    const bool negative = value > COUNTER_MASK / 2;
    const uint64_t size = negative ? (1ull << COUNTER_BITS) - value : value;

    course_write(w, size < LARGE ? "%s%llu" : "%s%llXH", negative ? "-" : "", size);
}

bool course_take_value(const char **text, uint64_t *value)
{
    const char *at = *text;
    uint64_t decimal = 0, hexadecimal = 0;
    const bool negative = course_take(&at, "-");
    const char *const first = at;
    bool is_decimal = true;

    for (; is_digit(*at) || (*at >= 'A' && *at <= 'F'); at++) {
        const unsigned digit = is_digit(*at) ? (unsigned)(*at - '0') : (unsigned)(*at - 'A' + 10);

        if (at - first == COUNTER_BITS / 4)
            return false;
        is_decimal &= digit < 10;
        decimal = decimal * 10 + digit;
        hexadecimal = hexadecimal * 16 + digit;
    }
    if (at == first)
        return false;
    if (course_take(&at, "H"))
        decimal = hexadecimal;
    else if (!is_decimal)
        return false;
    *value = (negative ? (1ull << COUNTER_BITS) - decimal : decimal) & COUNTER_MASK;
    *text = at;
    return true;
}

/* The fields of a CCCR by the manual's names (Figures 18-45 and 18-48, Table 18-65). */
static const struct field {
    const char *name;
    uint32_t mask;
} FIELDS[] = {
    {"ENABLE", CCCR_ENABLE},
    {"ESCR_SELECT", CCCR_ESCR_SELECT_MASK},
    {"ACTIVE_THREAD", CCCR_ACTIVE_MASK},
    {"COMPARE", CCCR_COMPARE},
    {"COMPLEMENT", CCCR_COMPLEMENT},
    {"THRESHOLD", CCCR_THRESHOLD_MASK},
    {"EDGE", CCCR_EDGE},
    {"FORCE_OVF", CCCR_FORCE_OVF},
    {"OVF_PMI_T0", CCCR_OVF_PMI_T0},
    {"OVF_PMI_T1", CCCR_OVF_PMI_T1},
    {"OVF", CCCR_OVF},
    {"CASCADE", CCCR_CASCADE},
    {"CASCNTxINTOy", CCCR_CASCNT},
};

/* The value 1 of the field. */
static uint32_t one(uint32_t mask)
{
    return mask & (~mask + 1);
}

static bool is_flag(uint32_t mask)
{
    return mask == one(mask);
}

static const struct field *take_field(const char **text)
{
    for (unsigned i = 0; i < COUNT_OF(FIELDS); i++) {
        const char *at = *text;

        if (*at == *FIELDS[i].name && course_take(&at, FIELDS[i].name) && course_take(&at, "=")) {
            *text = at;
            return &FIELDS[i];
        }
    }
    return NULL;
}

const char *course_take_field(const char **text, uint32_t *fields, uint32_t *bits)
{
    const struct field *f = take_field(text);
    unsigned value;

    if (!f)
        return "a field of the CCCR is written FIELD=VALUE, by the manual's name";
    if (!course_take_number(text, &value) || value > f->mask / one(f->mask))
        return "the value of a field is a decimal number that the field can hold";
    if (*fields & f->mask)
        return "each field of a write has one value";
    if (f->mask == CCCR_OVF && value)
        return "OVF of a counter of the course is cleared, and set by overflows alone";
    *fields |= f->mask;
    *bits |= value * one(f->mask);
    return NULL;
}

void course_write_fields(struct course_writer *w, uint32_t fields, uint32_t bits)
{
    bool follows = false;

    for (unsigned i = 0; i < COUNT_OF(FIELDS); i++)
        if (fields & FIELDS[i].mask) {
            course_write(w, "%s%s=%u", follows ? "," : "", FIELDS[i].name,
                         (bits & FIELDS[i].mask) / one(FIELDS[i].mask));
            follows = true;
        }
}

void course_tell_fields(struct course_writer *w, uint32_t fields, uint32_t bits)
{
    bool follows = false;

    for (unsigned i = 0; i < COUNT_OF(FIELDS); i++) {
        const uint32_t mask = FIELDS[i].mask;

        if (!(fields & mask))
            continue;
        course_write(w, "%s%s ", follows ? ", " : "", FIELDS[i].name);
        if (is_flag(mask))
            course_write(w, "%s", bits & mask ? "set" : "clear");
        else
            course_write(w, "%u", (bits & mask) / one(mask));
        follows = true;
    }
}

/* ---- Events ---- */

/* What may be special in a step of events. */
static const struct how {
    const char *text, *says;
    uint32_t setting;
} HOWS[COURSE_HOWS] = {
    [HOW_NO_SELECT] = {"EVENT_SELECT=0", "the ESCR has event select 0", 0},
    [HOW_NO_MASK] = {"EVENT_MASK=0", "the ESCR has event mask 0", 0},
    [HOW_OTHER_FIRST] = {"ESCR_before=other_event", "the ESCR has another event and other flags just before",
                         0},
    [HOW_HALT] = {"after_ESCR=HLT", "between the write of the ESCR and the work the worker halts",
                  SETTING_HALT},
    [HOW_INIT] = {"after_ESCR=INIT", "between the write of the ESCR and the work the sibling gets INIT",
                  SETTING_INIT},
    [HOW_TWICE] = {"twice", "the work is done twice, and then twice at CPL 0", 0},
};

static const char *const FLAG_NAMES[] = {"T0_OS", "T0_USR", "T1_OS", "T1_USR"};

/* The flags of a step, of LP0 in bits 1:0 and of LP1 in bits 3:2; and back. */
static uint8_t by_lp(uint8_t flags, unsigned worker)
{
    return worker ? (uint8_t)((flags & FLAGS_WORKER) << 2 | flags >> 2) : flags;
}

static const char *take_flags(const char **text, uint8_t *flags)
{
    *flags = 0;
    if (course_take(text, "0"))
        return NULL;
    do {
        unsigned i = 0;

        while (i < COUNT_OF(FLAG_NAMES) && !course_take(text, FLAG_NAMES[i]))
            i++;
        if (i == COUNT_OF(FLAG_NAMES) || (*flags >> i & 1))
            return "ESCR= has flags T0_OS, T0_USR, T1_OS, T1_USR, each once, joined by +, or 0";
        *flags |= (uint8_t)(1u << i);
    } while (course_take(text, "+"));
    return NULL;
}

static const char *parse_events(struct course_step *step, unsigned worker, const char **text)
{
    unsigned occurrences;

    if (!course_take_number(text, &occurrences) || occurrences == 0 || occurrences > COURSE_MOST)
        return "events= has a number of occurrences, 1 to 1000";
    step->occurrences = (uint16_t)occurrences;
    step->flags = FLAGS_WORKER;
    if (course_take(text, ",CPL=")) {
        if (**text < '1' || **text > '3')
            return "CPL= has a privilege level above 0: 1 to 3";
        step->level = (uint8_t)(*(*text)++ - '0');
    }
    if (course_take(text, ",ESCR=")) {
        const char *why = take_flags(text, &step->flags);

        step->flags = by_lp(step->flags, worker);
        return why;
    }
    if (!course_take(text, ","))
        return NULL;
    for (unsigned i = 0; i < COURSE_HOWS; i++)
        if (HOWS[i].text && course_take(text, HOWS[i].text)) {
            step->how = (uint8_t)i;
            return NULL;
        }
    return "behind events= there are CPL= and then one of ESCR=, EVENT_SELECT=0, EVENT_MASK=0, "
           "ESCR_before=other_event, after_ESCR=HLT, after_ESCR=INIT and twice";
}

static void write_flags(struct course_writer *w, uint8_t flags, const char *between)
{
    bool follows = false;

    for (unsigned i = 0; i < COUNT_OF(FLAG_NAMES); i++)
        if (flags >> i & 1) {
            course_write(w, "%s%s", follows ? between : "", FLAG_NAMES[i]);
            follows = true;
        }
}

static void print_events(const struct course_step *step, unsigned worker, struct course_writer *w)
{
    course_write(w, "%u", step->occurrences);
    if (step->level)
        course_write(w, ",CPL=%u", step->level);
    if (step->flags != FLAGS_WORKER) {
        course_write(w, ",ESCR=%s", step->flags ? "" : "0");
        write_flags(w, by_lp(step->flags, worker), "+");
    }
    if (step->how)
        course_write(w, ",%s", HOWS[step->how].text);
}

static void tell_events(const struct course_step *step, unsigned worker, struct course_writer *w)
{
    course_write(w, ", %u times", step->occurrences);
    if (step->level)
        course_write(w, ", at CPL %u", step->level);
    if (step->flags == 0)
        course_write(w, ", with all four flags of the ESCR clear");
    else if (step->flags != FLAGS_WORKER) {
        course_write(w, ", with ");
        write_flags(w, by_lp(step->flags, worker), " and ");
        course_write(w, " set in the ESCR%s", step->flags == (FLAGS_WORKER | FLAGS_OTHER) ? "" : " alone");
    }
    if (step->how)
        course_write(w, "; %s", HOWS[step->how].says);
}

static bool simplify_events(struct course_step *step, unsigned way)
{
    if (way == 0) {
        step->how = HOW_PLAIN;
        step->flags = FLAGS_WORKER;
    } else
        step->level = 0;
    return way < 2;
}

/* A third of the steps of events is plain. Few have INIT, which takes long. */
static void draw_events(struct course_step *step, const struct course *course, struct random *r)
{
    static const struct {
        uint8_t weight, flags, how;
    } SPECIALS[] = {
        {34, FLAGS_WORKER, HOW_PLAIN},
        {8, FLAGS_WORKER, HOW_HALT},
        {7, FLAG_WORKER_OS, HOW_PLAIN},
        {7, FLAG_WORKER_USR, HOW_PLAIN},
        {7, 0, HOW_PLAIN},
        {7, FLAGS_OTHER, HOW_PLAIN},
        {6, FLAG_OTHER_OS, HOW_PLAIN},
        {6, FLAGS_WORKER | FLAGS_OTHER, HOW_PLAIN},
        {6, FLAGS_WORKER, HOW_NO_SELECT},
        {4, FLAGS_WORKER, HOW_NO_MASK},
        {6, FLAGS_WORKER, HOW_OTHER_FIRST},
        {1, FLAGS_WORKER, HOW_TWICE},
        {1, FLAGS_WORKER, HOW_INIT},
    };
    const unsigned i = course_random_row(r, &SPECIALS[0].weight, sizeof SPECIALS[0], COUNT_OF(SPECIALS));

    (void)course;
    step->flags = SPECIALS[i].flags;
    step->how = SPECIALS[i].how;
    step->level = course_random(r, 4) ? 0 : (uint8_t)(1 + course_random(r, 3));
    step->occurrences = course_random(r, 4) ? COURSE_WORK : 1;
}

static void adapt_events(struct course_step *step, unsigned met)
{
    if ((step->how == HOW_HALT && !(met & NEED_LAPIC)) || (step->how == HOW_INIT && !(met & NEED_SIBLING)))
        step->how = HOW_PLAIN;
}

static void note_lvtpc(struct course_state *s, unsigned lp, bool open)
{
    s->open[lp] = open;
    s->delivered[lp] = s->as_nmis[lp] = false;
}

static void change_by_events(struct course_state *s, const struct course_step *step,
                             const struct course_seen *seen, unsigned lp)
{
    if (step->how == HOW_INIT)
        COURSE_ROW[STEP_INIT].change(s, step, seen, lp);
    if (!s->unmasks || step->by_sibling)
        return;
    note_lvtpc(s, s->self, true);
    s->unmasks = false;
}

bool course_is_special(const struct course_step *step)
{
    return step->how != HOW_PLAIN || step->flags != FLAGS_WORKER;
}

bool course_is_live(const struct course_step *step)
{
    return step->how == HOW_HALT || step->how == HOW_INIT;
}

bool course_waits_at_cpl_3(const struct course_step *step)
{
    return step->flags == FLAG_WORKER_OS || step->flags == FLAG_OTHER_OS;
}

uint32_t course_escr_flags(uint8_t flags, unsigned worker)
{
    const uint8_t lps = by_lp(flags, worker);

    return (lps & 1 ? ESCR_T0_OS : 0) | (lps & 2 ? ESCR_T0_USR : 0) | (lps & 4 ? ESCR_T1_OS : 0) |
           (lps & 8 ? ESCR_T1_USR : 0);
}

/* ---- Writes ---- */

static const char *parse_cccr(struct course_step *step, unsigned worker, const char **text)
{
    const char *why;

    (void)worker;
    do
        why = course_take_field(text, &step->fields, &step->bits);
    while (!why && course_take(text, ","));
    return why;
}

static void print_cccr(const struct course_step *step, unsigned worker, struct course_writer *w)
{
    (void)worker;
    course_write_fields(w, step->fields, step->bits);
}

static void tell_cccr(const struct course_step *step, unsigned worker, struct course_writer *w)
{
    (void)worker;
    course_write(w, " ");
    course_tell_fields(w, step->fields, step->bits);
}

/* A field less is written. */
static bool simplify_cccr(struct course_step *step, unsigned way)
{
    if (way >= COUNT_OF(FIELDS))
        return false;
    if (step->fields & ~FIELDS[way].mask) {
        step->fields &= ~FIELDS[way].mask;
        step->bits &= step->fields;
    }
    return true;
}

/* What a write of a CCCR inverts. */
static const uint32_t CHANGES[] = {
    CCCR_ENABLE,
    CCCR_ENABLE,
    CCCR_CASCADE,
    CCCR_CASCADE,
    CCCR_CASCNT,
    CCCR_OVF,
    CCCR_OVF,
    CCCR_OVF,
    CCCR_FORCE_OVF,
    CCCR_OVF_PMI_T0,
    CCCR_OVF_PMI_T1,
    CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1,
    CCCR_ACTIVE_THREAD(1),
    CCCR_ACTIVE_THREAD(2),
    CCCR_COMPARE,
    CCCR_COMPARE,
    CCCR_COMPLEMENT,
    CCCR_THRESHOLD(15),
    CCCR_THRESHOLD(1),
    CCCR_THRESHOLD(4),
    CCCR_EDGE,
    CCCR_ESCR_SELECT_MASK,
    CCCR_OVF | CCCR_CASCADE,
    CCCR_OVF | CCCR_CASCNT,
    CCCR_OVF | CCCR_ENABLE,
    0,
    CCCR_COMPARE | CCCR_THRESHOLD_MASK,
    CCCR_ENABLE | CCCR_FORCE_OVF,
};

/* Of twelve writes one selects the ESCR of an event. */
static void draw_cccr(struct course_step *step, const struct course *course, struct random *r)
{
    if (course_random(r, 12)) {
        step->bits = CHANGES[course_random(r, COUNT_OF(CHANGES))];
        return;
    }
    step->fields = CCCR_ESCR_SELECT_MASK;
    step->bits = course_select(course->actor[step->actor].counter, course_random(r, COURSE_EVENTS));
}

static const char *parse_value(struct course_step *step, unsigned worker, const char **text)
{
    (void)worker;
    return course_take_value(text, &step->value)
               ? NULL
               : "COUNTER= has a value like -20, 0, FFFFFFECH, -last_events or -last_events-1";
}

static void print_value(const struct course_step *step, unsigned worker, struct course_writer *w)
{
    (void)worker;
    course_write_value(w, step->value);
}

static void tell_value(const struct course_step *step, unsigned worker, struct course_writer *w)
{
    (void)worker;
    course_write(w, " ");
    course_write_value(w, step->value);
}

static void draw_value(struct course_step *step, const struct course *course, struct random *r)
{
    static const uint64_t VALUES[] = {
        COUNTER_OVERFLOW_IN(COURSE_NEAR), COUNTER_OVERFLOW_IN(COURSE_NEAR),
        COUNTER_OVERFLOW_IN(COURSE_NEAR), 0,
        (1ull << 32) - COURSE_NEAR,       COUNTER_OVERFLOW_IN(COURSE_FAR),
    };

    (void)course;
    step->value = VALUES[course_random(r, COUNT_OF(VALUES))];
}

/* R4: and nothing else. */
static void change_by_value(struct course_state *s, const struct course_step *step,
                            const struct course_seen *seen, unsigned lp)
{
    (void)lp;
    s->actor[step->actor].at = seen->preset;
    s->actor[step->actor].rewritten = true;
}

/* ---- LVTPC, and what logical processors do ---- */

static void unmask(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                   unsigned lp)
{
    (void)step;
    (void)seen;
    note_lvtpc(s, lp, true);
}

static void unmask_as_nmi(struct course_state *s, const struct course_step *step,
                          const struct course_seen *seen, unsigned lp)
{
    unmask(s, step, seen, lp);
    s->as_nmis[lp] = true;
}

static void unmask_later(struct course_state *s, const struct course_step *step,
                         const struct course_seen *seen, unsigned lp)
{
    (void)step;
    (void)seen;
    (void)lp;
    s->unmasks = true;
}

static void mask(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                 unsigned lp)
{
    (void)step;
    (void)seen;
    note_lvtpc(s, lp, false);
}

/* What INIT leaves of a request is open. */
static void init_sibling(struct course_state *s, const struct course_step *step,
                         const struct course_seen *seen, unsigned lp)
{
    (void)step;
    (void)seen;
    (void)lp;
    s->open[s->self ^ 1] = s->as_nmis[s->self ^ 1] = s->delivered[s->self ^ 1] = false;
    for (unsigned i = 0; i < s->actors; i++)
        s->actor[i].raised &= 1u << s->self;
}

static void run_sibling(struct course_state *s, const struct course_step *step,
                        const struct course_seen *seen, unsigned lp)
{
    (void)seen;
    (void)lp;
    s->runs = step->kind == STEP_LOOP;
}

/* ---- The rows ---- */

const struct course_row COURSE_ROW[COURSE_STEP_KINDS] = {
    [STEP_EVENTS] = {.word = "events=",
                     .weight = 112,
                     .says = "@ does work that causes the events of #",
                     .of = OF_SOME,
                     .does = DOES_EVENTS,
                     .parse = parse_events,
                     .print = print_events,
                     .tell = tell_events,
                     .simplify = simplify_events,
                     .draw = draw_events,
                     .adapt = adapt_events,
                     .change = change_by_events},
    [STEP_COUNTER_SHORT] = {.word = "COUNTER=-last_events-1",
                            .weight = 3,
                            .says =
                                "@ writes #, so that as many counts as in its last step of events end at -1",
                            .of = OF_ONE,
                            .does = DOES_COUNTER,
                            .after = R4,
                            .alters = RULES(R4, R58),
                            .setting = SETTING_COUNTER_WRITE,
                            .change = change_by_value},
    [STEP_COUNTER_BACK] = {.word = "COUNTER=-last_events",
                           .weight = 6,
                           .says =
                               "@ writes #, so that as many counts as in its last step of events end at 0",
                           .of = OF_ONE,
                           .does = DOES_COUNTER,
                           .after = R4,
                           .alters = RULES(R4, R58),
                           .setting = SETTING_COUNTER_WRITE,
                           .change = change_by_value},
    [STEP_COUNTER] = {.word = "COUNTER=",
                      .weight = 18,
                      .says = "@ writes #:",
                      .of = OF_ONE,
                      .does = DOES_COUNTER,
                      .after = R4,
                      .alters = RULES(R4, R58),
                      .setting = SETTING_COUNTER_WRITE,
                      .parse = parse_value,
                      .print = print_value,
                      .tell = tell_value,
                      .draw = draw_value,
                      .change = change_by_value},
    [STEP_READ] = {.word = "read",
                   .weight = 8,
                   .says = "@ reads the registers of #: RDMSR, RDPMC slow and fast",
                   .of = OF_ONE,
                   .does = DOES_READ,
                   .alters = RULES(R57, R60),
                   .setting = SETTING_RDPMC},
    [STEP_CCCR] = {.word = "",
                   .weight = 80,
                   .says = "@ writes the CCCR of #:",
                   .of = OF_ONE,
                   .does = DOES_CCCR,
                   .alters = R32,
                   .setting = SETTING_CCCR_WRITE,
                   .parse = parse_cccr,
                   .print = print_cccr,
                   .tell = tell_cccr,
                   .simplify = simplify_cccr,
                   .draw = draw_cccr,
                   .change = course_write_cccr},
    [STEP_LVTPC_LATER] = {.word = "LVTPC=fixed,with_next_events",
                          .weight = 3,
                          .says = "@ unmasks its LVTPC just before the next events",
                          .by = BY_BOOT,
                          .needs = NEED_LAPIC,
                          .does = DOES_WAIT,
                          .setting = SETTING_PMI,
                          .change = unmask_later},
    [STEP_LVTPC_FIXED] = {.word = "LVTPC=fixed",
                          .weight = 12,
                          .says = "@ unmasks its LVTPC, with fixed delivery",
                          .needs = NEED_LAPIC,
                          .does = DOES_UNMASK,
                          .setting = SETTING_PMI,
                          .change = unmask},
    [STEP_LVTPC_NMI] = {.word = "LVTPC=NMI",
                        .weight = 3,
                        .says = "@ unmasks its LVTPC, with NMI delivery",
                        .needs = NEED_LAPIC,
                        .does = DOES_UNMASK | DOES_NMIS,
                        .setting = SETTING_PMI,
                        .change = unmask_as_nmi},
    [STEP_EOI_LATE] = {.word = "EOI=late",
                       .weight = 3,
                       .says = "@ sends no EOI for its PMIs from here on",
                       .by = BY_BOOT,
                       .needs = NEED_LAPIC,
                       .setting = SETTING_PMI},
    [STEP_EOI] = {.word = "EOI",
                  .weight = 2,
                  .says = "@ sends the EOI that is late, and from here on at once",
                  .by = BY_BOOT,
                  .needs = NEED_LAPIC,
                  .does = DOES_EOI,
                  .setting = SETTING_PMI},
    [STEP_LVTPC_MASKED] = {.word = "LVTPC=masked",
                           .weight = 4,
                           .says = "@ masks its LVTPC",
                           .needs = NEED_LAPIC,
                           .change = mask},
    [STEP_IPI] = {.word = "IPI=self,with_next_events",
                  .weight = 3,
                  .says = "@ sends itself another interrupt, which is pending while the next events come",
                  .by = BY_BOOT,
                  .needs = NEED_LAPIC,
                  .does = DOES_WAIT},
    [STEP_HALT] = {.word = "HLT",
                   .weight = 7,
                   .says = "@ halts for 20 us",
                   .by = BY_BOOT,
                   .needs = NEED_LAPIC,
                   .after = R42,
                   .alters = R42,
                   .setting = SETTING_HALT},
    [STEP_INIT] = {.word = "INIT",
                   .weight = 1,
                   .says = "@ gets INIT and a start-up IPI",
                   .by = BY_SIBLING,
                   .needs = NEED_SIBLING,
                   .does = DOES_SIBLING,
                   .after = R1,
                   .alters = R1,
                   .setting = SETTING_INIT,
                   .change = init_sibling},
    [STEP_LOOP] = {.word = "loop",
                   .weight = 4,
                   .says = "@ runs a loop at CPL 3 from here on",
                   .by = BY_SIBLING,
                   .needs = NEED_SIBLING,
                   .does = DOES_SIBLING,
                   .setting = SETTING_LP1,
                   .change = run_sibling},
    [STEP_PARK] = {.word = "HLT",
                   .weight = 4,
                   .says = "@ is halted from here on, where it does no step",
                   .by = BY_SIBLING,
                   .needs = NEED_SIBLING,
                   .does = DOES_SIBLING,
                   .change = run_sibling},
    [STEP_UNUSED_OVF] = {.word = "OVF=1",
                         .weight = 4,
                         .says = "@ sets OVF of each counter that is neither in the course nor a twin, and "
                                 "writes to it what it holds",
                         .by = BY_ANY,
                         .of = OF_UNUSED,
                         .setting = SETTING_OTHER_OVF},
};

const struct course_row *course_row(const struct course_step *step)
{
    return &COURSE_ROW[step->kind];
}

struct course_step course_example(enum course_step_kind kind)
{
    const struct course_row *row = &COURSE_ROW[kind];
    struct course_step step = {.kind = (uint8_t)kind, .actors = row->of == OF_SOME};

    if (row->does & DOES_EVENTS)
        step = course_events_of(1, COURSE_WORK);
    if (row->does & DOES_CCCR)
        step.fields = CCCR_OVF;
    return step;
}

bool course_does(const struct course_step *step, unsigned does)
{
    return course_row(step)->does & does;
}

uint32_t course_setting(const struct course_step *step)
{
    return course_row(step)->setting | HOWS[step->how].setting | (step->level ? SETTING_CPL : 0) |
           (step->by_sibling ? SETTING_LP1 : 0) |
           (step->fields & CCCR_ESCR_SELECT_MASK ? SETTING_ESCR_SELECT : 0);
}

uint8_t course_after(const struct course_step *step)
{
    return step->fields & CCCR_ESCR_SELECT_MASK ? R17 : course_row(step)->after;
}
