#include "sibling_access.h"

#include "expect.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"

#define ACCESS_US 100000

static struct {
    enum access_kind kind;
    uint32_t where;
    uint64_t value;
} list[SIBLING_ACCESSES];
static unsigned count;

void ask_sibling(enum access_kind kind, uint32_t where, uint64_t value)
{
    list[count].kind = kind;
    list[count].where = where;
    list[count++].value = value;
}

static void do_accesses(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind == READ)
            list[i].value = msr_read(list[i].where);
        else if (list[i].kind == WRITE)
            msr_write(list[i].where, list[i].value);
        else if (rdpmc_try(list[i].where, &list[i].value) != NO_FAULT)
            list[i].value = UINT64_MAX;
    }
}

void sibling_accesses(void)
{
    bool done = smp_start(do_accesses, 0) && smp_wait(ACCESS_US);

    count = 0;
    require_true(HARNESS, done, "the sibling returns from its accesses");
}

uint64_t sibling_read(unsigned index)
{
    return list[index].value;
}
