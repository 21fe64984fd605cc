#!/usr/bin/perl
# The format of the log is written down three times: in the kernel, in tools/lib/Pmulog and in docs/log.md.
# This test lets Pmulog read every example line of the documents and checks that it takes the line for what
# the page says, and compares the inventory that the kernel prints with the page. pmulog.t compares the kernel
# with Pmulog.
use lib 'tests/image';
use ImageTest;
use Pmulog::Capture;
use CheckedLog qw(checked_lines);

my $page = slurp('docs/log.md');

# The lines of the indented example that begins with this line, without the indent; `...` stands for what is
# left out.
sub example ($first) {
    my ($lines) = $page =~ /^(    \Q$first\E\n(?:    .*\n)*)/m or return;
    return map { s/^    //r } split /\n/, $lines;
}

# What Pmulog makes of a capture: the last document's verdict and its reason, and the lines of all of them,
# each [kind, line without its check code, fields...].
sub read_by_pmulog ($bytes) {
    my (@seen, @verdict);
    my $capture = Pmulog::Capture->new(
        sink => sub {
            return sub { push @seen, [@_] }
        },
        on_boot => sub { @verdict = ($_[1]->verdict, $_[1]->why) },
    );
    $capture->feed($bytes);
    $capture->finish;
    return (\@verdict, @seen);
}

sub joined {
    return join '', map { "$_\r\n" } @_;
}

# The example line without its check code, which is that of the whole log on the page and of no document here.
sub bare ($line) { return $line =~ /\A(?:not )?ok |\A# soak / ? $line =~ s/ #[0-9A-F]{4}\z//r : $line }

# Every form in the table of lines, filled in, at the end of a document that may hold it: what Pmulog takes it
# for.
my %FORM = (
    'TAP version 13'                         => [ 'header', 'TAP version 13' ],
    '1..N'                                   => [ 'plan', '1..2' ],
    '1..0 # SKIP reason'                     => [ 'plan', '1..0 # SKIP no such PMU' ],
    '# pmuproof is about to ...'             => [ 'attempt', '1..2', '# pmuproof is about to wait' ],
    '# key: value'                           => [ 'inventory', '1..2', '# board: ACME, x' ],
    '#> id title'                            => [ 'announce', '1..2', '#> a.b title' ],
    'ok n - id #hhhh'                        => [ 'point', '1..2', 'ok 1 - a.b' ],
    'not ok n - id #hhhh'                    => [ 'point', '1..2', 'not ok 1 - a.b' ],
    'ok n - id # SKIP reason #hhhh'          => [ 'point', '1..2', 'ok 1 - a.b # SKIP reason' ],
    'ok n - id # unexplained: results #hhhh' =>
        [ 'point', '1..2', 'ok 1 - a.b # unexplained: 1 of 93 starts by CASCADE, 14 by 12' ],
    '# judged: actions N, ...' => [
        'judged', '1..2',
        'ok 1 - a.b', '# judged: halts 12, excludes 1 in 4; least counter 3: 2, excludes 1 in 2'
    ],
    '# number NAME: N (class CLASS)' =>
        [ 'number', '1..2', '# number replay_event of 160 loads: 7 (class never)' ],
    '# not exercised: name: reason; counted N' => [
        'unexercised', '1..2', 'ok 1 - a.b', '# not exercised: bnr: nobody says what it counts; counted 7'
    ],
    '; N not exercised' => [
        'totals', '1..1', 'ok 1 - a.b',
        '# not exercised: bnr: why; counted 0',
        '# 1 passed, 0 failed, 0 skipped of 1; 1 not exercised'
    ],
    '# P passed, F failed, S skipped of N' =>
        [ 'totals', '1..1', 'ok 1 - a.b', '# 1 passed, 0 failed, 0 skipped of 1' ],
    '; N of the failed intermittent' => [
        'totals', '1..1', 'not ok 1 - a.b',
        '  ---', "  intermittent: '2 of 3 halts'",
        '  ...', '# 0 passed, 1 failed, 0 skipped of 1; 1 of the failed intermittent'
    ],
    '; N unexplained' => [
        'totals', '1..1',
        'ok 1 - a.b # unexplained: 1 of 2 halts',
        '# 1 passed, 0 failed, 0 skipped of 1; 1 unexplained'
    ],
    '; N loops begun' =>
        [ 'totals', '1..1', 'ok 1 - a.b', '# 1 passed, 0 failed, 0 skipped of 1; 7 loops begun' ],
    '---'              => [ 'open', '1..2', 'not ok 1 - a.b', '  ---' ],
    q(key: 'value')    => [ 'value', '1..2', 'not ok 1 - a.b', '  ---', q(  key: 'it''s') ],
    'also:'            => [ 'list', '1..2', 'not ok 1 - a.b', '  ---', '  also:' ],
    q(- 'text')        => [ 'item', '1..2', 'not ok 1 - a.b', '  ---', '  also:', q(    - 'it''s') ],
    '...'              => [ 'close', '1..2', 'not ok 1 - a.b', '  ---', '  ...' ],
    'not ok'           => [ 'point', '1..2', 'not ok 1 - a.b' ],
    '# soak ... #hhhh' => [
        'heartbeat', '1..2',
        'ok 1 - a.b', '# soak loop 1: 1 point, 0 failed; in all 1 point, 0 failed, 0 disturbed; 1 s'
    ],
    '# sheet id text: value'               => [ 'sheet', '1..2', 'ok 1 - a.b', '# sheet 10.1a text: value' ],
    '# not tested: N of M: reason; remedy' =>
        [ 'untested', '1..2', 'ok 1 - a.b', '# not tested: 1 of 2: no APIC; turn it on' ],
    '# stage NAME is gone: SENTENCE: ID failed, and so did N of M counters, each tried alone; K vectors not run'
        => [
        'comment',
        '1..2',
        'not ok 1 - a.b',
        '# stage pmi is gone: no overflow interrupts: a.b failed, and so did 18 of 18 counters, each tried alone; 1 vectors not run'
        ],
    '# stage NAME (RULES): title' => [ 'comment', '1..2', '# stage pmi (R45 R46 R51): the count after' ],
    '# bringup stops at stage NAME (RULES): SENTENCE' => [
        'comment', '1..2',
        'not ok 1 - a.b', '# bringup stops at stage pmi (R45 R46 R51): no overflow interrupts'
    ],
    '# vector ...' => [ 'comment', '1..0 # SKIP list', '# vector a.b [R1] check title' ],
    '# step ...'   =>
        [ 'comment', '1..0 # SKIP list', '# step 12:OVF=0: LP0 writes the CCCR of counter 12: OVF clear' ],
    '# '               => [ 'comment', '1..2', 'ok 1 - a.b', '# any other words' ],
    'Bail out! reason' => [ 'bail', '1..2', 'Bail out! reason' ],
    '# END OF TAP: verdict, L lines, CRC-32 hhhhhhhh' => [ 'end', '1..0 # SKIP list', 'END skip' ],
    'pass' => [ 'end', '1..1', 'ok 1 - a.b', '# 1 passed, 0 failed, 0 skipped of 1', 'END pass' ],
    'fail' => [ 'end', '1..1', 'not ok 1 - a.b', '# 0 passed, 1 failed, 0 skipped of 1', 'END fail' ],
    'skip' => [ 'end', '1..0 # SKIP list', 'END skip' ],
);
subtest 'the forms of lines in docs/log.md' => sub {
    my ($table) = $page =~ /^## Lines\n.*?\n((?:\|[^\n]*\n)+)/ms;
    my @forms = map { my ($first) = /\A\| (.*?) \| /; $first =~ /`([^`]*)`/g }
        grep { /\A\| / && !/\A\| Line / } split /\n/, $table;
    cmp_ok scalar @forms, '>=', 15, 'forms on the page';
    is_deeply [ grep { !$FORM{$_} } @forms ], [], 'this test knows each of them';
    for my $form (sort keys %FORM) {
        my ($kind, @lines) = @{ $FORM{$form} };
        shift @lines if $kind eq 'header';
        my ($verdict, @seen) = read_by_pmulog(joined(checked_lines(@lines)));
        isnt $verdict->[0], 'damaged', "'$form'" or diag $verdict->[1];
        is $seen[-1][0], $kind, "is taken for: $kind";
    }
};

subtest 'the lines of a soak in docs/log.md' => sub {
    my @soak = map { bare($_) } example('# soak loop 17: not ok - cascade.18-1.iq.12-14 #5C2E');
    is scalar @soak, 6, 'lines of the example';
    my ($verdict, @seen) = read_by_pmulog(joined(checked_lines(
        '1..2', 'ok 1 - a.b', @soak,
        'not ok 2 - soak',
        '# 1 passed, 1 failed, 0 skipped of 2; 1987 loops begun',
        'END fail'
    )));
    is $verdict->[0], 'fail', 'they stand in a sound document' or diag $verdict->[1];
    like $verdict->[1], qr/loop 17: 8449 points in all, 1 failed/, 'and the heartbeat says how far it came';
    is_deeply [ map { $_->[0] } @seen[ 3 .. 8 ] ], [ 'heartbeat', ('comment') x 3, ('heartbeat') x 2 ],
        'as what they are';
};

# The examples of "Results that are wrong now and then", each in a document of its own.
subtest 'what is wrong now and then, in docs/log.md' => sub {
    my ($point) = map { bare($_) }
        example('ok 17 - course.links.14 # unexplained: 1 of 93 starts by CASCADE, 14 by 12 #A1B2');
    my @fields = example(
        "  intermittent: '3 of 1212 starts by CASCADE, none beside a disturbance; 14 by 12: 2 of 93'");
    my @judged = example(
        '# judged: starts by CASCADE 3120, excludes 1 in 1006; least 14 by 12: 174, excludes 1 in 56');
    my ($totals) =
        example('# 530 passed, 3 failed, 6 skipped of 539; 2 of the failed intermittent; 4 unexplained');
    my ($in_soak) = $page =~ /`(# soak loop 17: judged: [^`;]*); \.\.\.`/;
    is_deeply [ scalar(@fields), scalar @judged, grep { !defined } $point, $totals, $in_soak ], [ 9, 2 ],
        'the examples are there';
    my ($verdict, @seen) = read_by_pmulog(joined(checked_lines(
        '1..2',
        $point =~ s/ok 17/ok 1/r,
        'not ok 2 - a.b',
        '  ---',
        @fields,
        '  ...',
        @judged,
        $in_soak,
        $totals =~ s/.*?; 2 of/# 1 passed, 1 failed, 0 skipped of 2; 1 of/r =~
            s/4 unexplained/1 unexplained/r,
        'END fail'
    )));
    is $verdict->[0], 'fail', 'they stand in a sound document' or diag $verdict->[1];
    is_deeply [ map { $_->[0] } @seen[ 2 .. $#seen ] ],
        [ 'point', 'point', 'open', ('value') x 9, 'close', ('judged') x 3, 'totals', 'end' ],
        'as what they are';
};

subtest 'the log file in docs/log.md' => sub {
    my ($mark, $ended) = example('pmuproof log file, 163840 bytes reserved');
    my ($saved) = $page =~ /`(state: saved during the run[^`]*)`/
        or return fail 'the other state line is on the page';
    my @document = checked_lines('1..1', 'ok 1 - a.b', '# 1 passed, 0 failed, 0 skipped of 1', 'END pass');
    my $verdict = sub {
        return (read_by_pmulog(join '', map { "$_\n" } @_))[0][0];
    };
    is $verdict->($mark, $ended, @document), 'pass', 'a file of a run that has ended';
    is $verdict->($mark, $saved, @document), 'incomplete', 'a file that was saved during a run';
    for my $full ($page =~ /`(# the copy in [^`]*)`/g) {
        is $verdict->(@document[ 0 .. 2 ], $full =~ s/\bN\b/5/r), 'incomplete', $full;
    }
};

# A log without a failure, and the one of which docs/read-a-log.md shows excerpts: the arguments of p4sim
# after `output of:`.
subtest 'every line of real logs' => sub {
    my ($command) = slurp('docs/read-a-log.md') =~ m{<!-- output of: build/p4sim (.*?) (?:2>.*)?-->}
        or die "docs/read-a-log.md shows no log\n";
    for my $log (p4sim($ELF, 'only=state.cccr,cascade.18-1')->{out}, p4sim(split ' ', $command)->{out}) {
        my ($verdict, @seen) = read_by_pmulog($log);
        like $verdict->[0], qr/\A(?:pass|fail)\z/, 'sound' or diag $verdict->[1];
        is scalar @seen, scalar(() = $log =~ /\n/g), 'each line is something';
        is_deeply [ grep { $_->[0] eq 'comment' && $_->[1] !~ /^# disturbed: / } @seen ], [],
            'and none a mere comment';
    }
};

# The keys of the inventory: those that the kernel prints, in the page's order.
subtest 'the inventory in docs/log.md' => sub {
    my ($table) = $page =~ /^## Inventory\n.*?\n((?:\|[^\n]*\n)+)/ms;
    my @keys = map { my ($first) = /\A\| (.*?) \| /; $first =~ /`([^`]*)`/g } grep { /\A\| / } split /\n/,
        $table;
    my (undef, @seen) = read_by_pmulog(
        p4sim(
            '--cpu', '0F68', '--board', 'msr-fault:3A1', '--board', 'bts-left',
            $ELF, 'only=state.cccr', 'watchdog'
        )->{out}
    );
    is_deeply [ map { $_->[2] } grep { $_->[0] eq 'inventory' } @seen ], \@keys, 'is the inventory of a run';
};

done_testing;
