/*
 * The measured frame of tests/workloads/frame.asm: WRMSRs that start, up to three phases of workload, WRMSRs
 * that stop. Phases are serialised: everything of one has executed before the next begins.
 */
#ifndef TESTS_SUITE_FRAME_H
#define TESTS_SUITE_FRAME_H

#include <stdint.h>
#include "pmc/netburst/setup.h"

/* Descriptor of a workload, written beside its loop by the WORKLOAD macro. */
struct workload {
    void (*entry)(void);
    uint32_t max_n;
    /* what one more n adds */
    uint32_t instructions, branches, taken;
};

extern const struct workload work_nothing;
/* sleds.asm */
extern const struct workload work_nop, work_jmp, work_not_taken, work_packed_sp, work_packed_dp,
    work_scalar_sp, work_scalar_dp, work_mmx_64, work_mmx_128, work_x87, work_rdpmc_12, work_rdmsr_12;
/* recounted.asm */
extern const struct workload work_fldcw, work_emms, work_sfence, work_mfence;
/* loops.asm */
extern const struct workload work_call, work_indirect_call, work_return, work_random_call, work_random_return,
    work_loop;
/* memory.asm; work_uncached_load and work_touch_pages read the page and the region that the variables below
 * them name */
extern const struct workload work_split_load, work_split_store, work_cpuid, work_cpuid_leaf_0,
    work_partial_load, work_self_modify, work_stack_fault, work_random_branch, work_uncached_load,
    work_touch_pages, work_read_write, work_read_burst, work_fetch_again;
/* tagging.asm: stores to the pages of work_page_region, whose first words the caller has read into
 * work_page_contents. */
extern const struct workload work_store_pages;
extern uint32_t work_page_contents[];
/* fp.asm */
extern const struct workload work_move_xmm, work_move_x87, work_load_xmm, work_push, work_x87_product;
extern uint32_t work_uncached_page, work_page_region;
/* lines.asm: through the lines of a piece of memory, and loads that wait for a store */
extern const struct workload work_load, work_store, work_store_8, work_load_stored, work_line_load,
    work_line_store, work_line_write, work_load_chunks, work_port_read, work_late_address, work_late_data,
    work_upper_half, work_alias_load;
extern uint32_t work_lines_at, work_lines_step, work_lines_mask; /* the piece; the mask of an offset in it */
#define WORK_LINES_OWN 0x10000u
extern uint8_t work_lines_own[WORK_LINES_OWN];
/* front_end.asm */
extern const struct workload work_cold, work_cold_beside, work_uncached_code, work_await;
#define WORK_COLD 20000                           /* copies of a straight line */
extern uint32_t work_cold_room[2][WORK_COLD + 1]; /* the caller has filled it */
extern const uint32_t work_cold_copy, work_cold_exit;
extern uint32_t work_code_page;                    /* work_uncached_code runs there; */
extern const uint8_t work_code[], work_code_end[]; /* the caller has put this there */
extern const volatile uint32_t *work_watched;      /* what work_await waits for to change */

void work_prepare_fp(void);
void work_prepare_sse(void);
void work_finish_mmx(void);
/* Before work_x87_product: operands whose product overflows, underflows, is one of a denormal number. */
void work_prepare_overflow(void);
void work_prepare_underflow(void);
void work_prepare_denormal(void);
/* Before work_push: a full x87 stack. Before the SSE workloads: denormal operands. */
void work_prepare_full_stack(void);
void work_prepare_denormals(void);
void work_finish_fp(void);

/* The loop for the other logical processor (loops.asm); companion.h runs it. */
struct spin {
    volatile uint32_t stop, laps;
};
void work_spin(struct spin *spin);
extern const char work_spin_end[];

/* Write out the straight-line workloads of sleds.asm and its kin; once, before any of them is used. */
void sleds_lay_out(void);

/* Laid out as frame.asm reads it. */
struct msr_write {
    uint32_t msr, value; /* bits 63:32 are written 0 */
};
struct phase {
    void (*entry)(void);
    uint32_t n;
};
#define FRAME_PHASES 3
#define FRAME_WRITES 2
struct frame {
    struct msr_write start[FRAME_WRITES];
    struct phase phase[FRAME_PHASES];
    struct msr_write stop[FRAME_WRITES];
    struct msr_write idle; /* changes nothing; not read by frame.asm */
};

/* An empty frame; its unused writes go to the CCCR of idle_counter, which must be a counter this measurement
 * leaves at 0. */
void frame_init(struct frame *frame, unsigned idle_counter);
/*
 * Put n occurrences of a workload in phase 0..2. An n beyond the workload's limit fails the vector: only a
 * wrong calibration leads to it.
 */
void frame_phase(struct frame *frame, unsigned index, const struct workload *work, uint32_t n);

/*
 * The usual frame of two counters: start[1] enables p_start (its CCCR with ENABLE), stop[0] and stop[1] end
 * the events of `first` and `second` (null: none) by writing event select 0, no event (R7), to their ESCRs.
 * Unlike a write of the CCCR this neither races with an overflow nor touches OVF (R32), and the frame's own
 * events stay the same whichever counters are used.
 */
void frame_count(struct frame *frame, const struct pmc_programming *p_start,
                 const struct pmc_programming *first, const struct pmc_programming *second);

/*
 * Run it: serial line drained, interrupts off. The same code has run once before with writes that change
 * nothing, so that caches and predictors are warm. Speculation then follows the same path as the program,
 * unless two phases enter one straight line with different n: its jump goes to two places.
 */
void frame_measure(const struct frame *frame);
/* Run it without draining, disabling interrupts or warming up: the caller has done so. The work is fixed, so
 * it has a witness (witness.h). */
void frame_run(const struct frame *frame);
/* The same without a witness, for callers whose fixed work is more than this. */
void frame_execute(const struct frame *frame);
/* What the length of the frame's work depends on, as an identity of the work. */
uint32_t frame_key(const struct frame *frame);
/* Run the phases alone, without WRMSR, at any CPL: events for counters that already run. Serialised before
 * and after, so that a counter may be read on either side. */
void frame_exercise(const struct frame *frame);
/* Run n occurrences of one workload like frame_exercise(). */
void work_exercise(const struct workload *work, uint32_t n);

#endif
