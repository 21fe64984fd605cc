#!/usr/bin/perl
# The checks on machines whose timing is drawn from what was measured on silicon (p4sim --timing SEED): no check fails, and
# none needs a second try.
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run p4sim spew $ELF);

my $MACHINES = 2;
my $USUAL    = 40;    # seconds

subtest "$MACHINES machines without a false alarm" => sub {
    my $run = run($USUAL, 'tools/machines', '--seeds', $MACHINES);
    is $run->{status}, 0, 'exit status of tools/machines' or diag $run->{err}, $run->{out};
    like $run->{out}, qr/^$MACHINES machines: $MACHINES right, 0 wrong; 0 measurements/m, 'all pass at the first try';
};

subtest 'a defect is found on them' => sub {
    my $run = p4sim(qw(--timing 3 --fault cascade-broken-12-14), $ELF, 'only=cascade.18-1', 'quiet');
    is $run->{status}, 1, 'exit status of p4sim --timing with a fault' or diag $run->{err};
};

# A folder with a stand-in for p4sim that lists one processor, prints this log and ends with this status.
sub build_with {
    my ($status, @log) = @_;
    my $folder = tempdir(CLEANUP => 1);
    spew("$folder/pmuproof.elf", '');
    spew("$folder/p4sim", join "\n", '#!/bin/sh', '[ "$2" != list ] || { echo 0F43; exit; }', "cat <<'END'", @log, 'END', "exit $status\n");
    chmod 0755, "$folder/p4sim" or die "chmod: $!";
    return $folder;
}

subtest 'what repetition saved is wrong' => sub {
    my $passes = build_with(0, '1..1', 'ok 1 - a.vector');
    is run(1, 'tools/machines', '--seeds', 1, $passes)->{status}, 0, 'a pass at the first try is right';
    my $saved = build_with(0, '1..1', '# disturbed: 1 of 3 runs, the last at here', '# more', 'ok 1 - a.vector');
    my $run = run(1, 'tools/machines', '--seeds', 1, $saved);
    is $run->{status}, 1, 'a vector that was run again is wrong';
    like $run->{out}, qr/^machine 1 with 0F43 ended with 0 and was disturbed\n    a\.vector: disturbed: 1 of 3 runs/m, 'and named';
    is run(1, 'tools/machines', '--seeds', 1, build_with(2, 'Bail out!'))->{status}, 1, 'so is a run that ends otherwise';
};

done_testing;
