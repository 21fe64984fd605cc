/*
 * The guest of the fuzz target `machine`: its memory, and the writing of its code.
 */
#ifndef TESTS_FUZZ_GUEST_H
#define TESTS_FUZZ_GUEST_H

#include <stddef.h>
#include <stdint.h>

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

struct guest {
    uint8_t *ram;
    uint32_t at; /* where the next byte of code goes */
};

/* Fill the guest's memory: descriptor tables, page tables, a handler that goes on at [RESUME], and the code
 * that enters the program with all of these in use. Returns the address of that code. */
uint32_t guest_fill(struct guest *guest);

/* Write the program that the input describes. */
void guest_program(struct guest *guest, const uint8_t *data, size_t size);

/* Write 32 bits to the guest's memory. */
void guest_put(struct guest *guest, uint32_t address, uint32_t value);

/* ---- Code ---- */

/* Bytes; nothing once the program's room is used up. */
void emit_bytes(struct guest *guest, const uint8_t *bytes, size_t count);
#define EMIT(guest, ...) \
    emit_bytes(guest, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
void emit_word(struct guest *guest, uint32_t value);
/* MOV reg, value: EAX is 0, ECX 1, EDX 2. */
void emit_load(struct guest *guest, unsigned reg, uint32_t value);
/* MOV DWORD [address], value */
void emit_store(struct guest *guest, uint32_t address, uint32_t value);
void emit_push(struct guest *guest, uint32_t value);

#endif
