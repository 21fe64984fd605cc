#!/usr/bin/perl
# Every link in the documents leads to a file that exists and, after `#`, to a heading of that file. README
# stays short, and continuous integration runs its test command. Examples are what their commands print. Each
# room is in the README of its folder.
#
# Every message of the kernel is explained in docs/: the last words of each text that the sources print, in
# the log or on the screen, must be found there. The pages may shorten the beginning of a message to `...`.
use lib 'tests/image';
use ImageTest;
use File::Basename qw(dirname);
use File::Spec;

my $README_LINES = 150;    # one that is longer is not read

# The name that GitHub and GitLab give to a heading: lower case, punctuation dropped, blanks become hyphens.
sub anchor ($heading) {
    $heading =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
    return lc($heading) =~ s/[^\w\s-]//gr =~ s/\s/-/gr;
}

# The document without its code.
sub prose ($file) { return slurp($file) =~ s/^```.*?^```$//gmsr =~ s/^    .*$//gmr }

my @documents = split /\n/, `git ls-files --cached --others --exclude-standard -- '*.md'`;
@documents = glob '*.md docs/*.md' if !@documents;    # not in a repository

my %anchors;
for my $file (@documents) {
    my $text = prose($file);
    $anchors{$file}{ anchor($1) } = 1 while $text =~ /^#+ (.*?)\s*$/mg;
}

for my $file (@documents) {
    my @broken;
    my $text = prose($file);
    while ($text =~ /\]\(([^)\s]+)\)/g) {
        my $link = $1;
        next if $link =~ /\A[a-z]+:/;
        my ($path, $heading) = split /#/, $link, 2;
        my $target = $path eq '' ? $file : File::Spec->canonpath(dirname($file) . "/$path");
        1 while $target =~ s{[^/]+/\.\./}{};
        push @broken, $link if !-e $target || defined $heading && !$anchors{$target}{$heading};
    }
    is_deeply \@broken, [], $file;
}

# kernel/log is `log/` in kernel/README.md.
my @rooms = map {
    grep { m{/} }
        split ' '
} map { /^chain \S+ (.*)/ } split /\n/, slurp('tools/rooms');
cmp_ok scalar @rooms, '>=', 20, 'rooms';
for my $room (@rooms) {
    my ($folder, $name) = $room =~ m{^(\w+)/(?:.*/)?(\w+)$};
    like slurp("$folder/README.md"), qr{`(?:\w+/)*$name/`}, "$folder/README.md names $room";
}

my $lines = () = slurp('README.md') =~ /\n/g;
cmp_ok $lines, '<', $README_LINES, 'README.md is short';

my ($command) = slurp('README.md') =~ m{^    (\./tools/deps .*\bmake test\b)}m;
is + (slurp('.ci/run') =~ /^(.*)\n\z/m)[0], $command, '.ci/run runs the test command of README.md';
my @commands = map { s/ +#.*//r } slurp('README.md') =~ /^    (\.\/tools\/deps .*)/mg;
my @steps = slurp('.github/workflows/readme.yml') =~ /^ +- run: (\.\/tools\/deps .*)/mg;
is_deeply [ map { s/ \| tee .*//r } @steps ], \@commands, 'and a workflow of GitHub runs both';
is_deeply [ grep { length > 100 && !/^<!--/ } split /\n/, slurp('README.md') ], [],
    'README.md: at most 100 characters in a line';

my $examples = run(5, qw(tools/examples --check README.md docs/read-a-log.md docs/log-reference.md));
is $examples->{status}, 0, 'the examples are what the commands print (make examples)'
    or diag $examples->{out} . $examples->{err};

# ---- Messages of the kernel ----

my $WORDS = 5;    # that must be found: the last $WORDS of a message; the last $LEAST, if the page shortens it
my $LEAST = 2;

# Lower case, with one blank for white space and for the marks of tables and code.
sub plain ($text) { return lc($text =~ s/[\s`|]+/ /gr) }

my $docs = plain(join ' ', map { slurp($_) } 'README.md', glob 'docs/*.md');

sub explained (@words) {
    splice @words, 0, @words - $WORDS if @words > $WORDS;
    return 1 if index($docs, "@words") >= 0;
    for (my @last = @words; @last >= $LEAST; shift @last) {
        return 1 if index($docs, "... @last") >= 0;
    }
    return 0;
}

# The messages of a C source: its string literals, adjacent ones joined, split where a value is filled in.
sub messages ($source) {
    $source =~ s{/\*.*?\*/}{}gs;
    $source =~ s/^#include.*$//mg;
    $source =~ s/(?:__asm__|_Static_assert).*?;//gs;
    $source =~ s/" *\n? *"//g;
    my @fragments = map { split /%[0-9]*l*[a-zA-Z]|\\[rn]/ } $source =~ /"((?:[^"\\\n]|\\.)*)"/g;
    s/\A[^\w]+|[^\w]+\z//g for @fragments;
    return grep { /[a-z]{2,} [a-z]/i } @fragments;
}

# Left out: sources of names (processors, exceptions, boot words), which need no explanation, and the fallback
# text of guard.c.
my @SOURCES = grep { !m{/(trap_names|options|guard|acpi|efi|framebuffer)\.c\z} } glob 'kernel/*/*.c';

for my $source (@SOURCES, map { "tests/suite/$_.c" } qw(suite selection soak machine at_boot inventory needs))
{
    my @unexplained;
    for my $message (messages(slurp($source))) {
        push @unexplained, $message if !explained(split ' ', plain($message));
    }
    is_deeply \@unexplained, [], $source;
}

# The page of the boot line has a row for each word that the kernel allows: what stands before a value, or the
# whole word.
my ($allowed) = p4sim($ELF, 'bogus')->{out} =~ /'bogus' is not understood; allowed: ([^\r\n]+)/;
my $page = slurp('docs/boot-line.md');
for my $word (map { s/(?<==)(?!on\z).*//r } split ' ', $allowed) {
    like $page, qr/^\| (?:[^|]*, )?`\Q$word\E/m, "docs/boot-line.md has $word";
}

done_testing;
