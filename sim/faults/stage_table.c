/*
 * The tables of the grammar of composed faults: stages, deviations, fields, places, events; and the rules by
 * which parts do not go together.
 */
#include "faults.h"

#include <string.h>

/* ---- Deviations ---- */

const struct deviation_row nbpmu_fault_deviations[DEVIATIONS] = {
    [DEVIATION_NEVER] = {"never", "is never so"},
    [DEVIATION_ALWAYS] = {"always", "is always so"},
    [DEVIATION_INVERTED] = {"inverted", "is the opposite"},
    [DEVIATION_ZERO] = {"zero", "is 0"},
    [DEVIATION_PLUS_1] = {"plus-1", "is one more, if it is not 0 or a threshold"},
    [DEVIATION_MINUS_1] = {"minus-1", "is one less, if it is not 0"},
    [DEVIATION_TWICE] = {"twice", "is twice as much"},
    [DEVIATION_HALF] = {"half", "is half as much"},
    [DEVIATION_BIT_0] = {"bit-0", "has this bit always 0"},
    [DEVIATION_BIT_1] = {"bit-1", "has this bit always 1"},
    [DEVIATION_BIT_INVERTED] = {"bit-inverted", "has the opposite of this bit"},
    [DEVIATION_AT_MOST] = {"at-most-", "is so much at most"},
    [DEVIATION_WRAPS] = {"wraps", "wraps: what no bit is left for is lost"},
    [DEVIATION_PASSES_VALUE] = {"passes-value", "is the value of the clock, not 1"},
    [DEVIATION_WIDE] = {"wide", "has all 40 bits, also by the fast form of RDPMC"},
    [DEVIATION_REACHED] = {"reached", "is passed by an equal value, too"},
    [DEVIATION_NONE] = {"none", "is empty"},
    [DEVIATION_ALL] = {"all", "is everything"},
    [DEVIATION_WITHOUT_BIT] = {"without-bit", "lacks this bit"},
    [DEVIATION_WITH_BIT] = {"with-bit", "has this bit too"},
    [DEVIATION_SWAPPED] = {"swapped", "has each even bit in place of the odd one above it, and the reverse"},
    [DEVIATION_SHIFTED] = {"shifted", "has each bit in place of the one above it"},
    [DEVIATION_LOWEST] = {"lowest", "has its lowest bit alone"},
    [DEVIATION_HIGHEST] = {"highest", "has its highest bit alone"},
    [DEVIATION_NEEDS_ALL] = {"needs-all", "needs all that the mask selects, not one of it"},
    [DEVIATION_NEIGHBOUR] = {"neighbour", "is the neighbour's, whose number differs in bit 0"},
    [DEVIATION_NEXT] = {"next", "is the next one's"},
    [DEVIATION_ALSO_BY] = {"also-by-", "is also the counter with this number"},
    [DEVIATION_BY_OTHER_CPL] = {"by-other-cpl", "takes CPL 0 for a higher one, and the reverse"},
    [DEVIATION_BY_EITHER_CPL] = {"by-either-cpl", "holds for either of CPL 0 and a higher one"},
    [DEVIATION_BY_OTHER_LP] = {"by-other-lp", "takes one logical processor for the other"},
    [DEVIATION_BY_EITHER_LP] = {"by-either-lp", "holds for either logical processor"},
    [DEVIATION_FLAGS_IGNORED] = {"flags-ignored",
                                 "does not depend on the four flags, of thread-independent events either"},
    [DEVIATION_NOT_KEPT] = {"not-kept", "loses these bits: they are 0 after the write"},
    [DEVIATION_NOT_WRITTEN] = {"not-written", "keeps the former value of these bits"},
    [DEVIATION_NOT_CLEARED] = {"not-cleared", "keeps each of these bits that was 1"},
    [DEVIATION_SIGN_EXTENDED] = {"sign-extended", "has bit 31 in all higher bits"},
    [DEVIATION_EARLY] = {"early", "comes one count early"},
    [DEVIATION_LATE] = {"late-", "comes so many counts late"},
    [DEVIATION_KEPT] = {"kept", "stays as it was"},
    [DEVIATION_KEPT_BY_OVF] = {"kept-by-ovf", "outlives the flag that was cleared"},
    [DEVIATION_KEPT_BY_EITHER] = {"kept-by-either", "outlives one of OVF and the flag that was cleared"},
    [DEVIATION_UNARMED] = {"unarmed", "needs no flag"},
    [DEVIATION_REARMS_AT_0] = {"rearms-at-0", "needs the value 0 between two of them"},
    [DEVIATION_GIVES_0] = {"gives-0", "gives the value 0 to the filter where it is closed"},
    [DEVIATION_STICKS] = {"sticks", "does not come about: the count is lost"},
    [DEVIATION_OVERFLOWS] = {"overflows", "is an overflow, too"},
    [DEVIATION_ONTO_0] = {"onto-0", "is so only if the sum is 0"},
    [DEVIATION_ALSO_NEIGHBOUR] = {"also-neighbour", "reaches the neighbour too"},
    [DEVIATION_ALSO_NEXT] = {"also-next", "reaches the next one too"},
    [DEVIATION_ALSO_PARTNER] = {"also-partner", "reaches the cascade partner too"},
    [DEVIATION_ALSO_OTHER_LP] = {"also-other-lp", "reaches the other logical processor too"},
    [DEVIATION_CLEARS_COUNTER] = {"clears-counter", "sets the counter to 0"},
    [DEVIATION_CLEARS_CCCR] = {"clears-cccr", "sets the CCCR to 0"},
    [DEVIATION_CLEARS_OVF] = {"clears-ovf", "clears OVF"},
    [DEVIATION_CLEARS_ENABLE] = {"clears-enable", "clears ENABLE"},
    [DEVIATION_CLEARS_CASCADE] = {"clears-cascade", "clears CASCADE"},
    [DEVIATION_CLEARS_BIT_11] = {"clears-bit-11", "clears bit 11"},
    [DEVIATION_CLEARS_REQUEST] = {"clears-request", "ends the request of a PMI"},
    [DEVIATION_DELAYS_REQUEST] = {"delays-request", "puts a PMI that is due off by one count"},
    [DEVIATION_CLEARS_ESCRS] = {"clears-escrs", "sets all ESCRs to 0"},
    [DEVIATION_RESTARTS_EDGE] = {"restarts-edge", "restarts the edge filter"},
    [DEVIATION_COSTS_COUNT] = {"costs-count", "takes a count from the counter"},
    [DEVIATION_ADDS_COUNT] = {"adds-count", "adds a count to the counter"},
};

#define D(name)         (1ull << DEVIATION_##name)
#define TRUTH           (D(NEVER) | D(ALWAYS) | D(INVERTED))
#define NEVER_OR_ALWAYS (D(NEVER) | D(ALWAYS))
#define BITS            (D(BIT_0) | D(BIT_1) | D(BIT_INVERTED))
#define NUMBER          (D(ZERO) | D(PLUS_1) | D(MINUS_1) | D(TWICE) | D(HALF) | BITS)
#define COUNT           (NUMBER | D(AT_MOST))
#define SET \
    (D(NONE) | D(ALL) | D(WITHOUT_BIT) | D(WITH_BIT) | D(SWAPPED) | D(SHIFTED) | D(LOWEST) | D(HIGHEST))
#define INDEX        (D(NEIGHBOUR) | D(NEXT) | D(NONE))
#define REGISTER     (D(NOT_KEPT) | D(NOT_WRITTEN) | D(NOT_CLEARED) | D(BIT_1))
#define ALSO         (D(ALSO_NEIGHBOUR) | D(ALSO_PARTNER))
#define ALSO_WRITTEN (ALSO | D(ALSO_NEXT))
#define CAUSER       (D(BY_OTHER_CPL) | D(BY_EITHER_CPL) | D(BY_OTHER_LP) | D(BY_EITHER_LP))
#define EFFECT                                                                                      \
    (D(CLEARS_COUNTER) | D(CLEARS_CCCR) | D(CLEARS_OVF) | D(CLEARS_ENABLE) | D(CLEARS_CASCADE) |    \
     D(CLEARS_BIT_11) | D(CLEARS_REQUEST) | D(DELAYS_REQUEST) | D(RESTARTS_EDGE) | D(COSTS_COUNT) | \
     D(ADDS_COUNT))

/* ---- Stages ---- */

#define P(name)    (1u << PLACE_##name)
#define OF_COUNTER (P(COUNTER) | P(PAIR) | P(BLOCK))
#define OF_ESCR    (P(ESCR) | P(EVENT) | P(COUNTER) | P(BLOCK))

const struct stage_row nbpmu_fault_stages[STAGES] = {
    /* ---- Access, INIT and HLT ---- */
    [STAGE_COUNTER_WRITE] = {.name = "counter-write",
                             .rule = "R4",
                             .text = "what a counter holds after a write",
                             .deviations = REGISTER | D(SIGN_EXTENDED) | ALSO_WRITTEN | EFFECT,
                             .width = COUNTER_BITS,
                             .places = OF_COUNTER | P(BIT) | P(FIELD) | P(LP) | P(ON),
                             .fields = FIELD_OF_COUNTER,
                             .without = "overflows-meet several from-4"},
    [STAGE_CCCR_WRITE] = {.name = "cccr-write",
                          .rule = "R3",
                          .text = "what a CCCR holds after a write",
                          .deviations = REGISTER | ALSO_WRITTEN | EFFECT,
                          .width = 32,
                          .places = OF_COUNTER | P(BIT) | P(FIELD) | P(LP) | P(ON),
                          .fields = FIELD_OF_CCCR,
                          .without = "overflows-meet several from-4"},
    [STAGE_ESCR_WRITE] = {.name = "escr-write",
                          .rule = "R3",
                          .text = "what an ESCR holds after a write",
                          .deviations = REGISTER | D(ALSO_NEIGHBOUR) | D(ALSO_NEXT) | EFFECT,
                          .width = 31,
                          .places = P(ESCR) | P(BIT) | P(FIELD) | P(LP),
                          .fields = FIELD_OF_ESCR,
                          .without = "overflows-meet several from-4"},
    [STAGE_COUNTER_READ] = {.name = "counter-read",
                            .rule = "R57",
                            .text = "what is read from a counter",
                            .deviations = NUMBER | D(NEIGHBOUR) | D(NEXT) | D(LATE) | D(WIDE) | EFFECT,
                            .width = COUNTER_BITS,
                            .places = OF_COUNTER | P(BIT) | P(FIELD) | P(LP) | P(CPL) | P(ACCESS) | P(ON),
                            .fields = FIELD_OF_COUNTER,
                            .without = "overflows-meet several from-4",
                            .least_late = 64},
    [STAGE_CCCR_READ] = {.name = "cccr-read",
                         .rule = "R3",
                         .text = "what is read from a CCCR",
                         .deviations = D(ZERO) | BITS | EFFECT,
                         .width = 32,
                         .places = OF_COUNTER | P(FIELD) | P(LP) | P(ON),
                         .fields = FIELD_OF_CCCR,
                         .without = "overflows-meet several from-4"},
    [STAGE_ESCR_READ] = {.name = "escr-read",
                         .rule = "R3",
                         .text = "what is read from an ESCR",
                         .deviations = D(ZERO) | BITS | D(NEIGHBOUR),
                         .width = 31,
                         .places = P(ESCR) | P(BIT) | P(FIELD) | P(LP),
                         .fields = FIELD_OF_ESCR,
                         .without = "overflows-meet several from-4"},
    [STAGE_REFUSAL] = {.name = "refusal",
                       .rule = "R60",
                       .text = "that an access is #GP",
                       .deviations = TRUTH,
                       .places = P(LP) | P(CPL) | P(ACCESS),
                       .needs = P(ACCESS)},
    [STAGE_INIT] = {.name = "init",
                    .rule = "R1",
                    .text = "what INIT leaves as it is",
                    .deviations = EFFECT | D(CLEARS_ESCRS),
                    .places = OF_COUNTER,
                    .part = PART_HT,
                    .without = "overflows-meet several from-4"},
    [STAGE_HLT] = {.name = "hlt",
                   .rule = "R42",
                   .text = "what HLT leaves as it is",
                   .deviations = EFFECT | D(CLEARS_ESCRS),
                   .places = OF_COUNTER | P(LP),
                   .without = "overflows-meet several from-4 lp-halted"},
    [STAGE_CPL] = {.name = "cpl-change",
                   .rule = "R12",
                   .text = "what a change of the privilege level leaves as it is",
                   .deviations = EFFECT,
                   .places = OF_COUNTER | P(LP),
                   .without = "overflows-meet several from-4"},
    /* ---- From an event to the value that a counter gets ---- */
    [STAGE_EVENT_SELECT] = {.name = "event-select",
                            .rule = "R7",
                            .text = "the event select by which an ESCR acts",
                            .deviations = INDEX | BITS | D(KEPT),
                            .width = 6,
                            .places = OF_ESCR | P(BIT),
                            .act = ACT_ESCR,
                            .without = "overflows-meet several from-4 counting no-mask no-flags"},
    [STAGE_EVENT_MASK] = {.name = "event-mask",
                          .rule = "R7",
                          .text = "the event mask by which an ESCR acts",
                          .deviations = SET | D(KEPT),
                          .width = 16,
                          .places = OF_ESCR | P(BIT),
                          .act = ACT_ESCR,
                          .without = "overflows-meet several from-4 counting no-flags"},
    [STAGE_MATCH] = {.name = "match",
                     .rule = "R9",
                     .text = "that an ESCR selects an occurrence",
                     .deviations = TRUTH | D(NEEDS_ALL),
                     .places = OF_ESCR,
                     .act = ACT_ESCR,
                     /* Occurrences come before the clock in which counters overflow. Without flags nothing is
                      * counted of what it selects. */
                     .without = "overflows-meet no-flags no-mask"},
    [STAGE_QUALIFY] = {.name = "qualify",
                       .rule = "R12",
                       .text = "that an ESCR may count what a logical processor causes",
                       .deviations = TRUTH | CAUSER | D(FLAGS_IGNORED) | D(KEPT),
                       .places = OF_ESCR | P(LP) | P(CPL),
                       .act = ACT_ESCR,
                       .without = "overflows-meet no-mask"},
    [STAGE_CLOCK_QUALIFY] = {.name = "clock-qualify",
                             .rule = "R13",
                             .text = "that the state of a clock lets a thread-independent event count",
                             .deviations = TRUTH,
                             .places = OF_ESCR,
                             .act = ACT_ESCR,
                             .part = PART_HT,
                             .without = "no-mask"},
    [STAGE_TAG] = {.name = "tag",
                   .rule = "R15",
                   .text = "the tags that an ESCR puts on a uop",
                   .deviations = SET,
                   .width = 4,
                   .places = P(ESCR) | P(BIT) | P(LP),
                   .act = ACT_ESCR,
                   .without = "overflows-meet several from-4 escr-shared counting"},
    [STAGE_ROUTE] = {.name = "route",
                     .rule = "R17",
                     .text = "the ESCR that a counter selects",
                     .deviations = INDEX,
                     .places = OF_COUNTER | P(ESCR),
                     .act = ACT_CCCR,
                     .without = "overflows-meet several from-4 counting escr-shared"},
    [STAGE_FIELD] = {.name = "field",
                     .rule = NULL,
                     .text = "the field of the CCCR by which a counter acts",
                     .deviations = D(ZERO) | D(BIT_1) | D(BIT_INVERTED) | D(NEIGHBOUR) | D(KEPT),
                     .width = 32,
                     .places = OF_COUNTER | P(FIELD),
                     .needs = P(FIELD),
                     .fields = FIELD_OF_CCCR,
                     .act = ACT_CCCR},
    [STAGE_VALUE] = {.name = "value",
                     .rule = "R8",
                     .text = "the value of a clock that a counter gets",
                     .deviations = COUNT | D(WRAPS),
                     .width = 4,
                     .places = OF_COUNTER | P(ESCR) | P(EVENT) | P(BIT),
                     .act = ACT_CCCR,
                     .without = "runs"},
    /* ---- From the value to the increment ---- */
    [STAGE_GATE] = {.name = "gate",
                    .rule = "R18",
                    .text = "that ACTIVE_THREAD lets a counter count",
                    .deviations = TRUTH | D(KEPT) | D(GIVES_0),
                    .places = OF_COUNTER,
                    .act = ACT_CCCR,
                    .part = PART_HT,
                    .without = "runs"},
    [STAGE_THRESHOLD] = {.name = "threshold",
                         .rule = "R22",
                         .text = "the threshold, and that a value is above it",
                         .deviations = TRUTH | NUMBER | D(REACHED),
                         .width = 4,
                         .places = OF_COUNTER | P(BIT),
                         .act = ACT_CCCR,
                         .without = "compare runs"},
    [STAGE_COMPLEMENT] = {.name = "complement",
                          .rule = "R22",
                          .text = "that a value passes with COMPLEMENT",
                          .deviations = TRUTH,
                          .places = OF_COUNTER,
                          .act = ACT_CCCR,
                          .without = "compare complement runs"},
    [STAGE_EDGE] = {.name = "edge",
                    .rule = "R23",
                    .text = "that a change of the threshold's result is counted with EDGE",
                    .deviations = TRUTH | D(REARMS_AT_0),
                    .places = OF_COUNTER,
                    .act = ACT_CCCR,
                    .without = "compare edge runs"},
    [STAGE_INCREMENT] = {.name = "increment",
                         .rule = "R27",
                         .text = "the increment of a counter",
                         .deviations = COUNT | D(PASSES_VALUE) | ALSO,
                         .width = 4,
                         .places = OF_COUNTER | P(BIT),
                         .act = ACT_CCCR,
                         .without = "counting runs"},
    /* ---- The sum, the overflow and the PMI ---- */
    [STAGE_SUM] = {.name = "sum",
                   .rule = "R27",
                   .text = "the sum of a counter and its increment",
                   .deviations = BITS | D(CLEARS_OVF),
                   .width = COUNTER_BITS,
                   .places = OF_COUNTER | P(BIT),
                   .act = ACT_CALL,
                   .without = "due counting runs"},
    [STAGE_CARRY] = {.name = "carry",
                     .rule = "R27",
                     .text = "that a count carries into this bit of the sum",
                     .deviations =
                         D(NEVER) | D(TWICE) | D(STICKS) | D(OVERFLOWS) | D(WRAPS) | D(ALSO_NEIGHBOUR),
                     .width = COUNTER_BITS,
                     .places = OF_COUNTER | P(BIT),
                     .needs = P(BIT),
                     .act = ACT_CALL,
                     .without = "due counting runs"},
    [STAGE_CARRY_OUT] = {.name = "carry-out",
                         .rule = "R28",
                         .text = "that a count carries out of bit 39, which is the overflow",
                         .deviations = NEVER_OR_ALWAYS | D(ONTO_0) | D(EARLY) | D(LATE),
                         .places = OF_COUNTER,
                         .act = ACT_CALL,
                         .without = "due force-ovf negative positive counting runs",
                         .least_late = 1},
    [STAGE_FORCE] = {.name = "force",
                     .rule = "R31",
                     .text = "that FORCE_OVF makes a count an overflow",
                     .deviations = TRUTH,
                     .places = OF_COUNTER,
                     .act = ACT_CCCR,
                     .without = "counting runs"},
    [STAGE_OVF] = {.name = "ovf",
                   .rule = "R29",
                   .text = "that an overflow sets OVF",
                   .deviations = D(NEVER) | D(INVERTED) | D(LATE) | ALSO_WRITTEN | EFFECT,
                   .places = OF_COUNTER | P(ON),
                   .act = ACT_CALL,
                   .without = "due counting runs",
                   .least_late = 1},
    [STAGE_REQUEST] = {.name = "request",
                       .rule = "R46",
                       .text = "that the count after an overflow raises its PMI",
                       .deviations = D(NEVER) | D(EARLY) | D(LATE) | EFFECT,
                       .places = OF_COUNTER | P(ON),
                       .act = ACT_CALL,
                       .without = "ovf counting runs due",
                       .least_late = 1},
    [STAGE_TARGETS] = {.name = "pmi-targets",
                       .rule = "R45",
                       .text = "the logical processors that a PMI reaches",
                       .deviations = SET,
                       .width = 2,
                       .places = OF_COUNTER | P(BIT),
                       .act = ACT_REQUEST,
                       .without = "ovf counting"},
    [STAGE_AGAIN] = {.name = "pmi-again",
                     .rule = "R49",
                     .text = "that a PMI comes again when LVTPC is unmasked and OVF is still set",
                     .deviations = D(NEVER) | D(KEPT),
                     .places = P(LP),
                     .act = ACT_CALL,
                     .without = "overflows-meet several from-4 counting"},
    /* ---- Who counts ---- */
    [STAGE_LINK_SOURCE] = {.name = "link-source",
                           .rule = "R34",
                           .text = "the counter whose overflow starts another one",
                           .deviations = INDEX | D(ALSO_BY),
                           .places = OF_COUNTER | P(LINK),
                           .act = ACT_RUN,
                           .without = "force-ovf overflows-meet several from-4 counting started x-ovf"},
    [STAGE_LINK] = {.name = "link",
                    .rule = "R33",
                    .text = "that a cascade runs a counter",
                    .deviations = TRUTH | D(EARLY) | D(LATE) | D(KEPT) | D(KEPT_BY_OVF) | D(KEPT_BY_EITHER) |
                                  D(UNARMED) | D(CLEARS_COUNTER) | D(COSTS_COUNT) | D(ADDS_COUNT) |
                                  D(CLEARS_OVF) | D(CLEARS_ENABLE),
                    .places = OF_COUNTER | P(LINK),
                    .act = ACT_RUN,
                    .without = "force-ovf overflows-meet several from-4 counting started x-ovf",
                    .least_late = 128},
    [STAGE_ENABLE] = {.name = "enable",
                      .rule = "R2",
                      .text = "that ENABLE lets a counter count",
                      .deviations = NEVER_OR_ALWAYS | D(KEPT),
                      .places = OF_COUNTER,
                      .act = ACT_RUN,
                      .without = "overflows-meet several from-4 counting started runs enabled"},
    /* ---- LVTPC (sim/inject/lapic_defects.c) ---- */
    [STAGE_LVTPC_WRITE] = {.name = "lvtpc-write",
                           .rule = "R50",
                           .text = "what LVTPC holds after a write",
                           .deviations = REGISTER | D(ALSO_OTHER_LP),
                           .width = 17,
                           .places = P(LP) | P(BIT) | P(FIELD),
                           .fields = FIELD_OF_LVTPC},
    [STAGE_LVTPC] = {.name = "lvtpc",
                     .rule = "R50",
                     .text = "the field of LVTPC by which a PMI is delivered",
                     .deviations = BITS | D(NEIGHBOUR),
                     .width = 11,
                     .places = P(LP) | P(BIT) | P(FIELD),
                     .needs = P(BIT) | P(FIELD),
                     .fields = FIELD_OF_LVTPC},
    [STAGE_LVTPC_RAISE] = {.name = "lvtpc-raise",
                           .rule = "R50",
                           .text = "that LVTPC delivers a PMI",
                           .deviations = TRUTH | D(ALSO_OTHER_LP),
                           .places = P(LP)},
    [STAGE_LVTPC_MASKS] = {.name = "lvtpc-masks",
                           .rule = "R51",
                           .text = "that the delivery of a PMI masks LVTPC",
                           .deviations = D(NEVER) | D(ALSO_OTHER_LP),
                           .places = P(LP)},
    [STAGE_LVTPC_EOI] = {.name = "lvtpc-eoi",
                         .rule = "R52",
                         .text = "that EOI ends the service of a PMI",
                         .deviations = D(NEVER),
                         .places = P(LP)},
    [STAGE_LVTPC_TPR] = {.name = "lvtpc-tpr",
                         .rule = "R50",
                         .text = "that the priority of the processor lets a fixed PMI through",
                         .deviations = NEVER_OR_ALWAYS,
                         .places = P(LP)},
    [STAGE_LVTPC_WAKE] = {.name = "lvtpc-wake",
                          .rule = "R45",
                          .text = "that a PMI ends HLT",
                          .deviations = D(NEVER),
                          .places = P(LP)},
    [STAGE_LVTPC_DISABLE] = {.name = "lvtpc-disable",
                             .rule = "R53",
                             .text = "that disabling the local APIC by software masks LVTPC",
                             .deviations = D(NEVER),
                             .places = P(LP)},
    [STAGE_LVTPC_RESET] = {.name = "lvtpc-reset",
                           .rule = "R1",
                           .text = "that INIT masks LVTPC",
                           .deviations = D(NEVER),
                           .places = P(LP),
                           .part = PART_HT},
};

/* ---- Fields ---- */

const struct field nbpmu_fault_fields[] = {
    {"low", FIELD_OF_COUNTER, FIELD_MASK64(31, 0), "R4", PART_ANY},
    {"high", FIELD_OF_COUNTER, FIELD_MASK64(39, 32), "R4", PART_ANY},
    {"select", FIELD_OF_CCCR, CCCR_ESCR_SELECT_MASK, "R17", PART_ANY},
    {"active", FIELD_OF_CCCR, CCCR_ACTIVE_MASK, "R18", PART_HT},
    {"compare", FIELD_OF_CCCR, CCCR_COMPARE, "R22", PART_ANY},
    {"complement", FIELD_OF_CCCR, CCCR_COMPLEMENT, "R22", PART_ANY},
    {"threshold", FIELD_OF_CCCR, CCCR_THRESHOLD_MASK, "R22", PART_ANY},
    {"edge", FIELD_OF_CCCR, CCCR_EDGE, "R23", PART_ANY},
    {"force-ovf", FIELD_OF_CCCR, CCCR_FORCE_OVF, "R31", PART_ANY},
    {"pmi-t0", FIELD_OF_CCCR, CCCR_OVF_PMI_T0, "R45", PART_ANY},
    {"pmi-t1", FIELD_OF_CCCR, CCCR_OVF_PMI_T1, "R45", PART_PMI_T1},
    {"filter", FIELD_OF_CCCR, FIELD_MASK(24, 18), "R22", PART_ANY},
    {"pmi", FIELD_OF_CCCR, CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1, "R45", PART_ANY},
    /* The others only of what a CCCR holds. */
    {"enable", FIELD_OF_CCCR, CCCR_ENABLE, NULL, PART_ANY},
    {"cascade", FIELD_OF_CCCR, CCCR_CASCADE, NULL, PART_ANY},
    {"bit-11", FIELD_OF_CCCR, CCCR_CASCNT, NULL, PART_EXTENDED},
    {"ovf", FIELD_OF_CCCR, CCCR_OVF, NULL, PART_ANY},
    {"event", FIELD_OF_ESCR, ESCR_SELECT_MASK, "R7", PART_ANY},
    {"mask", FIELD_OF_ESCR, ESCR_EVENT_MASK_MASK, "R7", PART_ANY},
    {"tag-value", FIELD_OF_ESCR, ESCR_TAG_VALUE_MASK, "R15", PART_ANY},
    {"tag-enable", FIELD_OF_ESCR, ESCR_TAG_ENABLE, "R15", PART_ANY},
    {"t0-flags", FIELD_OF_ESCR, ESCR_T0_OS | ESCR_T0_USR, "R12", PART_ANY},
    {"t1-flags", FIELD_OF_ESCR, ESCR_T1_ALL, "R12", PART_HT},
    {"flags", FIELD_OF_ESCR, ESCR_CPL_MASK, "R12", PART_ANY},
    {"vector", FIELD_OF_LVTPC, LVT_VECTOR(FIELD_MASK(7, 0)), "R50", PART_ANY},
    {"delivery", FIELD_OF_LVTPC, LVT_DELIVERY_NMI, "R50", PART_ANY},
    {"lvt-mask", FIELD_OF_LVTPC, LVT_MASKED, "R50", PART_ANY},
};
const unsigned nbpmu_fault_field_count = COUNT_OF(nbpmu_fault_fields);

/* ---- Places and events ---- */

const char *const nbpmu_fault_place_names[PLACES] = {
    [PLACE_COUNTER] = "counter", [PLACE_PAIR] = "pair", [PLACE_BLOCK] = "block",   [PLACE_ESCR] = "escr",
    [PLACE_EVENT] = "event",     [PLACE_LINK] = "link", [PLACE_BIT] = "bit",       [PLACE_FIELD] = "field",
    [PLACE_LP] = "lp",           [PLACE_CPL] = "cpl",   [PLACE_ACCESS] = "access", [PLACE_ON] = "on",
};

static const char *const BLOCK[] = {"bpu", "ms", "flame", "iq"};
static const char *const LINK[] = {"cascade", "bit-11"};
static const char *const CPL[] = {"os", "usr", "middle"};
static const char *const ACCESS[] = {"wrmsr", "rdmsr", "rdpmc", "rdpmc-full", "rdpmc-fast"};
static const char *const ON[] = {"itself", "neighbour", "partner", "other-block", "all"};

const char *const nbpmu_fault_happenings[HAPPENINGS] = {"overflow", "ovf-cleared", "pmi", "read",
                                                        "write",    "hlt",         "init"};

unsigned nbpmu_fault_place_numbers(enum place place)
{
    const unsigned numbers[PLACES] = {
        [PLACE_COUNTER] = PMC_COUNTERS,
        [PLACE_PAIR] = PMC_COUNTERS / 2,
        [PLACE_BLOCK] = COUNT_OF(BLOCK),
        [PLACE_ESCR] = ESCR_INDICES,
        [PLACE_EVENT] = NBPMU_EVENTS,
        [PLACE_LINK] = COUNT_OF(LINK),
        [PLACE_BIT] = COUNTER_BITS,
        [PLACE_FIELD] = COUNT_OF(nbpmu_fault_fields),
        [PLACE_LP] = NBPMU_LPS,
        [PLACE_CPL] = COUNT_OF(CPL),
        [PLACE_ACCESS] = COUNT_OF(ACCESS),
        [PLACE_ON] = COUNT_OF(ON),
    };
    return numbers[place];
}

const char *nbpmu_fault_place_text(enum place place, unsigned number, char *text, size_t size)
{
    static const char *const *const names[PLACES] = {[PLACE_BLOCK] = BLOCK,
                                                     [PLACE_LINK] = LINK,
                                                     [PLACE_CPL] = CPL,
                                                     [PLACE_ACCESS] = ACCESS,
                                                     [PLACE_ON] = ON};
    if (number >= nbpmu_fault_place_numbers(place))
        return "?";
    if (place == PLACE_FIELD)
        return nbpmu_fault_fields[number].name;
    if (place == PLACE_ESCR)
        return nbpmu_escr_exists(ESCR_MSR(number)) ? nbpmu_escr_name(ESCR_MSR(number)) : "?";
    if (place == PLACE_EVENT)
        return number == NBPMU_NO_EVENT ? "?" : nbpmu_event_name(number);
    if (names[place])
        return names[place][number];
    snprintf(text, size, "%u", number);
    return text;
}

/* IQ_ESCR0 and IQ_ESCR1 are there on models 0 to 2 alone; where they are, they have no event. */
bool nbpmu_fault_has_place(const struct nbpmu_part *part, enum place place, unsigned number)
{
    switch (place) {
    case PLACE_ESCR:
        return nbpmu_escr_exists(ESCR_MSR(number)) && (ESCR_MSR(number) & ~1u) != MSR_IQ_ESCR0;
    case PLACE_EVENT:
        return number != NBPMU_NO_EVENT;
    case PLACE_LINK:
        return number == LINK_CASCADE || part->model >= 2;
    case PLACE_LP:
        return number < part->lps;
    default:
        return number < nbpmu_fault_place_numbers(place);
    }
}

/* ---- What follows from a composition ---- */

bool nbpmu_fault_has_amount(enum deviation deviation, unsigned *least, unsigned *most)
{
    *least = deviation == DEVIATION_ALSO_BY ? 0 : 1;
    *most = deviation == DEVIATION_ALSO_BY   ? PMC_COUNTERS - 1
            : deviation == DEVIATION_AT_MOST ? 14
                                             : UINT8_MAX;
    return deviation == DEVIATION_LATE || deviation == DEVIATION_AT_MOST || deviation == DEVIATION_ALSO_BY;
}

uint64_t nbpmu_fault_bits(const struct nbpmu_composition *composition)
{
    const int bit = place_of(composition, PLACE_BIT), field = place_of(composition, PLACE_FIELD);
    const unsigned width = nbpmu_fault_stages[stage_of(composition)].width;
    if (bit >= 0)
        return 1ull << bit;
    if (field >= 0)
        return nbpmu_fault_fields[field].bits;
    return width ? FIELD_MASK64(width - 1, 0) : 0;
}

/* Rules of deviations that are not the rule of their stage. */
static const struct {
    enum stage stage;
    uint64_t deviations;
    const char *rule;
} OTHER_RULE[] = {
    {STAGE_COUNTER_WRITE, D(DELAYS_REQUEST), "R46"},
    {STAGE_CCCR_WRITE, D(DELAYS_REQUEST), "R46"},
    {STAGE_CCCR_WRITE, EFFECT, "R32"},
    {STAGE_CCCR_READ, EFFECT, "R57"},
    {STAGE_ESCR_WRITE, EFFECT, "R2"},
    {STAGE_COUNTER_READ, D(NEIGHBOUR) | D(NEXT) | D(WIDE), "R60"},
    {STAGE_COUNTER_READ, D(DELAYS_REQUEST) | D(CLEARS_REQUEST), "R46"},
    {STAGE_INIT, D(RESTARTS_EDGE), "R23"},
    {STAGE_HLT, D(RESTARTS_EDGE), "R23"},
    {STAGE_CPL, D(RESTARTS_EDGE), "R23"},
    {STAGE_EVENT_MASK, D(LOWEST) | D(HIGHEST), "R9"},
    {STAGE_VALUE, D(WRAPS), "R10"},
    {STAGE_GATE, D(GIVES_0), "R26"},
    {STAGE_INCREMENT, D(PASSES_VALUE), "R22"},
    {STAGE_CARRY, D(OVERFLOWS) | D(WRAPS), "R28"},
    {STAGE_SUM, D(CLEARS_OVF), "R29"},
    {STAGE_OVF, D(CLEARS_OVF), "R29"},
    {STAGE_OVF, EFFECT, "R28"},
    {STAGE_REQUEST, D(EARLY), "R47"},
    {STAGE_REQUEST, EFFECT, "R43"},
    {STAGE_LINK, D(UNARMED), "R34"},
    {STAGE_LINK, D(EARLY) | D(LATE) | EFFECT, "R37"},
    {STAGE_LINK, D(KEPT) | D(KEPT_BY_OVF) | D(KEPT_BY_EITHER), "R38"},
    {STAGE_ENABLE, D(KEPT), "R38"},
    {STAGE_ENABLE, D(NEVER), "R33"},
};

const char *nbpmu_fault_rule(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const int field = place_of(composition, PLACE_FIELD), link = place_of(composition, PLACE_LINK);
    for (unsigned i = 0; i < COUNT_OF(OTHER_RULE); i++)
        if (OTHER_RULE[i].stage == stage && (OTHER_RULE[i].deviations >> composition->deviation & 1))
            return OTHER_RULE[i].rule;
    if (stage == STAGE_LINK_SOURCE && link == LINK_CASCNT)
        return "R35";
    if (stage == STAGE_REFUSAL && place_of(composition, PLACE_ACCESS) < ACCESS_RDPMC)
        return "R3";
    const char *rule = nbpmu_fault_stages[stage].rule;
    return rule ? rule : nbpmu_fault_fields[field].rule;
}

/* Is this word one of those in the list? */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Is one of these conditions among those of the composition, and must it hold, if that is asked? */
static bool asks(const struct nbpmu_composition *composition, const char *names, bool must_hold)
{
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i] && !(must_hold && composition->condition[i] & CONDITION_NOT) &&
            has_word(names, condition_of(composition->condition[i])->name))
            return true;
    return false;
}

bool nbpmu_fault_asks_for(const struct nbpmu_composition *composition, const char *names)
{
    return asks(composition, names, true);
}

bool nbpmu_fault_asks_about(const struct nbpmu_composition *composition, const char *names)
{
    return asks(composition, names, false);
}

/* Has the counter bit 11, on a part with extended cascading? */
static bool has_bit_11(unsigned n)
{
    const struct nbpmu extended = {.part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS}};
    return nbpmu_extended_source(&extended, n) >= 0;
}

/* Does the deviation give a counter a bit 11 that has none? */
static bool gives_bit_11(const struct nbpmu_composition *composition)
{
    return deviation_of(composition) == DEVIATION_ALSO_BY &&
           place_of(composition, PLACE_LINK) == LINK_CASCNT && composition->place[PLACE_COUNTER] &&
           !has_bit_11((unsigned)place_of(composition, PLACE_COUNTER));
}

/* Is the counter at the place, and has it the bit 11 that is asked for? */
static bool is_at_counter(const struct nbpmu_composition *composition, unsigned n)
{
    return is_at(composition, PLACE_COUNTER, n) && is_at(composition, PLACE_PAIR, n / 2) &&
           is_at(composition, PLACE_BLOCK, nbpmu_block_of(n)) &&
           (!nbpmu_fault_asks_for(composition, "bit-11") || has_bit_11(n) || gives_bit_11(composition));
}

/* Has a counter at the place bit 11, so that two counters could start it? */
static bool may_have_bit_11(const struct nbpmu_composition *composition)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (is_at_counter(composition, n) && has_bit_11(n))
            return true;
    return false;
}

/* Has the stage its result only in an instruction of CPL 0? WRMSR, RDMSR and HLT are refused above, and there
 * an operating system lets nobody reach the local APIC. */
static bool is_of_cpl_0(const struct nbpmu_composition *composition)
{
    if (place_of(composition, PLACE_CPL) == LEVEL_OS)
        return true;
    switch (stage_of(composition)) {
    case STAGE_COUNTER_WRITE:
    case STAGE_CCCR_WRITE:
    case STAGE_ESCR_WRITE:
    case STAGE_CCCR_READ:
    case STAGE_ESCR_READ:
    case STAGE_HLT:
    case STAGE_EVENT_SELECT: /* an ESCR acts otherwise when it is written, and a counter when its CCCR is */
    case STAGE_EVENT_MASK:
    case STAGE_ROUTE:
    case STAGE_ENABLE:
    case STAGE_AGAIN:
    case STAGE_LVTPC_WRITE:
    case STAGE_LVTPC_EOI:
    case STAGE_LVTPC_WAKE:
    case STAGE_LVTPC_DISABLE:
        return true;
    case STAGE_COUNTER_READ:
        return place_of(composition, PLACE_ACCESS) == ACCESS_RDMSR;
    case STAGE_REFUSAL:
        return deviation_of(composition) == DEVIATION_ALWAYS &&
               place_of(composition, PLACE_ACCESS) < ACCESS_RDPMC;
    default:
        return false;
    }
}

/* Does the stage have another result only when a PMI reaches LP1? */
static bool is_of_pmi_on_lp1(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    if (stage == STAGE_TARGETS)
        return place_of(composition, PLACE_BIT) == 1 || deviation_of(composition) == DEVIATION_WITH_BIT ||
               ((D(ALL) | D(LOWEST) | D(HIGHEST)) >> composition->deviation & 1);
    return place_of(composition, PLACE_LP) == 1 &&
           (stage == STAGE_AGAIN || (stage >= STAGE_LVTPC && stage <= STAGE_LVTPC_WAKE));
}

/* Can a counter at the place be the one whose overflow starts another one, on this part? */
static bool may_be_awaited(const struct nbpmu_composition *composition, const struct nbpmu *pmu)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        const int sources[] = {nbpmu_cascade_source(pmu, y), nbpmu_extended_source(pmu, y)};
        for (unsigned i = 0; i < COUNT_OF(sources); i++)
            if (sources[i] >= 0 && is_at_counter(composition, (unsigned)sources[i]))
                return true;
    }
    return false;
}

/* Does the deviation need a second logical processor, whose flags are others? */
static bool is_between_lps(enum deviation deviation)
{
    return deviation == DEVIATION_ALSO_OTHER_LP || deviation == DEVIATION_BY_OTHER_LP ||
           deviation == DEVIATION_BY_EITHER_LP;
}

/* A counter that could be started has CASCADE or bit 11. */
#define ARMED "cascade bit-11 armed started x-ovf x-enabled x-armed x-started"

/* Acts the fault only while the flag of its link is absent, and the other one is there? */
static bool needs_other_flag(const struct nbpmu_composition *composition)
{
    return stage_of(composition) == STAGE_LINK &&
           ((D(UNARMED) | D(KEPT_BY_OVF)) >> composition->deviation & 1) &&
           nbpmu_fault_asks_for(composition, ARMED);
}

/* Acts the fault only while a counter does not run by CASCADE, though the conditions say that its partner has
 * OVF? Or while the partner has none, though the counter was started? */
static bool needs_other_source(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    return (stage == STAGE_LINK && ((D(ALWAYS) | D(EARLY) | D(KEPT)) >> composition->deviation & 1) &&
            nbpmu_fault_asks_for(composition, "partner-ovf")) ||
           (stage == STAGE_OVF && deviation_of(composition) == DEVIATION_ALSO_PARTNER &&
            nbpmu_fault_asks_for(composition, "started x-ovf"));
}

/* Acts the fault only when the PMI of a counter in cascade mode is due? */
static bool needs_cascade_pmi(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const bool ends_cascade = stage == STAGE_REQUEST && place_of(composition, PLACE_ON) <= ON_ITSELF &&
                              ((D(CLEARS_CASCADE) | D(CLEARS_BIT_11)) >> composition->deviation & 1);
    const bool of_flags = stage == STAGE_FIELD &&
                          !(nbpmu_fault_bits(composition) & ~(uint64_t)(CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1));
    return ends_cascade || ((stage == STAGE_REQUEST || stage == STAGE_TARGETS || of_flags) &&
                            nbpmu_fault_asks_for(composition, ARMED));
}

#define NEEDS(name) (1u << PART_##name)

unsigned nbpmu_fault_needs(const struct nbpmu_composition *composition)
{
    const struct nbpmu early = {.part = {.model = 1, .lps = 1}};
    const int field = place_of(composition, PLACE_FIELD);
    const enum deviation deviation = deviation_of(composition);
    const enum stage stage = stage_of(composition);
    unsigned needs = 1u << nbpmu_fault_stages[stage].part;
    if (field >= 0)
        needs |= 1u << nbpmu_fault_fields[field].part;
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        needs |= composition->condition[i] ? 1u << condition_of(composition->condition[i])->part : 0;
    if (is_of_pmi_on_lp1(composition))
        needs |= NEEDS(PMI_T1);
    /* No event has all 16 bits of a mask, which other parts have: some are reserved. */
    if (gives_bit_11(composition) || nbpmu_fault_asks_for(composition, "full-mask") ||
        (stage == STAGE_REFUSAL && deviation == DEVIATION_NEVER &&
         place_of(composition, PLACE_ACCESS) == ACCESS_WRMSR))
        needs |= NEEDS(0F43);
    if (stage == STAGE_LVTPC && deviation == DEVIATION_NEIGHBOUR)
        needs |= NEEDS(HT);
    if (deviation == DEVIATION_CLEARS_BIT_11 || place_of(composition, PLACE_LINK) == LINK_CASCNT ||
        needs_other_flag(composition) || needs_other_source(composition) ||
        (nbpmu_fault_asks_for(composition, "awaited") && !may_be_awaited(composition, &early)))
        needs |= NEEDS(EXTENDED);
    if (nbpmu_fault_asks_for(composition, "above-cpl-0") && is_of_cpl_0(composition))
        needs |= NEEDS(HT); /* the other logical processor is above CPL 0 */
    if (place_of(composition, PLACE_LP) == 1 || is_between_lps(deviation))
        needs |= NEEDS(HT);
    if (composition->history >= HISTORY_SINCE && composition->number == HAPPENED_INIT)
        needs |= NEEDS(HT); /* a processor that has no sibling is sent no INIT */
    /* What an ESCR counts is worked out when it is written, when there is nothing in the clock; but for the
     * state of the clock, by which thread-independent events count (R13). */
    if (stage == STAGE_QUALIFY && deviation == DEVIATION_KEPT &&
        nbpmu_fault_asks_for(composition, "several from-4"))
        needs |= NEEDS(HT);
    if (needs_cascade_pmi(composition))
        needs |= NEEDS(CASCADE_PMI);
    return needs;
}

/* ---- What does not go together ---- */

/* What the manual allows or leaves open is no fault. */
static const struct {
    enum stage stage;
    uint64_t deviations;
    enum place place; /* with this number, or the field with these bits; PLACES: anywhere */
    unsigned number;
    const char *condition, *why;
} LEGAL[] = {
    {STAGE_COUNTER_WRITE, D(CLEARS_REQUEST), PLACES, 0, NULL,
     "a counter that is written between overflow and PMI may cancel the request (R46)"},
    {STAGE_CCCR_WRITE, D(RESTARTS_EDGE), PLACE_ON, ON_ITSELF, NULL,
     "a CCCR that is written while its counter runs may restart the edge filter (R25)"},
    {STAGE_REFUSAL, D(NEVER), PLACE_ACCESS, ACCESS_RDMSR, NULL,
     "RDMSR is refused only where a part lacks the register, and whether it is there is open (E19)"},
    {STAGE_OVF, D(DELAYS_REQUEST), PLACE_ON, ON_ITSELF, NULL,
     "a counter whose PMI is due does not overflow: its next count raises it (R46)"},
    {STAGE_CCCR_READ, D(BIT_1), PLACE_FIELD, CCCR_ENABLE, "started",
     "ENABLE of a started counter may read as 1 (R36)"},
    {STAGE_ENABLE, D(NEVER), PLACE_COUNTER, 1, NULL, "ENABLE of CCCR1 may have no effect (E4)"},
    {STAGE_FORCE, D(NEVER), PLACES, 0, "started", "whether a cascade starts with FORCE_OVF is open (E14)"},
    {STAGE_FORCE, D(ALWAYS) | D(INVERTED), PLACES, 0, "ovf due",
     "PMIs may be repeated while OVF is set (question 11.3)"},
    {STAGE_REQUEST, D(EARLY), PLACES, 0, "force-ovf", "a forced overflow may raise its PMI at once (R48)"},
    {STAGE_REQUEST, D(EARLY), PLACES, 0, "several",
     "counts beyond the overflow, in its clock, may raise the PMI at once (question 11.4)"},
};

/* Does what the stage does belong to a counter? LVTPC, an access that is refused, and an ESCR that only tags
 * do not. */
static bool has_counter(enum stage stage)
{
    return stage < STAGE_LVTPC_WRITE && stage != STAGE_REFUSAL && stage != STAGE_AGAIN && stage != STAGE_TAG;
}

/* Is this the place of the composition, and no other one? An effect falls on the counter itself unless it
 * says on which. */
static bool is_only_at(const struct nbpmu_composition *composition, enum place place, unsigned number)
{
    const int at = place_of(composition, place);
    if (place == PLACE_FIELD)
        return at >= 0 && nbpmu_fault_fields[at].bits == number;
    return at == (int)number || (place == PLACE_ON && at < 0 && number == ON_ITSELF);
}

static const char *refused_as_legal(const struct nbpmu_composition *composition)
{
    for (unsigned i = 0; i < COUNT_OF(LEGAL); i++) {
        const enum place place = LEGAL[i].place;
        const bool here = place == PLACES || is_only_at(composition, place, LEGAL[i].number);
        if (LEGAL[i].stage == stage_of(composition) && (LEGAL[i].deviations >> composition->deviation & 1) &&
            here && (!LEGAL[i].condition || nbpmu_fault_asks_for(composition, LEGAL[i].condition)))
            return LEGAL[i].why;
    }
    return NULL;
}

/* What needs a value above 0. */
#define OF_VALUE     (D(ZERO) | D(PLUS_1) | D(MINUS_1) | D(TWICE) | D(HALF) | D(AT_MOST) | D(WRAPS) | D(BIT_0))
#define OF_THRESHOLD (D(NEVER) | NUMBER)

/* Deviations that need what a condition denies. */
static const struct {
    enum stage stage;
    uint64_t deviations;
    const char *conditions;
    bool needs_value; /* above 0, which an ESCR does not present while it has no flags */
} DENIED[] = {
    {STAGE_EVENT_MASK, D(NONE) | D(WITHOUT_BIT) | D(SWAPPED) | D(SHIFTED) | D(LOWEST) | D(HIGHEST), "no-mask",
     false},
    {STAGE_EVENT_MASK, D(ALL) | D(WITH_BIT), "full-mask", false},
    {STAGE_QUALIFY, D(BY_OTHER_CPL) | D(BY_OTHER_LP), "no-flags", false},
    {STAGE_CLOCK_QUALIFY, D(NEVER), "no-flags", false},
    {STAGE_VALUE, OF_VALUE, "no-mask", true},
    {STAGE_THRESHOLD, OF_THRESHOLD, "no-mask", true},
    {STAGE_COMPLEMENT, D(ALWAYS), "no-mask", true},
    {STAGE_EDGE, D(REARMS_AT_0), "no-mask complement", true}, /* with COMPLEMENT 0 passes */
    {STAGE_INCREMENT, D(AT_MOST), "no-mask compare", true},
    {STAGE_CARRY, D(OVERFLOWS), "force-ovf", false},
    {STAGE_CARRY_OUT, D(ONTO_0), "no-mask compare", true},
    {STAGE_OVF, D(NEVER) | D(LATE), "ovf", false},
    {STAGE_OVF, D(ALSO_PARTNER), "partner-ovf", false},
    {STAGE_FORCE, D(ALWAYS), "force-ovf", false},
    {STAGE_ENABLE, D(NEVER) | D(ALWAYS) | D(KEPT), "x-ovf", false}, /* a cascade runs it then */
};

/* The bits that the register of the stage has, while the conditions hold, or has not. */
static void add_known_bits(const struct condition *condition, enum stage stage, uint64_t *set,
                           uint64_t *clear)
{
    const enum field_of of = nbpmu_fault_stages[stage].fields;
    if (stage == STAGE_COUNTER_READ) {
        *set |= strcmp(condition->name, "negative") == 0 ? 1ull << (COUNTER_BITS - 1) : 0;
        *clear |= strcmp(condition->name, "positive") == 0 ? 1ull << (COUNTER_BITS - 1) : 0;
    } else if (of == FIELD_OF_CCCR) {
        *set |= __builtin_popcount(condition->cccr) == 1 ? condition->cccr : 0;
    } else if (of == FIELD_OF_ESCR) {
        *set |= strcmp(condition->name, "full-mask") == 0 ? ESCR_EVENT_MASK_MASK : 0;
        *clear |= strcmp(condition->name, "no-mask") == 0    ? ESCR_EVENT_MASK_MASK
                  : strcmp(condition->name, "no-flags") == 0 ? ESCR_CPL_MASK
                  : strcmp(condition->name, "no-os") == 0    ? ESCR_T0_OS | ESCR_T1_OS
                  : condition->flags                         ? ESCR_CPL_MASK & ~(uint64_t)condition->flags
                                                             : 0;
    }
}

/* Gives the deviation the bits the value that they have while the conditions hold? */
static bool gives_what_is(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const uint64_t bits = nbpmu_fault_bits(composition);
    uint64_t set = 0, clear = 0;
    if (stage != STAGE_COUNTER_READ && stage != STAGE_CCCR_READ && stage != STAGE_ESCR_READ &&
        stage != STAGE_FIELD)
        return false; /* what a register holds after a write is not what it held before */
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i] && !(composition->condition[i] & CONDITION_NOT))
            add_known_bits(condition_of(composition->condition[i]), stage, &set, &clear);
    const bool sets = deviation_of(composition) == DEVIATION_BIT_1;
    return ((D(ZERO) | D(BIT_0) | D(BIT_1)) >> composition->deviation & 1) && !(bits & ~(sets ? set : clear));
}

/* Is it LP0 that executes what the stage is about? INIT is sent to LP1 by LP0. */
static bool is_done_by_lp0(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const bool executed = stage <= STAGE_REFUSAL || stage == STAGE_CPL || stage == STAGE_TAG ||
                          stage == STAGE_AGAIN || stage == STAGE_LVTPC_WRITE || stage == STAGE_LVTPC_EOI ||
                          stage == STAGE_LVTPC_DISABLE;
    return stage == STAGE_INIT || stage == STAGE_LVTPC_RESET ||
           (executed && place_of(composition, PLACE_LP) == 0);
}

/* Is this ESCR at the place, or can a counter of the place select it? */
static bool is_at_msr(const struct nbpmu_composition *composition, uint32_t msr)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (is_at(composition, PLACE_ESCR, (unsigned)ESCR_INDEX(msr)) && nbpmu_counter_reaches(n, msr) &&
            is_at_counter(composition, n))
            return true;
    return false;
}

/* Is this one of the events of which nobody knows what causes them? */
static bool is_unknown(enum nbpmu_event event)
{
    return event == NBPMU_B2B_CYCLES || event == NBPMU_BNR || event == NBPMU_SNOOP || event == NBPMU_RESPONSE;
}

/* Does this event tag uops (R15)? */
static bool tags(enum nbpmu_event event)
{
    return nbpmu_tags_by_mask(event) || (event >= NBPMU_PACKED_SP_UOP && event <= NBPMU_X87_SIMD_MOVES_UOP);
}

/* Can an ESCR at the place select this event? */
bool nbpmu_fault_may_select(const struct nbpmu_composition *composition, enum nbpmu_event event)
{
    const struct nbpmu_event_info *info = nbpmu_event_info(event);
    return is_at(composition, PLACE_EVENT, event) && ((info->on0 && is_at_msr(composition, info->escr0)) ||
                                                      (info->on1 && is_at_msr(composition, info->escr0 + 1)));
}

/* Does an ESCR at the place, which has no flags, present 0 in each clock? IOQ_active_entries ignores them
 * (R14). */
static bool counts_nothing_without_flags(const struct nbpmu_composition *composition)
{
    return nbpmu_fault_asks_for(composition, "no-flags") &&
           !nbpmu_fault_may_select(composition, NBPMU_IOQ_ACTIVE_ENTRIES);
}

static const char *refused_as_denied(const struct nbpmu_composition *composition)
{
    if (gives_what_is(composition))
        return "while the conditions hold, the bits have the value that the deviation gives them";
    for (unsigned i = 0; i < COUNT_OF(DENIED); i++)
        if (DENIED[i].stage == stage_of(composition) &&
            (DENIED[i].deviations >> composition->deviation & 1) &&
            (nbpmu_fault_asks_for(composition, DENIED[i].conditions) ||
             (DENIED[i].needs_value && counts_nothing_without_flags(composition))))
            return "the deviation needs what the condition denies";
    if (stage_of(composition) == STAGE_ENABLE && !may_have_bit_11(composition) &&
        nbpmu_fault_asks_for(composition, "partner-ovf") && nbpmu_fault_asks_for(composition, ARMED))
        return "the cascade partner runs the counter then, whatever its ENABLE";
    if (stage_of(composition) == STAGE_TARGETS && deviation_of(composition) == DEVIATION_WITH_BIT &&
        nbpmu_fault_asks_for(composition, place_of(composition, PLACE_BIT) == 0 ? "pmi-t0" : "pmi-t1"))
        return "the PMI reaches this logical processor anyway";
    if (stage_of(composition) == STAGE_TARGETS && ((D(ALL) | D(SWAPPED)) >> composition->deviation & 1) &&
        nbpmu_fault_asks_for(composition, "pmi-t0") && nbpmu_fault_asks_for(composition, "pmi-t1"))
        return "the PMI reaches both logical processors anyway";
    if (is_done_by_lp0(composition) && nbpmu_fault_asks_for(composition, "lp-halted") &&
        nbpmu_fault_asks_for(composition, "lp1-active"))
        return "LP0 does it, and is not halted then";
    /* Bit 39 is the sign. */
    const bool of_sign =
        stage_of(composition) == STAGE_SUM && is_at(composition, PLACE_BIT, COUNTER_BITS - 1);
    return of_sign && nbpmu_fault_asks_for(composition, "negative positive")
               ? "bit 39 is what the condition is about"
               : NULL;
}

/* Can the counter select an ESCR at the place, with an event there? */
static bool may_count(const struct nbpmu_composition *composition, unsigned n)
{
    const int escr = place_of(composition, PLACE_ESCR), event = place_of(composition, PLACE_EVENT);
    const uint32_t escr0 = event >= 0 ? nbpmu_event_info((enum nbpmu_event)event)->escr0 : 0;
    return (escr < 0 || nbpmu_counter_reaches(n, ESCR_MSR(escr))) &&
           (event < 0 || nbpmu_counter_reaches(n, escr0) || nbpmu_counter_reaches(n, escr0 + 1));
}

/* Has one of these counters bit 11? */
static const char *refused_bit_11(const struct nbpmu_composition *composition)
{
    const struct nbpmu extended = {.part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS}};
    const int field = place_of(composition, PLACE_FIELD), bit = place_of(composition, PLACE_BIT);
    const bool is_bit = nbpmu_fault_stages[stage_of(composition)].fields == FIELD_OF_CCCR && bit >= 0 &&
                        CCCR_CASCNT >> bit & 1;
    if (deviation_of(composition) == DEVIATION_ALSO_BY)
        return NULL; /* it gives the counter a bit 11 */
    if (!nbpmu_fault_asks_for(composition, "bit-11") && place_of(composition, PLACE_LINK) != LINK_CASCNT &&
        (field < 0 || nbpmu_fault_fields[field].bits != CCCR_CASCNT) && !is_bit &&
        deviation_of(composition) != DEVIATION_CLEARS_BIT_11)
        return NULL;
    uint32_t counters = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        counters |= !is_at_counter(composition, n) || !may_count(composition, n) ? 0
                    : deviation_of(composition) == DEVIATION_CLEARS_BIT_11
                        ? nbpmu_fault_victims(composition, n)
                        : 1u << n;
    for (; counters; counters &= counters - 1)
        if (nbpmu_extended_source(&extended, nbpmu_lowest(counters)) >= 0)
            return NULL;
    return "no counter here has bit 11: only 12, 15, 16 and 17 have it";
}

/* A bit of the event select is stuck as all events here have it. */
static const char *refused_select(const struct nbpmu_composition *composition)
{
    const int bit = place_of(composition, PLACE_BIT);
    if (stage_of(composition) != STAGE_EVENT_SELECT || bit < 0)
        return NULL;
    const bool stuck = deviation_of(composition) == DEVIATION_BIT_1;
    for (enum nbpmu_event event = NBPMU_NO_EVENT + 1; event < NBPMU_EVENTS; event++)
        if (nbpmu_fault_may_select(composition, event) &&
            (nbpmu_event_info(event)->select >> bit & 1) != stuck)
            return NULL;
    return "all events here have this bit of the select as it is stuck";
}

/* Does this bit of the event's mask mean something? bit: -1: any. */
static bool has_member(enum nbpmu_event event, int bit)
{
    return bit < 0 || nbpmu_event_info(event)->members >> bit & 1;
}

/* Does what the ESCR selects matter here: has it an event, of this kind, and with the bit of the mask? */
static const char *refused_escr(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const int bit = stage == STAGE_EVENT_MASK ? place_of(composition, PLACE_BIT) : -1;
    if (stage < STAGE_EVENT_SELECT || stage > STAGE_VALUE || stage == STAGE_FIELD)
        return NULL;
    for (enum nbpmu_event event = NBPMU_NO_EVENT + 1; event < NBPMU_EVENTS; event++) {
        const struct nbpmu_event_info *info = nbpmu_event_info(event);
        const bool matters = stage == STAGE_TAG             ? tags(event)
                             : stage == STAGE_CLOCK_QUALIFY ? info->weight && info->ti
                                                            : info->weight;
        if (matters && !is_unknown(event) && nbpmu_fault_may_select(composition, event) &&
            has_member(event, bit))
            return NULL;
    }
    return bit < 0 ? "no ESCR here has such an event whose cause is known"
                   : "no event here whose cause is known has this bit in its mask";
}

static bool has_one_of(const struct nbpmu_composition *composition, unsigned places)
{
    for (enum place place = 0; place < PLACES; place++)
        if ((places >> place & 1) && composition->place[place])
            return true;
    return false;
}

/* At most three uops retire, and are delivered, in a clock; only the entries of a queue are more at a time.
 * Does the fault act only in a clock with more occurrences? */
static const char *refused_values(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    if (stage == STAGE_INCREMENT && deviation_of(composition) == DEVIATION_BIT_0 &&
        place_of(composition, PLACE_BIT) > 0 &&
        (nbpmu_fault_asks_for(composition, "no-mask compare") || counts_nothing_without_flags(composition)))
        return "the increment is 1 at most while this condition holds";
    const bool of_value = stage == STAGE_VALUE || stage == STAGE_INCREMENT;
    const bool needs_many =
        nbpmu_fault_asks_for(composition, "from-4") ||
        (stage == STAGE_VALUE && deviation_of(composition) == DEVIATION_WRAPS) ||
        (of_value && deviation_of(composition) == DEVIATION_AT_MOST && composition->amount > 2) ||
        (of_value && deviation_of(composition) == DEVIATION_BIT_0 && place_of(composition, PLACE_BIT) > 1);
    if (!needs_many || nbpmu_fault_may_select(composition, NBPMU_IOQ_ACTIVE_ENTRIES) ||
        nbpmu_fault_may_select(composition, NBPMU_BSQ_ACTIVE_ENTRIES))
        return NULL;
    return "no event here has more than three occurrences in a clock";
}

/* Does the stage look at an ESCR, while the clock has occurrences, only if its event is thread independent?
 * Those events count by the state of the clock (R13). */
static bool is_of_ti_events(const struct nbpmu_composition *composition)
{
    return stage_of(composition) == STAGE_CLOCK_QUALIFY ||
           (stage_of(composition) == STAGE_QUALIFY && deviation_of(composition) == DEVIATION_KEPT);
}

/* Can an event here, of which this is asked, have several occurrences in a clock? States are ORed (R9). */
static const char *refused_several(const struct nbpmu_composition *composition)
{
    if (!nbpmu_fault_asks_for(composition, "several") || !has_one_of(composition, OF_ESCR))
        return NULL;
    for (enum nbpmu_event event = NBPMU_NO_EVENT + 1; event < NBPMU_EVENTS; event++) {
        const struct nbpmu_event_info *info = nbpmu_event_info(event);
        if (nbpmu_fault_may_select(composition, event) && (info->members & ~info->levels) &&
            (info->ti || !is_of_ti_events(composition)))
            return NULL;
    }
    return is_of_ti_events(composition)
               ? "no thread-independent event here has several occurrences in a clock"
               : "the members of the events here are states of a clock: they are never several";
}

/* If the mask of an event has one member, it is empty without it. */
static bool has_several_members(enum nbpmu_event event)
{
    return __builtin_popcount(nbpmu_event_info(event)->members) > 1;
}

/* Can a mask at the place select several members, of which the bit of the fault is one? */
static bool may_select_several(const struct nbpmu_composition *composition)
{
    for (enum nbpmu_event event = NBPMU_NO_EVENT + 1; event < NBPMU_EVENTS; event++)
        if (nbpmu_fault_may_select(composition, event) && has_several_members(event) &&
            has_member(event, place_of(composition, PLACE_BIT)))
            return true;
    return false;
}

/* Does an ESCR select too much only where its mask is empty? */
static bool needs_empty_mask(const struct nbpmu_composition *composition)
{
    return nbpmu_fault_asks_for(composition, "no-mask") ||
           (((stage_of(composition) == STAGE_MATCH && deviation_of(composition) == DEVIATION_ALWAYS) ||
             (stage_of(composition) == STAGE_EVENT_MASK &&
              ((D(ALL) | D(WITH_BIT)) >> composition->deviation & 1))) &&
            !may_select_several(composition));
}

/* Is an occurrence of each event here selected by a mask that has all its members? By the equations of the
 * bus and queue events some are not (pmu-rules 4.1). */
static bool selects_all_by_full_mask(const struct nbpmu_composition *composition)
{
    return !nbpmu_fault_may_select(composition, NBPMU_IOQ_ALLOCATION) &&
           !nbpmu_fault_may_select(composition, NBPMU_IOQ_ACTIVE_ENTRIES) &&
           !nbpmu_fault_may_select(composition, NBPMU_BSQ_ALLOCATION) &&
           !nbpmu_fault_may_select(composition, NBPMU_BSQ_ACTIVE_ENTRIES);
}

/* That an empty mask selects nothing is inferred (R7): the checks allow one block in which it does not. */
static const char *refused_mask(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const uint64_t of_several = stage == STAGE_EVENT_MASK ? D(LOWEST) | D(HIGHEST)
                                : stage == STAGE_MATCH    ? D(NEEDS_ALL)
                                                          : 0;
    if ((of_several >> composition->deviation & 1) && !may_select_several(composition))
        return "the masks here have one member";
    if (stage == STAGE_MATCH && deviation_of(composition) == DEVIATION_ALWAYS &&
        nbpmu_fault_asks_for(composition, "full-mask") && selects_all_by_full_mask(composition))
        return "a full mask selects each occurrence of the events here";
    return (stage == STAGE_MATCH || stage == STAGE_EVENT_MASK) && has_one_of(composition, OF_ESCR) &&
                   needs_empty_mask(composition)
               ? "what an empty mask selects in one block is open (R7)"
               : NULL;
}

/* Is there a counter at the place that has one with a lower number on its ESCRs? */
static const char *refused_as_first(const struct nbpmu_composition *composition)
{
    if (nbpmu_fault_asks_for(composition, "overflows-meet") && place_of(composition, PLACE_COUNTER) == 0)
        return "no counter has a lower number";
    if (!nbpmu_fault_asks_for(composition, "escr-taken"))
        return NULL;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned lower = 0; lower < n && is_at_counter(composition, n); lower++)
            for (unsigned select = 0; select <= CCCR_GET_ESCR_SELECT(CCCR_ESCR_SELECT_MASK); select++)
                if (nbpmu_escr_route(n, select) &&
                    nbpmu_escr_route(n, select) == nbpmu_escr_route(lower, select))
                    return NULL;
    return "no counter with a lower number counts by an ESCR of these";
}

/* Where an event tags by its mask, a uop is tagged or not (R15): only that it has no tag differs. */
static const char *refused_tag(const struct nbpmu_composition *composition)
{
    const int bit = place_of(composition, PLACE_BIT);
    if (stage_of(composition) != STAGE_TAG || deviation_of(composition) == DEVIATION_NONE ||
        (deviation_of(composition) == DEVIATION_WITHOUT_BIT && bit == 0))
        return NULL;
    for (enum nbpmu_event event = NBPMU_NO_EVENT + 1; event < NBPMU_EVENTS; event++)
        if (nbpmu_fault_may_select(composition, event) && tags(event) && !nbpmu_tags_by_mask(event))
            return NULL;
    return "the events of this ESCR tag by their mask, with one tag";
}

static const char *refused_link(const struct nbpmu_composition *composition)
{
    const int link = place_of(composition, PLACE_LINK);
    const char *own_flag = link == LINK_CASCADE ? "cascade" : link == LINK_CASCNT ? "bit-11" : "";
    if ((needs_other_flag(composition) &&
         (!may_have_bit_11(composition) || nbpmu_fault_asks_for(composition, own_flag))) ||
        (needs_other_source(composition) && (!may_have_bit_11(composition) || link == LINK_CASCADE)))
        return "the deviation needs what the condition denies: no other link could start a counter here";
    if (deviation_of(composition) == DEVIATION_ALSO_BY && link == LINK_CASCADE &&
        nbpmu_fault_asks_for(composition, "partner-ovf"))
        return "OVF of the cascade partner starts the counter anyway";
    return NULL;
}

/* MSR_SSU_ESCR0 has none. */
static const char *refused_neighbour(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const int escr = place_of(composition, PLACE_ESCR);
    const uint64_t of_neighbour = D(NEIGHBOUR) | D(ALSO_NEIGHBOUR);
    return (stage == STAGE_ESCR_READ || stage == STAGE_ESCR_WRITE) && escr >= 0 &&
                   (of_neighbour >> composition->deviation & 1) && !nbpmu_escr_exists(ESCR_MSR(escr) ^ 1)
               ? "this ESCR has no neighbour"
               : NULL;
}

static const char *refused_access(const struct nbpmu_composition *composition)
{
    const int access = place_of(composition, PLACE_ACCESS);
    if (stage_of(composition) == STAGE_COUNTER_READ && access == ACCESS_RDPMC_FAST &&
        !(nbpmu_fault_bits(composition) & UINT32_MAX))
        return "the fast form of RDPMC gives bits 31:0";
    if (deviation_of(composition) == DEVIATION_WIDE &&
        (access == ACCESS_RDMSR || access == ACCESS_RDPMC_FULL))
        return "all 40 bits are read by this access anyway";
    if (stage_of(composition) == STAGE_COUNTER_READ && place_of(composition, PLACE_ACCESS) == ACCESS_WRMSR)
        return "a counter is read by RDMSR and RDPMC";
    if (stage_of(composition) == STAGE_LVTPC_RESET && place_of(composition, PLACE_LP) == 0)
        return "the boot processor gets no INIT";
    return NULL;
}

/* Does the stage have its result at an instruction of CPL 0, and never later? */
static bool is_at_instruction(const struct nbpmu_composition *composition)
{
    switch (stage_of(composition)) {
    case STAGE_HLT: /* one more is halted */
    case STAGE_LVTPC_WAKE:
    case STAGE_EVENT_SELECT: /* a halt, too, changes who counts */
    case STAGE_EVENT_MASK:
    case STAGE_ROUTE:
    case STAGE_ENABLE:
        return false;
    case STAGE_INIT:
    case STAGE_LVTPC_RESET:
        return true;
    default:
        return is_of_cpl_0(composition);
    }
}

/* One logical processor executes the instruction at CPL 0; the other one is halted or above CPL 0. */
static const char *refused_at_instruction(const struct nbpmu_composition *composition)
{
    if (stage_of(composition) == STAGE_HLT && place_of(composition, PLACE_LP) == 1 &&
        nbpmu_fault_asks_for(composition, "lp1-active"))
        return "LP1 is not active when it halts";
    return is_at_instruction(composition) && nbpmu_fault_asks_for(composition, "above-cpl-0") &&
                   nbpmu_fault_asks_for(composition, "lp-halted")
               ? "one logical processor is at CPL 0: the other one is halted, or above CPL 0"
               : NULL;
}

/* Which ESCR a counter selects is worked out as in the stage `route`. */
static const struct stage_row *row_of_conditions(const struct nbpmu_composition *composition)
{
    const bool selects =
        stage_of(composition) == STAGE_FIELD && nbpmu_fault_bits(composition) == CCCR_ESCR_SELECT_MASK;
    return &nbpmu_fault_stages[selects ? STAGE_ROUTE : stage_of(composition)];
}

static const char *refused_conditions(const struct nbpmu_composition *composition)
{
    const struct stage_row *row = row_of_conditions(composition);
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++) {
        if (!composition->condition[i])
            continue;
        const struct condition *condition = condition_of(composition->condition[i]);
        const bool must_hold = !(composition->condition[i] & CONDITION_NOT);
        if (has_word(row->without, condition->name))
            return "where this stage has a result, the condition always holds, never does, or is open";
        const enum stage stage = stage_of(composition);
        if (!condition->of_all && !has_counter(stage))
            return "this stage belongs to no counter: allowed are conditions of the logical processors";
        for (unsigned j = 0; j < NBPMU_FAULT_CONDITIONS; j++) {
            if (j == i || !composition->condition[j])
                continue;
            const struct condition *other = condition_of(composition->condition[j]);
            const bool other_must_hold = !(composition->condition[j] & CONDITION_NOT);
            const bool implied = has_word(condition->implies, other->name);
            if (must_hold && (other_must_hold ? has_word(condition->excludes, other->name) : implied))
                return "the two conditions exclude each other";
            if (condition == other || (implied && must_hold == other_must_hold))
                return "one of the two conditions holds whenever the other one does";
        }
    }
    return NULL;
}

/* Software writes no other bits of a CCCR (R3). */
#define CCCR_DOCUMENTED (FIELD_MASK(31, 11) & ~CCCR_RESERVED_MID)

/* The bits of LVTPC that make a difference to a fixed interrupt or an NMI. */
#define LVTPC_USED (LVT_VECTOR(FIELD_MASK(7, 0)) | LVT_DELIVERY_NMI | LVT_MASKED)

/* The deviation of a bit needs a bit, or a field of one bit; another one must not name one. */
static const char *refused_bits(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const struct stage_row *row = &nbpmu_fault_stages[stage];
    const uint64_t of_bit = BITS | D(WITHOUT_BIT) | D(WITH_BIT),
                   of_field = REGISTER | of_bit | (stage == STAGE_LVTPC_WRITE ? D(ALSO_OTHER_LP) : 0);
    const bool one_bit = of_bit >> composition->deviation & 1,
               any_bits = of_field >> composition->deviation & 1;
    const int bit = place_of(composition, PLACE_BIT), field = place_of(composition, PLACE_FIELD);
    const bool has_bits = bit >= 0 || field >= 0;
    if (bit >= 0 && field >= 0)
        return "name a bit or a field, not both";
    if (one_bit && !has_bits)
        return "name a bit: @bit=N, or a field";
    if (has_bits && !any_bits && !(row->needs & (P(BIT) | P(FIELD))))
        return "this deviation does not concern a bit or a field";
    if (bit >= (int)row->width)
        return "the result of this stage has fewer bits";
    if (stage == STAGE_EVENT_SELECT && deviation_of(composition) == DEVIATION_BIT_INVERTED && bit == 0)
        return "that is the neighbour's event select: event-select.neighbour";
    if (stage == STAGE_CARRY && bit == 0)
        return "no carry comes into bit 0";
    if (stage == STAGE_CCCR_WRITE && bit >= 0 && !(CCCR_DOCUMENTED >> bit & 1))
        return "this bit is reserved";
    if (stage >= STAGE_LVTPC_WRITE && bit >= 0 && !(LVTPC_USED >> bit & 1))
        return "this bit is reserved, or neither fixed interrupts nor NMIs use it";
    if (field >= 0 && nbpmu_fault_fields[field].of != row->fields)
        return "the register of this stage does not have this field";
    if (stage == STAGE_FIELD && !nbpmu_fault_fields[field].rule)
        return "a counter acts by other fields of its CCCR: select, active, compare, complement, threshold, "
               "edge, "
               "filter, force-ovf, pmi-t0, pmi-t1 and pmi";
    return NULL;
}

static bool is_of_one_counter(const struct nbpmu_composition *composition)
{
    return composition->place[PLACE_COUNTER] && composition->place[PLACE_LINK] &&
           place_of(composition, PLACE_COUNTER) != composition->amount;
}

/* Is this the counter by which the link starts the other one anyway? For 17 there are two readings (R34). */
static bool is_source(const struct nbpmu_composition *composition)
{
    const struct nbpmu extended = {.part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS}};
    const unsigned y = (unsigned)place_of(composition, PLACE_COUNTER);
    const int source = place_of(composition, PLACE_LINK) == LINK_CASCNT ? nbpmu_extended_source(&extended, y)
                                                                        : nbpmu_cascade_source(&extended, y);
    return source == composition->amount && (y != 17 || place_of(composition, PLACE_LINK) == LINK_CASCNT);
}

/* Acts the fault only when the counter has overflowed, and its PMI is due? */
static bool is_after_overflow(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    const bool of_request = (D(CLEARS_REQUEST) | D(DELAYS_REQUEST)) >> composition->deviation & 1;
    return stage == STAGE_REQUEST || stage == STAGE_TARGETS ||
           (of_request && place_of(composition, PLACE_ON) <= ON_ITSELF) ||
           nbpmu_fault_asks_for(composition, "due");
}

/* LVTPC, and what is the whole PMU's, have no counter to which something happens. */
static const char *refused_history(const struct nbpmu_composition *composition)
{
    const enum stage stage = stage_of(composition);
    if (composition->history == HISTORY_UNTIL && composition->number == HAPPENED_OVERFLOW &&
        is_after_overflow(composition))
        return "what the fault changes comes after the overflow";
    return composition->history >= HISTORY_SINCE && !has_counter(stage)
               ? "this stage belongs to no counter: allowed are after=N, every=N and once-in=N"
               : NULL;
}

/* Places that say the same, or nothing together. */
static const char *refused_places(const struct nbpmu_composition *composition)
{
    const int access = place_of(composition, PLACE_ACCESS), level = place_of(composition, PLACE_CPL);
    const unsigned of_counter = (composition->place[PLACE_COUNTER] != 0) +
                                (composition->place[PLACE_PAIR] != 0) +
                                (composition->place[PLACE_BLOCK] != 0);
    if (of_counter > 1)
        return "name one of counter, pair and block";
    if (of_counter && deviation_of(composition) == DEVIATION_CLEARS_ESCRS)
        return "the ESCRs are cleared whichever counter it happens to: name none";
    if (access >= 0 && access < ACCESS_RDPMC && level > LEVEL_OS)
        return "WRMSR and RDMSR are executed at CPL 0 alone";
    if (stage_of(composition) == STAGE_AGAIN && deviation_of(composition) == DEVIATION_KEPT &&
        composition->place[PLACE_LP])
        return "a request is kept for both logical processors: name none";
    return NULL;
}

const char *nbpmu_fault_refused(const struct nbpmu_composition *composition)
{
    const struct stage_row *row = &nbpmu_fault_stages[stage_of(composition)];
    if (!(row->deviations >> composition->deviation & 1))
        return "this stage does not have this deviation";
    for (enum place place = 0; place < PLACES; place++)
        if (composition->place[place] && !(row->places >> place & 1))
            return "this stage does not have this place";
    if (row->needs && !has_one_of(composition, row->needs))
        return "this stage needs a place: bit, field or access";
    if (composition->place[PLACE_ON] && !(EFFECT >> composition->deviation & 1))
        return "@on=... belongs to a deviation that does something to a counter";
    if (deviation_of(composition) == DEVIATION_ALSO_BY && !is_of_one_counter(composition))
        return "name the counter that is started, and the link: @counter=N@link=NAME";
    if (deviation_of(composition) == DEVIATION_ALSO_BY && is_source(composition))
        return "this counter starts the other one anyway";
    if (deviation_of(composition) == DEVIATION_LATE && composition->amount < row->least_late)
        return "so little may be legal, or none: be later";
    const char *why = refused_bits(composition);
    why = why ? why : refused_places(composition);
    why = why ? why : refused_conditions(composition);
    why = why ? why : refused_at_instruction(composition);
    why = why ? why : refused_history(composition);
    why = why ? why : refused_as_denied(composition);
    why = why ? why : refused_bit_11(composition);
    why = why ? why : refused_select(composition);
    why = why ? why : refused_escr(composition);
    why = why ? why : refused_values(composition);
    why = why ? why : refused_several(composition);
    why = why ? why : refused_mask(composition);
    why = why ? why : refused_neighbour(composition);
    why = why ? why : refused_as_first(composition);
    why = why ? why : refused_tag(composition);
    why = why ? why : refused_link(composition);
    why = why ? why : refused_access(composition);
    return why ? why : refused_as_legal(composition);
}
