#!/usr/bin/perl
# The Debian package in a fresh Debian that has only what the package depends on: it installs, its programs
# run, and nothing of it is left when it has been removed.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp spew end_line);

# the release that the package was built on
my ($SUITE) = slurp('/etc/os-release') =~ /^VERSION_CODENAME=(\w+)/m;
my $USUAL = 60;    # seconds for making the fresh Debian
my $MIRROR = $ENV{MIRROR} // 'http://deb.debian.org/debian';

chomp(my $version = slurp('build/version'));
my ($package) = glob "build/pmuproof_${version}_*.deb";
defined $package or die "there is no build/pmuproof_${version}_*.deb; `make deb` builds it\n";
$> == 0          or die "only root can make a fresh Debian\n";

my $dir = File::Temp->newdir;
my $root = "$dir/debian";

# A command that must succeed; returns what it printed.
sub output {
    my ($seconds, @command) = @_;
    my $run = run($seconds, @command);
    is $run->{status}, 0, "$command[0] succeeds"
        or diag $run->{command}, substr($run->{out}, -2000), $run->{err};
    return $run->{out};
}

# The same in the fresh Debian.
sub inside {
    return output(20, 'chroot', $root, 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', @_);
}

# All files, without what dpkg itself notes.
sub files {
    return grep { !m{^/(?:proc|sys|dev|tmp)/|^/var/(?:lib/dpkg|log|cache)/} } sort split /\n/,
        inside('find', '/', '-xdev');
}

my $depends = join ',', map { /([a-z0-9.+-]+)/ } split /,/, output(5, 'dpkg-deb', '-f', $package, 'Depends');
output($USUAL, 'mmdebstrap', '--variant=minbase', "--include=$depends", $SUITE, $root, $MIRROR);
output(5, 'cp', $package, "$root/tmp/pmuproof.deb");
my @before = files();

subtest 'it installs' => sub {
    inside(qw(dpkg -i /tmp/pmuproof.deb));
    is inside(qw(dpkg-query -W -f=${Version} pmuproof)), $version, 'the version is that of the tree';
    is inside(qw(dpkg --verify pmuproof)), '', 'every file is as it was packed';
    for my $program (qw(p4sim pmulog capture write-stick)) {
        ok -s "$root/usr/share/man/man1/$program.1.gz", "$program has a manual page";
        ok -s "$root/usr/share/bash-completion/completions/$program", 'and completion';
    }
};

subtest 'it runs' => sub {
    like inside(qw(p4sim --version)), qr/\Ap4sim \(pmuproof\) \Q$version\E,/, 'p4sim --version';
    my $log = inside(qw(p4sim /usr/share/pmuproof/pmuproof.elf));
    like $log, end_line('pass'), 'a full run passes';
    spew("$root/tmp/board.log", $log);
    like inside(qw(pmulog check /tmp/board.log)), qr/: pass: /, 'pmulog check';
    like inside(qw(pmulog html /tmp/board.log)), qr/<html/, 'pmulog html';
    like inside(qw(pmulog sheet --csv /tmp/board.log)), qr/,/, 'pmulog sheet --csv';
    like inside(qw(capture --help)), qr/\Ausage: capture/, 'capture';
    like inside(qw(write-stick --list)), qr/\S/, 'write-stick --list';
};

subtest 'it is removed' => sub {
    inside(qw(dpkg --purge pmuproof));
    is_deeply [ files() ], \@before, 'nothing is left';
};

done_testing;
