/* The second level of the caches: only lines in a state that is not the usual one are noted. */
#include "core.h"

#include <string.h>

/* Neighbouring lines, and the first lines of neighbouring pages, do not displace each other. */
static unsigned place_of(uint32_t line)
{
    return (line + (line >> 6)) % SECOND_LEVEL_NOTES;
}

enum line_state second_level_state(const struct second_level *level, uint32_t line)
{
    const unsigned place = place_of(line);
    return level->note[place].line == line + 1 ? level->note[place].state : LINE_EXCLUSIVE;
}

void second_level_note(struct second_level *level, uint32_t line, enum line_state state)
{
    const unsigned place = place_of(line);
    if (state != LINE_EXCLUSIVE || level->note[place].line == line + 1) {
        level->note[place].line = state == LINE_EXCLUSIVE ? 0 : line + 1;
        level->note[place].state = (uint8_t)state;
    }
}

struct wc_buffer *wc_buffer_of(struct wc_buffers *buffers, uint32_t line)
{
    for (unsigned i = 0; i < buffers->count; i++)
        if (buffers->buffer[i].line == line)
            return &buffers->buffer[i];
    return NULL;
}

struct wc_buffer *wc_buffer_new(struct wc_buffers *buffers, uint32_t line)
{
    struct wc_buffer *buffer = &buffers->buffer[buffers->count++];
    *buffer = (struct wc_buffer){.line = line};
    return buffer;
}

struct wc_buffer wc_buffer_take(struct wc_buffers *buffers, unsigned index)
{
    struct wc_buffer taken = buffers->buffer[index];
    buffers->count--;
    memmove(&buffers->buffer[index], &buffers->buffer[index + 1],
            (buffers->count - index) * sizeof buffers->buffer[0]);
    return taken;
}
