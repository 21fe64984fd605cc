/*
 * p4sim's kernel loader (sim/board/elf_loader.c): the input is the file; the memory has 64 KiB above 1 MiB.
 * Whatever the file holds: nothing outside the file and the memory is accessed, the loaded image lies above
 * 1 MiB and within the memory, the entry point lies in the image, and a refusal says why in one line.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "sim/board/elf_loader.h"

#define RAM (LOADER_LOWEST + 0x10000u)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *ram;
    struct loaded_image image;
    char error[160] = "";

    if (ram == NULL)
        ram = malloc(RAM); /* on the heap, so that the sanitizer reports an access beyond its ends */
    assert(ram != NULL);
    if (loader_load(&image, data, size, ram, RAM, error, sizeof error))
        assert(image.end > LOADER_LOWEST && image.end <= RAM && image.entry >= LOADER_LOWEST &&
               image.entry < image.end);
    else
        assert(error[0] != '\0' && strlen(error) < sizeof error - 1 && strchr(error, '\n') == NULL);
    return 0;
}
