/*
 * From the bytes of an instruction to what p4sim has to know of it.
 */
#ifndef SIM_DECODE_INSN_H
#define SIM_DECODE_INSN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct decoder;

/*
 * ---- Costs ----
 * What costs clocks: the rows of the timing table (sim/cpu/timing_table.c). The decoder names the row of each
 * instruction.
 */

enum cost {
    /* Instructions that the trace cache holds. COST_UOPS: no more than their uops. */
    COST_UOPS,
    COST_INCREMENT,
    COST_STORE,
    COST_X87,
    COST_MMX64,
    COST_MMX128,
    COST_SSE,
    /* Microcode, and what waits for something */
    COST_STRING, /* one string instruction */
    COST_REPEAT, /* one iteration of a repeated one */
    COST_PAUSE,
    COST_LFENCE,
    COST_SFENCE,
    COST_MFENCE,
    COST_LOCKED,
    COST_POPF,
    COST_DIRECTION, /* CLD, STD */
    COST_DIVIDE,
    COST_PUSHA,
    COST_POPA,
    COST_EMMS,
    COST_MASKMOVQ,
    COST_CLFLUSH,
    COST_FROM_CR,
    COST_DESCRIPTOR_TABLE, /* LGDT, LIDT */
    COST_TASK_REGISTER,
    COST_FAR_JUMP,
    COST_FAR_CALL, /* far CALL and RETF */
    COST_SOFTWARE_INTERRUPT,
    COST_CMPXCHG8B,
    COST_FXSAVE, /* FXSAVE and FXRSTOR */
    COST_FNINIT,
    COST_FLDENV,
    COST_FRSTOR,
    COST_FLDCW,
    COST_INVLPG,
    COST_WBINVD,
    COST_HLT,
    COST_IN_OUT, /* the instruction without the access to the port */
    /* Accesses, whose cost is drawn each time they are made (timing_draw()) */
    COST_DRAWN,
    COST_CPUID = COST_DRAWN,
    COST_RDTSC,
    COST_RDPMC,
    COST_RDPMC_FAST,
    COST_RDMSR_COUNTER,
    COST_RDMSR_SELECT, /* an ESCR or a CCCR */
    COST_RDMSR_OTHER,
    COST_WRMSR_COUNTER,
    COST_WRMSR_ESCR,
    COST_WRMSR_CCCR,
    COST_WRMSR_OTHER,
    COST_TO_CR,
    COST_IRET,
    COST_INTERRUPT, /* entry of a handler */
    COST_APIC_STORE,
    COST_APIC_LOAD,
    COST_UNCACHED, /* an access to uncached memory */
    COST_PORT,
    /* What passes by itself */
    COST_PMI,        /* from the count that raises a PMI to its arrival in the local APIC */
    COST_APIC_LATE,  /* from a store to the local APIC to its effect */
    COST_MISPREDICT, /* a branch that was not predicted */
    COST_CLEAR,      /* a machine clear for self-modifying code, with the refilling of the trace cache */
    COSTS
};

/*
 * ---- Instructions: decode.c ----
 * What p4sim needs to know of an instruction. libcapstone decodes it once; a cache keeps it until the code
 * bytes at its address change.
 */

/* Instructions that p4sim executes itself, and those after which CPL, code segment, IF or translations may
 * differ. */
enum insn_intercept {
    INSN_PLAIN,
    INSN_RDTSC,
    INSN_RDMSR,
    INSN_WRMSR,
    INSN_RDPMC,
    INSN_HLT,
    INSN_DEBUG,     /* MOV to and from a debug register */
    INSN_PORT,      /* IN, OUT, INS and OUTS */
    INSN_DIVSS,     /* of registers: it may be #XM */
    INSN_OVERRIDE,  /* access by way of FS or GS, or store by way of CS */
    INSN_ICEBP,     /* INT1 */
    INSN_UNDEFINED, /* #UD, although libunicorn would execute it */
    /* From here on: insn_changes_mode(). */
    INSN_FAR,     /* far jump, call and return */
    INSN_SEGMENT, /* a load of DS, ES, FS, GS or SS */
    INSN_IRET,
    INSN_IF,   /* STI and POPF */
    INSN_FLUSH /* INVLPG and writes of CR0, CR3 and CR4 empty the TLBs */
};

/* In libunicorn's order. */
enum segment_register { SEGMENT_ES, SEGMENT_CS, SEGMENT_SS, SEGMENT_DS, SEGMENT_FS, SEGMENT_GS, SEGMENTS };

enum insn_branch {
    BRANCH_NONE,
    BRANCH_CONDITIONAL,
    BRANCH_JUMP, /* direct, always taken */
    BRANCH_CALL,
    BRANCH_RETURN,
    BRANCH_INDIRECT_JUMP,
    BRANCH_INDIRECT_CALL,
    BRANCH_FAR /* far transfers and IRET: retired_branch_type has no type for them */
};

/* Which uop event of the FLAME block an instruction causes, with one uop. */
enum insn_fp {
    FP_NONE,
    FP_PACKED_SP,
    FP_PACKED_DP,
    FP_SCALAR_SP,
    FP_SCALAR_DP,
    FP_MMX64,
    FP_MMX128,
    FP_X87,
    FP_MOVE_P0, /* register moves and stores */
    FP_MOVE_P2  /* loads */
};

#define INSN_REP         (1u << 0)  /* repeated string instruction: one retirement for all iterations */
#define INSN_SHADOW      (1u << 1)  /* no interrupt after it: MOV SS, POP SS, STI */
#define INSN_MICROCODED  (1u << 2)  /* more than four uops: they come from the microcode ROM */
#define INSN_TWICE       (1u << 3)  /* instr_retired counts it twice (E13, pmu-rules 8.2) */
#define INSN_LOADS       (1u << 4)  /* has a memory operand that is read */
#define INSN_STORES      (1u << 5)  /* has a memory operand that is written */
#define INSN_TRAP        (1u << 6)  /* INT n, INT3, INTO: retires although it raises an exception */
#define INSN_LOCKED      (1u << 7)  /* LOCK prefix, or XCHG with memory */
#define INSN_X87_PUSH    (1u << 8)  /* pushes the x87 stack */
#define INSN_SERIALISES  (1u << 9)  /* a serialising instruction (F4) */
#define INSN_REP_MOVS    (1u << 10) /* an INSN_REP that copies */
#define INSN_NONTEMPORAL (1u << 11) /* stores past the caches: MOVNTI and its kin */
#define INSN_STACK       (1u << 12) /* pushes or pops */
#define INSN_FLUSHES     (1u << 13) /* CLFLUSH */
#define INSN_DIVIDES     (1u << 14) /* DIV or IDIV, whose result in EAX comes late */
#define INSN_STORES_EAX  (1u << 15) /* stores EAX */

#define UOPS_PER_CLOCK 3u /* at most */

/* Conditions of conditional branches: 0 to 15 as in the low opcode bits of Jcc, and these. */
#define CONDITION_LOOPNE 16u /* LOOPNE to JCXZ in the order of their opcodes, E0H to E3H */
#define CONDITION_LOOPE  17u
#define CONDITION_LOOP   18u
#define CONDITION_JCXZ   19u

#define NO_CONTROL_REGISTER 0xFFu
#define PORT_IS_IMMEDIATE   0x80u
#define PORT_IS_OUTPUT      0x40u
#define PORT_BYTES(insn)    ((insn)->port_bytes & 0xFu)

struct insn {
    uint64_t tag;   /* address, validity, mode and traces (INSN_TAG_); 0 = empty entry */
    uint64_t bytes; /* the first eight code bytes under mask, as they were when decoded */
    uint64_t mask;
    uint64_t events; /* events that its retirement may post (retire_events()) */
    uint16_t clocks; /* its cost: whole clocks, and twelfths of one, which timing_price() fills in */
    uint8_t twelfths;
    uint8_t intercept; /* enum insn_intercept */
    uint8_t length;
    uint8_t branch; /* enum insn_branch */
    union {
        uint8_t condition; /* of a BRANCH_CONDITIONAL */
        uint8_t segment; /* enum segment_register, of the memory operand of any other; SEGMENTS: DS and ES */
        uint8_t control_register; /* the one that an INSN_FLUSH moves to, or NO_CONTROL_REGISTER */
        uint8_t
            port_bytes; /* of INSN_PORT; with PORT_IS_IMMEDIATE unless DX has the port, and PORT_IS_OUTPUT */
    };
    uint8_t fp; /* enum insn_fp */
    /* The registers that an instruction with a uop of the FLAME block writes and reads, numbered from 1: XMM,
     * MM, and one for the x87 stack. 0: none. */
    uint8_t fp_to;
    uint8_t fp_from;
    uint8_t cost; /* enum cost: its row in the timing table */
    uint8_t uops;
    uint8_t x87_reads; /* bit i: ST(i) is a source */
    union {
        uint8_t trap; /* interrupt vector of an INSN_TRAP */
        uint8_t port; /* of INSN_PORT */
    };
    uint8_t size;  /* bytes of the memory operand */
    uint8_t scale; /* of the index */
    uint16_t flags;
    uint16_t
        base; /* libunicorn register of the memory operand, or of a move from or to one of those; 0 = none */
    uint16_t index; /* as base, of the index register */
    union {
        uint32_t offset; /* displacement of the memory operand */
        uint32_t target; /* of a direct branch, which has none */
    };
    /* Uops that front_end_event finds if loads are tagged, and if stores are tagged. */
    uint8_t tagged_loads;
    uint8_t tagged_stores;
    bool sse_arithmetic; /* it computes with, or compares, floating-point operands of SSE */
};

_Static_assert(sizeof(struct insn) == 64, "a decoded instruction fills one cache line of the host");

/* One entry for each value of the low address bits: instructions 64 KiB apart displace each other. */
#define INSN_CACHE_ENTRIES 0x10000u
#define INSN_TAG_VALID     (1ull << 32)
#define INSN_TAG_16BIT     (1ull << 33)
#define INSN_TAG_TRACE     (1ull << 34) /* [63:34] how often the trace caches had been emptied */
#define INSN_TAG_PLACE     (INSN_TAG_TRACE - 1)

struct insn_cache {
    struct insn entry[INSN_CACHE_ENTRIES];
};

/* The entry that an address maps to; it may hold another instruction. */
static inline struct insn *insn_slot(struct insn_cache *cache, uint32_t address)
{
    return &cache->entry[address % INSN_CACHE_ENTRIES];
}

/* Do the instruction's first eight code bytes agree with these? A longer one may differ after them. */
static inline bool insn_has_bytes(const struct insn *insn, const uint8_t *code)
{
    uint64_t bytes;
    memcpy(&bytes, code, sizeof bytes);
    return (bytes & insn->mask) == insn->bytes;
}

/* Is it the instruction with this tag, unchanged in the code? */
static inline bool insn_is_current(const struct insn *insn, uint64_t tag, const uint8_t *code)
{
    return insn->tag == tag && insn_has_bytes(insn, code);
}

/* Does libunicorn execute it, but p4sim has to act on it afterwards? */
static inline bool insn_changes_mode(const struct insn *insn)
{
    return insn->intercept >= INSN_FAR;
}

/* Returns null when libcapstone cannot be opened. */
struct decoder *decoder_new(void);
void decoder_free(struct decoder *decoder);

/*
 * Decode the instruction at code (at least 16 readable bytes) into *insn; its linear address is address.
 * Bytes that are no instruction become a plain instruction of length 1, on which libunicorn raises #UD.
 */
void decode_instruction(struct decoder *decoder, struct insn *insn, const uint8_t *code, uint32_t address,
                        bool code16);

#endif
