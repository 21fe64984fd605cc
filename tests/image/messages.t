#!/usr/bin/perl
# Every message of the kernel's is explained in docs/: what the sources print, to the log or the screen, is found
# there by the words that it ends with. The pages may shorten what stands before to `...`.
use strict;
use warnings;
use Test::More;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(slurp);

my $WORDS = 5;    # of each message, or all of a shorter one; of one that the pages shorten, $LEAST
my $LEAST = 2;

# One blank for white space and the marks of a table or of code.
sub plain {
    my ($text) = @_;
    return lc($text =~ s/[\s`|]+/ /gr);
}

my $docs = plain(join ' ', map { slurp($_) } 'README.md', grep { !/coverage/ } glob 'docs/*.md');

sub explained {
    my @words = @_;
    splice @words, 0, @words - $WORDS if @words > $WORDS;
    return 1 if index($docs, "@words") >= 0;
    for (my @last = @words; @last >= $LEAST; shift @last) {
        return 1 if index($docs, "... @last") >= 0;
    }
    return 0;
}

# The messages of a C source: its string literals, those beside each other joined, without what is filled in.
sub messages {
    my ($source) = @_;
    $source =~ s{/\*.*?\*/}{}gs;
    $source =~ s/^#include.*$//mg;
    $source =~ s/(?:__asm__|_Static_assert).*?;//gs;
    $source =~ s/" *\n? *"//g;
    my @fragments = map { split /%[0-9]*l*[a-zA-Z]|\\[rn]/ } $source =~ /"((?:[^"\\\n]|\\.)*)"/g;
    s/\A[^\w]+|[^\w]+\z//g for @fragments;
    return grep { /[a-z]{2,} [a-z]/i } @fragments;
}

# Not here: names of processors, of exceptions and the boot words, which stand in the log for themselves; the end of a
# vector that guard.c falls back on.
my @SOURCES = grep { !m{/(trap_names|options|guard|acpi|efi|framebuffer)\.c\z} } glob 'kernel/*/*.c';

for my $source (@SOURCES, 'tests/vectors/list.c', map { "tests/suite/$_.c" } qw(suite soak machine)) {
    my @unexplained;
    for my $message (messages(slurp($source))) {
        push @unexplained, $message if !explained(split ' ', plain($message));
    }
    is_deeply \@unexplained, [], $source;
}

done_testing;
