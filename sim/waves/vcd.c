#include "waves.h"

#include <assert.h>
#include <stdarg.h>

/* Signals are called by one or two printable characters other than blanks. */
#define FIRST_CHARACTER '"'
#define CHARACTERS      ('~' - FIRST_CHARACTER + 1)
#define TEXT            "!"

static void print(struct vcd *vcd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vfprintf(vcd->file, format, arguments);
    va_end(arguments);
    vcd->bytes += bytes > 0 ? (unsigned)bytes : 0;
}

struct code {
    char text[3];
};

static struct code code_of(unsigned signal)
{
    unsigned high = signal / CHARACTERS, low = signal % CHARACTERS;
    return (struct code){{(char)(FIRST_CHARACTER + low), high ? (char)(FIRST_CHARACTER + high) : '\0'}};
}

void vcd_begin(struct vcd *vcd, FILE *file, uint64_t limit, const char *comment)
{
    *vcd = (struct vcd){.file = file, .limit = limit};
    print(vcd, "$version p4sim $end\n$comment %s $end\n$timescale 1 ns $end\n", comment);
}

void vcd_scope(struct vcd *vcd, const char *name)
{
    print(vcd, "$scope module %s $end\n", name);
}

unsigned vcd_number(struct vcd *vcd, const char *name, unsigned bits)
{
    unsigned signal = vcd->signals++;
    assert(signal < VCD_SIGNALS);
    vcd->signal[signal].bits = bits;
    const struct code code = code_of(signal);
    print(vcd, "$var wire %u %s %s", bits, code.text, name);
    if (bits > 1)
        print(vcd, " [%u:0]", bits - 1);
    print(vcd, " $end\n");
    return signal;
}

void vcd_text(struct vcd *vcd, const char *name)
{
    vcd->has_text = true;
    print(vcd, "$var string 1 " TEXT " %s $end\n", name);
}

void vcd_end_scope(struct vcd *vcd)
{
    print(vcd, "$upscope $end\n");
}

static void print_number(struct vcd *vcd, unsigned signal)
{
    uint64_t value = vcd->signal[signal].value;
    const struct code code = code_of(signal);
    if (vcd->signal[signal].bits == 1) {
        print(vcd, "%u%s\n", (unsigned)value, code.text);
        return;
    }
    char digits[65];
    unsigned first = sizeof digits - 1;
    digits[first] = '\0';
    do /* leading zeros are left out */
        digits[--first] = (char)('0' + (value & 1));
    while (value >>= 1);
    print(vcd, "b%s %s\n", digits + first, code.text);
}

void vcd_declared(struct vcd *vcd, uint64_t clock)
{
    vcd->clock = clock;
    print(vcd, "$enddefinitions $end\n#%llu\n$dumpvars\n", (unsigned long long)clock);
    if (vcd->has_text)
        print(vcd, "s- " TEXT "\n");
    for (unsigned signal = 0; signal < vcd->signals; signal++)
        print_number(vcd, signal);
    print(vcd, "$end\n");
}

/* Write that time goes on to this clock, in which something changes. False if the file is full. */
static bool at_clock(struct vcd *vcd, uint64_t clock)
{
    assert(clock >= vcd->clock);
    if (vcd->bytes >= vcd->limit && clock != vcd->clock)
        vcd->full = true; /* with all changes of the last clock that it has */
    if (!vcd->full && clock != vcd->clock)
        print(vcd, "#%llu\n", (unsigned long long)clock);
    if (!vcd->full)
        vcd->clock = clock;
    return !vcd->full;
}

void vcd_set(struct vcd *vcd, uint64_t clock, unsigned signal, uint64_t value)
{
    if (vcd->signal[signal].value == value || !at_clock(vcd, clock))
        return;
    vcd->signal[signal].value = value;
    print_number(vcd, signal);
}

void vcd_set_text(struct vcd *vcd, uint64_t clock, const char *text)
{
    if (at_clock(vcd, clock))
        print(vcd, "s%s " TEXT "\n", text);
}

void vcd_end(struct vcd *vcd, uint64_t clock)
{
    if (clock > vcd->clock)
        at_clock(vcd, clock);
}
