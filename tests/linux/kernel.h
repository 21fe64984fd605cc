/*
 * A stand-in for the kernel around Linux's driver of the NetBurst PMU (arch/x86/events/intel/p4.c): what the
 * driver takes from the kernel's headers, for two CPUs, which are the logical processors of one core; and,
 * below, what a test calls. Where Linux has a name for something, it has this name here.
 *
 * The core runs on the PMU model. kernel.c has its clocks, its local APICs and the part of perf events that
 * drives a driver.
 */
#ifndef TESTS_LINUX_KERNEL_H
#define TESTS_LINUX_KERNEL_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "pmc/count_of.h"
#include "sim/netburst/nbpmu.h"

/* ---- What the driver takes: types and bits ---- */

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define CONFIG_SMP
#define __init
#define __initconst
#define likely(condition)      (condition)
#define unlikely(condition)    (condition)
#define ARRAY_SIZE(array)      COUNT_OF(array)
#define BUILD_BUG_ON(wrong)    _Static_assert(!(wrong), #wrong)
#define WARN_ONCE(wrong, ...)  kernel_warn(wrong, #wrong)
#define WARN_ON_ONCE(wrong)    kernel_warn(wrong, #wrong)
#define pr_cont(...)           ((void)0)
#define BITS_PER_LONG          (8 * (int)sizeof(long))
#define BITS_TO_LONGS(bits)    (((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define GENMASK_ULL(high, low) ((~0ULL >> (63 - (high))) & (~0ULL << (low)))

#define test_bit(bit, bits)             ((bits)[(bit) / BITS_PER_LONG] >> (bit) % BITS_PER_LONG & 1)
#define __set_bit(bit, bits)            ((bits)[(bit) / BITS_PER_LONG] |= 1ul << (bit) % BITS_PER_LONG)
#define __clear_bit(bit, bits)          ((bits)[(bit) / BITS_PER_LONG] &= ~(1ul << (bit) % BITS_PER_LONG))
#define __test_and_clear_bit(bit, bits) (test_bit(bit, bits) && (__clear_bit(bit, bits), true))
#define set_bit                         __set_bit
#define bitmap_zero(bits, size)         memset(bits, 0, BITS_TO_LONGS(size) * sizeof(long))
#define for_each_set_bit(bit, bits, size)         \
    for ((bit) = 0; (bit) < (int)(size); (bit)++) \
        if (test_bit(bit, bits))

/* ---- CPUs and their variables: an array with an element for each CPU ---- */

#define CPUS 2

#define smp_processor_id()         core.cpu
#define get_cpu()                  smp_processor_id()
#define put_cpu()                  ((void)0)
#define DEFINE_PER_CPU(type, name) typeof(type) name[CPUS]
#define per_cpu(name, cpu)         (name)[cpu]
#define this_cpu_ptr(array)        (&(*(array))[smp_processor_id()])
#define this_cpu_read(array)       (array)[smp_processor_id()]
#define cpumask_first(mask)        0

extern struct cpuinfo {
    uint8_t x86_model;
} boot_cpu_data;
extern int smp_num_siblings;       /* up to Linux 6.8 */
extern int __max_threads_per_core; /* and its later name */

/* ---- Registers ---- */

struct pt_regs;
enum { APIC_LVTPC = 0x340, APIC_DM_NMI = 0x400 };

u64 kernel_rdmsr(u32 msr);           /* a #GP fails the test */
int wrmsrl_safe(u32 msr, u64 value); /* -EIO: #GP */
void wrmsrl(u32 msr, u64 value);     /* a #GP fails the test */
void apic_write(u32 reg, u32 value);
void kernel_warn(bool wrong, const char *why);
#define rdmsrl(msr, value)    ((value) = kernel_rdmsr(msr))
#define rdmsr(msr, low, high) ((low) = (u32)kernel_rdmsr(msr), (high) = (u32)(kernel_rdmsr(msr) >> 32))
#define inc_irq_stat(counter) ((void)0)

/* ---- Perf events ---- */

enum { X86_PMC_IDX_MAX = 64, INTEL_PMC_MAX_GENERIC = 32 };
#define C(name) PERF_COUNT_HW_CACHE_##name

struct hw_perf_event {
    u64 config, sample_period, last_period, prev_count;
    s64 period_left;
    u32 config_base, event_base; /* MSRs of CCCR and counter */
    int idx;                     /* the counter; -1: none yet */
};

struct perf_event {
    struct perf_event_attr attr;
    struct hw_perf_event hw;
    u64 count;
    unsigned samples;  /* overflows that the driver has reported */
    unsigned throttle; /* with so many samples it is stopped; 0: never */
};

struct cpu_hw_events {
    struct perf_event *events[X86_PMC_IDX_MAX]; /* by counter */
    unsigned long active_mask[BITS_TO_LONGS(X86_PMC_IDX_MAX)];
    struct perf_event *event_list[X86_PMC_IDX_MAX]; /* all that are added to this CPU */
    int n_events;
};

extern struct cpu_hw_events cpu_hw_events[CPUS];
extern u64 pmc_prev_left[X86_PMC_IDX_MAX][CPUS]; /* counts to the overflow when a counter was last set */

struct attribute {
    const char *bits;
};
#define PMU_FORMAT_ATTR(name, text) \
    static struct {                 \
        struct attribute attr;      \
    } format_attr_##name = {{text}}

struct perf_sample_data {
    u64 period;
};

/* What a driver fills in. */
struct x86_pmu {
    const char *name;
    int (*handle_irq)(struct pt_regs *regs); /* how many overflows it has found */
    void (*disable_all)(void);
    void (*enable_all)(int added);
    void (*enable)(struct perf_event *event);
    void (*disable)(struct perf_event *event);
    int (*set_period)(struct perf_event *event); /* 1: a period has ended */
    int (*hw_config)(struct perf_event *event);
    int (*schedule_events)(struct cpu_hw_events *cpuc, int n, int *assign);
    u64 (*event_map)(int event);
    void *get_event_constraints;
    u32 eventsel, perfctr; /* MSRs of the first CCCR and the first counter */
    int max_events, num_counters, apic, cntval_bits;
    union { /* from Linux 6.11 on in place of num_counters */
        u64 cntr_mask64;
        unsigned long cntr_mask[1];
    };
    u64 cntval_mask, max_period;
    struct attribute **format_attrs;
};

extern struct x86_pmu x86_pmu;
extern u64 hw_cache_event_ids[C(MAX)][C(OP_MAX)][C(RESULT_MAX)];

#define x86_get_event_constraints                NULL
#define perf_allow_cpu(...)                      0
#define perf_sample_data_init(data, addr, ended) ((data)->period = (ended))
#define static_call(function)                    kernel_##function
#define x86_pmu_config_addr(counter)             (x86_pmu.eventsel + (u32)(counter))

int x86_setup_perfctr(struct perf_event *event);
int x86_perf_event_set_period(struct perf_event *event);
u64 x86_perf_event_update(struct perf_event *event);
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);
void x86_pmu_stop(struct perf_event *event, int flags);
int kernel_x86_pmu_set_period(struct perf_event *event);

/* ---- What a test calls ---- */

enum { REPORTS = 48 };

/* The core, for a test to look at; and it sets cpu and reports. */
extern struct core {
    struct nbpmu *pmu;
    struct nbpmu_part part;
    int cpu;          /* where the driver's code runs */
    unsigned latency; /* clocks from a PMI to its NMI */
    unsigned nmis;
    unsigned unknown_nmis; /* those for which the driver has found no reason */
    const char *warning;   /* the last condition that the driver warned of */
    unsigned reports;      /* what happens in each clock: so many of the following */
    struct report {
        unsigned lp, mask_bits, count;
        enum nbpmu_event event;
    } report[REPORTS];
    u64 now; /* clocks that have passed */
    struct {
        u32 lvtpc;
        bool nmi_pending;
        u64 nmi_due;
    } apic[CPUS];
} core;

/* A new core, described by the environment: PROCESSOR (a CPUID signature), LPS, FAULT and VARIANT (names).
 * LP0, and LP1 if there are two, are active at CPL 0. */
void kernel_new_core(unsigned latency);
/* Is what is wrong in the driver itself (docs/model.md) made good? Not with AS_IT_IS in the environment. */
bool kernel_mends(void);

/* In each clock from now on there are count occurrences of event (nbpmu_event()), beside those reported
 * before. */
void kernel_report(unsigned lp, enum nbpmu_event event, unsigned mask_bits, unsigned count);
/* Let clocks pass; the driver's interrupt handler is called when an NMI is due. */
void kernel_clocks(u64 clocks);

/* As perf_event_open() does. Returns 0, or why the driver refuses. */
int kernel_open(struct perf_event *event, struct perf_event_attr attr);
/* Schedule an opened event on this CPU and start it. Returns 0, or why the driver refuses. */
int kernel_add(struct perf_event *event);
/* Stop it, count what is left, and take it from this CPU. */
void kernel_remove(struct perf_event *event);
/* Start an event that has been throttled. */
void kernel_start(struct perf_event *event);

#endif
