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
    unsigned driver; /* enum P4_EVENTS */
    enum nbpmu_event manual;
    uint16_t members, states; /* bits of the mask; those of them that are states of a clock (R9) */
    bool ti;
    enum counts counts;
    uint16_t whole,
        other;           /* if the mask is an equation: one mask, and an occurrence that it does not select */
    unsigned allocation; /* the event with the same mask, in the even ESCR, that it needs */
    uint16_t no_members; /* what the driver takes for members */
    bool lost_on_lp1;    /* there the driver programs an ESCR that its counters do not reach */
} KNOWN[] = {
#define EVENT(name) .driver = P4_EVENT_##name, .manual = NBPMU_##name
#define TI          .ti = true
#define READ_WB     0x2861 /* DEFAULT, ALL_READ, MEM_WB, OWN */
#define WRITE_UC    0x20C1 /* DEFAULT, ALL_WRITE, MEM_UC, OWN */
#define BSQ_READ    0x3208 /* read, length 2, demand, WB */
#define BSQ_WRITE   0x3209
    {EVENT(TC_DELIVER_MODE), 0x00FF, .states = 0x00FF, TI},
    {EVENT(BPU_FETCH_REQUEST), 0x0001},
    {EVENT(ITLB_REFERENCE), 0x0007},
    {EVENT(MEMORY_CANCEL), 0x000C},
    {EVENT(MEMORY_COMPLETE), 0x000F},
    {EVENT(LOAD_PORT_REPLAY), 0x0002},
    {EVENT(STORE_PORT_REPLAY), 0x0002},
    {EVENT(MOB_LOAD_REPLAY), 0x003A},
    {EVENT(PAGE_WALK_TYPE), 0x0003, TI},
    {EVENT(BSQ_CACHE_REFERENCE), 0x0FFF},
    {EVENT(IOQ_ALLOCATION), 0xEFFF, .whole = READ_WB, .other = WRITE_UC},
    /* It counts whatever the four flags of its ESCR say (R14). */
    {EVENT(IOQ_ACTIVE_ENTRIES), 0xEFFF, TI, .whole = READ_WB, .other = WRITE_UC,
     .allocation = P4_EVENT_IOQ_ALLOCATION},
    {EVENT(FSB_DATA_ACTIVITY), 0x003F, .states = 0x003F, TI},
    {EVENT(BSQ_ALLOCATION), 0x3FEF, .whole = BSQ_READ, .other = BSQ_WRITE},
    {EVENT(BSQ_ACTIVE_ENTRIES), 0x3FEF, .whole = BSQ_READ, .other = BSQ_WRITE,
     .allocation = P4_EVENT_BSQ_ALLOCATION},
    {EVENT(SSE_INPUT_ASSIST), 0x8000, TI},
    {EVENT(PACKED_SP_UOP), 0x8000, TI},
    {EVENT(PACKED_DP_UOP), 0x8000, TI},
    {EVENT(SCALAR_SP_UOP), 0x8000, TI},
    {EVENT(SCALAR_DP_UOP), 0x8000, TI},
    {EVENT(64BIT_MMX_UOP), 0x8000, TI},
    {EVENT(128BIT_MMX_UOP), 0x8000, TI},
    {EVENT(X87_FP_UOP), 0x8000, TI},
    {EVENT(TC_MISC), 0x0010, .counts = TWICE},
    {EVENT(GLOBAL_POWER_EVENTS), 0x0001, .states = 0x0001},
    {EVENT(TC_MS_XFER), 0x0001},
    {EVENT(UOP_QUEUE_WRITES), 0x0007},
    {EVENT(RETIRED_MISPRED_BRANCH_TYPE), 0x001F, .lost_on_lp1 = true},
    {EVENT(RETIRED_BRANCH_TYPE), 0x001F},
    {EVENT(RESOURCE_STALL), 0x0020, .states = 0x0020},
    {EVENT(WC_BUFFER), 0x0007, TI},
    {EVENT(B2B_CYCLES), 0x007E},
    {EVENT(BNR), 0x0007},
    {EVENT(SNOOP), 0x00C4},
    {EVENT(RESPONSE), 0x0306},
    {EVENT(FRONT_END_EVENT), 0x0003},
    {EVENT(EXECUTION_EVENT), 0x00FF},
    {EVENT(REPLAY_EVENT), 0x0003},
    {EVENT(INSTR_RETIRED), 0x000F},
    {EVENT(UOPS_RETIRED), 0x0003},
    {EVENT(UOP_TYPE), 0x0006, .counts = NOTHING},
    {EVENT(BRANCH_RETIRED), 0x000F},
    {EVENT(MISPRED_BRANCH_RETIRED), 0x0001},
    {EVENT(X87_ASSIST), 0x001F},
    {EVENT(MACHINE_CLEAR), 0x0045, .states = 0x0001, .no_members = 0x0002},
    {EVENT(INSTR_COMPLETED), 0x0003},
};

static const struct known *known(unsigned driver)
{
    for (unsigned i = 0; i < COUNT_OF(KNOWN); i++)
        if (KNOWN[i].driver == driver)
            return &KNOWN[i];
    fail_msg("the driver's event %u is not known", driver);
    return NULL;
}

/* The driver's mask of an event: the bits of the members. */
static unsigned members_of(unsigned driver)
{
    return p4_event_bind_map[driver].escr_emask >> P4_ESCR_EVENTMASK_SHIFT;
}

/* The mask with which a test selects one member, or what stands for it. */
static unsigned one_mask(const struct known *event)
{
    unsigned members = event->members & members_of(event->driver);
    return event->whole ? event->whole : members & -members;
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
    if (refused && kernel_mends() && kernel_lps() == 2 && attr.config & mask) {
        struct perf_event_attr bare = attr;
        bare.config &= ~mask;
        refused = kernel_open(event, bare);
        event->hw.config |= attr.config & mask;
    }
    return refused;
}

static void add(int cpu, struct perf_event *event, struct perf_event_attr attr)
{
    kernel_run_on(cpu);
    assert_int_equal(open_event(event, attr), 0);
    assert_int_equal(kernel_add(event), 0);
}

static void remove_from(int cpu, struct perf_event *event)
{
    kernel_run_on(cpu);
    kernel_remove(event);
}

/* From now on one instruction retires in each clock of each logical processor. */
static void instructions(void)
{
    for (unsigned lp = 0; lp < kernel_lps(); lp++)
        kernel_report(lp, NBPMU_INSTR_RETIRED, 1, 1);
}

static void boot(unsigned latency)
{
    kernel_new_core(latency);
    memset(p4_running, 0, sizeof p4_running);
    kernel_run_on(0);
    assert_int_equal(p4_pmu_init(), 0);
}

static void nothing_strange(void)
{
    assert_null(kernel_warning());
    assert_int_equal(kernel_unknown_nmis(), 0);
}

static bool enabled(unsigned n)
{
    struct nbpmu_view view;
    nbpmu_look(kernel_pmu(), n, &view);
    return view.enabled;
}

BEFORE_EACH(start_anew)
{
    boot(0);
}

/* ---- Tests ---- */

/* What an earlier kernel has left running would interrupt this one. */
TEST(init_clears_what_runs)
{
    kernel_new_core(0);
    for (u32 cccr = MSR_P4_BPU_CCCR0; cccr < MSR_P4_BPU_CCCR0 + NBPMU_COUNTERS; cccr++)
        wrmsrl(cccr, P4_CCCR_ENABLE | P4_CCCR_THREAD_ANY | P4_CCCR_OVF_PMI_T0 | P4_CCCR_OVF);
    assert_int_equal(p4_pmu_init(), 0);
    for (u32 cccr = MSR_P4_BPU_CCCR0; cccr < MSR_P4_BPU_CCCR0 + NBPMU_COUNTERS; cccr++)
        assert_int_equal(kernel_rdmsr(cccr), 0);
}

static void count_one(const struct known *event, int cpu, unsigned mask)
{
    struct perf_event counted, allocation;
    unsigned others = event->whole ? event->other : event->members & ~mask;
    unsigned siblings = kernel_lps() == 2 ? SIBLING : 0;

    if (event->allocation)
        add(0, &allocation, raw(event->allocation, mask, 0));
    add(cpu, &counted, raw(event->driver, mask, 0));
    if (event->manual != NBPMU_GLOBAL_POWER_EVENTS) {
        kernel_report((unsigned)cpu, event->manual, mask, OWN);
        if (others)
            kernel_report((unsigned)cpu, event->manual, event->whole ? others : others & -others, BESIDE);
        if (siblings)
            kernel_report(!cpu, event->manual, mask, siblings);
    }
    kernel_clocks(CLOCKS);
    kernel_report_nothing();
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
    for (unsigned i = 0; i < COUNT_OF(KNOWN) * kernel_lps(); i++) {
        const struct known *event = &KNOWN[i / kernel_lps()];
        unsigned members = members_of(event->driver);
        int cpu = (int)(i % kernel_lps());

        assert_int_equal(members & ~(unsigned)event->members, event->no_members);
        if (event->manual == NBPMU_INSTR_COMPLETED && boot_cpu_data.x86_model < 3) {
            struct perf_event refused;
            assert_int_equal(kernel_open(&refused, raw(event->driver, 1, 0)), -EINVAL);
            continue;
        }
        if (event->whole)
            count_one(event, cpu, event->whole);
        for (unsigned bit = 1; bit < 1u << 16 && !event->whole; bit <<= 1)
            if (members & event->members & bit)
                count_one(event, cpu, bit);
    }
    nothing_strange();
}

/* The names that perf has for every processor: what they count, as the driver translates them. */
TEST(general_events)
{
    static const struct {
        enum nbpmu_event event;
        uint16_t counted, not_counted;
    } GENERAL[] = {
        [PERF_COUNT_HW_CPU_CYCLES] = {NBPMU_GLOBAL_POWER_EVENTS, 0, 0},
        [PERF_COUNT_HW_INSTRUCTIONS] = {NBPMU_INSTR_RETIRED, 1 << 0, 1 << 1},
        [PERF_COUNT_HW_CACHE_REFERENCES] = {NBPMU_BSQ_CACHE_REFERENCE, 1 << 3, 1 << 8},
        [PERF_COUNT_HW_CACHE_MISSES] = {NBPMU_BSQ_CACHE_REFERENCE, 1 << 8, 1 << 3},
        [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = {NBPMU_RETIRED_BRANCH_TYPE, 1 << 1, 1 << 0},
        [PERF_COUNT_HW_BRANCH_MISSES] = {NBPMU_MISPRED_BRANCH_RETIRED, 1 << 0, 0},
        [PERF_COUNT_HW_BUS_CYCLES] = {NBPMU_FSB_DATA_ACTIVITY, 1 << 0, 1 << 3},
    };
    for (unsigned i = 0; i < COUNT_OF(GENERAL); i++) {
        struct perf_event event;
        add(0, &event, hardware(i, 0));
        for (unsigned round = 0; round < 2 * CLOCKS; round++) {
            kernel_report_nothing();
            if (round % 2 == 0 && GENERAL[i].counted)
                kernel_report(0, GENERAL[i].event, GENERAL[i].counted, 1);
            if (GENERAL[i].not_counted)
                kernel_report(0, GENERAL[i].event, GENERAL[i].not_counted, 1);
            kernel_clocks(1);
        }
        remove_from(0, &event);
        /* Half of the clocks have an occurrence, which for BUS_CYCLES is a rising edge. */
        assert_int_equal(event.count, i == PERF_COUNT_HW_CPU_CYCLES ? 2 * CLOCKS : CLOCKS);
    }
    nothing_strange();
}

/* Table 19-33: replay_event, with bits in two more registers that say which replays are tagged. */
TEST(cache_events_program_the_replay_tagging)
{
    static const struct {
        unsigned cache, operation, enable, vertical;
    } REPLAYS[] = {
        {C(L1D), C(OP_READ), 1 << 0, 1 << 0},
        {C(LL), C(OP_READ), 1 << 1, 1 << 0},
        {C(DTLB), C(OP_READ), 1 << 2, 1 << 0},
        {C(DTLB), C(OP_WRITE), 1 << 2, 1 << 1},
    };
    for (unsigned i = 0; i < COUNT_OF(REPLAYS); i++) {
        struct perf_event event;
        u64 name = REPLAYS[i].cache | REPLAYS[i].operation << 8 | C(RESULT_MISS) << 16;
        add(0, &event, (struct perf_event_attr){PERF_TYPE_HW_CACHE, .config = name});
        assert_int_equal(kernel_rdmsr(0x3F1), REPLAYS[i].enable | 1 << 24);
        assert_int_equal(kernel_rdmsr(0x3F2), REPLAYS[i].vertical);
        kernel_report(0, NBPMU_REPLAY_EVENT, 1 << 0, OWN);
        kernel_clocks(CLOCKS);
        kernel_report_nothing();
        remove_from(0, &event);
        assert_int_equal(event.count, OWN * CLOCKS);
    }
    nothing_strange();
}

/* An upstream event tags uops, another one counts those that retire (Tables 19-31 and 19-32): the processor,
 * which is this test, asks the PMU which uops are tagged. */
TEST(tagged_uops_are_counted_at_retirement)
{
    const u64 tag_1 = p4_config_pack_escr(P4_ESCR_TAG(1ULL << 1) | P4_ESCR_TAG_ENABLE);
    struct perf_event loads, stores, front_end, adds, execution;
    struct perf_event_attr tagged_adds = raw(P4_EVENT_PACKED_SP_UOP, 1 << 15, 0);

    for (int cpu = 0; cpu < (int)kernel_lps(); cpu++) {
        unsigned lp = (unsigned)cpu;
        add(cpu, &front_end, raw(P4_EVENT_FRONT_END_EVENT, 1 << 0, 0));
        assert_int_equal(nbpmu_tags(kernel_pmu(), lp, NBPMU_UOP_TYPE, 1), 0);
        add(cpu, &loads, raw(P4_EVENT_UOP_TYPE, 1 << 1, 0));
        assert_int_equal(nbpmu_tags(kernel_pmu(), lp, NBPMU_UOP_TYPE, 1), 1);
        assert_int_equal(nbpmu_tags(kernel_pmu(), lp, NBPMU_UOP_TYPE, 2), 0); /* a store */
        assert_int_equal(open_event(&stores, raw(P4_EVENT_UOP_TYPE, 1 << 2, 0)), 0);
        assert_int_not_equal(kernel_add(&stores), 0); /* there is one RAT_ESCR for each logical processor */
        remove_from(cpu, &front_end);

        tagged_adds.config |= tag_1;
        add(cpu, &execution, raw(P4_EVENT_EXECUTION_EVENT, 1 << 1, 0));
        add(cpu, &adds, tagged_adds);
        unsigned tags = nbpmu_tags(kernel_pmu(), lp, NBPMU_PACKED_SP_UOP, 15);
        assert_int_equal(tags, 1 << 1);
        kernel_report(lp, NBPMU_EXECUTION_EVENT, tags, OWN);
        kernel_clocks(CLOCKS);
        kernel_report_nothing();
        remove_from(cpu, &execution);
        remove_from(cpu, &adds);
        remove_from(cpu, &loads);
        assert_int_equal(execution.count, OWN * CLOCKS);
    }
    nothing_strange();
}

TEST(privilege_levels)
{
    for (int cpu = 0; cpu < (int)kernel_lps(); cpu++) {
        struct perf_event_attr user = raw(P4_EVENT_INSTR_RETIRED, 1, 0),
                               system = raw(P4_EVENT_INSTR_RETIRED, 1, 0);
        struct perf_event event[2];
        user.exclude_kernel = system.exclude_user = true;
        for (unsigned i = 0; i < 2; i++) {
            add(cpu, &event[i], i ? system : user);
            kernel_report_nothing();
            kernel_report((unsigned)cpu, NBPMU_INSTR_RETIRED, 1, OWN);
            nbpmu_set_lp(kernel_pmu(), (unsigned)cpu, true, 3);
            kernel_clocks(CLOCKS);
            nbpmu_set_lp(kernel_pmu(), (unsigned)cpu, true, 0);
            kernel_clocks(2 * CLOCKS);
            remove_from(cpu, &event[i]);
        }
        assert_int_equal(event[0].count, OWN * CLOCKS);
        assert_int_equal(event[1].count, OWN * 2 * CLOCKS);
    }
    nothing_strange();
}

/* The driver keeps a half of the counters for each logical processor, as if there were always two. */
TEST(all_counters_at_once_and_no_more)
{
    static const unsigned COMMON[] = {P4_EVENT_TC_MS_XFER,      P4_EVENT_RETIRED_BRANCH_TYPE,
                                      P4_EVENT_MEMORY_COMPLETE, P4_EVENT_MEMORY_CANCEL,
                                      P4_EVENT_INSTR_RETIRED,   P4_EVENT_BRANCH_RETIRED,
                                      P4_EVENT_RESOURCE_STALL};
    static const unsigned OTHERS[] = {P4_EVENT_BSQ_ALLOCATION, P4_EVENT_BSQ_ACTIVE_ENTRIES,
                                      P4_EVENT_BPU_FETCH_REQUEST};
    struct perf_event events[CPUS][COUNT_OF(COMMON) + COUNT_OF(OTHERS)], more;
    const struct known *is[CPUS][COUNT_OF(events[0])];
    unsigned lps = kernel_lps(), used[CPUS] = {0}, all = 0;

    for (int cpu = (int)lps - 1; cpu >= 0; cpu--) {
        /* BSU_ESCR0 belongs to the last logical processor, BPU_ESCR0 and BPU_ESCR1 one to each. */
        for (unsigned i = 0; i < COUNT_OF(OTHERS); i++)
            if (lps == 1 ? i < 2 : cpu == 1 || i == 2)
                is[cpu][used[cpu]++] = known(OTHERS[i]);
        for (unsigned i = 0; i < COUNT_OF(COMMON); i++)
            is[cpu][used[cpu]++] = known(COMMON[i]);
        for (unsigned i = 0; i < used[cpu]; i++) {
            const struct known *event = is[cpu][i];
            add(cpu, &events[cpu][i], raw(event->driver, one_mask(event), 0));
            kernel_report((unsigned)cpu, event->manual, one_mask(event), OWN + 2 * (unsigned)cpu);
        }
    }
    for (unsigned n = 0; n < NBPMU_COUNTERS; n++)
        all += enabled(n);
    assert_int_equal(all, lps == 2 ? NBPMU_COUNTERS : 9);
    for (unsigned i = 0; i < COUNT_OF(KNOWN) * lps; i++) {
        const struct known *event = &KNOWN[i / lps];
        int cpu = (int)(i % lps);
        /* Counter 2 is LP1's, and the driver gives it to these events of LP0, too: it does not look. */
        bool shared = lps == 2 && cpu == 0 && p4_event_bind_map[event->driver].cntr[0][0] == 2;
        kernel_run_on(cpu);
        if (!shared && open_event(&more, raw(event->driver, one_mask(event), 0)) == 0)
            assert_int_not_equal(kernel_add(&more), 0);
    }
    kernel_clocks(CLOCKS);
    for (int cpu = 0; cpu < (int)lps; cpu++)
        for (unsigned i = 0; i < used[cpu]; i++) {
            unsigned expected = in_a_clock(is[cpu][i], cpu, one_mask(is[cpu][i]), OWN + 2 * (unsigned)cpu, 0);
            remove_from(cpu, &events[cpu][i]);
            assert_int_equal(events[cpu][i].count, CLOCKS * expected);
        }
    nothing_strange();
}

/* The PMI comes with the count after the overflow (R46), and an NMI latency clocks later. */
static void sample(int cpu, u64 period, unsigned latency)
{
    unsigned periods = period < 10000 ? 100 : 3;
    u64 all = periods * period + period / 2;
    struct perf_event event;

    boot(latency);
    add(cpu, &event, raw(P4_EVENT_INSTR_RETIRED, 1, period));
    instructions();
    kernel_clocks(all);
    remove_from(cpu, &event);
    assert_int_equal(event.count, all);
    assert_int_equal(event.samples, (all - 1 - latency) / period);
    assert_int_equal(kernel_nmis(), event.samples);
    nothing_strange();
}

TEST(every_overflow_is_found_once)
{
    static const u64 PERIODS[] = {
        10,        1000, 999983, 1ULL << 31, (1ULL << 31) + 1, 1ULL << 32, 0xFFFFFFFFFF / 3, (1ULL << 39) - 1,
        1ULL << 39};
    for (unsigned i = 0; i < COUNT_OF(PERIODS) * kernel_lps(); i++) {
        int cpu = (int)(i % kernel_lps());
        sample(cpu, PERIODS[i / kernel_lps()], 0);
        sample(cpu, PERIODS[i / kernel_lps()], 5);
    }
}

TEST(one_interrupt_for_counters_that_overflow_together)
{
    static const unsigned TOGETHER[] = {P4_EVENT_BPU_FETCH_REQUEST, P4_EVENT_TC_MS_XFER,
                                        P4_EVENT_INSTR_RETIRED, P4_EVENT_BRANCH_RETIRED};
    for (int cpu = 0; cpu < (int)kernel_lps(); cpu++) {
        struct perf_event event[COUNT_OF(TOGETHER)];
        boot(8);
        for (unsigned i = 0; i < COUNT_OF(TOGETHER); i++) {
            add(cpu, &event[i], raw(TOGETHER[i], 1, 100));
            kernel_report((unsigned)cpu, known(TOGETHER[i])->manual, 1, 1);
        }
        kernel_clocks(1050);
        assert_int_equal(kernel_nmis(), 10);
        for (unsigned i = 0; i < COUNT_OF(TOGETHER); i++) {
            remove_from(cpu, &event[i]);
            assert_int_equal(event[i].samples, 10);
            assert_int_equal(event[i].count, 1050);
        }
        nothing_strange();
    }
}

/* The NMI watchdog counts the clocks of ten seconds at 3 GHz. Another event of clocks, beside it, becomes its
 * alias: non-sleep clocks, on a counter of another block, which go on while a logical processor is halted. */
TEST(the_watchdog_and_its_alias)
{
    const u64 period = 30000000000, half = 5 * period / 4;
    struct perf_event watchdog[CPUS], clocks[CPUS], third;
    int lps = (int)kernel_lps();

    for (int cpu = 0; cpu < lps; cpu++) {
        add(cpu, &watchdog[cpu], hardware(PERF_COUNT_HW_CPU_CYCLES, period));
        add(cpu, &clocks[cpu], hardware(PERF_COUNT_HW_CPU_CYCLES, 0));
        assert_int_equal(kernel_open(&third, hardware(PERF_COUNT_HW_CPU_CYCLES, 0)), 0);
        assert_int_not_equal(kernel_add(&third), 0);
    }
    kernel_clocks(half);
    nbpmu_set_lp(kernel_pmu(), (unsigned)lps - 1, lps == 1, 0);
    kernel_clocks(half);
    for (int cpu = 0; cpu < lps; cpu++) {
        bool halted = lps == 2 && cpu == 1;
        remove_from(cpu, &clocks[cpu]);
        remove_from(cpu, &watchdog[cpu]);
        assert_int_equal(watchdog[cpu].count, halted ? half : 2 * half);
        assert_int_equal(watchdog[cpu].samples, halted ? 1 : 2);
        assert_int_equal(clocks[cpu].count, 2 * half);
    }
    nothing_strange();
}

TEST(a_throttled_event_stands_still)
{
    for (int cpu = 0; cpu < (int)kernel_lps(); cpu++) {
        struct perf_event event;
        boot(0);
        add(cpu, &event, raw(P4_EVENT_INSTR_RETIRED, 1, 10));
        event.throttle = 5;
        instructions();
        kernel_clocks(1000);
        assert_int_equal(event.samples, 5);
        kernel_run_on(cpu);
        assert_int_equal(event.count, 51); /* the PMI comes one count after the overflow */
        assert_false(enabled((unsigned)event.hw.idx));
        kernel_unthrottle(&event);
        kernel_clocks(50);
        remove_from(cpu, &event);
        assert_int_equal(event.samples, 10);
        assert_int_equal(event.count, 101);
        nothing_strange();
    }
}

/* The driver clears ENABLE and OVF, while the NMI is under way, and then knows the NMI for its own. */
TEST(an_interrupt_of_a_counter_that_was_stopped)
{
    struct perf_event event;
    boot(20);
    add(0, &event, raw(P4_EVENT_INSTR_RETIRED, 1, 100));
    instructions();
    kernel_clocks(110);
    remove_from(0, &event);
    kernel_clocks(100);
    assert_int_equal(kernel_nmis(), 1);
    assert_int_equal(event.samples, 0);
    assert_int_equal(event.count, 110);
    nothing_strange();
}

TEST(an_event_moves_between_logical_processors)
{
    struct perf_event event;
    unsigned cpus = kernel_lps(), moves = 6;
    u64 expected = 0;

    assert_int_equal(kernel_open(&event, raw(P4_EVENT_INSTR_RETIRED, 1, 1000)), 0);
    kernel_report(0, NBPMU_INSTR_RETIRED, 1, 1);
    if (cpus == 2)
        kernel_report(1, NBPMU_INSTR_RETIRED, 1, 2);
    for (unsigned move = 0; move < moves; move++) {
        unsigned lp = move % cpus;
        kernel_run_on((int)lp);
        assert_int_equal(kernel_add(&event), 0);
        assert_int_equal(event.hw.idx, lp == 0 ? 12 : 14); /* CRU_ESCR0, CRU_ESCR1 */
        kernel_clocks(1700);
        remove_from((int)lp, &event);
        expected += 1700 * (lp + 1);
    }
    assert_int_equal(event.count, expected);
    assert_int_equal(event.samples, expected / 1000);
    nothing_strange();
}
