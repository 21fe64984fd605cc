/* Writes a value change dump, the file format of waveform viewers (IEEE 1364-2005, clause 18). */
#include "waves.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "sim/netburst/nbpmu.h"

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

/* ---- The save file of GTKWave ---- */

/* Flags of GTKWave for the lines that follow. */
#define BINARY      "@28"
#define UNSIGNED    "@24"
#define HEXADECIMAL "@22"
#define GROUP       "@800200"
#define GROUP_END   "@1000200"

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

static const char *block_of(unsigned counter)
{
    return counter < 4 ? "BPU" : counter < 8 ? "MS" : counter < 12 ? "FLAME" : "IQ";
}

static void write_lp(FILE *file, unsigned lp)
{
    fprintf(file, GROUP "\n-LP%u\n" UNSIGNED "\np4sim.LP%u.CPL_LP%u[1:0]\n" BINARY "\n", lp, lp, lp);
    fprintf(file, "p4sim.LP%u.HLT_LP%u\np4sim.LP%u.PMI_LP%u\np4sim.LP%u.LVTPC_mask_LP%u\n", lp, lp, lp, lp,
            lp, lp);
    fprintf(file, GROUP_END "\n-LP%u\n", lp);
}

static void write_counter(FILE *file, unsigned n)
{
    const char *block = block_of(n);
    fprintf(file, GROUP "\n-counter %u\n" BINARY "\np4sim.%s.enable%u\n" UNSIGNED "\n", n, block, n);
    fprintf(file, "p4sim.%s.increment%u[3:0]\n" HEXADECIMAL "\np4sim.%s.counter%u[39:0]\n", block, n, block,
            n);
    fprintf(file, BINARY "\np4sim.%s.OVF%u\n" GROUP_END "\n-counter %u\n", block, n, n);
}

/* GTKWave's zoom: 200 pixels have 2 to the power of this many clocks. The window has room for some 900. */
static unsigned zoom(uint64_t clocks)
{
    unsigned power = 0;
    while (clocks > 900ull * (1ull << power) / 200)
        power++;
    return power;
}

bool save_file_write(const char *waves, const struct picture *picture, char *error, size_t size)
{
    char path[4096];
    struct stat about;
    const char *name = strrchr(waves, '/');

    if (stat(waves, &about) != 0 || !S_ISREG(about.st_mode))
        return true;
    snprintf(path, sizeof path, "%.*s.gtkw", (int)(strlen(waves) - (ends_in(waves, ".vcd") ? 4 : 0)), waves);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "[dumpfile] \"%s\"\n[timestart] %llu\n[size] 1400 800\n*-%u.0 %llu\n",
                name ? name + 1 : waves, (unsigned long long)picture->from, zoom(picture->to - picture->from),
                (unsigned long long)picture->from);
        fprintf(file, BINARY "\np4sim.vector\n");
        for (unsigned lp = 0; lp < picture->lps; lp++)
            write_lp(file, lp);
        for (unsigned n = 0; n < NBPMU_COUNTERS; n++)
            if (picture->counters >> n & 1)
                write_counter(file, n);
    }
    if (file && fclose(file) == 0)
        return true;
    snprintf(error, size, "cannot write %s: %s", path, strerror(errno));
    return false;
}
