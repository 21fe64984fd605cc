/* All vectors in the order of the log: from the state of the registers to what needs most of the machine. */
#include "tests/suite/vector.h"

extern const struct vector_group state, access, privilege, count, overflow, filter, filter_order, value,
    qualify, events, tagging, pmi, pmi_forms, pmi_delivery, cascade, forms, negative, isolation, reach,
    extended, replay_stall, errata, probes_cascade, probes_pmi, probes_filter, probes_reserved, probes_count,
    probes_halted, harness;

/* clang-format off */
const struct vector_group *const VECTOR_GROUPS[] = {
    &state,
    &access,
    &privilege,
    &count,
    &value,
    &overflow,
    &filter,
    &filter_order,
    &qualify,
    &events,
    &tagging,
    &pmi,
    &pmi_forms,
    &pmi_delivery,
    &cascade,
    &forms,
    &negative,
    &isolation,
    &reach,
    &extended,
    &replay_stall,
    &errata,
    &probes_cascade,
    &probes_pmi,
    &probes_filter,
    &probes_reserved,
    &probes_count,
    &probes_halted,
    &harness,
    0,
};
/* clang-format on */
