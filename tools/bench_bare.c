/*
 * bench-bare: bench.asm on libunicorn alone, for `make bench`: what p4sim is compared with.
 *
 *   bench-bare IMAGE
 *
 * An empty hook is called for each instruction, as p4sim's is. Prints the processor time of the execution in
 * seconds. The time of setting it up is not included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unicorn/unicorn.h>
#include <unicorn/x86.h>
#include "sim/board/elf_loader.h"

#define RAM_BYTES   (4u << 20)
#define IMAGE_BYTES (64u << 10) /* more than bench.asm ever has */
#define WRONG_USAGE 2

static void hook(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    (void)uc;
    (void)address;
    (void)size;
    (void)context;
}

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union callback {
    void (*hook)(uc_engine *, uint64_t, uint32_t, void *);
    void *address;
};

static int fail(const char *what)
{
    fprintf(stderr, "bench-bare: %s\n", what);
    return EXIT_FAILURE;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static uint8_t file[IMAGE_BYTES];
    const union callback empty = {.hook = hook};
    struct loaded_image image;
    char error[128];
    uc_engine *uc;
    uc_hook handle;

    if (argc != 2) {
        fprintf(stderr, "usage: bench-bare IMAGE\n");
        return WRONG_USAGE;
    }
    FILE *in = fopen(argv[1], "rb");
    if (!in)
        return fail("cannot read the image");
    size_t bytes = fread(file, 1, sizeof file, in);
    fclose(in);

    uint8_t *ram = calloc(1, RAM_BYTES);
    if (!ram || !loader_load(&image, file, bytes, ram, RAM_BYTES, error, sizeof error))
        return fail(ram ? error : "no memory");
    if (uc_open(UC_ARCH_X86, UC_MODE_32, &uc) != UC_ERR_OK ||
        uc_mem_map(uc, 0, RAM_BYTES, UC_PROT_ALL) != UC_ERR_OK ||
        uc_mem_write(uc, 0, ram, RAM_BYTES) != UC_ERR_OK ||
        uc_hook_add(uc, &handle, UC_HOOK_CODE, empty.address, NULL, 1, 0) != UC_ERR_OK)
        return fail("libunicorn cannot set it up");

    double start = processor_seconds();
    uc_err ended = uc_emu_start(uc, image.entry, 0, 0, 0);
    double seconds = processor_seconds() - start;

    uint32_t laps = 1;
    uc_reg_read(uc, UC_X86_REG_ECX, &laps);
    uc_close(uc);
    free(ram);
    if (ended != UC_ERR_OK || laps)
        return fail("the loop did not end");
    printf("%.6f\n", seconds);
    return EXIT_SUCCESS;
}
