#!/usr/bin/perl
# Every link in the documents leads to a file that exists and, after `#`, to a heading of that file. README stays short, and
# continuous integration runs its test command. Examples are what their commands print. Each source begins with what it is for, and each room is in the README of its folder.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Spec;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp);

my $README_LINES = 150;    # one that is longer is not read

# The name that GitHub and GitLab give to a heading: lower case, punctuation dropped, blanks become hyphens.
sub anchor {
    my ($heading) = @_;
    $heading =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
    return lc($heading) =~ s/[^\w\s-]//gr =~ s/\s/-/gr;
}

# The document without its code.
sub prose {
    my ($file) = @_;
    return slurp($file) =~ s/^```.*?^```$//gmsr =~ s/^    .*$//gmr;
}

my @documents = split /\n/, `git ls-files -- '*.md'`;
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

# The first comment of a source, or of its header, or the title of its section in a header of the room, says what it is for.
sub has_section {
    my ($room, $name) = $_[0] =~ m{(.+)/([^/]+\.c)\z} or return 0;
    return scalar grep { slurp($_) =~ m{^/\* ---- (?:\w+\.c and )*\Q$name\E\b}m } glob "$room/*.h";
}
my @mute = grep {
    !has_section($_) && !grep { -e && slurp($_) =~ m{\A(?:/\*|;)} } $_, s/\.c\z/.h/r
} split /\n/, `find boot kernel pmc sim tests -name '*.c' -o -name '*.asm' -o -name '*.h'`;
is_deeply \@mute, [], 'each source begins with what it is for';

# kernel/log is `log/` in kernel/README.md.
my @rooms = map { grep { m{/} } split ' ' } map { /^chain \S+ (.*)/ } split /\n/, slurp('tools/rooms');
cmp_ok scalar @rooms, '>=', 20, 'rooms';
for my $room (@rooms) {
    my ($folder, $name) = $room =~ m{^(\w+)/(?:.*/)?(\w+)$};
    like slurp("$folder/README.md"), qr{`(?:\w+/)*$name/`}, "$folder/README.md names $room";
}

my $lines = () = slurp('README.md') =~ /\n/g;
cmp_ok $lines, '<', $README_LINES, 'README.md is short';

my ($command) = slurp('README.md') =~ m{^    (\./tools/deps .*\bmake test\b)}m;
is +(slurp('.ci/run') =~ /^(.*)\n\z/m)[0], $command, '.ci/run runs the test command of README.md';

my $examples = run(5, qw(tools/examples --check README.md docs/read-a-log.md));
is $examples->{status}, 0, 'the examples are what the commands print (make examples)' or diag $examples->{out} . $examples->{err};

done_testing;
