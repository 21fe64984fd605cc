/*
 * The first run makes the engines warm. Then each request is run by a child, so that every run begins with
 * the same engines, and one that crashes or is killed harms no other. The child
 * ends with the server, and the server with the process that started it.
 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"

#define REQUEST_MAX   8192 /* bytes of a line */
#define ARGUMENTS_MAX 64

static bool redirect(const char *path, int to)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return file >= 0 && dup2(file, to) == to;
}

/* The whole program again, in a child. words has argc arguments, the first of which stands for the program's
 * name. */
static int run_request(struct past_run *past, struct machine *machine, int argc, char **words)
{
    struct sim_options options;
    char text[TEXT_MAX];

    switch (sim_options_parse(&options, argc, words, text, sizeof text)) {
    case OPTIONS_DONE:
        return EXIT_SUCCESS;
    case OPTIONS_WRONG:
        fprintf(stderr, "p4sim: %s\n", text);
        return STATUS_BROKEN;
    case OPTIONS_RUN:
        break;
    }
    if (options.serve) {
        fprintf(stderr, "p4sim: --serve: a request cannot have it\n");
        return STATUS_BROKEN;
    }
    enum verdict_status status = run_warm(past, machine, &options, text, sizeof text);
    fprintf(stderr, "p4sim: %s\n", text);
    return (int)status;
}

static _Noreturn void child(struct past_run *past, struct machine *machine, pid_t server, char **words,
                            int count)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server)
        _exit(STATUS_BROKEN);
    if (!redirect(words[0], STDOUT_FILENO) || !redirect(words[1], STDERR_FILENO)) {
        fprintf(stderr, "p4sim: --serve: cannot write %s or %s: %s\n", words[0], words[1], strerror(errno));
        _exit(STATUS_BROKEN);
    }
    int status = run_request(past, machine, count - 1, words + 1);
    fflush(stdout);
    _exit(status);
}

static int split(char *line, char **words)
{
    int count = 0;
    for (char *word = line; word && count < ARGUMENTS_MAX; count++) {
        char *tab = strchr(word, '\t');
        if (tab)
            *tab = '\0';
        words[count] = word;
        word = tab ? tab + 1 : NULL;
        if (word && count + 1 == ARGUMENTS_MAX)
            return 0;
    }
    words[count] = NULL;
    return count;
}

/* Run one request and report its end. False when that cannot be done. */
static bool answer(struct past_run *past, struct machine *machine, char *line)
{
    char *words[ARGUMENTS_MAX + 1];
    int count = split(line, words), status;
    if (count < 3) {
        fprintf(stderr,
                "p4sim: --serve: a request is OUT, ERR and up to %d arguments, with tabs between them\n",
                ARGUMENTS_MAX - 2);
        return false;
    }
    pid_t server = getpid(), run = fork();
    if (run == 0)
        child(past, machine, server, words, count);
    if (run < 0 || waitpid(run, &status, 0) != run) {
        fprintf(stderr, "p4sim: --serve: %s\n", strerror(errno));
        return false;
    }
    if (WIFSIGNALED(status))
        printf("signal %d\n", WTERMSIG(status));
    else
        printf("exit %d\n", WEXITSTATUS(status));
    return fflush(stdout) == 0;
}

int serve(const struct sim_options *options)
{
    static struct past_run past;
    static char line[REQUEST_MAX];
    char text[TEXT_MAX];
    struct machine *machine =
        mmap(NULL, sizeof *machine, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (machine == MAP_FAILED) {
        fprintf(stderr, "p4sim: out of memory\n");
        return STATUS_BROKEN;
    }
    if (!run_to_warm(&past, machine, options, text, sizeof text) ||
        madvise(machine, sizeof *machine, MADV_DONTNEED) != 0) {
        fprintf(stderr, "p4sim: --serve: the first run: %s\n", text);
        return STATUS_BROKEN;
    }
    while (fgets(line, sizeof line, stdin)) {
        size_t length = strlen(line);
        if (line[length - 1] != '\n') {
            fprintf(stderr, "p4sim: --serve: a request is a line of at most %d characters\n",
                    REQUEST_MAX - 2);
            return STATUS_BROKEN;
        }
        line[length - 1] = '\0';
        if (!answer(&past, machine, line))
            return STATUS_BROKEN;
    }
    return EXIT_SUCCESS;
}
