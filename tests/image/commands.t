#!/usr/bin/perl
# Every program of the tree, and p4sim: --help and --version print and succeed, an unknown option is refused by its name, and
# a name that is nearly right is suggested.
use lib 'tests/image';
use ImageTest;
use File::Find qw(find);

# The status of wrong usage, where it is not 2.
my %STATUS = map { $_ => 64 } qw(tools/pmulog tools/capture tools/lab/lava/serial-log);

my (undef, $version) = split ' ', run(5, 'tools/identity')->{out};
my ($built) = split ' ', slurp('build/version');    # p4sim has that of its last build
my @programs = 'build/p4sim';
find({ no_chdir => 1, wanted => sub { push @programs, $_ if -f && -x _ } }, qw(boot iso tools));

for my $program (sort @programs) {
    my ($name) = $program =~ m{([^/]+)\z};
    my $run = run(5, $program, '--help');
    is $run->{status}, 0, "$program --help succeeds" or diag $run->{err};
    like $run->{out}, qr{\Ausage: (?:\S+/)?\Q$name\E\b}, 'and begins with the usage';
    like $run->{out}, qr{^ *[^\n]*\b\w+[^\n]*\.$}m, 'and has a sentence';
    is $run->{err}, '', 'without a complaint';

    $run = run(5, $program, '--version');
    is $run->{status}, 0, "$program --version succeeds" or diag $run->{err};
    my $of = $program eq 'build/p4sim' ? $built : $version;
    like $run->{out}, qr{\A\Q$name\E (?:\(pmuproof\) )?\Q$of\E[\s,]}, 'and names the version of this tree';

    $run = run(5, $program, '--no-such-option');
    is $run->{status}, $STATUS{$program} // 2, "$program refuses an unknown option" or diag $run->{err};
    like $run->{err}, qr/^\S+: .*--no-such-option/, 'by its name';
    is $run->{out}, '', 'and prints nothing else';
}

subtest 'what was probably meant' => sub {
    for my $case (
        [ 'cascade-early',   qw(build/p4sim --fault cascade-erly x) ],
        [ 'cascade-latch',   qw(build/p4sim --variant cascade-lach x) ],
        [ 'uart-dies',       qw(build/p4sim --board uart-ded x) ],
        [ '--fault',         qw(build/p4sim --fautl x) ],
        [ '--vcd',           qw(build/p4sim --vdc x) ],    # short: a swap must cost one error, not two
        [ '--last',          qw(tools/pmulog check --lsat x) ],
        [ 'check',           qw(tools/pmulog chekc x) ],
        [ '--baud',          qw(tools/capture --buad 9600 x y) ],
        [ '--machines',      qw(tools/campaign --machine 5) ],
        [ 'cascade-early',   qw(tools/campaign cascade-erly) ],
        [ '--list',          qw(tools/write-stick --lst) ],
        [ '--uefi',          qw(tools/qemu-run --uefy 64 x) ])
    {
        my ($meant, @words) = @$case;
        like run(5, @words)->{err}, qr/; did you mean \Q$meant\E\?(?:$|;)/m, "@words";
    }
};

subtest 'standard output that takes nothing' => sub {
    my %BROKEN = (%STATUS, map { $_ => 2 } qw(build/p4sim tools/watch tools/write-stick));
    for my $words ('build/p4sim --help', 'build/p4sim --fault list', 'build/p4sim build/pmuproof.elf only=state.cccr',
        map { ("$_ --help", "$_ --version") } qw(tools/pmulog tools/watch tools/write-stick))
    {
        my ($program) = split ' ', $words;
        my $run = run(5, 'sh', '-c', "$words > /dev/full");
        is $run->{status}, $BROKEN{$program}, "$words > /dev/full";
        like $run->{err}, qr/\A\S+: cannot write(?:: No space left on device| to standard output: .* is lost)\n\z/, 'says why';
    }
};

# As in a clone of somebody else: git refuses to read it.
subtest 'a tree that git does not read' => sub {
    my $tree = File::Temp->newdir;
    my $run = run(5, 'sh', '-ec', 'mkdir -p "$1/.git" "$1/tools/lib"; cp tools/identity "$1/tools"; cp tools/lib/command.sh "$1/tools/lib"; cp VERSION "$1"; "$1/tools/identity"', 'sh', "$tree");
    like $run->{out}, qr/\Aunversioned \S+~unversioned 315532800\n\z/, 'is unversioned';
    like $run->{err}, qr/\Atools\/identity: unversioned, because git does not read this tree: fatal: [^\n]+\n\z/, 'which is said, with the reason of git';
};

done_testing;
