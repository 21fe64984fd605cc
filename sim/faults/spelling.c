/*
 * Composed faults as text: reading one, writing one, the list of the parts, and drawing one.
 */
#include "faults.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_WORD 64u

/* A message that is being written; it is cut off where its room ends. */
struct message {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct message *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(message->text + message->used, message->size - message->used, format, arguments);
    va_end(arguments);
    message->used += length < 0 ? 0 : (size_t)length;
    if (message->used >= message->size)
        message->used = message->size - 1;
}

/* ---- Names of the parts, by number ---- */

enum name_kind { NAME_STAGE, NAME_DEVIATION, NAME_PLACE, NAME_CONDITION, NAME_EVENT };
static const char *const KIND[] = {"stage", "deviation", "place", "condition", "event"};

/* The name of part `number` of this kind. Null after the last one. */
static const char *part_name(enum name_kind kind, unsigned number)
{
    switch (kind) {
    case NAME_STAGE:
        return number < STAGES ? nbpmu_fault_stages[number].name : NULL;
    case NAME_DEVIATION:
        return number < DEVIATIONS ? nbpmu_fault_deviations[number].name : NULL;
    case NAME_PLACE:
        return number < PLACES ? nbpmu_fault_place_names[number] : NULL;
    case NAME_CONDITION:
        return number < nbpmu_fault_condition_count ? nbpmu_fault_conditions[number].name : NULL;
    default:
        return number < HAPPENINGS ? nbpmu_fault_happenings[number] : NULL;
    }
}

/* What follows the name in a list: the letter for a number that belongs to it. */
static const char *suffix_of(enum name_kind kind, unsigned number)
{
    unsigned least, most;
    return kind == NAME_DEVIATION && nbpmu_fault_has_amount((enum deviation)number, &least, &most) ? "N" : "";
}

/* May a stage have this deviation, or this place? */
static bool is_of_stage(enum name_kind kind, unsigned number, const struct stage_row *stage)
{
    return kind == NAME_DEVIATION ? stage->deviations >> number & 1
           : kind == NAME_PLACE   ? stage->places >> number & 1
                                  : true;
}

/* The number of the part with this name. -1, and a message, when there is none. */
static int part_named(enum name_kind kind, const char *name, const struct stage_row *stage,
                      struct message *error)
{
    for (unsigned number = 0; part_name(kind, number); number++)
        if (strcmp(part_name(kind, number), name) == 0 && is_of_stage(kind, number, stage))
            return (int)number;
    say(error, "no %s '%s'%s; allowed are", KIND[kind], name, stage ? " here" : "");
    const char *before = " ";
    for (unsigned number = 0; part_name(kind, number); number++)
        if (is_of_stage(kind, number, stage)) {
            say(error, "%s%s%s", before, part_name(kind, number), suffix_of(kind, number));
            before = ", ";
        }
    return -1;
}

/* ---- Reading ---- */

static bool read_number(const char *text, uint32_t least, uint32_t most, uint32_t *number)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || value < least || value > most)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* A deviation whose name ends in a number has it in the word. */
static bool read_amount(const char *word, struct nbpmu_composition *composition, struct message *error)
{
    const enum deviation deviation = deviation_of(composition);
    const char *name = nbpmu_fault_deviations[deviation].name;
    unsigned least, most;
    uint32_t amount;
    nbpmu_fault_has_amount(deviation, &least, &most);
    if (!read_number(word + strlen(name), least, most, &amount)) {
        say(error, "%s: allowed is %s%u to %s%u", word, name, least, name, most);
        return false;
    }
    composition->amount = (uint8_t)amount;
    return true;
}

static bool read_deviation(const char *word, struct nbpmu_composition *composition, struct message *error)
{
    const struct stage_row *row = &nbpmu_fault_stages[stage_of(composition)];
    unsigned least, most;
    for (enum deviation deviation = 0; deviation < DEVIATIONS; deviation++) {
        const char *name = nbpmu_fault_deviations[deviation].name;
        if (nbpmu_fault_has_amount(deviation, &least, &most) && strncmp(word, name, strlen(name)) == 0) {
            composition->deviation = (uint8_t)deviation;
            return read_amount(word, composition, error);
        }
    }
    const int number = part_named(NAME_DEVIATION, word, row, error);
    composition->deviation = (uint8_t)number;
    return number >= 0;
}

static bool read_place(const char *word, struct nbpmu_composition *composition, struct message *error)
{
    char name[LONGEST_WORD], text[LONGEST_WORD];
    const size_t length = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const int place = part_named(NAME_PLACE, name, &nbpmu_fault_stages[stage_of(composition)], error);
    if (place < 0)
        return false;
    for (unsigned number = 0; word[length] && number < nbpmu_fault_place_numbers((enum place)place); number++)
        if (strcmp(word + length + 1, nbpmu_fault_place_text((enum place)place, number, text, sizeof text)) ==
                0 &&
            strcmp(word + length + 1, "?") != 0) {
            composition->place[place] = (uint8_t)(number + 1);
            return true;
        }
    say(error, "@%s: allowed are", word);
    const char *before = " ";
    for (unsigned number = 0; number < nbpmu_fault_place_numbers((enum place)place); number++) {
        const char *allowed = nbpmu_fault_place_text((enum place)place, number, text, sizeof text);
        if (strcmp(allowed, "?") != 0)
            say(error, "%s%s=%s", before, name, allowed);
        before = ", ";
    }
    return false;
}

/* STAGE.DEVIATION[@PLACE]... */
static bool read_head(char *head, struct nbpmu_composition *composition, struct message *error)
{
    char *places = head;
    char *deviation = strsep(&places, "@");
    const char *stage = strsep(&deviation, ".");
    const int number = part_named(NAME_STAGE, stage, NULL, error);
    if (number < 0)
        return false;
    composition->stage = (uint8_t)(number + 1);
    if (!read_deviation(deviation ? deviation : "", composition, error))
        return false;
    for (const char *place; (place = strsep(&places, "@"));)
        if (!read_place(place, composition, error))
            return false;
    return true;
}

/* In front of a condition that must not hold. */
#define NOT "not-"

#define LEAST_TIMES 2u
#define MOST_TIMES  1000000u

static bool read_condition(const char *name, struct nbpmu_composition *composition, struct message *error)
{
    const bool must_not_hold = strncmp(name, NOT, strlen(NOT)) == 0;
    const int number = part_named(NAME_CONDITION, name + (must_not_hold ? strlen(NOT) : 0), NULL, error);
    const unsigned at = composition->condition[0] ? 1 : 0;
    if (number < 0)
        return false;
    if (composition->condition[at]) {
        say(error, "while=%s: at most %u conditions are allowed", name, NBPMU_FAULT_CONDITIONS);
        return false;
    }
    composition->condition[at] = (uint8_t)((unsigned)number + 1 + (must_not_hold ? CONDITION_NOT : 0));
    return true;
}

static bool read_history(const char *word, const char *value, struct nbpmu_composition *composition,
                         struct message *error)
{
    static const struct {
        const char *word;
        enum history history;
        uint32_t least;
    } NUMBERED[] = {{"after", HISTORY_AFTER, 1},
                    {"every", HISTORY_EVERY, LEAST_TIMES},
                    {"once-in", HISTORY_ONCE_IN, LEAST_TIMES}};
    if (composition->history) {
        say(error, "%s=%s: one history is allowed", word, value);
        return false;
    }
    for (unsigned i = 0; i < COUNT_OF(NUMBERED); i++)
        if (strcmp(word, NUMBERED[i].word) == 0 && (i > 0 || (value[0] >= '0' && value[0] <= '9'))) {
            composition->history = (uint8_t)NUMBERED[i].history;
            if (read_number(value, NUMBERED[i].least, MOST_TIMES, &composition->number))
                return true;
            say(error, "%s=%s: allowed is %s=%u to %s=%u", word, value, word, (unsigned)NUMBERED[i].least,
                word, MOST_TIMES);
            return false;
        }
    const int event = part_named(NAME_EVENT, value, NULL, error);
    composition->history = strcmp(word, "after") == 0 ? HISTORY_SINCE : HISTORY_UNTIL;
    composition->number = (uint32_t)event;
    return event >= 0;
}

/* One of the words after the first comma. */
static bool read_word(char *word, struct nbpmu_fault *fault, bool *has_seed, struct message *error)
{
    char *value = word;
    const char *name = strsep(&value, "=");
    struct nbpmu_composition *composition = &fault->composition;
    if (value && strcmp(name, "while") == 0)
        return read_condition(value, composition, error);
    if (value && (strcmp(name, "after") == 0 || strcmp(name, "every") == 0 || strcmp(name, "once-in") == 0 ||
                  strcmp(name, "until") == 0))
        return read_history(name, value, composition, error);
    if (value && strcmp(name, "seed") == 0) {
        *has_seed = read_number(value, 0, UINT32_MAX, &fault->seed);
        if (!*has_seed)
            say(error, "seed=%s: allowed is seed=0 to seed=%u", value, UINT32_MAX);
        return *has_seed;
    }
    say(error,
        "'%s': allowed are while=CONDITION, after=N, after=EVENT, every=N, once-in=N, until=EVENT and seed=S",
        name);
    return false;
}

/* What the library needs besides the parts. */
static void complete(struct nbpmu_fault *fault)
{
    const struct nbpmu_composition *composition = &fault->composition;
    fault->needs |= (uint8_t)nbpmu_fault_needs(composition);
    fault->once_in = composition->history == HISTORY_ONCE_IN ? composition->number : 0;
}

/* The head of a composition: its parts, or a name. */
static bool read_composition(char *head, struct nbpmu_fault *fault, struct message *error)
{
    if (strchr(head, '.'))
        return read_head(head, &fault->composition, error);
    if (!nbpmu_fault_find(head, fault)) {
        say(error, "no stage and no name '%s'", head);
        return false;
    }
    return true;
}

bool nbpmu_fault_compose(const char *text, struct nbpmu_fault *fault, char *error, size_t size)
{
    char words[256], *rest = words;
    struct message message = {.text = error, .size = size};
    struct nbpmu_fault composed = {.seed = 1};
    bool has_seed = false;
    snprintf(words, sizeof words, "%s", text);
    error[0] = '\0';
    if (!read_composition(strsep(&rest, ","), &composed, &message))
        return false;
    if (rest && !is_composed(&composed)) {
        say(&message, "this fault is not composed: it has no condition and no history");
        return false;
    }
    if (!is_composed(&composed)) {
        *fault = composed;
        return true;
    }
    for (char *word; (word = strsep(&rest, ","));)
        if (!read_word(word, &composed, &has_seed, &message))
            return false;
    const char *why = nbpmu_fault_refused(&composed.composition);
    if (!why && has_seed && composed.composition.history != HISTORY_ONCE_IN)
        why = "seed=S belongs to once-in=N";
    if (why) {
        say(&message, "%s", why);
        return false;
    }
    complete(&composed);
    *fault = composed;
    return true;
}

/* ---- Writing ---- */

void nbpmu_fault_text(const struct nbpmu_fault *fault, char *text, size_t size)
{
    static const char *const WORD[] = {"", "after", "every", "once-in", "after", "until"};
    const struct nbpmu_composition *composition = &fault->composition;
    struct message message = {.text = text, .size = size};
    char place_text[LONGEST_WORD];
    say(&message, "%s.%s", nbpmu_fault_stages[stage_of(composition)].name,
        nbpmu_fault_deviations[composition->deviation].name);
    if (*suffix_of(NAME_DEVIATION, composition->deviation))
        say(&message, "%u", composition->amount);
    for (enum place place = 0; place < PLACES; place++)
        if (composition->place[place])
            say(&message, "@%s=%s", nbpmu_fault_place_names[place],
                nbpmu_fault_place_text(place, composition->place[place] - 1u, place_text, sizeof place_text));
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS && composition->condition[i]; i++)
        say(&message, ",while=%s%s", composition->condition[i] & CONDITION_NOT ? NOT : "",
            condition_of(composition->condition[i])->name);
    if (composition->history >= HISTORY_SINCE)
        say(&message, ",%s=%s", WORD[composition->history], nbpmu_fault_happenings[composition->number]);
    else if (composition->history)
        say(&message, ",%s=%u", WORD[composition->history], (unsigned)composition->number);
}

bool nbpmu_fault_is_of_lvtpc(const struct nbpmu_fault *fault)
{
    return is_composed(fault) && stage_of(&fault->composition) >= STAGE_LVTPC_WRITE;
}

/* The names of the bits that are set, for the list. */
static void list_names(FILE *out, const char *what, uint64_t numbers, enum name_kind kind)
{
    if (numbers)
        fputs(what, out);
    for (unsigned number = 0; part_name(kind, number); number++)
        if (numbers >> number & 1)
            fprintf(out, " %s%s", part_name(kind, number), suffix_of(kind, number));
}

void nbpmu_fault_parts(FILE *out)
{
    char text[LONGEST_WORD];
    for (unsigned number = 0; number < STAGES; number++) {
        const struct stage_row *row = &nbpmu_fault_stages[number];
        fprintf(out, "stage %-16s %-4s %s;", row->name, row->rule ? row->rule : "-", row->text);
        list_names(out, " deviations:", row->deviations, NAME_DEVIATION);
        list_names(out, "; places:", row->places, NAME_PLACE);
        if (row->without)
            fprintf(out, "; not while: %s", row->without);
        fputc('\n', out);
    }
    for (unsigned number = 0; number < DEVIATIONS; number++)
        fprintf(out, "deviation %s%s %s\n", nbpmu_fault_deviations[number].name,
                suffix_of(NAME_DEVIATION, number), nbpmu_fault_deviations[number].text);
    for (enum place place = 0; place < PLACES; place++) {
        fprintf(out, "place %s:", nbpmu_fault_place_names[place]);
        for (unsigned number = 0; number < nbpmu_fault_place_numbers(place); number++) {
            const char *name = nbpmu_fault_place_text(place, number, text, sizeof text);
            if (strcmp(name, "?") != 0)
                fprintf(out, " %s", name);
        }
        fputc('\n', out);
    }
    for (unsigned number = 0; number < nbpmu_fault_condition_count; number++)
        fprintf(out, "condition %s: %s\n", nbpmu_fault_conditions[number].name,
                nbpmu_fault_conditions[number].text);
    fputs("history after=N every=N once-in=N after=EVENT until=EVENT\nevent", out);
    for (unsigned number = 0; number < HAPPENINGS; number++)
        fprintf(out, " %s", nbpmu_fault_happenings[number]);
    fputc('\n', out);
}

/* ---- Drawing ---- */

/* The number of one of the bits that are set. */
static unsigned drawn_bit(uint64_t *state, uint64_t bits)
{
    for (unsigned skip = nbpmu_drawn_below(state, (uint32_t)__builtin_popcountll(bits)); skip; skip--)
        bits &= bits - 1;
    return (unsigned)__builtin_ctzll(bits);
}

static void draw_number_of(uint64_t *state, const struct nbpmu_part *part, enum place place,
                           struct nbpmu_composition *composition)
{
    unsigned number;
    do
        number = nbpmu_drawn_below(state, nbpmu_fault_place_numbers(place));
    while (!nbpmu_fault_has_place(part, place, number));
    composition->place[place] = (uint8_t)(number + 1);
}

/* At most one place of each kind: which counter or ESCR, which bit, and by what access. */
static void draw_places(uint64_t *state, const struct nbpmu_part *part, const struct stage_row *row,
                        struct nbpmu_composition *composition)
{
    const uint16_t groups[] = {
        1u << PLACE_COUNTER | 1u << PLACE_PAIR | 1u << PLACE_BLOCK | 1u << PLACE_ESCR | 1u << PLACE_EVENT,
        1u << PLACE_BIT | 1u << PLACE_FIELD,
        1u << PLACE_LINK | 1u << PLACE_LP | 1u << PLACE_CPL | 1u << PLACE_ACCESS,
        1u << PLACE_ON,
    };
    for (unsigned i = 0; i < COUNT_OF(groups); i++) {
        const uint16_t places = groups[i] & row->places;
        const unsigned choices = (unsigned)__builtin_popcount(places) + 1; /* one is: everywhere */
        if (places && (nbpmu_drawn_below(state, choices) || (places & row->needs)))
            draw_number_of(state, part, (enum place)drawn_bit(state, places), composition);
    }
}

static void draw_history(uint64_t *state, struct nbpmu_composition *composition)
{
    static const uint32_t TIMES[][3] = {{1, 2, 10}, {2, 3, 5}, {5, 20, 50}};
    const unsigned kind = nbpmu_drawn_below(state, 5);
    composition->history = (uint8_t)(HISTORY_AFTER + kind);
    composition->number = composition->history >= HISTORY_SINCE ? nbpmu_drawn_below(state, HAPPENINGS)
                                                                : TIMES[kind][nbpmu_drawn_below(state, 3)];
}

static bool fits(const struct nbpmu_part *part, const struct nbpmu_composition *composition)
{
    const struct nbpmu_fault fault = {.composition = *composition,
                                      .needs = (uint8_t)nbpmu_fault_needs(composition)};
    return !nbpmu_fault_misfit(&fault, part);
}

/* A deviation, or a stage, that so many drawn places and conditions do not fit is drawn again: on a part
 * without Hyper-Threading, for example, LVTPC has no two conditions. */
#define TRIES_OF_DEVIATION 1000u
#define TRIES_OF_STAGE     (4 * TRIES_OF_DEVIATION)

void nbpmu_fault_draw(const struct nbpmu_part *part, enum nbpmu_fault_class which, uint32_t seed,
                      uint32_t number, struct nbpmu_fault *fault)
{
    static const uint8_t CONDITIONS_OF_CLASS[NBPMU_FAULT_CLASSES] = {
        [NBPMU_FAULT_CONDITION] = 1, [NBPMU_FAULT_CONDITIONS2] = 2};
    uint64_t state = (uint64_t)seed << 32 | number << 2 | (uint32_t)which;
    struct nbpmu_composition drawn;
    unsigned tries = 0;
    enum stage stage = STAGES;
    enum deviation deviation = DEVIATIONS;
    do {
        if (tries % TRIES_OF_STAGE == 0)
            do
                stage = (enum stage)nbpmu_drawn_below(&state, STAGES);
            while (nbpmu_fault_stages[stage].part == PART_HT && part->lps < 2);
        const struct stage_row *row = &nbpmu_fault_stages[stage];
        if (tries % TRIES_OF_DEVIATION == 0)
            deviation = (enum deviation)drawn_bit(&state, row->deviations);
        tries++;
        drawn = (struct nbpmu_composition){.stage = (uint8_t)(stage + 1), .deviation = (uint8_t)deviation};
        if (deviation == DEVIATION_LATE)
            drawn.amount =
                (uint8_t)(row->least_late << (row->least_late < 64 ? nbpmu_drawn_below(&state, 4) : 0));
        if (deviation == DEVIATION_AT_MOST)
            drawn.amount = (uint8_t)(1u << nbpmu_drawn_below(&state, 3));
        if (deviation == DEVIATION_ALSO_BY)
            drawn.amount = (uint8_t)nbpmu_drawn_below(&state, PMC_COUNTERS);
        draw_places(&state, part, row, &drawn);
        for (unsigned i = 0; i < CONDITIONS_OF_CLASS[which]; i++)
            drawn.condition[i] = (uint8_t)(1 + nbpmu_drawn_below(&state, nbpmu_fault_condition_count));
        if (which == NBPMU_FAULT_HISTORY)
            draw_history(&state, &drawn);
    } while (nbpmu_fault_refused(&drawn) || !fits(part, &drawn));
    *fault = (struct nbpmu_fault){.composition = drawn, .seed = 1};
    complete(fault);
}
