#include "guest.h"

#include <string.h>

#define ENTRY (HANDLER + 64)

void guest_put(struct guest *guest, uint32_t address, uint32_t value)
{
    memcpy(guest->ram + address, &value, sizeof value);
}

void emit_bytes(struct guest *guest, const uint8_t *bytes, size_t count)
{
    if (guest->at + count > CODE_END)
        return;
    memcpy(guest->ram + guest->at, bytes, count);
    guest->at += (uint32_t)count;
}

void emit_word(struct guest *guest, uint32_t value)
{
    EMIT(guest, (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24));
}

void emit_load(struct guest *guest, unsigned reg, uint32_t value)
{
    EMIT(guest, (uint8_t)(0xB8 + reg)); /* MOV reg, value */
    emit_word(guest, value);
}

void emit_store(struct guest *guest, uint32_t address, uint32_t value)
{
    EMIT(guest, 0xC7, 0x05); /* MOV DWORD [address], value */
    emit_word(guest, address);
    emit_word(guest, value);
}

void emit_push(struct guest *guest, uint32_t value)
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
