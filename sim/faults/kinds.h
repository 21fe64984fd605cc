/*
 * The kinds of fault: what deviates, each from one rule and in one place. nbpmu_fault.h is the interface; the
 * catalogue has a line about each. They are grouped by the file that deviates. The comments say what `at` and
 * `to` of the fault mean; "also in the next" ones means for the kinds that follow, too.
 */
#ifndef SIM_FAULTS_KINDS_H
#define SIM_FAULTS_KINDS_H

enum nbpmu_fault_kind {
    FAULT_NONE,
    /* access.c, rdpmc.c */
    FAULT_INIT_CLEARS, /* at = enum fault_clears, also in the next one */
    FAULT_HLT_CLEARS,
    FAULT_LP1_WRITES_LOST,
    FAULT_LP1_READS_ZERO,
    FAULT_LP1_READS_OLD,   /* at = MSR - 300H */
    FAULT_LP1_WRITE_LOST,  /* at = MSR - 300H */
    FAULT_LP1_OVF_STANDS,  /* at = counter */
    FAULT_LP1_PRESET_LOST, /* at = counter */
    FAULT_LP1_READ_CLEARS_OVF,
    FAULT_LP1_RDPMC_OFF,
    FAULT_LP1_RDPMC_FAST_IS_FULL,
    FAULT_LP1_RDPMC_FREEZES, /* at = counter */
    FAULT_COUNTER_STUCK,     /* at = bit, to = 0 or 1 */
    FAULT_CCCR_STUCK,
    FAULT_ESCR_STUCK,
    FAULT_COUNTER_ALIASED, /* at = counter whose writes reach counter to as well */
    FAULT_COUNTER_LOADS_LOW,
    FAULT_COUNTER_SIGN_EXTENDED,
    FAULT_COUNTER_WRITE_CLEARS_OVF,
    FAULT_COUNTER_WRITE_CLEARS_CCCR,
    FAULT_COUNTER_WRITE_DISABLES,
    FAULT_CCCR_ALIASED, /* at = counter whose CCCR's writes reach CCCR to as well */
    FAULT_ESCR_ALIASED, /* at = index of the ESCR whose writes reach the one with index to as well */
    FAULT_CCCR_WRITE_CLEARS_COUNTER,
    FAULT_CCCR_WRITE_LOSES_OVF,
    FAULT_CCCR_IN_HALVES,
    FAULT_CCCR_WRITE_KEEPS_OVF,
    FAULT_CCCR_HIGH_LOST, /* at = counter */
    FAULT_CCCR_READ_CLEARS_OVF,
    FAULT_ENABLE_CLEARS_OVF,
    FAULT_FORCE_SETS_OVF_AT_ONCE,
    FAULT_RDMSR_CLEARS,
    FAULT_RDPMC_COUNTS,
    FAULT_RDPMC_ENABLED_LAGS,
    FAULT_RDPMC_FAST_IS_FULL,
    FAULT_RDPMC_FAST_FAULTS,
    FAULT_RDPMC_FULL_IS_FAST,
    FAULT_RDPMC_INDEX_OFF,
    FAULT_RDPMC_INDEX_UNCHECKED,
    FAULT_RDPMC_INDEX_NARROW, /* at = how many bits of the index it checks */
    FAULT_RDPMC_IGNORES_PCE,
    FAULT_RDPMC_NEVER_AT_CPL3,
    FAULT_RDPMC_CPL_1_2_AS_0,
    FAULT_RDPMC_USER_OFF, /* at = counter, also in the next */
    FAULT_RDPMC_USER_CLEARS_OVF,
    FAULT_RDPMC_USER_FAST_IS_FULL,
    FAULT_RDPMC_USER_FAST_FAULTS,
    FAULT_RDPMC_USER_DISABLES,
    FAULT_RDPMC_USER_CLEARS,
    FAULT_RDPMC_FAST_IGNORES_PCE,
    FAULT_RDPMC_FAST_CLEARS,
    FAULT_RDPMC_FAST_INDEX_UNCHECKED,
    FAULT_RDPMC_REFUSED_CLEARS,
    FAULT_ACK_CLEARS_OTHER, /* at = counter whose CCCR is written, to = the other, also in the next three */
    FAULT_STOP_STOPS_OTHER,
    FAULT_START_CLEARS_OTHER,
    FAULT_CCCR_COSTS_OTHER,
    FAULT_STOP_COSTS_COUNT, /* at = counter */
    FAULT_ESCR_CLEARS_OVF,  /* at = index of the ESCR */
    FAULT_ESCR_RESTARTS_TWINS_EDGE,
    FAULT_EDGE_RESTARTS,      /* at = enum fault_restarts */
    FAULT_READ_RESTARTS_EDGE, /* at = counter */
    FAULT_GAP_READS,          /* at = address - 300H, to = address - 300H of the register that it reads */
    FAULT_GAP_WRITES,         /* at = address - 300H, to = address - 300H of the register that it reaches */
    FAULT_REFUSED_STORES,     /* at = index of the ESCR */
    FAULT_WRITE_LOST_AFTER_REFUSED,
    FAULT_COUNTER_HIGH_ONES, /* at = counter */
    FAULT_ESCR_FULL_MASK,    /* at = index of the ESCR */
    FAULT_ESCR_FULL_COUNTS,  /* at = index of the ESCR, to = 1: only the lowest member, 0: nothing */
    FAULT_RDPMC_PCE_OF_OTHER,
    FAULT_RDPMC_CLEARS_OVF,  /* at = counter */
    FAULT_RDPMC_COSTS_OTHER, /* at = counter that is read, to = the other one */
    /* value.c: event and mask, */
    FAULT_SELECT_OFF,
    FAULT_NO_EVENT_KEEPS_COUNTING,
    FAULT_MASK_IGNORED,
    FAULT_MASK_SHIFTED,
    FAULT_MASK_0_COUNTS_ALL,
    FAULT_MASK_FIRST_MEMBER,
    FAULT_MASK_ALL_MEMBERS,
    FAULT_EXECUTION_ALL_TAGS,
    FAULT_EVENT_BIT_DEAD,  /* at = event, to = bit of its mask */
    FAULT_EVENT_BIT_SET,   /* at = event, to = bit of its mask */
    FAULT_MASK_BIT_DEAD,   /* at = bit of the mask */
    FAULT_SELECT_BIT_DEAD, /* at = bit of the event select */
    FAULT_IOQ_EQUATION,
    FAULT_IOQ_MEMBER_IGNORED, /* at = bit of the mask that is taken for set */
    FAULT_TAG_ENABLE_STOPS_COUNT,
    /* tags, */
    FAULT_TAGS_LOST,    /* at = side of the ESCR pair */
    FAULT_TAG_BIT_DEAD, /* at = bit of the tag value */
    FAULT_TAG_LOWEST_BIT,
    FAULT_TAG_HIGHEST_BIT,
    FAULT_TAG_SEVERAL_BITS_NONE,
    FAULT_TAG_VALUE_OF_TWIN,
    FAULT_TAG_UNQUALIFIED,
    FAULT_TAG_LP1_DEAD,
    FAULT_TAG_USR_DEAD, /* at = 1: of uop_type, 0: of the others */
    /* privilege, processor, value; increment.c: activity, */
    FAULT_OS_USR_SWAPPED,
    FAULT_T0_T1_SWAPPED,
    FAULT_CPL_IGNORED,
    FAULT_CPL_1_2_AS_0,
    FAULT_USR_IS_CPL_3,
    FAULT_ESCR_UNQUALIFIED, /* at = index of the ESCR */
    FAULT_ESCR_T1_DEAD,     /* at = index of the ESCR */
    FAULT_ESCR_FLAG_DEAD,   /* at = index of the ESCR, to = bit */
    FAULT_ESCR_USR_AS_OS,   /* at = index of the ESCR */
    FAULT_TS_AS_TI,
    FAULT_EVENT_AS_TS, /* at = event */
    FAULT_EVENT_AS_TI, /* at = event */
    FAULT_TI_AS_TS,
    FAULT_TI_T0_BITS_ONLY,
    FAULT_TI_LP0_STATE_ONLY,
    FAULT_TI_UNQUALIFIED,
    FAULT_IOQ_OBEYS_CPL,
    FAULT_UOP_TYPE_COUNTS,
    FAULT_LOWEST_LINE,
    FAULT_VALUE_WRAPS,
    FAULT_VALUE_CLIPPED, /* at = highest value */
    FAULT_LINE_DEAD,     /* at = line */
    FAULT_GATE_IGNORED,  /* at = counter */
    FAULT_GATE_SAMPLED,  /* at = counter */
    FAULT_GATE_LATCHED,  /* at = counter */
    FAULT_GATE_LP0_ALWAYS,
    FAULT_GATE_SINGLE_COMPARED, /* at = counter */
    FAULT_ACTIVE_CELL,          /* at = value of ACTIVE_THREAD, to = number of active logical processors */
    /* filter, */
    FAULT_COMPARE_DEAD, /* at = counter, also in the next three */
    FAULT_THRESHOLD_DEAD,
    FAULT_COMPLEMENT_DEAD,
    FAULT_EDGE_DEAD,
    FAULT_THRESHOLD_BIT_DEAD, /* at = counter, to = bit of THRESHOLD, also in the next one */
    FAULT_THRESHOLD_BIT_STUCK,
    FAULT_THRESHOLD_PASSES_HERE, /* at = counter */
    FAULT_EDGE_SHARED,           /* at, to = counters with one edge filter between them */
    FAULT_FILTER_OF_PAIR,        /* at = counter */
    FAULT_THRESHOLD_REACHED,
    FAULT_ABOVE_NEVER,          /* at = least threshold */
    FAULT_COMPLEMENT_PASSES,    /* at = least value */
    FAULT_COMPLEMENT_LETS_NEXT, /* at = threshold */
    FAULT_FALLING_DEAD,         /* at = least threshold */
    FAULT_COMPARE_INVERTED,     /* at = least value */
    FAULT_THRESHOLD_ONE_MORE,   /* at = least threshold */
    FAULT_THRESHOLD_PASSES_VALUE,
    FAULT_COMPLEMENT_IGNORED,
    FAULT_COMPLEMENT_BELOW,
    FAULT_COMPLEMENT_BELOW_HERE, /* at = counter, to = least threshold, also in the next one */
    FAULT_REACHED_HERE,
    FAULT_EDGE_REARMS_AT_0, /* at = counter or EVERY_COUNTER */
    FAULT_COMPLEMENT_NEEDS_MASK,
    FAULT_COMPLEMENT_OBEYS_CPL,
    FAULT_COMPLEMENT_NEEDS_OS,
    FAULT_COMPLEMENT_WITHOUT_COMPARE,
    FAULT_THRESHOLD_WITHOUT_COMPARE,
    FAULT_THRESHOLD_LIMITS,
    FAULT_EDGE_WITHOUT_COMPARE,
    FAULT_EDGE_IGNORED,
    FAULT_EDGE_FALLING,
    FAULT_EDGE_BOTH,
    FAULT_EDGE_ONCE,
    FAULT_EDGE_NEEDS_THRESHOLD,
    FAULT_EDGE_IGNORES_THRESHOLD,
    FAULT_EDGE_IGNORES_COMPLEMENT,
    FAULT_EDGE_PASSES_VALUE,
    FAULT_GATE_BEFORE_COMPLEMENT,
    /* increment; overflow.c: sum, overflow, PMI */
    FAULT_COUNTER_DEAD, /* at = counter */
    FAULT_COUNTS_TWICE,
    FAULT_COUNTS_ONE,
    FAULT_IDLE_WHEN_ALL_RUN, /* at = counter, also in the next two */
    FAULT_GETS_NEIGHBOURS,
    FAULT_COUNTS_ONE_HERE,       /* at = counter */
    FAULT_INCREMENT_BIT_DEAD,    /* at = counter, to = bit of the increment */
    FAULT_STEP_OVER_MISSED_HERE, /* at = counter */
    FAULT_WRAPS_AT_BIT, /* at = width in bits, to = counter or EVERY_COUNTER, also in the next four */
    FAULT_CARRY_LOST,   /* at = bit */
    FAULT_CARRY_STICKS, /* at = bit */
    FAULT_CARRY_TWICE,  /* at = bit */
    FAULT_COUNT_LOST,   /* at = exponent of 2: one count in so many */
    FAULT_STEP_OVER_MISSED,
    FAULT_OVF_AT_CARRY, /* at = bit, to = counter or EVERY_COUNTER */
    FAULT_OVF_NOT_COMPARED,
    FAULT_OVERFLOW_STOPS,
    FAULT_OVF_MISSING,     /* at = counter */
    FAULT_OVF_LOST_BESIDE, /* at = counter whose OVF is lost when counter to overflows in the same clock */
    FAULT_OVF_ALSO_ON,     /* at = counter whose overflow sets OVF of counter to as well */
    FAULT_OVF_NTH_LOST,    /* at = counter, to = which overflow since its CCCR was 0 */
    FAULT_OVF_TOGGLES,     /* at = counter, also in the next one */
    FAULT_AGAIN_STOPS,
    FAULT_OVF_EARLY,
    FAULT_OVF_LATE,
    FAULT_OVF_NOT_STICKY,
    FAULT_FORCE_IGNORED,
    FAULT_FORCE_DEAD, /* at = counter */
    FAULT_FORCE_POSITIVE_ONLY,
    FAULT_FORCE_DEAD_COMPARED, /* at = counter */
    FAULT_FORCE_DEAD_BESIDE,   /* at = bit of the CCCR */
    FAULT_FORCE_BEFORE_FILTER, /* at = counter */
    FAULT_FORCE_BEFORE_GATE,
    FAULT_FORCE_DEAD_SEVERAL, /* at = counter, also in the next two */
    FAULT_PMI_DEAD_SEVERAL,
    FAULT_PMI_DEAD_ABOVE_CPL_0,
    FAULT_FORCE_ONCE,        /* at = counter */
    FAULT_FORCE_ON_OTHER,    /* at = counter whose FORCE_OVF sets OVF of counter to instead */
    FAULT_FORCE_LOSES_COUNT, /* at = counter */
    FAULT_FORCE_CLEARS,
    FAULT_PMI_MISSING,    /* at = counter */
    FAULT_PMI_T1_MISSING, /* at = counter */
    FAULT_PMI_SWAPPED,
    FAULT_PMI_TO_BOTH,
    FAULT_PMI_UNASKED,
    FAULT_PMI_T0_DEAD,
    FAULT_PMI_T1_DEAD,
    FAULT_PMI_ONLY_FORCED,
    FAULT_PMI_AT_OVERFLOW,
    FAULT_PMI_COUNT_LATE,
    FAULT_FORCE_WITHOUT_PMI,
    FAULT_PMI_FREEZES,
    FAULT_PMI_NOT_AGAIN,
    FAULT_PMI_AGAIN_ONCE,
    FAULT_PMI_OUTLIVES_OVF,
    FAULT_PMI_IN_A_ROW, /* at = how many PMIs come before one is lost */
    FAULT_PMI_SAME_CLOCK_LOST,
    FAULT_PMI_SERVED_BY_OTHER,
    FAULT_PMI_FORCED_ONE_TARGET,
    FAULT_PMI_FORCED_DEAD, /* at = counter */
    FAULT_PMI_OF_TWIN,     /* at = counter, to = 1: by its own flags as well */
    FAULT_CASCADE_PMI_LOST,
    /* start.c: routing and starting */
    FAULT_ROUTE_DEAD,     /* at = index of the ESCR */
    FAULT_ROUTE_MISSING,  /* at = counter, to = ESCR select */
    FAULT_ROUTE_TWIN,     /* at = counter */
    FAULT_SELECT_OF_PAIR, /* at = counter */
    FAULT_ROUTE_OFF,
    FAULT_ESCR_FEEDS_ONE,
    FAULT_ESCR_STARTS_COUNTING,
    FAULT_LINK_BROKEN,  /* at = counter Y, to = enum nbpmu_link */
    FAULT_CASCADE_FROM, /* at = counter Y, to = counter X that starts it instead */
    FAULT_CASCNT_FROM,
    FAULT_CASCADE_ALSO_FROM, /* at = counter Y, to = counter X that starts it as well */
    FAULT_CASCNT_ALSO_FROM,
    FAULT_LINK_ONE_DIRECTION, /* at = 1: no link from a lower to a higher counter works, 0: none downwards */
    FAULT_LINK_WITHOUT_FLAG,
    FAULT_LINK_UNCONDITIONAL, /* at = enum nbpmu_link, also in the next seven */
    FAULT_LINK_EARLY,
    FAULT_LINK_LATE,
    FAULT_LINK_NEEDS_ENABLE,
    FAULT_LINK_OUTLIVES_FLAG,
    FAULT_LINK_OUTLIVES_OVF,
    FAULT_LINK_HALTS_WITHOUT_OVF,
    FAULT_LINK_HALTS_WITHOUT_X,
    FAULT_CASCADE_STOPS_X,
    FAULT_CASCADE_CLEARS_Y,
    FAULT_START_COSTS_COUNT,
    FAULT_CASCADE_BLOCKS_ENABLE,
    FAULT_CASCADE_NOT_MUTUAL,
    FAULT_ENABLE_CANNOT_STOP,
    /* links.c */
    FAULT_STARTS_NOTHING, /* condition: of X */
    FAULT_STEP_STARTS_NOTHING,
    FAULT_MEETING_STARTS_FIRST,
    FAULT_MEETING_STARTS_NONE,
    FAULT_FAN_OUT_LOWEST,
    FAULT_FAN_OUT_HIGHEST,
    FAULT_LINK_ALONE_IN_BLOCK, /* at = enum nbpmu_link */
    FAULT_ONE_CASCADE_A_BLOCK,
    FAULT_CHAIN_LIMIT, /* at = links */
    FAULT_LINK_ONCE,
    FAULT_AGAIN_HALTS, /* at = counter Y, to = enum nbpmu_link, also in the next five */
    FAULT_AGAIN_CLEARS,
    FAULT_LINK_NEEDS_SELECT,
    FAULT_OWN_OVF_HALTS,
    FAULT_OWN_OVF_KEEPS_RUNNING,
    FAULT_SIGN_STARTS,
    FAULT_LINK_FAILS_BESIDE, /* at = counter Y, to = counter that is not its X, also in the next one */
    FAULT_FOREIGN_AFTER_TWO,
    FAULT_LINK_ENDS_AT_OVF,
    FAULT_LINK_NOT_ON_ONE_ESCR,
    FAULT_START_HALTS_TWIN,
    FAULT_START_TAKES_ESCR,
    FAULT_WRITE_HALTS_STARTED,
    FAULT_READ_HALTS_STARTED,
    FAULT_WRITE_OF_X_HALTS,
    FAULT_FLAG_HALTS_ALL,
    FAULT_FLAG_TAKES_ENABLE,
    FAULT_FLAG_SETS_ENABLE,
    FAULT_OVF_HALTS_NEIGHBOUR,
    /* in_flight.c */
    FAULT_FIELD_HELD, /* at = counter, to = enum fault_field, also in the next three */
    FAULT_CHANGE_HALTS,
    FAULT_CHANGE_COSTS_COUNT,
    FAULT_HALT_NEEDS_CLEAR,
    FAULT_ESCR_FIELD_HELD, /* at = index of the ESCR, to = enum fault_escr_field */
    FAULT_DUE_LOST,        /* at = counter, to = enum fault_meanwhile, also in the next one */
    FAULT_DUE_LATER,
    FAULT_ESCR_STOPS_NOT, /* at = counter, to = enum fault_stop, also in the next one */
    FAULT_STOPPED_PMI,
    /* start.c, value.c */
    FAULT_POWER_WITHOUT_TWIN,
    FAULT_TAG_POWER_WITHOUT_TWIN,
    /* increment.c */
    FAULT_ONE_HALTED_STOPS_ALL,
    FAULT_LP0_HALTED_STOPS_ALL
};

/* What FAULT_INIT_CLEARS and FAULT_HLT_CLEARS clear. */
enum fault_clears {
    CLEARS_COUNTERS,
    CLEARS_CCCRS,
    CLEARS_ESCRS,
    CLEARS_OVF,
    CLEARS_ENABLE,
    CLEARS_CASCADE,
    CLEARS_BIT_11,
    CLEARS_REQUESTS
};

/* Fields of a CCCR, of an ESCR. */
enum fault_field {
    FIELD_SELECT,
    FIELD_ACTIVE,
    FIELD_COMPARE,
    FIELD_COMPLEMENT,
    FIELD_THRESHOLD,
    FIELD_EDGE,
    FIELD_FORCE,
    FIELD_PMI,
    FIELDS
};
enum fault_escr_field { FIELD_EVENT, FIELD_MASK, FIELD_FLAGS };

/* What happens between an overflow and the next count. */
enum fault_meanwhile {
    MEANWHILE_RDMSR,
    MEANWHILE_RDPMC,
    MEANWHILE_RDPMC_FAST,
    MEANWHILE_CCCR_READ,
    MEANWHILE_WRITE,
    MEANWHILE_CCCR_WRITE,
    MEANWHILE_COMPARE_ON,
    MEANWHILE_HLT,
    MEANWHILE_LP1_READ,
    MEANWHILES
};

/* How a counter is stopped: by its ESCR's flags for CPL 0, for the others, by the mask; or by ENABLE. */
enum fault_stop { STOP_BY_OS, STOP_BY_USR, STOP_BY_MASK, STOP_BY_ENABLE, STOPS };

/* When FAULT_EDGE_RESTARTS forgets that the level was already true. */
enum fault_restarts { RESTARTS_AT_CPL, RESTARTS_AT_INIT, RESTARTS_AT_HLT, RESTARTS_AT_CCCR_WRITE };

/* What a part needs so that the fault can have an effect on it. */
enum nbpmu_fault_part { PART_ANY, PART_HT, PART_NO_HT, PART_EXTENDED, PART_BEFORE_F27 };

/* Member `to` of a fault that may concern one counter or all of them. */
#define EVERY_COUNTER 0xFFu

#endif
