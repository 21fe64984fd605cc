/* kernel/firmware/multiboot.c: the framebuffer that a loader hands over, and which descriptions of one are
 * refused. */
#include "kernel/firmware/multiboot.h"
#include "kernel/framebuffer/description.h"
#include "multiboot_info.h"

static const struct framebuffer *found(void)
{
    static struct framebuffer framebuffer;

    return framebuffer_find(&framebuffer) ? &framebuffer : NULL;
}

static const struct framebuffer *read_mb1(void)
{
    assert_true(multiboot_read(MB1_MAGIC, INFO));
    return found();
}

static const struct framebuffer *read_mb2(void)
{
    assert_true(multiboot_read(MB2_MAGIC, INFO));
    return found();
}

static void assert_good(const struct framebuffer *f)
{
    assert_non_null(f);
    assert_int_equal(f->address, 0xE0000000u);
    assert_int_equal(f->pitch, 4096);
    assert_int_equal(f->width, 1024);
    assert_int_equal(f->height, 768);
    assert_int_equal(f->bits, 32);
    assert_int_equal(f->red.position, 16);
    assert_int_equal(f->red.size, 8);
    assert_int_equal(f->green.position, 8);
    assert_int_equal(f->green.size, 8);
    assert_int_equal(f->blue.position, 0);
    assert_int_equal(f->blue.size, 8);
}

TEST(both_versions)
{
    put_mb1(0x100000, 0x1000000, 1);
    assert_good(read_mb1());
    put_mb2();
    assert_good(read_mb2());
}

TEST(none_when_none_is_described)
{
    put_mb1(0x100000, 0x1000000, 1);
    put(0, 1u << 6, 4);
    assert_null(read_mb1());
    put_mb2();
    put(MB2_SCREEN, 99, 4); /* an undefined tag */
    assert_null(read_mb2());
    put_mb2();
    assert_good(read_mb2());
    assert_false(multiboot_read(0, INFO)); /* no magic of either version: the earlier information is gone */
    assert_null(found());
}

TEST(other_types_are_left_alone)
{
    static const uint8_t TYPES[] = {0, 2, 3}; /* palette, EGA text, none */
    for (unsigned i = 0; i < COUNT_OF(TYPES); i++) {
        put_mb1(0x100000, 0x1000000, 1);
        put(88 + 21, TYPES[i], 1);
        assert_null(read_mb1());
        put_mb2();
        put(MB2_SCREEN + 8 + 21, TYPES[i], 1);
        assert_null(read_mb2());
    }
}

TEST(nonsense_is_refused)
{
    put_mb1(0x100000, 0x1000000, 1);
    put(88, 0xB8000, 8); /* the text screen, described as pixels */
    put(88 + 8, 160, 4);
    put(88 + 12, 80, 4);
    put(88 + 16, 25, 4);
    put(88 + 20, 24, 1);
    assert_null(read_mb1());
    put_mb2();
    put(MB2_SCREEN + 8 + 4, 1, 4); /* above 4 GB */
    assert_null(read_mb2());
    for (unsigned size = 8; size < 38; size++) { /* a tag too short for the masks */
        put_mb2();
        put(MB2_SCREEN + 4, size, 4);
        put(0, 8 + size, 4);
        assert_null(read_mb2());
    }
}

/* A framebuffer (3 MB at E0000000H) that overlaps RAM of the map is not used. */
TEST(ram_is_not_drawn_into)
{
    put_mb1(0xE0000000u, 1, 1);
    assert_null(read_mb1());
    put_mb1(0xE02FFFFFu, 0x1000, 1);
    assert_null(read_mb1());
    put_mb1(0x100000, 0xE0000000u, 1);
    assert_null(read_mb1());
    put_mb1(0x100000, 0xDFF00000u, 1);
    assert_good(read_mb1());
    put_mb1(0xE0300000u, 0x1000, 1);
    assert_good(read_mb1());
    put_mb1(0xE0000000u, 0x1000, 2); /* reserved: where a framebuffer belongs */
    assert_good(read_mb1());
}
