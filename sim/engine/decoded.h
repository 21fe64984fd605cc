/*
 * Instructions that were decoded. The cache of the engine, in which instructions 64 KiB apart displace each
 * other, is part of what is simulated: an instruction that is not in it is built. Behind it a second one
 * keeps nearly all of them, so that each is decoded once.
 */
#ifndef SIM_ENGINE_DECODED_H
#define SIM_ENGINE_DECODED_H

#include <stdint.h>
#include "sim/cpu/processor.h"

/* Fill in *insn, the instruction that the processor finds at this address, but for its traces and events. */
void decoded_fetch(const struct processor *processor, struct insn *insn, uint32_t address);

#endif
