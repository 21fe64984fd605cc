/*
 * The guest of the fuzz target `machine`. Its program: each byte of the input selects a kind of statement,
 * and the bytes after it its operands.
 */
#include "fuzz.h"

#include <string.h>
#include "pmc/count_of.h"
#include "pmc/netburst/regs.h"
#include "sim/board/ram.h"
#include "sim/cpu/lapic.h"

/* Memory of the program. */
#define RESUME    0x0F00u /* where the handler goes on */
#define GDT       0x1000u
#define IDT       0x2000u
#define TSS       0x3000u
#define HANDLER   0x4000u
#define DIRECTORY 0x5000u /* 32-bit paging, all memory */
#define TABLE     0x6000u /* for the first 4 MB */
#define HOLES     0x7000u /* 32-bit paging, with code but hardly anything else */
#define POINTERS  0x8000u /* PAE paging */
#define PAE       0x9000u /* its four directories */
#define STACK     0x20000u
#define CODE      0x100000u /* the program */
#define CODE_END  0x180000u
#define ZEROS     0x400000u

enum {
    NULL_SELECTOR,
    CODE0 = 0x08,
    DATA0 = 0x10,
    CODE3 = 0x1B,
    DATA3 = 0x23,
    CODE16 = 0x28,
    TSS_SELECTOR = 0x30,
    CALL_GATE = 0x38,
    TASK_GATE = 0x40,
    LDT_SELECTOR = 0x48,
    BASED = 0x50
};

#define ENTRY (HANDLER + 64)

/* ---- Memory and code ---- */

/* Write 32 bits to the guest's memory. */
static void guest_put(struct guest *guest, uint32_t address, uint32_t value)
{
    memcpy(guest->ram + address, &value, sizeof value);
}

/* Bytes of code; nothing once the program's room is used up. */
static void emit_bytes(struct guest *guest, const uint8_t *bytes, size_t count)
{
    if (guest->at + count > CODE_END)
        return;
    memcpy(guest->ram + guest->at, bytes, count);
    guest->at += (uint32_t)count;
}

#define EMIT(guest, ...) \
    emit_bytes(guest, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void emit_word(struct guest *guest, uint32_t value)
{
    EMIT(guest, (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24));
}

/* MOV reg, value: EAX is 0, ECX 1, EDX 2. */
static void emit_load(struct guest *guest, unsigned reg, uint32_t value)
{
    EMIT(guest, (uint8_t)(0xB8 + reg)); /* MOV reg, value */
    emit_word(guest, value);
}

static void emit_store(struct guest *guest, uint32_t address, uint32_t value)
{
    EMIT(guest, 0xC7, 0x05); /* MOV DWORD [address], value */
    emit_word(guest, address);
    emit_word(guest, value);
}

static void emit_push(struct guest *guest, uint32_t value)
{
    EMIT(guest, 0x68);
    emit_word(guest, value);
}

static void put_descriptor(struct guest *guest, uint32_t selector, uint32_t base, uint32_t limit,
                           uint32_t flags)
{
    guest_put(guest, GDT + (selector & ~7u), (base << 16) | (limit & 0xFFFF));
    guest_put(guest, GDT + (selector & ~7u) + 4,
              (base & 0xFF000000) | (base >> 16 & 0xFF) | (limit & 0xF0000) | flags);
}

static void put_gate(struct guest *guest, unsigned interrupt, uint32_t flags)
{
    guest_put(guest, IDT + interrupt * 8, CODE0 << 16 | HANDLER);
    guest_put(guest, IDT + interrupt * 8 + 4, flags);
}

static void fill_tables(struct guest *guest)
{
    const uint8_t handler[] = {0xBC, 0,     0,    2,    0,     /* MOV ESP, STACK */
                               0xB8, DATA0, 0,    0,    0,     /* MOV EAX, DATA0 */
                               0x8E, 0xD8,  0x8E, 0xC0,        /* MOV DS, EAX; MOV ES, EAX */
                               0xFF, 0x25,  0x00, 0x0F, 0, 0}; /* JMP [RESUME] */
    memcpy(guest->ram + HANDLER, handler, sizeof handler);
    put_descriptor(guest, CODE0, 0, 0xFFFFF, 0x00C09B00);
    put_descriptor(guest, DATA0, 0, 0xFFFFF, 0x00C09300);
    put_descriptor(guest, CODE3, 0, 0xFFFFF, 0x00C0FB00);
    put_descriptor(guest, DATA3, 0, 0xFFFFF, 0x00C0F300);
    put_descriptor(guest, CODE16, CODE, 0xFFFF, 0x00009B00);
    put_descriptor(guest, TSS_SELECTOR, TSS, 0x67, 0x00008900);
    put_descriptor(guest, LDT_SELECTOR, GDT, 0x5F, 0x00008200);
    put_descriptor(guest, BASED, 0x10000, 0xFFFFF, 0x00C09300);
    guest_put(guest, GDT + CALL_GATE, CODE0 << 16 | HANDLER);
    guest_put(guest, GDT + CALL_GATE + 4, 0x0000EC00);
    guest_put(guest, GDT + TASK_GATE, TSS_SELECTOR << 16);
    guest_put(guest, GDT + TASK_GATE + 4, 0x0000E500);
    for (unsigned interrupt = 0; interrupt < 256; interrupt++)
        put_gate(guest, interrupt, interrupt == 0x21 ? 0x8500 : interrupt % 16 == 3 ? 0xEE00 : 0x8E00);
    guest_put(guest, TSS + 4, STACK);
    guest_put(guest, TSS + 8, DATA0);
    for (uint32_t i = 0; i < 1024; i++) {
        guest_put(guest, DIRECTORY + 4 * i, i << 22 | 0x87);
        guest_put(guest, TABLE + 4 * i, i << 12 | 7);
    }
    guest_put(guest, DIRECTORY, TABLE | 7);
    guest_put(guest, HOLES, TABLE | 7);
    for (uint32_t i = 0; i < 4; i++)
        guest_put(guest, POINTERS + 8 * i, (PAE + 0x1000 * i) | 1);
    for (uint32_t i = 0; i < 2048; i++)
        guest_put(guest, PAE + 8 * i, i << 21 | 0x87);
}

uint32_t guest_fill(struct guest *guest)
{
    fill_tables(guest);
    guest->at = ENTRY;
    emit_store(guest, STACK + 16, 0xFFFFu << 16);
    emit_store(guest, STACK + 20, GDT);
    EMIT(guest, 0x0F, 0x01, 0x15); /* LGDT */
    emit_word(guest, STACK + 18);
    emit_store(guest, STACK + 20, IDT);
    EMIT(guest, 0x0F, 0x01, 0x1D); /* LIDT */
    emit_word(guest, STACK + 18);
    EMIT(guest, 0xBC); /* MOV ESP, STACK */
    emit_word(guest, STACK);
    emit_load(guest, 0, TSS_SELECTOR);
    EMIT(guest, 0x0F, 0x00, 0xD8); /* LTR AX */
    emit_load(guest, 0, DATA0);
    EMIT(guest, 0x8E, 0xD0, 0x8E, 0xD8, 0x8E, 0xC0); /* MOV SS, DS, ES */
    EMIT(guest, 0xEA);                               /* JMP CODE0:CODE */
    emit_word(guest, CODE);
    EMIT(guest, CODE0, 0);
    return ENTRY;
}

/* ---- Input ---- */

struct input {
    const uint8_t *data;
    size_t size;
};

static uint8_t byte(struct input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

static uint32_t word(struct input *input)
{
    uint32_t value = byte(input);
    value |= (uint32_t)byte(input) << 8;
    value |= (uint32_t)byte(input) << 16;
    return value | (uint32_t)byte(input) << 24;
}

/* One of the values, or any value. */
static uint32_t pick(struct input *input, const uint32_t *values, size_t count)
{
    uint8_t choice = byte(input);
    return choice < 0xE0 ? values[choice % count] : word(input);
}

#define PICK(input, ...) \
    pick(input, (const uint32_t[]){__VA_ARGS__}, COUNT_OF(((const uint32_t[]){__VA_ARGS__})))

/* ---- Statements ---- */

static uint32_t any_address(struct input *input)
{
    return PICK(input, 0, CODE, ZEROS, RAM_SIZE - 1, RAM_SIZE - 16, RAM_SIZE, LAPIC_BASE, 0xFFFFF000,
                0xFFFFFFF0, 0xFFFFFFFF, 0xA0000, 0xC0000, STACK, GDT, IDT, TABLE, 0x3FFFFD, 0x1FFFFFE);
}

static uint32_t any_selector(struct input *input)
{
    return PICK(input, 0, 3, CODE0, DATA0, CODE3, DATA3, CODE16, TSS_SELECTOR, CALL_GATE, TASK_GATE,
                LDT_SELECTOR, BASED, CODE0 | 4, 0xFFF8) &
           0xFFFF;
}

static void emit_control_register(struct guest *guest, struct input *input)
{
    uint32_t value;
    switch (byte(input) % 8) {
    case 0:
    case 1:
        value = PICK(input, 0x11, 0x80000011, 0x80010011, 0x10, 0x80000010, 0xE0000011, 0x8001003B, 0x1F);
        emit_load(guest, 0, value);
        EMIT(guest, 0x0F, 0x22, 0xC0); /* MOV CR0, EAX */
        break;
    case 2:
    case 3:
    case 4:
        value = PICK(input, DIRECTORY, HOLES, POINTERS, 0, RAM_SIZE, LAPIC_BASE, ZEROS, PAE, 0xFFFFF000);
        emit_load(guest, 0, value);
        EMIT(guest, 0x0F, 0x22, 0xD8); /* MOV CR3, EAX */
        break;
    case 5:
        emit_load(guest, 0, word(input));
        EMIT(guest, 0x0F, 0x22, 0xD0); /* MOV CR2, EAX */
        break;
    default:
        value = PICK(input, 0, 0x10, 0x20, 0x30, 0x6B0, 0x80, 8, 0x2000);
        emit_load(guest, 0, value);
        EMIT(guest, 0x0F, 0x22, 0xE0); /* MOV CR4, EAX */
        break;
    }
    EMIT(guest, 0xEB, 0x00); /* JMP to the next instruction */
}

static void emit_debug_register(struct guest *guest, struct input *input)
{
    uint8_t number = byte(input) & 7;
    uint32_t value =
        number < 4 ? any_address(input) : PICK(input, 0x400, 0x402, 0x4FF, 0xD0402, 0xFFFF07FF, 0x2402);
    if (number < 4 && value == CODE)
        value = guest->at + 16 + byte(input) % 16;
    emit_load(guest, 0, value);
    EMIT(guest, 0x0F, (uint8_t)(byte(input) & 3 ? 0x23 : 0x21),
         (uint8_t)(0xC0 | number << 3)); /* MOV DRn, EAX or back */
}

static void emit_msr(struct guest *guest, struct input *input)
{
    uint32_t msr = PICK(input, MSR_IA32_APIC_BASE, MSR_IA32_MISC_ENABLE, MSR_IA32_DEBUGCTL, 0x277, 0x2FF,
                        MSR_IA32_TIME_STAMP_COUNTER, 0x174, 0x175, 0x176, 0xC0000080,
                        0x300 + byte(input) % 18, 0x360 + byte(input) % 18, 0x3A0 + byte(input) % 80);
    emit_load(guest, 1, msr);
    emit_load(guest, 0, word(input));
    emit_load(guest, 2, byte(input) & 3 ? 0 : word(input));
    switch (byte(input) & 7) {
    case 0:
        EMIT(guest, 0x0F, 0x32); /* RDMSR */
        break;
    case 1:
        EMIT(guest, 0x0F, 0x33); /* RDPMC */
        break;
    default:
        EMIT(guest, 0x0F, 0x30); /* WRMSR */
        break;
    }
}

static void emit_table_register(struct guest *guest, struct input *input)
{
    static const uint8_t WHICH[] = {2, 3};
    uint8_t choice = byte(input);
    uint32_t limit = PICK(input, 0, 7, 0x5F, 0x7F, 0x7FF, 0xFFFF);
    if (choice & 4) {
        emit_load(guest, 0, any_selector(input));
        EMIT(guest, 0x0F, 0x00, (uint8_t)(0xC0 | WHICH[choice & 1] << 3)); /* LLDT, LTR */
        return;
    }
    emit_store(guest, STACK + 16, limit << 16);
    emit_store(guest, STACK + 20,
               choice & 1   ? PICK(input, GDT, IDT, 0, ZEROS, LAPIC_BASE, 0xFFFFF000, RAM_SIZE - 4)
               : choice & 2 ? IDT
                            : GDT);
    EMIT(guest, 0x0F, 0x01, choice & 2 ? 0x1D : 0x15); /* LIDT, LGDT [STACK + 18] */
    emit_word(guest, STACK + 18);
}

static void emit_far(struct guest *guest, struct input *input)
{
    uint32_t offset = byte(input) & 1 ? guest->at + 40 : any_address(input), selector = any_selector(input);
    switch (byte(input) % 5) {
    case 0:
    case 1:
        EMIT(guest, byte(input) & 1 ? 0xEA : 0x9A); /* JMP, CALL selector:offset */
        emit_word(guest, offset);
        EMIT(guest, (uint8_t)selector, (uint8_t)(selector >> 8));
        break;
    case 2:
        emit_push(guest, selector);
        emit_push(guest, offset);
        EMIT(guest, 0xCB); /* RETF */
        break;
    case 3:
        emit_push(guest, DATA3);
        emit_push(guest, STACK);
        emit_push(guest, PICK(input, 2, 0x102, 0x202, 0x3002, 0x20002, 0x4002, 0x10002, 0x40002));
        emit_push(guest, byte(input) & 1 ? (uint32_t)CODE3 : selector);
        emit_push(guest, guest->at + 6);
        EMIT(guest, 0xCF); /* IRET */
        break;
    default:
        emit_load(guest, 0, selector);
        EMIT(guest, 0x8E, (uint8_t)(0xC0 | (byte(input) % 6) << 3)); /* MOV segment register, EAX */
        break;
    }
}

static void emit_memory(struct guest *guest, struct input *input)
{
    static const uint32_t AREAS[] = {GDT,      IDT, TSS,  DIRECTORY, TABLE, HOLES,
                                     POINTERS, PAE, CODE, STACK,     RESUME};
    uint32_t area = AREAS[byte(input) % COUNT_OF(AREAS)];
    uint32_t offset = byte(input) * (byte(input) & 1 ? 4u : 1u);
    emit_store(guest, area == CODE ? guest->at + offset : area + offset, word(input));
}

static void emit_local_apic(struct guest *guest, struct input *input)
{
    uint32_t offset = PICK(input, 0x80, 0xB0, 0xD0, 0xE0, 0xF0, 0x280, 0x300, 0x310, 0x320, 0x340, 0x350,
                           0x370, 0x380, 0x390, 0x3E0);
    uint32_t value = PICK(input, 0, 0x1FF, 0xF0000000, 0x1000000, 0x44040, 0x44400, 0xC4500, 0xC4601, 0xC4640,
                          0x20040, 0x40, 0x400, 0x10000, 1, 0xB, 0xFFFFFFFF, 0x4840, 0x84040);
    emit_store(guest, LAPIC_BASE + (offset & 0xFFF), value);
}

static void emit_port(struct guest *guest, struct input *input)
{
    emit_load(guest, 2,
              PICK(input, 0x3F8, 0x3F9, 0x3FA, 0x3FB, 0x3FD, 0x40, 0x42, 0x43, 0x61, 0x70, 0x71, 0xCF8, 0xCFC,
                   0x80, 0x20, 0x21, 0x64, 0x400) &
                  0xFFFF);
    emit_load(guest, 0, word(input));
    static const uint8_t ACCESS[] = {0xEC, 0xED, 0xEE, 0xEF, 0x6C, 0x6F, 0xE4, 0xE6};
    uint8_t opcode = ACCESS[byte(input) % COUNT_OF(ACCESS)];
    EMIT(guest, opcode); /* IN, OUT, INS, OUTS */
    if (opcode >= 0xE4 && opcode <= 0xE7)
        EMIT(guest, byte(input));
}

static void emit_raw(struct guest *guest, struct input *input)
{
    for (unsigned count = 1 + byte(input) % 15; count > 0; count--)
        EMIT(guest, byte(input));
}

static void emit_x87(struct guest *guest, struct input *input)
{
    uint8_t opcode = byte(input), operand = byte(input);
    for (unsigned count = 8u * byte(input); count > 0; count--)
        EMIT(guest, 0xD8 | (opcode & 7), 0xC0 | operand);
}

static void emit_other(struct guest *guest, struct input *input)
{
    switch (byte(input) % 12) {
    case 0:
        EMIT(guest, 0xCD, byte(input)); /* INT */
        break;
    case 1:
        EMIT(guest, 0xFB); /* STI */
        break;
    case 2:
        EMIT(guest, 0xFB, 0xF4); /* STI, HLT */
        break;
    case 3:
        emit_push(guest, word(input) & ~2u);
        EMIT(guest, 0x9D); /* POPF */
        break;
    case 4:
        EMIT(guest, 0x0F, 0x01, 0x3D); /* INVLPG */
        emit_word(guest, any_address(input));
        break;
    case 5:
        EMIT(guest, 0xF3, byte(input) & 1 ? 0xA4 : 0xAB); /* REP MOVS, STOS */
        break;
    case 6:
        emit_load(guest, 0, any_address(input));
        EMIT(guest, 0xFF, byte(input) & 1 ? 0xE0 : 0xD0); /* JMP, CALL EAX */
        break;
    case 7:
        EMIT(guest, 0xA1); /* MOV EAX, [address] */
        emit_word(guest, any_address(input));
        break;
    case 8:
        EMIT(guest, 0xA3); /* MOV [address], EAX */
        emit_word(guest, any_address(input));
        break;
    case 9:
        EMIT(guest, 0xBC); /* MOV ESP, address */
        emit_word(guest, any_address(input));
        EMIT(guest, 0x50, 0x60); /* PUSH EAX, PUSHA */
        break;
    case 10:
        EMIT(guest, 0xB9); /* MOV ECX, count */
        emit_word(guest, PICK(input, 0, 1, 16, 4096, 0xFFFFFFFF));
        break;
    default:
        EMIT(guest, 0x0F, 0x34 + (byte(input) & 1)); /* SYSENTER, SYSEXIT */
        break;
    }
}

void guest_program(struct guest *guest, const uint8_t *data, size_t size)
{
    static void (*const KINDS[])(struct guest *, struct input *) = {emit_control_register,
                                                                    emit_debug_register,
                                                                    emit_msr,
                                                                    emit_table_register,
                                                                    emit_far,
                                                                    emit_memory,
                                                                    emit_local_apic,
                                                                    emit_port,
                                                                    emit_raw,
                                                                    emit_raw,
                                                                    emit_x87,
                                                                    emit_other,
                                                                    emit_other};
    struct input input = {data, size};
    guest->at = CODE;
    while (input.size > 0 && guest->at < CODE_END - 4096) {
        uint32_t resume = guest->at + 6;
        emit_store(guest, RESUME, 0);
        KINDS[byte(&input) % COUNT_OF(KINDS)](guest, &input);
        guest_put(guest, resume,
                  guest->at); /* the store's operand: an exception goes on with the next statement */
    }
    EMIT(guest, 0xFA, 0xF4, 0xEB, 0xFC); /* CLI, HLT, JMP back */
}
