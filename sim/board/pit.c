/*
 * Counting of the 8254, computed from the core clock at each access instead of tick by tick.
 * Source: Intel 8254 data sheet (231164). Modes 0 to 3; modes 4 and 5 count as mode 0 does. Binary
 * counting only.
 */
#include "pit.h"

#include <string.h>

enum { ACCESS_LATCH, ACCESS_LOW, ACCESS_HIGH, ACCESS_BOTH };

void pit_init(struct pit *pit, uint64_t clock_hz)
{
    memset(pit, 0, sizeof *pit);
    pit->clock_hz = clock_hz;
    pit->channel[0].gate = true;
    pit->channel[1].gate = true;
}

static uint64_t ticks(const struct pit *pit, uint64_t clock)
{
    uint64_t seconds = clock / pit->clock_hz, rest = clock % pit->clock_hz;
    return seconds * PIT_HZ + rest * PIT_HZ / pit->clock_hz;
}

static uint64_t period(const struct pit_channel *channel)
{
    return channel->reload ? channel->reload : 0x10000;
}

static bool periodic(const struct pit_channel *channel)
{
    return channel->mode == 2 || channel->mode == 3;
}

static uint64_t counted(const struct pit_channel *channel, uint64_t now)
{
    if (!channel->loaded)
        return 0;
    bool counting = channel->gate || channel->mode == 1;
    return channel->counted + (counting ? now - channel->start : 0);
}

static uint16_t count(const struct pit_channel *channel, uint64_t now)
{
    uint64_t done = counted(channel, now);
    if (periodic(channel))
        done %= period(channel);
    return (uint16_t)(period(channel) - done);
}

static bool output(const struct pit_channel *channel, uint64_t now)
{
    if (!channel->loaded)
        return channel->mode != 0;
    uint64_t done = counted(channel, now);
    if (channel->mode == 3)
        return done % period(channel) < (period(channel) + 1) / 2;
    if (channel->mode == 2)
        return done % period(channel) != period(channel) - 1;
    return done >= period(channel);
}

static void control(struct pit *pit, uint8_t value, uint64_t now)
{
    unsigned number = value >> 6;
    if (number == PIT_CHANNELS)
        return; /* the read-back command is not simulated */
    struct pit_channel *channel = &pit->channel[number];
    unsigned access = value >> 4 & 3;
    if (access == ACCESS_LATCH) {
        if (!channel->latched_bytes) {
            channel->latch = count(channel, now);
            channel->latched_bytes = channel->access == ACCESS_BOTH ? 2 : 1;
        }
        return;
    }
    unsigned mode = value >> 1 & 7;
    channel->mode = mode >= 6 ? mode - 4 : mode;
    channel->access = access;
    channel->loaded = false;
    channel->second_byte = false;
    channel->latched_bytes = 0;
}

static void load(struct pit_channel *channel, uint16_t value, uint64_t now)
{
    channel->reload = value;
    channel->loaded = true;
    channel->counted = 0;
    channel->start = now;
}

void pit_write(struct pit *pit, unsigned reg, uint8_t value, uint64_t clock)
{
    uint64_t now = ticks(pit, clock);
    if (reg == PIT_CHANNELS) {
        control(pit, value, now);
        return;
    }
    struct pit_channel *channel = &pit->channel[reg];
    if (channel->access == ACCESS_LOW) {
        load(channel, value, now);
    } else if (channel->access == ACCESS_HIGH) {
        load(channel, (uint16_t)(value << 8), now);
    } else if (!channel->second_byte) {
        channel->low = value;
        channel->second_byte = true;
    } else {
        channel->second_byte = false;
        load(channel, (uint16_t)(channel->low | value << 8), now);
    }
}

uint8_t pit_read(struct pit *pit, unsigned reg, uint64_t clock)
{
    if (reg == PIT_CHANNELS)
        return 0xFF; /* the control word cannot be read */
    struct pit_channel *channel = &pit->channel[reg];
    uint16_t value = channel->latched_bytes ? channel->latch : count(channel, ticks(pit, clock));
    bool high = channel->access == ACCESS_HIGH;
    if (channel->access == ACCESS_BOTH) {
        high = channel->second_byte;
        channel->second_byte = !channel->second_byte;
    }
    if (channel->latched_bytes)
        channel->latched_bytes--;
    return (uint8_t)(high ? value >> 8 : value);
}

void pit_set_gate2(struct pit *pit, bool gate, uint64_t clock)
{
    struct pit_channel *channel = &pit->channel[2];
    uint64_t now = ticks(pit, clock);
    if (channel->gate == gate)
        return;
    channel->counted = counted(channel, now);
    channel->gate = gate;
    channel->start = now;
    if (gate && channel->mode != 0)
        channel->counted = 0; /* a rising gate starts modes 1, 2 and 3 afresh */
}

bool pit_output2(const struct pit *pit, uint64_t clock)
{
    return !pit->output2_dead && output(&pit->channel[2], ticks(pit, clock));
}
