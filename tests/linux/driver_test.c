/*
 * Linux's driver of the NetBurst PMU on the PMU model: what the driver programs must count what happens, and
 * the driver's interrupt handler must find each overflow. The driver is as Linux has it; kernel.h stands in
 * for the kernel. Expected counts are the reported occurrences, by the event tables of the manual.
 */
#include "kernel.h"
#include "tests/host/support/host_test.h"

#include <asm/msr-index.h>
#include <p4.c>

enum { OWN = 3, BESIDE = 4, SIBLING = 5 }; /* occurrences in a clock: of one kind each, so that sums tell */
enum { CLOCKS = 100 };

/* ---- The driver's events, as the manual's tables have them ---- */

enum counts { ONCE, TWICE, NOTHING };

static const struct known {
    enum nbpmu_event manual;
    uint16_t members; /* of the mask */
    uint16_t states;  /* those of them that are states of a clock (R9) */
    bool ti;
    enum counts counts;
    uint16_t whole, other; /* of a mask that is an equation: a mask, and an occurrence that it excludes */
    unsigned allocation;   /* the event with the same mask, in the even ESCR, that it needs */
    uint16_t no_members;   /* what the driver takes for members */
    bool lost_on_lp1;      /* there the driver programs an ESCR that its counters do not reach */
} KNOWN[] = {
#define EVENT(name, ...) [P4_EVENT_##name] = {.manual = NBPMU_##name, .members = __VA_ARGS__}
#define TI               .ti = true
#define IOQ              .whole = 0x2861, .other = 0x20C1 /* reads of WB; writes of UC, each OWN */
#define BSQ              .whole = 0x3208, .other = 0x3209 /* demand reads of WB; the same of another type */
    EVENT(TC_DELIVER_MODE, 0x00FF, .states = 0x00FF, TI),
    EVENT(BPU_FETCH_REQUEST, 0x0001),
    EVENT(ITLB_REFERENCE, 0x0007),
    EVENT(MEMORY_CANCEL, 0x000C),
    EVENT(MEMORY_COMPLETE, 0x000F),
    EVENT(LOAD_PORT_REPLAY, 0x0002),
    EVENT(STORE_PORT_REPLAY, 0x0002),
    EVENT(MOB_LOAD_REPLAY, 0x003A),
    EVENT(PAGE_WALK_TYPE, 0x0003, TI),
    EVENT(BSQ_CACHE_REFERENCE, 0x0FFF),
    EVENT(IOQ_ALLOCATION, 0xEFFF, IOQ),
    /* It counts whatever the four flags of its ESCR say (R14). */
    EVENT(IOQ_ACTIVE_ENTRIES, 0xEFFF, TI, IOQ, .allocation = P4_EVENT_IOQ_ALLOCATION),
    EVENT(FSB_DATA_ACTIVITY, 0x003F, .states = 0x003F, TI),
    EVENT(BSQ_ALLOCATION, 0x3FEF, BSQ),
    EVENT(BSQ_ACTIVE_ENTRIES, 0x3FEF, BSQ, .allocation = P4_EVENT_BSQ_ALLOCATION),
    EVENT(SSE_INPUT_ASSIST, 0x8000, TI),
    EVENT(PACKED_SP_UOP, 0x8000, TI),
    EVENT(PACKED_DP_UOP, 0x8000, TI),
    EVENT(SCALAR_SP_UOP, 0x8000, TI),
    EVENT(SCALAR_DP_UOP, 0x8000, TI),
    EVENT(64BIT_MMX_UOP, 0x8000, TI),
    EVENT(128BIT_MMX_UOP, 0x8000, TI),
    EVENT(X87_FP_UOP, 0x8000, TI),
    EVENT(TC_MISC, 0x0010, .counts = TWICE),
    EVENT(GLOBAL_POWER_EVENTS, 0x0001, .states = 0x0001),
    EVENT(TC_MS_XFER, 0x0001),
    EVENT(UOP_QUEUE_WRITES, 0x0007),
    EVENT(RETIRED_MISPRED_BRANCH_TYPE, 0x001F, .lost_on_lp1 = true),
    EVENT(RETIRED_BRANCH_TYPE, 0x001F),
    EVENT(RESOURCE_STALL, 0x0020, .states = 0x0020),
    EVENT(WC_BUFFER, 0x0007, TI),
    /* The driver lets these four have no member. */
    EVENT(B2B_CYCLES, 0x007E, .counts = NOTHING),
    EVENT(BNR, 0x0007, .counts = NOTHING),
    EVENT(SNOOP, 0x00C4, .counts = NOTHING),
    EVENT(RESPONSE, 0x0306, .counts = NOTHING),
    EVENT(FRONT_END_EVENT, 0x0003),
    EVENT(EXECUTION_EVENT, 0x00FF),
    EVENT(REPLAY_EVENT, 0x0003),
    EVENT(INSTR_RETIRED, 0x000F),
    EVENT(UOPS_RETIRED, 0x0003),
    EVENT(UOP_TYPE, 0x0006, .counts = NOTHING),
    EVENT(BRANCH_RETIRED, 0x000F),
    EVENT(MISPRED_BRANCH_RETIRED, 0x0001),
    EVENT(X87_ASSIST, 0x001F),
    EVENT(MACHINE_CLEAR, 0x0045, .states = 0x0001, .no_members = 0x0002),
    EVENT(INSTR_COMPLETED, 0x0003),
};

/* The driver's mask of an event: the bits of the members. */
static unsigned members_of(unsigned driver)
{
    return p4_event_bind_map[driver].escr_emask >> P4_ESCR_EVENTMASK_SHIFT;
}

/* The mask with which a test selects one member, or what stands for it. */
static unsigned one_mask(unsigned driver)
{
    unsigned members = KNOWN[driver].members & members_of(driver);
    return KNOWN[driver].whole ? KNOWN[driver].whole : members & -members;
}

/* What a counter of LP cpu counts of occurrences in a clock, when the sibling causes others. */
static unsigned in_a_clock(const struct known *event, int cpu, unsigned mask, unsigned own, unsigned siblings)
{
    if (event->counts == NOTHING || (cpu == 1 && event->lost_on_lp1))
        return 0;
    if (event->states & mask)
        return 1;
    return (own + (event->ti ? siblings : 0)) * (event->counts == TWICE ? 2 : 1);
}

/* ---- Opening events ---- */

static struct perf_event_attr raw(unsigned driver, unsigned mask, u64 period)
{
    u64 escr = P4_ESCR_EVENT((u64)driver) | P4_ESCR_EMASK((u64)mask);
    return (struct perf_event_attr){PERF_TYPE_RAW, .config = p4_config_pack_escr(escr),
                                    .sample_period = period};
}

static struct perf_event_attr hardware(unsigned event, u64 period)
{
    return (struct perf_event_attr){PERF_TYPE_HARDWARE, .config = event, .sample_period = period};
}

/* With two logical processors the driver holds the mask of an event that they share against the members of
 * TC_deliver_mode, by mistake. An event that it refuses for that gets its mask afterwards. */
static int open_event(struct perf_event *event, struct perf_event_attr attr)
{
    const u64 mask = p4_config_pack_escr(P4_ESCR_EVENTMASK_MASK);
    int refused = kernel_open(event, attr);
    if (refused && kernel_mends() && core.part.lps == 2 && attr.config & mask) {
        struct perf_event_attr bare = attr;
        bare.config &= ~mask;
        refused = kernel_open(event, bare);
        event->hw.config |= attr.config & mask;
    }
    return refused;
}

static void add(int cpu, struct perf_event *event, struct perf_event_attr attr)
{
    core.cpu = cpu;
    assert_int_equal(open_event(event, attr), 0);
    assert_int_equal(kernel_add(event), 0);
}

/* Up to then the driver must have warned of nothing, and found a reason for each NMI. */
static void remove_from(int cpu, struct perf_event *event)
{
    core.cpu = cpu;
    kernel_remove(event);
    assert_null(core.warning);
    assert_int_equal(core.unknown_nmis, 0);
}

static void boot(unsigned latency)
{
    kernel_new_core(latency);
    memset(p4_running, 0, sizeof p4_running);
    core.cpu = 0;
    assert_int_equal(p4_pmu_init(), 0);
}

static bool enabled(unsigned n)
{
    struct nbpmu_view view;
    nbpmu_look(core.pmu, n, &view);
    return view.enabled;
}

BEFORE_EACH(start_anew)
{
    boot(0);
}

/* ---- Tests ---- */

static void count_one(unsigned driver, int cpu, unsigned mask)
{
    const struct known *event = &KNOWN[driver];
    struct perf_event counted, allocation;
    unsigned others = event->whole ? event->other : event->members & ~mask;
    unsigned siblings = core.part.lps == 2 ? SIBLING : 0;

    if (event->allocation)
        add(0, &allocation, raw(event->allocation, mask, 0));
    add(cpu, &counted, raw(driver, mask, 0));
    if (event->manual != NBPMU_GLOBAL_POWER_EVENTS) {
        kernel_report((unsigned)cpu, event->manual, mask, OWN);
        if (others)
            kernel_report((unsigned)cpu, event->manual, event->whole ? others : others & -others, BESIDE);
        if (siblings)
            kernel_report(!cpu, event->manual, mask, siblings);
    }
    kernel_clocks(CLOCKS);
    core.reports = 0;
    remove_from(cpu, &counted);
    if (event->allocation)
        remove_from(0, &allocation);
    unsigned expected = CLOCKS * in_a_clock(event, cpu, mask, OWN, siblings);
    if (counted.count != expected)
        fail_msg("%s, mask %04XH on LP%d: %llu counts, not %u", nbpmu_event_name(event->manual), mask, cpu,
                 (unsigned long long)counted.count, expected);
}

TEST(every_event_and_member_counts_what_happens)
{
    assert_int_equal(COUNT_OF(KNOWN), ARRAY_SIZE(p4_event_bind_map));
    for (unsigned i = 0; i < COUNT_OF(KNOWN) * core.part.lps; i++) {
        unsigned driver = i / core.part.lps, members = members_of(driver);
        int cpu = (int)(i % core.part.lps);
        struct perf_event refused;

        assert_int_equal(members & ~(unsigned)KNOWN[driver].members, KNOWN[driver].no_members);
        if (KNOWN[driver].whole || !members)
            count_one(driver, cpu, KNOWN[driver].whole);
        else if (driver == P4_EVENT_INSTR_COMPLETED && boot_cpu_data.x86_model < 3)
            assert_int_equal(kernel_open(&refused, raw(driver, 1, 0)), -EINVAL);
        else
            for (unsigned bit = 1; bit < 1u << 16; bit <<= 1)
                if (members & KNOWN[driver].members & bit)
                    count_one(driver, cpu, bit);
    }
}

/* The names that perf has for every processor. For cache misses the driver counts replay_event, and two more
 * registers say which replays are tagged (Table 19-33). */
TEST(general_events)
{
#define MISS(cache, operation) PERF_TYPE_HW_CACHE, C(cache) | C(operation) << 8 | C(RESULT_MISS) << 16
    static const struct {
        unsigned type, name;
        enum nbpmu_event event;
        unsigned counted, not_counted, pebs_enable, matrix_vert;
    } GENERAL[] = {
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, NBPMU_INSTR_RETIRED, 1 << 0, 1 << 1, 0, 0},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, NBPMU_BSQ_CACHE_REFERENCE, 1 << 3, 1 << 8, 0, 0},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, NBPMU_BSQ_CACHE_REFERENCE, 1 << 8, 1 << 3, 0, 0},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, NBPMU_RETIRED_BRANCH_TYPE, 1 << 1, 1 << 0, 0,
         0},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, NBPMU_MISPRED_BRANCH_RETIRED, 1 << 0, 1 << 1, 0, 0},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, NBPMU_FSB_DATA_ACTIVITY, 1 << 0, 1 << 3, 0, 0},
        {MISS(ITLB, OP_READ), NBPMU_ITLB_REFERENCE, 1 << 1, 1 << 0, 0, 0},
        {MISS(L1D, OP_READ), NBPMU_REPLAY_EVENT, 1 << 0, 1 << 1, 1 << 24 | 1 << 0, 1 << 0},
        {MISS(LL, OP_READ), NBPMU_REPLAY_EVENT, 1 << 0, 1 << 1, 1 << 24 | 1 << 1, 1 << 0},
        {MISS(DTLB, OP_READ), NBPMU_REPLAY_EVENT, 1 << 0, 1 << 1, 1 << 24 | 1 << 2, 1 << 0},
        {MISS(DTLB, OP_WRITE), NBPMU_REPLAY_EVENT, 1 << 0, 1 << 1, 1 << 24 | 1 << 2, 1 << 1},
    };
    for (unsigned i = 0; i < COUNT_OF(GENERAL); i++) {
        struct perf_event event;
        add(0, &event, (struct perf_event_attr){GENERAL[i].type, .config = GENERAL[i].name});
        assert_int_equal(kernel_rdmsr(0x3F1), GENERAL[i].pebs_enable);
        assert_int_equal(kernel_rdmsr(0x3F2), GENERAL[i].matrix_vert);
        /* What is counted happens in every other clock: for BUS_CYCLES, which counts edges, that is one. */
        for (unsigned clock = 0; clock < 2 * CLOCKS; clock++) {
            kernel_report(0, GENERAL[i].event, clock % 2 ? GENERAL[i].counted : GENERAL[i].not_counted, 1);
            kernel_clocks(1);
            core.reports = 0;
        }
        remove_from(0, &event);
        assert_int_equal(event.count, CLOCKS);
    }
}

/* The driver keeps a half of the counters for each logical processor, as if there were always two. */
TEST(all_counters_at_once_and_no_more)
{
#define BY_BLOCKS                                                                                        \
    P4_EVENT_TC_MS_XFER, P4_EVENT_RETIRED_BRANCH_TYPE, P4_EVENT_MEMORY_COMPLETE, P4_EVENT_MEMORY_CANCEL, \
        P4_EVENT_INSTR_RETIRED, P4_EVENT_BRANCH_RETIRED, P4_EVENT_RESOURCE_STALL
    static const unsigned ALONE[] = {P4_EVENT_BSQ_ALLOCATION, P4_EVENT_BSQ_ACTIVE_ENTRIES, BY_BLOCKS};
    static const unsigned BOTH[] = {
        /* LP0 */ P4_EVENT_BPU_FETCH_REQUEST, BY_BLOCKS,
        /* LP1 */ P4_EVENT_BPU_FETCH_REQUEST, BY_BLOCKS, P4_EVENT_BSQ_ALLOCATION,
        P4_EVENT_BSQ_ACTIVE_ENTRIES};
    unsigned lps = core.part.lps, all = lps == 2 ? COUNT_OF(BOTH) : COUNT_OF(ALONE), running = 0;
    const unsigned *driver = lps == 2 ? BOTH : ALONE;
    struct perf_event event[COUNT_OF(BOTH)], more;

#define CPU_OF(i) (lps == 2 && (i) >= 8)
    for (unsigned i = 0; i < all; i++) {
        add(CPU_OF(i), &event[i], raw(driver[i], one_mask(driver[i]), 0));
        kernel_report(CPU_OF(i), KNOWN[driver[i]].manual, one_mask(driver[i]), CPU_OF(i) ? SIBLING : OWN);
    }
    for (unsigned n = 0; n < NBPMU_COUNTERS; n++)
        running += enabled(n);
    assert_int_equal(running, lps == 2 ? 18 : 9);
    for (unsigned i = 0; i < COUNT_OF(KNOWN) * lps; i++) {
        core.cpu = (int)(i % lps);
        /* Counter 2 is LP1's, and the driver gives it to these events of LP0, too: it does not look. */
        bool taken_twice = lps == 2 && core.cpu == 0 && p4_event_bind_map[i / lps].cntr[0][0] == 2;
        if (!taken_twice && open_event(&more, raw(i / lps, one_mask(i / lps), 0)) == 0)
            assert_int_not_equal(kernel_add(&more), 0);
    }
    kernel_clocks(CLOCKS);
    for (unsigned i = 0; i < all; i++) {
        remove_from(CPU_OF(i), &event[i]);
        unsigned own = CPU_OF(i) ? SIBLING : OWN;
        assert_int_equal(event[i].count,
                         CLOCKS * in_a_clock(&KNOWN[driver[i]], CPU_OF(i), one_mask(driver[i]), own, 0));
    }
}

/* The PMI comes with the count after the overflow (R46), and an NMI latency clocks later. */
static void sample(int cpu, u64 period, unsigned latency)
{
    unsigned periods = period < 10000 ? 100 : 3;
    u64 all = periods * period + period / 2;
    struct perf_event event;

    boot(latency);
    add(cpu, &event, raw(P4_EVENT_INSTR_RETIRED, 1, period));
    kernel_report((unsigned)cpu, NBPMU_INSTR_RETIRED, 1, 1);
    kernel_clocks(all);
    remove_from(cpu, &event);
    assert_int_equal(event.count, all);
    assert_int_equal(event.samples, (all - 1 - latency) / period);
    assert_int_equal(core.nmis, event.samples);
}

TEST(every_overflow_is_found_once)
{
    static const u64 PERIODS[] = {
        10,        1000, 999983, 1ULL << 31, (1ULL << 31) + 1, 1ULL << 32, 0xFFFFFFFFFF / 3, (1ULL << 39) - 1,
        1ULL << 39};
    for (unsigned i = 0; i < COUNT_OF(PERIODS) * core.part.lps; i++) {
        int cpu = (int)(i % core.part.lps);
        sample(cpu, PERIODS[i / core.part.lps], 0);
        sample(cpu, PERIODS[i / core.part.lps], 5);
    }
}

TEST(one_interrupt_for_counters_that_overflow_together)
{
    static const unsigned TOGETHER[] = {P4_EVENT_BPU_FETCH_REQUEST, P4_EVENT_TC_MS_XFER,
                                        P4_EVENT_INSTR_RETIRED, P4_EVENT_BRANCH_RETIRED};
    for (int cpu = 0; cpu < (int)core.part.lps; cpu++) {
        struct perf_event event[COUNT_OF(TOGETHER)];
        boot(8);
        for (unsigned i = 0; i < COUNT_OF(TOGETHER); i++) {
            add(cpu, &event[i], raw(TOGETHER[i], 1, 100));
            kernel_report((unsigned)cpu, KNOWN[TOGETHER[i]].manual, 1, 1);
        }
        kernel_clocks(1050);
        assert_int_equal(core.nmis, 10);
        for (unsigned i = 0; i < COUNT_OF(TOGETHER); i++) {
            remove_from(cpu, &event[i]);
            assert_int_equal(event[i].samples, 10);
            assert_int_equal(event[i].count, 1050);
        }
    }
}

/* The NMI watchdog counts the clocks of ten seconds at 3 GHz. Another event of clocks, beside it, becomes its
 * alias: non-sleep clocks, on a counter of another block, which go on while a logical processor is halted. */
TEST(the_watchdog_and_its_alias)
{
    const u64 period = 30000000000, half = 5 * period / 4;
    struct perf_event watchdog[CPUS], clocks[CPUS], third;
    int lps = (int)core.part.lps;

    for (int cpu = 0; cpu < lps; cpu++) {
        add(cpu, &watchdog[cpu], hardware(PERF_COUNT_HW_CPU_CYCLES, period));
        add(cpu, &clocks[cpu], hardware(PERF_COUNT_HW_CPU_CYCLES, 0));
        assert_int_equal(kernel_open(&third, hardware(PERF_COUNT_HW_CPU_CYCLES, 0)), 0);
        assert_int_not_equal(kernel_add(&third), 0);
    }
    kernel_clocks(half);
    nbpmu_set_lp(core.pmu, (unsigned)lps - 1, lps == 1, 0);
    kernel_clocks(half);
    for (int cpu = 0; cpu < lps; cpu++) {
        bool halted = lps == 2 && cpu == 1;
        remove_from(cpu, &clocks[cpu]);
        remove_from(cpu, &watchdog[cpu]);
        assert_int_equal(watchdog[cpu].count, halted ? half : 2 * half);
        assert_int_equal(watchdog[cpu].samples, halted ? 1 : 2);
        assert_int_equal(clocks[cpu].count, 2 * half);
    }
}

TEST(a_throttled_event_stands_still)
{
    for (int cpu = 0; cpu < (int)core.part.lps; cpu++) {
        struct perf_event event;
        boot(0);
        add(cpu, &event, raw(P4_EVENT_INSTR_RETIRED, 1, 10));
        event.throttle = 5;
        kernel_report((unsigned)cpu, NBPMU_INSTR_RETIRED, 1, 1);
        kernel_clocks(1000);
        assert_int_equal(event.samples, 5);
        core.cpu = cpu;
        assert_int_equal(event.count, 51); /* the PMI comes one count after the overflow */
        assert_false(enabled((unsigned)event.hw.idx));
        kernel_start(&event);
        kernel_clocks(50);
        remove_from(cpu, &event);
        assert_int_equal(event.samples, 10);
        assert_int_equal(event.count, 101);
    }
}

/* The driver clears ENABLE and OVF, while the NMI is under way, and then knows the NMI for its own. */
TEST(an_interrupt_of_a_counter_that_was_stopped)
{
    struct perf_event event;
    boot(20);
    add(0, &event, raw(P4_EVENT_INSTR_RETIRED, 1, 100));
    kernel_report(0, NBPMU_INSTR_RETIRED, 1, 1);
    kernel_clocks(110);
    remove_from(0, &event);
    kernel_clocks(100);
    assert_int_equal(core.nmis, 1);
    assert_int_equal(event.samples, 0);
    assert_int_equal(event.count, 110);
}

TEST(an_event_moves_between_logical_processors)
{
    struct perf_event event;
    unsigned cpus = core.part.lps, moves = 6;
    u64 expected = 0;

    assert_int_equal(kernel_open(&event, raw(P4_EVENT_INSTR_RETIRED, 1, 1000)), 0);
    kernel_report(0, NBPMU_INSTR_RETIRED, 1, 1);
    if (cpus == 2)
        kernel_report(1, NBPMU_INSTR_RETIRED, 1, 2);
    for (unsigned move = 0; move < moves; move++) {
        unsigned lp = move % cpus;
        core.cpu = (int)lp;
        assert_int_equal(kernel_add(&event), 0);
        assert_int_equal(event.hw.idx, lp == 0 ? 12 : 14); /* CRU_ESCR0, CRU_ESCR1 */
        kernel_clocks(1700);
        remove_from((int)lp, &event);
        expected += 1700 * (lp + 1);
    }
    assert_int_equal(event.count, expected);
    assert_int_equal(event.samples, expected / 1000);
}
