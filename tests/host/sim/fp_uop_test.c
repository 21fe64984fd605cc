/*
 * The order in which the uops of the FLAME block execute: any that their registers allow (F4). Two counters
 * of the block see them, 64-bit MMX uops the one and packed SP uops the other.
 */
#include "tests/host/support/host_test.h"
#include "pmc/netburst/regs.h"
#include "sim/cpu/core.h"
#include "sim/cpu/processor.h"
#include "sim/events/events.h"

#define ALL_UOPS    0x8000u
#define MMX_SELECT  0x02u
#define SP_SELECT   0x08u
#define FIRM_SELECT 1u
#define MMX_COUNTER 8u
#define SP_COUNTER  10u
#define STEPS       400u
#define XMM_FIRST   1u
#define MM_FIRST    9u

static struct core core;
static struct processor processor;
static struct timing timing;
static struct insn_cache cache;
static struct injectors injectors;
static struct run_control control;

static void no_change(struct processor *changed)
{
    (void)changed;
}

static void count(uint32_t escr, unsigned select, unsigned counter)
{
    nbpmu_wrmsr(core.pmu, 0, escr,
                ESCR_EVENT_SELECT(select) | ESCR_EVENT_MASK(ALL_UOPS) | ESCR_T0_OS | ESCR_T0_USR);
    nbpmu_wrmsr(core.pmu, 0, MSR_CCCR(counter),
                CCCR_ENABLE | CCCR_ESCR_SELECT(FIRM_SELECT) | CCCR_ACTIVE_THREAD(ACTIVE_ANY));
}

BEFORE_EACH(set_up)
{
    struct core_config config = {0};
    if (core.processor[0])
        core_free(&core);
    nbpmu_part_of_signature(0x0F29, 1, &config.part);
    core = (struct core){0};
    processor = (struct processor){.core = &core, .timing = &timing, .control = &control};
    static const struct processor_variants variants;
    processor.variants = &variants;
    processor.insns = &cache;
    processor.mode_tag = INSN_TAG_VALID;
    core.processor[0] = &processor;
    if (!core_init(&core, &config, &injectors, no_change))
        fail_msg("no core");
    core_update_thread(&processor);
    count(MSR_FIRM_ESCR0, MMX_SELECT, MMX_COUNTER);
    count(MSR_FIRM_ESCR1, SP_SELECT, SP_COUNTER);
    timing_init(&timing, TIMING_TYPICAL, 0, 2, 1000);
    timing.fp_window = 8;
}

static unsigned counted(unsigned counter)
{
    struct nbpmu_view view;
    nbpmu_look(core.pmu, counter, &view);
    return (unsigned)view.value;
}

/* An instruction with such a uop, or without one, retires in one clock. */
static void run(enum insn_fp fp, unsigned to, unsigned from)
{
    const struct insn insn = {.fp = (uint8_t)fp, .fp_to = (uint8_t)to, .fp_from = (uint8_t)from};
    if (fp != FP_NONE)
        fp_uop_issue(&processor, &insn);
    fp_uop_execute(&processor, &insn);
    core_clock(&core, 1, true);
}

/* In the program's order there are never more of the second kind. */
TEST(uops_of_independent_registers_pass_one_another)
{
    bool passed = false;
    for (unsigned i = 0; i < STEPS; i++) {
        run(FP_MMX64, MM_FIRST + i % 8, 0);
        run(FP_PACKED_SP, XMM_FIRST + i % 8, 0);
        passed |= counted(SP_COUNTER) > counted(MMX_COUNTER);
    }
    assert_true(passed);
}

TEST(uops_of_one_register_stay_in_their_order)
{
    for (unsigned i = 0; i < STEPS; i++) {
        run(FP_MMX64, XMM_FIRST, 0);
        run(FP_PACKED_SP, XMM_FIRST, 0);
        assert_in_range(counted(MMX_COUNTER), counted(SP_COUNTER), counted(SP_COUNTER) + 1);
    }
}

TEST(a_uop_follows_the_one_whose_result_it_reads)
{
    for (unsigned i = 0; i < STEPS; i++) {
        run(FP_MMX64, MM_FIRST, 0);
        run(FP_PACKED_SP, XMM_FIRST + i % 8, MM_FIRST);
        assert_true(counted(SP_COUNTER) <= counted(MMX_COUNTER));
    }
}

TEST(no_uop_is_later_than_the_window)
{
    unsigned latest = 0;
    for (unsigned i = 1; i <= STEPS; i++) {
        run(FP_MMX64, MM_FIRST + i % 8, 0);
        latest = i - counted(MMX_COUNTER) > latest ? i - counted(MMX_COUNTER) : latest;
        assert_true(latest <= timing.fp_window);
    }
    assert_true(latest > 0);
}

TEST(no_uop_is_later_than_the_window_in_instructions_of_any_kind)
{
    unsigned latest = 0;
    for (unsigned i = 1; i <= STEPS; i++) {
        unsigned later = 0;
        for (run(FP_MMX64, MM_FIRST, 0); counted(MMX_COUNTER) < i; later++)
            run(FP_NONE, 0, 0);
        latest = later > latest ? later : latest;
    }
    assert_in_range(latest, 1, timing.fp_window);
}

/* ---- Code that is known ---- */

#define SLED      0x1000u
#define SLED_UOPS 64u

/* A sled of MMX uops on eight registers, of one byte each, in which instruction number `special` is as given.
 */
static void lay_sled(unsigned special, struct insn given)
{
    for (unsigned i = 0; i < SLED_UOPS; i++) {
        struct insn mmx = {.fp = FP_MMX64, .fp_to = (uint8_t)(MM_FIRST + i % 8), .length = 1};
        struct insn *insn = insn_slot(&cache, SLED + i);
        *insn = i == special ? given : mmx;
        insn->length = 1;
        insn->tag = (SLED + i) | INSN_TAG_VALID;
    }
}

static void run_sled(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        const struct insn *insn = insn_slot(&cache, SLED + i);
        if (insn->fp != FP_NONE)
            fp_uop_issue(&processor, insn);
        fp_uop_execute(&processor, insn);
        core_clock(&core, 1, true);
    }
}

TEST(uops_execute_before_their_turn_and_once)
{
    unsigned earliest = 0;
    lay_sled(SLED_UOPS, (struct insn){0});
    for (unsigned i = 0; i < SLED_UOPS; i++) {
        run_sled(i, i + 1);
        unsigned early = counted(MMX_COUNTER) > i + 1 ? counted(MMX_COUNTER) - i - 1 : 0;
        earliest = early > earliest ? early : earliest;
    }
    fp_uop_drain(&processor);
    assert_in_range(earliest, 1, timing.fp_window);
    assert_int_equal(counted(MMX_COUNTER), SLED_UOPS);
}

TEST(no_uop_executes_before_a_serialising_instruction_or_a_branch)
{
    static const struct insn BARRIERS[] = {{.flags = INSN_SERIALISES}, {.branch = BRANCH_CONDITIONAL}};
    for (unsigned i = 0; i < COUNT_OF(BARRIERS); i++) {
        unsigned before = counted(MMX_COUNTER);
        lay_sled(SLED_UOPS / 2, BARRIERS[i]);
        run_sled(0, SLED_UOPS / 2);
        assert_true(counted(MMX_COUNTER) - before <= SLED_UOPS / 2);
        fp_uop_drain(&processor);
        assert_int_equal(counted(MMX_COUNTER) - before, SLED_UOPS / 2);
    }
}

TEST(draining_leaves_none)
{
    for (unsigned i = 0; i < timing.fp_window; i++)
        run(FP_MMX64, MM_FIRST + i % 8, 0);
    fp_uop_drain(&processor);
    assert_int_equal(counted(MMX_COUNTER), timing.fp_window);
    assert_int_equal(processor.fp_window.count, 0);
}

TEST(kind_timing_keeps_the_order_of_the_program)
{
    timing_init(&timing, TIMING_KIND, 0, 2, 1000);
    for (unsigned i = 1; i <= STEPS; i++) {
        run(FP_MMX64, MM_FIRST + i % 8, 0);
        assert_int_equal(counted(MMX_COUNTER), i);
    }
}
