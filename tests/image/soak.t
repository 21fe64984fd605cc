#!/usr/bin/perl
# The soak test (boot words loop=, stop-on-fail, timeout=): one document, with few lines as long as nothing
# fails. Also the boot words quick, verbose and inventory. All check codes of every log are verified.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(log_faults);

my $ONE = 'only=cascade.18-1.iq.14-12';
my $SHOWN = 20;           # failures that are printed in full
my $QUICK = 20 * 1000;    # bytes: under two seconds at 115200 baud

# Runs the image with these boot words and checks its log; returns the document.
sub soaked ($status, $verdict, @words) {
    my $run = p4sim('--stats', $ELF, @words);
    my $log = document($run->{out});
    is $run->{status}, $status, "status $status" or diag $run->{err};
    is_deeply [ log_faults($log, $verdict) ], [], 'numbers, check codes and end line';
    my ($parser) = results($log);
    is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
    return $log;
}

# The heartbeats of a log: hashes of loop, points, failed, all, all_failed, disturbed, seconds.
sub heartbeats ($log) {
    my @found;
    while ($log =~
        /^# soak loop (\d+): (\d+) points?, (\d+) failed; in all (\d+) points?, (\d+) failed, (\d+) disturbed; (\d+) s #/mg
        )
    {
        push @found,
            {
            loop       => $1,
            points     => $2,
            failed     => $3,
            all        => $4,
            all_failed => $5,
            disturbed  => $6,
            seconds    => $7
            };
    }
    return @found;
}

subtest '50 loops without a failure' => sub {
    my $log = soaked(0, 'pass', 'only=cascade.18-1.iq.14-12,state.cccr', 'loop=50', 'quiet');
    my @beats = heartbeats($log);
    is_deeply [ map { $_->{loop} } @beats ], [ 1, 50 ], 'heartbeats of the first and the last loop';
    is $beats[1]{all}, 100, 'every point of every loop is counted';
    is $beats[1]{all_failed} + $beats[1]{disturbed}, 0, 'none failed, none was disturbed';
    like $log, qr/^ok 3 - soak #/m, 'the point soak is the last';
    like $log, qr/^# 3 passed, 0 failed, 0 skipped of 3; 50 loops begun\r$/m,
        'the totals name the number of loops';
};

subtest 'a failure that comes later' => sub {
    my $log = soaked(1, 'fail', $ONE, 'selftest=late', 'loop=30', 'quiet');
    my @shown = $log =~
        /^# soak loop (\d+): not ok - selftest\.late #[0-9A-F]{4}\r\n#   title: '[^']+'\r\n#   rules: 'none'\r\n#   what: /mg;
    is_deeply \@shown, [ 2 .. 1 + $SHOWN ], "the first $SHOWN are printed in full";
    my @beats = heartbeats($log);
    is_deeply [ map { $_->{loop} } @beats ], [ 1 .. 1 + $SHOWN, 30 ],
        'with a heartbeat for each, and the last one';
    is $beats[-1]{all_failed}, 29, 'all are counted';
    my %diagnosis = diagnoses($log);
    is_deeply [ keys %diagnosis ], ['soak'], 'the point soak fails';
    like $diagnosis{soak}, qr/^  vector_1: 'selftest\.late: first in loop 2, in 29 loops'\r$/m,
        'and says what failed, and when';
    like $log, qr/^ok 1 - selftest\.late #/m, 'the first loop had passed';
};

subtest 'stop-on-fail in the first loop' => sub {
    my $log = soaked(1, 'fail', 'only=state', 'selftest=fail', 'loop=5', 'stop-on-fail');
    my ($parser, @tests) = results($log);
    is
        scalar(grep { $_->has_skip && $_->explanation =~ /^an earlier vector failed \(stop-on-fail\) / }
            @tests), $#tests, 'all others are skipped';
    ok !$tests[0]->is_ok, 'after the failure';
    like $log, qr/^ok $#{[@tests, 0]} - soak # SKIP an earlier vector failed \(stop-on-fail\) #/m,
        'the soak too';
    is scalar(heartbeats($log)), 1, 'there was one loop';
};

subtest 'stop-on-fail in a later loop' => sub {
    my $log = soaked(1, 'fail', 'only=state', 'selftest=late', 'loop=forever', 'stop-on-fail');
    my @beats = heartbeats($log);
    is_deeply [ map { $_->{loop} } @beats ], [ 1, 2 ], 'the loop of the failure is the last';
    is $beats[1]{points}, 1, 'and ends with it';
    like $log, qr/^# soak loop 2: 1 point, 1 failed; in all \d+ points, 1 failed/m, 'one point is no points';
    like $log, qr/^  what: '1 failure after .*\r\n  vector_1: '.* in 1 loop'\r$/m,
        'nor is one failure failures';
    like + { diagnoses($log) }->{soak}, qr/loops complete: 1'/, 'the first one was complete';
};

subtest 'stop-on-fail without a soak' => sub {
    my $log = soaked(1, 'fail', 'only=state', 'selftest=fail', 'stop-on-fail');
    unlike $log, qr/soak/, 'no word of one';
    like $log, qr/^ok 2 - state\.cccr # SKIP an earlier vector failed \(stop-on-fail\) #/m,
        'nothing runs after the failure';
};

subtest 'timeout= in the first loop' => sub {
    my $run = p4sim($ELF, 'only=state', 'selftest=slow', 'timeout=1');
    is $run->{status}, 2, 'the run is broken';
    like $run->{out},
        qr/^not ok 2 - state\.cccr #[0-9A-F]{4}\r\n  ---\r\n  what: 'timeout=1 s reached'\r\n  \.\.\.\r\nBail out! timeout=1 s/m,
        'and says so at the vector that was due';
    is p4sim($ELF, 'only=state', 'selftest=slow', 'timeout=2')->{status}, 0, 'but not before its time';
};

subtest 'timeout= in a later loop' => sub {
    my $log = soaked(0, 'pass', $ONE, 'selftest=slow', 'loop=forever', 'timeout=3', 'quiet');
    my @beats = heartbeats($log);
    is $beats[-1]{loop}, 3, 'it ends the soak in the third loop of 1.2 s each';
    is $beats[-1]{seconds}, 3, 'after three seconds';
    like $log, qr/^# soak ended by timeout=3; loops complete: 2 #/m, 'in order';
};

subtest 'a heartbeat every ten seconds' => sub {
    my $log = soaked(0, 'pass', 'only=state.cccr', 'selftest=slow', 'loop=12', 'quiet');
    my @beats = heartbeats($log);
    is_deeply [ map { $_->{loop} } @beats ], [ 1, 10, 12 ],
        'loops of 1.2 s: the first, the one 10 s later, the last'
        or diag explain [ map { "$_->{loop}: $_->{seconds}" } @beats ];
};

subtest 'LP1 dies' => sub {
    my $run = p4sim('--board', 'lp1-dies', $ELF, 'only=state,harness', 'loop=6', 'quiet');
    my $log = document($run->{out});
    is $run->{status}, 1, 'the run fails';
    is_deeply [ log_faults($log, 'fail') ], [], 'with a whole log';
    is + (heartbeats($log))[-1]{loop}, 6, 'after all six loops';
    my ($first, $loops) = +{ diagnoses($log) }->{soak} =~
        /^  vector_\d+: 'harness\.sibling: first in loop (\d), in (\d) loops'\r$/m;
    cmp_ok $first, '>', 1, 'LP1 dies in a later loop, and that is said';
    is $loops, 7 - $first, 'and fails in all that follow';
};

# The power fails in the middle of a loop, and the board boots again.
subtest 'a reboot in the middle' => sub {
    my $cut = p4sim('--limit', 12, $ELF, $ONE, 'loop=forever', 'quiet');
    is $cut->{status}, 2, 'a soak that does not come to its end' or diag $cut->{err};
    my $whole = p4sim($ELF, $ONE, 'loop=5', 'quiet');
    my $file = File::Temp->new;
    print $file "GRUB loading.\r\n$cut->{out}\r\n\0GRUB loading.\r\n$whole->{out}";
    close $file or die "cannot write $file: $!";
    my $judged = run(1, 'tools/pmulog', 'check', "$file");
    is $judged->{status}, 2, 'the capture does not pass';
    like $judged->{out},
        qr/: boot 1 \(line \d+\): incomplete: .*in the soak: loop 1: 1 points? in all, 0 failed/m,
        'the first boot is seen not to have ended, and how far it came';
    like $judged->{out}, qr/: boot 2 \(line \d+\): pass: .*loop 5: 5 points in all, 0 failed/m,
        'the second one is judged by itself';
};

subtest 'quick' => sub {
    my $log = soaked(0, 'pass', 'quick', 'skip=access.drawn,count.several');    # as in defects.t
    cmp_ok length $log, '<', $QUICK, 'a short log';
    my @ids = $log =~ /^ok \d+ - (\S+)/mg;
    my @rows = map { /^# vector (\S+) \[[^]]*\] check/ } split /\r\n/, p4sim($ELF, 'list')->{out};
    is_deeply [ grep { /^probe\./ } @ids ], [], 'no probes';
    my %covered = map { (split /\./)[0] => 1 } @ids;
    is_deeply [ grep { !$covered{ (split /\./)[0] } } @rows ], [], 'something of every theme';
    is_deeply [ $log =~ /^ok \d+ - (access\.counter\.\S+)/mg ], ['access.counter.0'],
        'one member of a family';
    like document(
        p4sim('--cpu', '0F12', $ELF, 'quick', 'only=access.escr', 'skip=access.escr.bsu_escr0')->{out}),
        qr/^1\.\.1\r.*^ok 1 - access\.escr\.bsu_escr1 #/ms, 'the first that is selected';
    like document(
        p4sim('--cpu', '0F12', $ELF, 'quick', 'only=count.instr_completed,count.branch_retired')->{out}),
        qr/^ok 1 - count\.branch_retired\S+ #[0-9A-F]{4}\r/m, 'and that the processor can run';
};

subtest 'verbose, quiet, inventory' => sub {
    my $log = soaked(0, 'pass', 'only=state.cccr', 'verbose', 'loop=2');
    is scalar(my @said = $log =~ /^#> state\.cccr \[R1 R3\]/mg), 2,
        'verbose: announced with its rules, in each loop';
    unlike soaked(0, 'pass', 'only=state.cccr', 'quiet'), qr/^#>/m, 'quiet: not announced';
    $log = soaked(77, 'skip', 'inventory');
    like $log,
        qr/\ATAP version 13\r\n1\.\.0 # SKIP no vector is run \(boot word inventory\)\r\n(?:# pmuproof is about to [^\n]*\n)*# build: .*\r\n# errata: [^\n]*\n# log file: [^\n]*\n# END/s,
        'inventory: nothing else';
};

done_testing;
