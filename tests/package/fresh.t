#!/usr/bin/perl
# The README's two commands, the second one with `make test-all`, and then tarball.t, on a fresh machine: a
# Debian of the release named that has only git besides its smallest variant, and a clone of HEAD. All that
# the commands print is kept in build/fresh-RELEASE.log.
#
#   prove tests/package/fresh.t :: RELEASE
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp spew);

my $MIRROR = $ENV{MIRROR} // 'http://deb.debian.org/debian';
my @USUAL = (180, 900, 60);    # seconds of the commands, with the packages that they fetch

# Runs its second argument in the tree below its first. The mounts and all processes end with it.
my $ENTER =
      'mount -t proc proc "$0/proc" && mount -t sysfs -o ro sysfs "$0/sys" && mount -t devpts -o '
    . 'newinstance,ptmxmode=0666 devpts "$0/dev/pts" && '
    . 'exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -c "cd /root/pmuproof && $1"';

@ARGV == 1 or die "usage: prove tests/package/fresh.t :: RELEASE\n";
my ($release) = @ARGV;
$> == 0 or die "only root can make a fresh Debian\n";

# prove may run under make, whose flags are not meant for the makes below.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

my @commands = slurp('README.md') =~ m{^    (\./tools/deps\b.*?) *(?:\#.*)?$}mg;
is scalar @commands, 2, 'README.md has two commands' or diag @commands;
like $commands[1], qr/\bmake test\z/, 'and the second one tests';
$commands[1] .= '-all';

mkdir 'build';
my $dir = File::Temp->newdir("fresh-$release-XXXXXX", DIR => 'build');
my $root = "$dir/debian";
my $said = "build/fresh-$release.log";
my $all = '';

# A command that must succeed. Returns what it printed.
sub succeeds {
    my ($name, $usual, @command) = @_;
    diag "$name ...";
    my $run = run($usual, @command);
    my $text = $run->{out} . $run->{err};
    spew($said, $all .= "==== $name\n$text");
    is $run->{status}, 0, $name
        or
        BAIL_OUT(sprintf "%s failed (%s has all that was printed):\n%s", $name, $said, substr $text, -5000);
    diag sprintf '    %.0f s', $run->{seconds};
    return $text;
}

diag "not committed, so not tested:\n", $_ for grep { length } run(5, qw(git status --porcelain))->{out};
succeeds("a fresh $release", 120, qw(mmdebstrap --variant=minbase --include=git), $release, $root, $MIRROR);
succeeds('a clone of HEAD', 10, qw(git clone -q --no-hardlinks .), "$root/root/pmuproof");

push @commands, 'prove -v tests/package/tarball.t';
for my $i (0 .. $#commands) {
    my $text = succeeds($commands[$i], $USUAL[$i], qw(unshare --mount --pid --fork --kill-child sh -c),
        $ENTER, $root, $commands[$i]);
    diag map { "    $_\n" } $text =~ /^(# \d+ passed, .*|Files=.*|Result: .*|.* skipped: .*)$/mg;
    like $text, ($i ? qr/^Result: PASS$/m : qr/^# END OF TAP: pass,/m), 'it ends with a pass';
}

done_testing;
