/*
 * MP tables (kernel/firmware/mptable.c): the input lies at the start of the BIOS ROM, where the
 * root pointer is searched. Whatever it holds: nothing is read that physical() did not grant, and an answer
 * of true comes with processors.
 */
#include "fuzz.h"

#include <assert.h>
#include "kernel/firmware/tables.h"
#include "window.h"

#define BIOS 0xF0000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct processor_list list;

    window_open(BIOS, data, size);
    assert(mptable_processors(&list) == (list.count > 0));
    window_close();
    return 0;
}
