#!/bin/sh
# Sourced by the shell programs, after they set $library to this folder. A program's head comment is its help (Command.pm).

# For a command line that is not understood because of WORD, or at all: prints the help or the version if WORD asks for it,
# else refuses it with STATUS. Does not return.
wrong_usage() { # STATUS [WORD]
    # shellcheck disable=SC2154 # the program sets it
    exec perl "-I$library" -MCommand=answer -e 'answer(@ARGV)' "$0" "$@"
}
