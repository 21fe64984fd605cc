/*
 * Drives a fuzz target without libFuzzer, for machines that have only gcc: first every seed as it is, then
 * seeds with random changes. It takes these arguments of libFuzzer; equal arguments give equal inputs:
 *
 *   TARGET [-runs=N] [-seed=N] DIRECTORY
 *
 * A failed assertion or a sanitizer ends the program; "input" on standard error is the input that did it.
 */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pmc/count_of.h"
#include "sim/lib/random.h"

#define SEEDS   64
#define LARGEST 4096 /* bytes of an input */
#define CHANGES 8    /* to one input, at most */

struct input {
    uint8_t bytes[LARGEST];
    size_t size;
};

static struct input seeds[SEEDS], input;
static unsigned seed_count;
static struct random random_changes;

static unsigned below(size_t n)
{
    return random_below(&random_changes, (uint32_t)n);
}

/* Print the current input in hexadecimal. Runs in a signal handler, so it uses nothing but write(). */
static void show_input(int signal_number)
{
    static const char digits[] = "0123456789ABCDEF";
    bool shown = write(STDERR_FILENO, "input ", 6) == 6;

    for (size_t i = 0; i < input.size && shown; i++) {
        char text[2] = {digits[input.bytes[i] >> 4], digits[input.bytes[i] & 15]};
        shown = write(STDERR_FILENO, text, sizeof text) == sizeof text;
    }
    if (shown && write(STDERR_FILENO, "\n", 1) != 1)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void read_seeds(const char *directory)
{
    struct dirent **names;
    int count = scandir(directory, &names, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        char path[4096];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", directory, names[i]->d_name);
        file = names[i]->d_name[0] != '.' && seed_count < SEEDS ? fopen(path, "rb") : NULL;
        free(names[i]);
        if (file == NULL)
            continue;
        seeds[seed_count].size = fread(seeds[seed_count].bytes, 1, LARGEST, file);
        seed_count++;
        fclose(file);
    }
    if (seed_count == 0) {
        fprintf(stderr, "no seeds in '%s'\n", directory);
        exit(2);
    }
    free(names);
}

/* A number at which code that handles lengths, counts and addresses often goes wrong. */
static uint32_t awkward(void)
{
    static const uint32_t numbers[] = {0,      1,          7,          8,          0x7F,      0xFF,
                                       0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF};

    return numbers[below(COUNT_OF(numbers))];
}

static void change(void)
{
    size_t at = below(input.size + 1), room = input.size - at, length;
    const struct input *other;
    uint32_t number;

    switch (below(7)) {
    case 0: /* flip a bit */
        if (room > 0)
            input.bytes[at] ^= (uint8_t)(1u << below(8));
        break;
    case 1: /* any byte */
        if (room > 0)
            input.bytes[at] = (uint8_t)below(256);
        break;
    case 2: /* an awkward number, of one to four bytes */
        number = awkward();
        length = 1u << below(3);
        if (room >= length)
            memcpy(input.bytes + at, &number, length);
        break;
    case 3: /* a number nearby */
        if (room > 0)
            input.bytes[at] = (uint8_t)(input.bytes[at] + below(9) - 4);
        break;
    case 4: /* cut */
        input.size = at;
        break;
    case 5: /* take bytes out */
        length = room > 0 ? below(room) : 0;
        memmove(input.bytes + at, input.bytes + at + length, room - length);
        input.size -= length;
        break;
    default: /* put bytes of a seed in */
        other = &seeds[below(seed_count)];
        length = other->size > 0 ? below(other->size) + 1 : 0;
        length = length < LARGEST - input.size ? length : LARGEST - input.size;
        memmove(input.bytes + at + length, input.bytes + at, room);
        memcpy(input.bytes + at, other->bytes + (other->size - length), length);
        input.size += length;
        break;
    }
}

/* Test a copy of the input in memory of exactly its size, so that a sanitizer sees an access beyond it. */
static void test_exact_copy(void)
{
    uint8_t *exact = malloc(input.size > 0 ? input.size : 1);

    if (exact == NULL)
        abort();
    memcpy(exact, input.bytes, input.size);
    LLVMFuzzerTestOneInput(exact, input.size);
    free(exact);
}

int main(int argc, char **argv)
{
    unsigned long runs = 0, seed = 1;
    const char *directory = NULL;

    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "-runs=%lu", &runs) != 1 && sscanf(argv[i], "-seed=%lu", &seed) != 1)
            directory = argv[i];
    if (directory == NULL) {
        fprintf(stderr, "usage: %s [-runs=N] [-seed=N] DIRECTORY\n", argv[0]);
        return 2;
    }
    static const int SIGNALS[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    for (unsigned i = 0; i < COUNT_OF(SIGNALS); i++)
        signal(SIGNALS[i], show_input);
    read_seeds(directory);
    for (unsigned i = 0; i < seed_count; i++) {
        input = seeds[i];
        test_exact_copy();
    }
    random_changes = random_of_seed((uint32_t)seed);
    for (unsigned long run = 0; run < runs; run++) {
        input = seeds[below(seed_count)];
        for (unsigned changes = 1 + below(CHANGES); changes > 0; changes--)
            change();
        test_exact_copy();
    }
    printf("%u seeds, %lu runs\n", seed_count, runs);
    return 0;
}
