/*
 * What libunicorn 2.0.1 translates, straight-line code at a time, and where it stops. One such piece of code
 * is a translation.
 *
 * - It keeps everything that it ever translated, even code that was overwritten, and crashes when its buffer
 * of 1 GB is full. So what is translated is counted, and the engine renewed in time.
 * - Its translator has 512 temporaries for a translation and leaks some of them for many instructions, two
 * for every x87 register instruction. One with too many overruns the table and crashes. So translations are
 * cut: when one becomes long, the addresses that follow are made libunicorn's exit addresses. It stops at the
 * one that is the next instruction, and is started again.
 * - It aborts when it translates CALL FAR or JMP FAR with a register, FFH /3 and /5, which should raise #UD.
 * So the fetch of such an instruction is refused, the translation is cut before it, and p4sim raises #UD when
 * it is next.
 *
 * RAM is mapped without the right to execute, so that libunicorn asks a hook about each fetch of its
 * translator.
 */
#ifndef SIM_ENGINE_TRANSLATION_H
#define SIM_ENGINE_TRANSLATION_H

#include <stdbool.h>
#include "sim/cpu/processor.h"

/* Install the hook in the processor's new engine. False when libunicorn refuses. */
bool translation_init(struct processor *processor);

/* The translation that is being cut is done, or will not be: remove the exit addresses. Does nothing without
 * any. */
void translation_cut(struct processor *processor);

/* libunicorn stopped with UC_ERR_FETCH_PROT: was that a fetch that the hook refused? */
bool translation_refused(const struct processor *processor);

/* After such a stop: let libunicorn translate as far as it can. False: the first instruction raises
 * #UD. */
bool translation_retried(struct processor *processor);

/* A store changed code, which is now translated again: the next translation becomes a short one, so that code
 * which is stored to time and again does not cost a long translation each time. */
void translation_rewritten(struct processor *processor);

/* Has so much been translated that the engine must be stopped and renewed? */
bool translation_full(const struct processor *processor);

#endif
