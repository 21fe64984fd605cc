#!/usr/bin/perl
# Every message of the kernel is explained in docs/: the last words of each text that the sources print, in the log or on the
# screen, must be found there. The pages may shorten the beginning of a message to `...`.
use lib 'tests/image';
use ImageTest;

my $WORDS = 5;    # that must be found: the last $WORDS of a message; the last $LEAST, if the page shortens it
my $LEAST = 2;

# Lower case, with one blank for white space and for the marks of tables and code.
sub plain {
    my ($text) = @_;
    return lc($text =~ s/[\s`|]+/ /gr);
}

my $docs = plain(join ' ', map { slurp($_) } 'README.md', glob 'docs/*.md');

sub explained {
    my @words = @_;
    splice @words, 0, @words - $WORDS if @words > $WORDS;
    return 1 if index($docs, "@words") >= 0;
    for (my @last = @words; @last >= $LEAST; shift @last) {
        return 1 if index($docs, "... @last") >= 0;
    }
    return 0;
}

# The messages of a C source: its string literals, adjacent ones joined, split where a value is filled in.
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

# Left out: sources of names (processors, exceptions, boot words), which need no explanation, and the fallback text of
# guard.c.
my @SOURCES = grep { !m{/(trap_names|options|guard|acpi|efi|framebuffer)\.c\z} } glob 'kernel/*/*.c';

for my $source (@SOURCES, map { "tests/suite/$_.c" } qw(suite selection soak machine)) {
    my @unexplained;
    for my $message (messages(slurp($source))) {
        push @unexplained, $message if !explained(split ' ', plain($message));
    }
    is_deeply \@unexplained, [], $source;
}

# The page of the boot line has a row for each word that the kernel allows: what stands before a value, or the whole word.
my ($allowed) = p4sim($ELF, 'bogus')->{out} =~ /'bogus' is not understood; allowed: ([^\r\n]+)/;
my $page = slurp('docs/boot-line.md');
for my $word (map { s/(?<==)(?!on\z).*//r } split ' ', $allowed) {
    like $page, qr/^\| (?:[^|]*, )?`\Q$word\E/m, "docs/boot-line.md has $word";
}

done_testing;
