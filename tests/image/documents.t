#!/usr/bin/perl
# Every link in the documents leads to a file that exists and, after `#`, to a heading of that file. README stays short, and
# continuous integration runs its test command. Examples are what their commands print. A room's README names every source of the room.
use strict;
use warnings;
use Test::More;
use File::Basename qw(basename dirname);
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

# A README names a source by its name, its header's name, or both at once: clock.c, clock.h, clock.[ch].
for my $room (split /\n/, `find boot kernel pmc sim tests/suite tests/vectors tests/workloads -type d | sort`) {
    my @sources = map { basename($_) } glob "$room/*.c $room/*.asm";
    next if !@sources;
    my $text = -e "$room/README.md" ? slurp("$room/README.md") : '';
    my @unnamed = grep { my ($name, $kind) = /(.*)\.(.*)/; $text !~ /\b$name\.(?:$kind\b|h\b|\[ch\])/ } @sources;
    is_deeply \@unnamed, [], "$room/README.md names every source of its folder";
}

my $lines = () = slurp('README.md') =~ /\n/g;
cmp_ok $lines, '<', $README_LINES, 'README.md is short';

my ($command) = slurp('README.md') =~ m{^    (\./tools/deps .*\bmake test\b)}m;
is +(slurp('.ci/run') =~ /^(.*)\n\z/m)[0], $command, '.ci/run runs the test command of README.md';

my $examples = run(5, qw(tools/examples --check README.md docs/read-a-log.md));
is $examples->{status}, 0, 'the examples are what the commands print (make examples)' or diag $examples->{out} . $examples->{err};

done_testing;
