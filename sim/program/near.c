/* Finds the name that was probably meant by a name that no list has. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ERRORS          3u
#define CHARACTERS_PER_ERROR 3u

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many characters have to be inserted, deleted, replaced or swapped with the next one to make one name
 * the other; more than most when it would be more than most, or a name is longer than NEAR_NAME_MAX. */
static unsigned distance_of(const char *a, const char *b, unsigned most)
{
    /* The distances of the first i characters of a, and of i-1 and i-2, from the beginnings of b. */
    unsigned rows[3][NEAR_NAME_MAX + 1];
    size_t a_length = strlen(a), b_length = strlen(b);

    if (a_length > NEAR_NAME_MAX || b_length > NEAR_NAME_MAX)
        return most + 1;
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *before = rows[(i - 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            row[j] = least(before[j], row[j - 1]) + 1;
            row[j] = least(row[j], before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return least(rows[a_length % 3][b_length], most + 1);
}

/* What list prints, to be freed; null without memory. */
static char *printed(void (*list)(FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    list(out);
    fclose(out);
    return text;
}

/* The names are the first words between separators. */
static void find_nearest(const char *wanted, char *names, const char *separators, char *hint, size_t size)
{
    unsigned most = least(MOST_ERRORS, (unsigned)strlen(wanted) / CHARACTERS_PER_ERROR);

    hint[0] = '\0';
    for (char *line; most > 0 && (line = strsep(&names, separators));) {
        line[strcspn(line, " ")] = '\0';
        unsigned distance = distance_of(wanted, line, most);
        if (line[0] == '\0' || distance == 0 || distance > most)
            continue; /* distance 0: a placeholder, such as msr-fault:N, that was not filled in */
        snprintf(hint, size, "; did you mean %s?", line);
        most = distance - 1; /* from here on only a nearer one */
    }
}

void near_hint(const char *wanted, void (*list)(FILE *out), char *hint, size_t size)
{
    char *text = printed(list);
    hint[0] = '\0';
    if (text)
        find_nearest(wanted, text, "\n", hint, size);
    free(text);
}

void near_hint_of(const char *wanted, const char *names, const char *separators, char *hint, size_t size)
{
    char *text = strdup(names);
    hint[0] = '\0';
    if (text)
        find_nearest(wanted, text, separators, hint, size);
    free(text);
}
