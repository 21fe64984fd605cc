/*
 * ACPI tables (kernel/firmware/acpi.c): the input lies at the start of the BIOS area, where the root pointer
 * is searched. Whatever it holds: nothing is read that phys_ptr() did not grant, and a true result comes with
 * processors.
 */
#include "fuzz.h"

#include <assert.h>
#include "kernel/firmware/acpi.h"
#include "window.h"

#define BIOS 0xE0000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct processor_list list;

    window_open(BIOS, data, size);
    assert(acpi_processors(&list) == (list.count > 0));
    window_close();
    return 0;
}
