/* All vectors in the order of the log: from the state of the registers to what needs most of the machine. */
#include "tests/suite/vector.h"

/* clang-format off */
#define THEMES(X) \
    X(state) \
    X(access) \
    X(access_features) \
    X(privilege) \
    X(rdpmc_user) \
    X(shared) \
    X(shared_work) \
    X(count) \
    X(value) \
    X(overflow) \
    X(overflow_together) \
    X(increment) \
    X(counters_all) \
    X(carry) \
    X(filter_edge) \
    X(edge_stands) \
    X(occupancy) \
    X(rewritten) \
    X(qualify) \
    X(escr_flags) \
    X(thread_events) \
    X(active_change) \
    X(events) \
    X(event_members) \
    X(tagging) \
    X(tag_values) \
    X(pmi) \
    X(pmi_requests) \
    X(pmi_delivery) \
    X(pmi_samples) \
    X(pmi_features) \
    X(pmi_cpl3) \
    X(lvtpc) \
    X(lvtpc_own) \
    X(pmi_halted) \
    X(state_kept) \
    X(cascade) \
    X(cascade_halt) \
    X(isolation) \
    X(neighbours) \
    X(refused) \
    X(reach) \
    X(extended) \
    X(replay_stall) \
    X(errata) \
    X(courses) \
    X(probes_cascade) \
    X(probes_pmi) \
    X(probes_filter) \
    X(probes_reserved) \
    X(probes_count) \
    X(probes_halted) \
    X(probes_cost) \
    X(probes_slope) \
    X(probes_start) \
    X(probes_pmi_latency) \
    X(probes_live) \
    X(probes_bits) \
    X(probes_board) \
    X(sibling)
/* clang-format on */

#define DECLARE(theme) extern const struct vector_group vectors_##theme;
#define LIST(theme)    &vectors_##theme,

THEMES(DECLARE)

const struct vector_group *const VECTOR_GROUPS[] = {THEMES(LIST) 0};
