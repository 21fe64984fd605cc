/*
 * Makes and frees a logical processor: its state at power-up, its libunicorn engine with memory map and
 * hooks.
 */
#include "create.h"
#include "engine.h"
#include "execute.h"
#include "translation.h"
#include "ram_stores.h"
#include "mmio.h"
#include "intercept.h"
#include "power.h"

#include <stdio.h>
#include <stdlib.h>
#include "sim/cpu/registers.h"

/* The result, true, makes libunicorn go on; it drops the store because the memory is read-only. */
static bool hook_rom_store(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                           void *context)
{
    (void)uc;
    (void)type;
    (void)address;
    (void)size;
    (void)value;
    (void)context;
    return true;
}

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    bool (*store)(uc_engine *, uc_mem_type, uint64_t, int, int64_t, void *);
    void *address;
};

static bool map_boot_rom(struct processor *processor)
{
    const union hook store = {.store = hook_rom_store};
    const uint64_t last = BOOT_ROM_BASE + (BOOT_ROM_SIZE - 1);
    uc_hook handle;
    /* Only a later change of protection makes the memory itself read-only (ram_stores_map()). */
    return uc_mem_map_ptr(processor->uc, BOOT_ROM_BASE, BOOT_ROM_SIZE, UC_PROT_ALL, processor->boot_rom) ==
               UC_ERR_OK &&
           uc_mem_protect(processor->uc, BOOT_ROM_BASE, BOOT_ROM_SIZE, UC_PROT_READ | UC_PROT_EXEC) ==
               UC_ERR_OK &&
           uc_hook_add(processor->uc, &handle, UC_HOOK_MEM_WRITE_PROT, store.address, processor,
                       BOOT_ROM_BASE, last) == UC_ERR_OK;
}

static bool map_memory(struct processor *processor)
{
    return ram_stores_map(processor) && map_boot_rom(processor) && apic_bus_map(processor);
}

static bool open_engine(struct processor *processor)
{
    processor->translation = (struct translation){0};
    return uc_open(UC_ARCH_X86, UC_MODE_32, &processor->uc) == UC_ERR_OK && context_init(processor) &&
           map_memory(processor) && translation_init(processor) && execute_install(processor) &&
           intercept_install(processor);
}

bool processor_init(struct processor *processor, char *error, size_t size)
{
    processor->state = PROCESSOR_WAIT_FOR_SIPI;
    processor->mode_tag = INSN_TAG_VALID;
    processor->ram_store = NO_RAM_STORE;
    processor->dice = random_of_seed(processor->index);
    processor->pmi_arrives = LAPIC_NEVER;
    lapic_reset(&processor->lapic,
                (uint8_t)(processor->quirks->first_apic_id + processor->index * processor->engine->ids_apart),
                cpu_model_ratio(processor->model, processor->variants->core_below_tsc));
    msrs_reset(processor);

    processor->boot_rom = aligned_alloc(BOOT_ROM_SIZE, BOOT_ROM_SIZE);
    if (processor->boot_rom && open_engine(processor)) {
        boot_rom_fill(processor->boot_rom);
        return true;
    }
    snprintf(error, size, "libunicorn cannot set up logical processor %u", processor->index);
    return false;
}

bool processor_renew_engine(struct processor *processor)
{
    uc_context *state = processor->context;
    uc_context_save(processor->uc, state);
    uc_close(processor->uc);
    processor->uc = NULL;
    processor->context = NULL;
    bool renewed = open_engine(processor) && uc_context_restore(processor->uc, state) == UC_ERR_OK;
    uc_context_free(state);
    if (renewed)
        ram_stores_refresh(processor);
    return renewed;
}

void processor_free(struct processor *processor)
{
    context_free(processor);
    if (processor->uc)
        uc_close(processor->uc);
    free(processor->boot_rom);
}
