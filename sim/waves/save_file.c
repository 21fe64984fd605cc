#include "waves.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "sim/netburst/nbpmu.h"

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
