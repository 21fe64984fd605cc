#!/bin/sh
# Sourced by the shell programs, after they set $library to this folder. A program's head comment is its help
# (Command.pm).

program=$(basename "$(dirname "$(readlink -f "$0")")")/$(basename "$0") # how messages call it

# End the program with a message of one or several words: with status 1 if its work failed, with 2 if it
# refuses what it was asked for.
fail() { # MESSAGE...
    echo "$program: $*" >&2
    exit 1
}
refuse() { # MESSAGE...
    echo "$program: $*" >&2
    exit 2
}

# For a command line that is not understood because of WORD, or at all: prints the help or the version if WORD
# asks for it, else refuses it with STATUS. Does not return.
wrong_usage() { # STATUS [WORD]
    # shellcheck disable=SC2154 # the program sets it
    exec perl "-I$library" -MCommand=answer -e 'answer(@ARGV)' "$0" "$@"
}
