/*
 * kernel/framebuffer/framebuffer.c on memory of the test, followed by a page that must not be touched: which
 * framebuffers are used, and every pixel of a cell. Expectations: the 16 colours of a VGA, and the
 * masks of the multiboot specifications.
 */
#include "tests/host/support/host_test.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "kernel/console/console.h"
#include "kernel/framebuffer/framebuffer.h"

#define PAGE   4096u
#define ARENA  0x20000000u /* below 4 GB, where a framebuffer has to be */
#define ROOM   (1024u * PAGE)
#define FILLED 0xEE

static const struct framebuffer_field AT_0 = {0, 8}, AT_8 = {8, 8}, AT_16 = {16, 8};

static uint8_t *arena;

BEFORE_EACH(map_arena)
{
    if (arena)
        return;
    arena = mmap((void *)(uintptr_t)ARENA, ROOM + PAGE, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_not_equal(arena, MAP_FAILED);
    assert_int_equal(mprotect(arena, ROOM, PROT_READ | PROT_WRITE), 0);
}

/* 640x400 with spare bytes after each line; its last byte is the last of the arena. */
static struct framebuffer small(uint8_t bits, uint32_t spare)
{
    struct framebuffer f = {.pitch = 640u * bits / 8 + spare,
                            .width = 640,
                            .height = 400,
                            .bits = bits,
                            .red = AT_16,
                            .green = AT_8,
                            .blue = AT_0};

    f.address = ARENA + ROOM - f.pitch * f.height;
    return f;
}

static uint32_t pixel(const struct framebuffer *f, unsigned x, unsigned y)
{
    uint32_t value = 0;

    memcpy(&value, (const uint8_t *)(uintptr_t)f->address + y * f->pitch + x * f->bits / 8, f->bits / 8);
    return value;
}

static void start(const struct framebuffer *f)
{
    memset(arena, FILLED, ROOM);
    assert_true(framebuffer_usable(f));
    framebuffer_init(f);
}

static const uint8_t BITS[] = {24, 32};

TEST(is_black_at_first)
{
    for (unsigned i = 0; i < COUNT_OF(BITS); i++) {
        struct framebuffer f = small(BITS[i], 7);

        f.width = 641; /* 24 bits: a line that is no multiple of four bytes */
        start(&f);
        const uint8_t *line = (const uint8_t *)(uintptr_t)f.address;
        assert_int_equal(line[-1], FILLED);
        for (unsigned y = 0; y < f.height; y++, line += f.pitch)
            for (unsigned x = 0; x < f.pitch; x++)
                assert_int_equal(line[x], x < f.width * f.bits / 8 ? 0 : FILLED);
    }
}

/* Of the first 64 x 64 pixels, the cell at column 3 and row 2 shows the glyph, or none, in these colours, and
 * everything else is black. */
static void assert_cell(const struct framebuffer *f, const char *const rows[16], uint32_t ink, uint32_t paper)
{
    for (unsigned y = 0; y < 64; y++)
        for (unsigned x = 0; x < 64; x++) {
            const bool in = x >= 24 && x < 32 && y >= 32 && y < 48;
            const bool inked = in && rows && rows[y - 32][x - 24] == '#';
            const uint32_t wanted = !in ? 0 : inked ? ink : paper;

            if (pixel(f, x, y) != wanted)
                fail_msg("%u bits, %u, %u: %06X, not %06X", f->bits, x, y, pixel(f, x, y), wanted);
        }
}

/* The misc-fixed bold 'P': 10 rows on a base line that is 11 rows below the glyph's top, 12 below the cell's.
 */
static const char *const LETTER[16] = {
    "        ", "        ", "######  ", "##   ## ", "##   ## ", "##   ## ", "##   ## ", "######  ",
    "##      ", "##      ", "##      ", "##      ", "        ", "        ", "        ", "        ",
};
TEST(draws_a_letter)
{
    static const uint32_t SPARE[] = {0, 1, 64};
    for (unsigned b = 0; b < COUNT_OF(BITS); b++)
        for (unsigned s = 0; s < COUNT_OF(SPARE); s++) {
            struct framebuffer f = small(BITS[b], SPARE[s]);

            start(&f);
            framebuffer_draw(3, 2, 'P' | SCREEN_RED << 8);
            assert_cell(&f, LETTER, 0xFFFFFF, 0xAA0000);
            framebuffer_draw(3, 2, ' ' | SCREEN_GREEN << 8); /* the old glyph is erased */
            assert_cell(&f, NULL, 0, 0x00AA00);
            framebuffer_draw(3, 2, SCREEN_FULL_BLOCK | SCREEN_NORMAL << 8);
            assert_cell(&f, NULL, 0, 0xAAAAAA);
            framebuffer_draw(79, 24, SCREEN_FULL_BLOCK | SCREEN_NORMAL << 8); /* the last cell */
            assert_int_equal(pixel(&f, 639, 399), 0xAAAAAA);
            assert_int_equal(pixel(&f, 632, 384), 0xAAAAAA);
            assert_int_equal(pixel(&f, 631, 399), 0);
        }
}

TEST(every_glyph_is_its_own)
{
    struct framebuffer f = small(32, 0);
    start(&f);
    for (unsigned c = 0; c < 256; c++) {
        framebuffer_draw(3, 2, (uint16_t)(c | SCREEN_NORMAL << 8));
        if (c == SCREEN_FULL_BLOCK)
            continue;
        for (unsigned y = 0; y < 16; y++)
            for (unsigned x = 0; x < 8; x++) {
                bool ink = c >= ' ' && c <= '~' && y >= 1 && y <= 13 && (FONT[c - ' '][y - 1] >> (7 - x) & 1);
                assert_int_equal(pixel(&f, 24 + x, 32 + y), ink ? 0xAAAAAA : 0);
            }
    }
    for (unsigned a = 1; a < FONT_GLYPHS; a++)
        for (unsigned b = 0; b < a; b++)
            assert_memory_not_equal(FONT[a], FONT[b], FONT_ROWS);
}

TEST(colours_are_those_of_a_vga)
{
    static const uint32_t VGA[16] = {0x000000, 0x0000AA, 0x00AA00, 0x00AAAA, 0xAA0000, 0xAA00AA,
                                     0xAA5500, 0xAAAAAA, 0x555555, 0x5555FF, 0x55FF55, 0x55FFFF,
                                     0xFF5555, 0xFF55FF, 0xFFFF55, 0xFFFFFF};
    struct framebuffer f = small(32, 0);
    start(&f);
    for (unsigned i = 0; i < 16; i++) {
        framebuffer_draw(3, 2, (uint16_t)(SCREEN_FULL_BLOCK | i << 8));
        assert_int_equal(pixel(&f, 24, 32), VGA[i]);
    }
    for (unsigned i = 0; i < 8; i++) {
        framebuffer_draw(3, 2, (uint16_t)(' ' | i << 12));
        assert_int_equal(pixel(&f, 24, 32), VGA[i]);
    }
}

TEST(masks_are_respected)
{
    struct framebuffer f = small(32, 0);
    f.red = AT_0;
    f.blue = AT_16;
    start(&f);
    framebuffer_draw(3, 2, ' ' | SCREEN_RED << 8);
    assert_int_equal(pixel(&f, 24, 32), 0x0000AA);
    f.red = (struct framebuffer_field){24, 8};
    f.green = (struct framebuffer_field){11, 5};
    f.blue = (struct framebuffer_field){0, 1};
    start(&f);
    framebuffer_draw(3, 2, SCREEN_FULL_BLOCK | SCREEN_NORMAL << 8);
    assert_int_equal(pixel(&f, 24, 32), 0xAAu << 24 | 0x15u << 11 | 1);
}

TEST(geometry_that_makes_no_sense_is_refused)
{
    const struct framebuffer good = small(32, 0);
    struct framebuffer f;
    assert_true(framebuffer_usable(&good));
#define REFUSED(change)                          \
    do {                                         \
        f = good;                                \
        change;                                  \
        if (framebuffer_usable(&f))              \
            fail_msg("usable with %s", #change); \
    } while (0)
    REFUSED(memset(&f, 0, sizeof f));
    REFUSED(
        (f.width = 80, f.height = 25, f.bits = 24, f.pitch = 240)); /* a text screen described as pixels */
    REFUSED((f.width = 639));
    REFUSED((f.height = 399));
    REFUSED((f.width = 8193, f.pitch = 4 * 8193));
    REFUSED((f.height = 8193));
    REFUSED((f.width = 0x40000000)); /* times four is 0 in 32 bits */
    REFUSED((f.pitch = 4 * 640 - 1));
    REFUSED((f.pitch = 0));
    for (unsigned bits = 1; bits < 256; bits++)
        if (bits != 24 && bits != 32)
            REFUSED((f.bits = (uint8_t)bits, f.red = f.green = f.blue = (struct framebuffer_field){0, 1},
                     f.address = 0x100000, f.pitch = 640 * 32));
    REFUSED((f.address = 0));
    REFUSED((f.address = 0xB8000));
    REFUSED((f.address |= 1ull << 32));
    REFUSED((f.address = 0x100000000ull - 4 * 640 * 400 + 1)); /* one byte too far */
    REFUSED((f.pitch = 0xFFFFFFFF));
    REFUSED((f.red.size = 0));
    REFUSED((f.green.size = 9));
    REFUSED((f.blue.size = 255));
    REFUSED((f.red.position = 25));
    REFUSED((f.red.position = 255));
    REFUSED((f.bits = 24, f.red.position = 17));
#undef REFUSED
    f = good;
    f.address = 0x100000000ull - 4 * 640 * 400;
    assert_true(framebuffer_usable(&f));
    f.address = 0x100000;
    assert_true(framebuffer_usable(&f));
    f.red.position = 24;
    assert_true(framebuffer_usable(&f));
    f.width = f.height = 8192;
    f.pitch = 4 * 8192;
    assert_true(framebuffer_usable(&f));
}
