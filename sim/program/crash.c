/* When libunicorn crashes: one line says where the guest was, and the exit status is that of a broken run. */
#include "program.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "sim/machine/machine.h"
#include "pmc/count_of.h"

#define DIGITS 8u

/* A signal handler gets no pointer of its own and may not have a usable stack, so these are writable globals.
 */
static const struct machine *watched;
static char stack_bytes[65536];

/* Runs in a signal handler, so it uses nothing but write(). */
static void say(const char *text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0)
        _exit(STATUS_BROKEN);
}

static void handle(int signal_number)
{
    static const char HEXADECIMAL[] = "0123456789ABCDEF";
    const struct processor *processor = watched->control.running;
    char line[] = "p4sim: broken: the simulator crashed (signal 00) at EIP 00000000H\n";
    char *number = strstr(line, "00)"), *address = strstr(line, "00000000H");

    if (processor) {
        const struct insn *insn = processor->pending;
        uint32_t eip = insn ? (uint32_t)insn->tag - processor->cs_base : processor->eip;
        for (unsigned i = 0; i < DIGITS; i++)
            address[i] = HEXADECIMAL[eip >> 4 * (DIGITS - 1 - i) & 15];
    }
    number[0] = (char)('0' + signal_number / 10);
    number[1] = (char)('0' + signal_number % 10);
    say(line, sizeof line - 1);
    _exit(STATUS_BROKEN);
}

void crash_watch(const struct machine *machine)
{
    static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_sp = stack_bytes, .ss_size = sizeof stack_bytes};

    watched = machine;
#ifndef __SANITIZE_ADDRESS__
    sigaltstack(&stack, NULL);
    for (unsigned i = 0; i < COUNT_OF(SIGNALS); i++)
        sigaction(SIGNALS[i], &action, NULL);
#else
    (void)stack;
    (void)action;
    (void)SIGNALS;
#endif
}
