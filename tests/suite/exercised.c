/* The list of what was not exercised: each name once, with the most that it counted. */
#include "exercised.h"

#include "expect.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"

#define MOST 128 /* the last one stands for all that have no room */

static struct {
    char name[EXERCISED_NAME];
    const char *reason;
    uint64_t counted;
} list[MOST];
static unsigned names;

static unsigned index_of(const char *name)
{
    unsigned i = 0;

    while (i < names && strcmp(list[i].name, name) != 0)
        i++;
    return i;
}

void not_exercised(const char *name, const char *reason, uint64_t counted)
{
    unsigned i = index_of(name);

    if (i >= MOST - 1) {
        name = "others";
        reason = "the list is full";
        i = MOST - 1;
    }
    if (i == names) {
        format(list[names].name, EXERCISED_NAME, "%s", name);
        list[names++].reason = reason;
    }
    if (counted > list[i].counted)
        list[i].counted = counted;
}

void not_exercised_now(const char *name, const char *reason, uint64_t counted)
{
    not_exercised(name, reason, counted);
    expect_end();
}

void exercised_report(void)
{
    for (unsigned i = 0; i < names; i++)
        tap_not_exercised(list[i].name, list[i].reason, list[i].counted);
}
