#!/usr/bin/perl
# Programs that read TAP take the log as it comes from the board, without pmulog: prove, and the strict
# parsers of meson and tappy, which want the version line first, the plan next, and nothing that TAP does not
# know (strict_tap.py). Check codes and end lines are those that zlib computes by docs/log.md, and no line can
# be changed without a difference.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(log_faults);

# Title, what the strict parsers must say, p4sim's arguments.
my @logs = (
    [
        'a run that passes', qr/[1-9]\d* passed, 0 failed, [1-9]\d* skipped of \d+/,
        $ELF, 'only=state,access.escr,probe.cascade'
    ],
    # Each diagnosis has a list; in the first log an item begins with the name of a register.
    [
        'a run that fails', qr/\d+ passed, [1-9]\d* failed, \d+ skipped of \d+/,
        qw(--fault counter-alias-0-1), $ELF,
        'only=access,state', 'skip=access.drawn'
    ],
    [
        'a brief log',
        qr/\d+ passed, [1-9]\d* failed, \d+ skipped of \d+/,
        qw(--fault counter-alias-0-1),
        $ELF, 'only=access,state,tag', 'skip=access.drawn', 'brief'
    ],
    [ 'an exception', qr/6 passed, 1 failed, 0 skipped of 7/, $ELF, qw(selftest=many only=state) ],
    [
        'a soak that fails',
        qr/[12] passed, 1 failed, 0 skipped of 3/,
        $ELF,
        qw(selftest=late only=state.cccr loop=2)
    ],
    [
        'a skipped machine',
        qr/[1-9]\d* passed, 0 failed, [1-9]\d* skipped of \d+/,
        qw(--board msr-fault --board hypervisor), $ELF
    ],
    [ 'a dead PMU', qr{[1-9]\d* passed, 1 failed, [1-9]\d* skipped of \d+}, qw(--board msr-fault), $ELF ],
    [ 'a list', qr/0 passed, 0 failed, 0 skipped of 0/, $ELF, 'list' ],
    [ 'an inventory', qr/0 passed, 0 failed, 0 skipped of 0/, $ELF, 'inventory' ],
    [
        'a verbose soak',
        qr/\d+ passed, 0 failed, \d+ skipped of \d+/,
        $ELF,
        'only=state,access.cccr.0,probe.cascade',
        qw(loop=2 verbose)
    ],
    [
        'a soak that stops',
        qr/\d+ passed, 1 failed, \d+ skipped of \d+/,
        $ELF, qw(only=state loop=forever selftest=late stop-on-fail)
    ],
    # A failure to all of them; tappy reports it as a complaint.
    [
        'a bail-out', qr/0 passed, 1 failed, 0 skipped of 1, bail; tappy: Bailed: boot line: 'bogus' [^\n]*/,
        $ELF, 'bogus'
    ],
);
# by the status of p4sim; a bail-out has no end line
my %VERDICT = (0 => 'pass', 1 => 'fail', 77 => 'skip');

sub strictly_read {
    my $read = run(2, '/usr/bin/python3', 'tests/image/strict_tap.py', @_);
    is $read->{status}, 0, 'the strict parsers come to their end' or diag $read->{err};
    return split /\n/, $read->{out};
}

my @runs = map { my (undef, undef, @arguments) = @$_; p4sim(@arguments) } @logs;
my @names = map { file($logs[$_][0] =~ tr/ /-/r, $runs[$_]{out}) } 0 .. $#logs;
my @said = strictly_read(@names);
for my $i (0 .. $#logs) {
    my ($title, $counts) = @{ $logs[$i] };
    my $verdict = $VERDICT{ $runs[$i]{status} };
    like $said[$i], qr/\A\Q$names[$i]\E: $counts\z/, "$title: meson and tappy agree and do not complain";
    is_deeply [ log_faults(document($runs[$i]{out}), $verdict) ], [], 'and it is whole';
    is tool(1, 'tools/pmulog', 'check', $names[$i])->{status}, $runs[$i]{status},
        'pmulog has the verdict of p4sim';
    next if !$verdict;
    my $prove = run(1, qw(prove --norc --exec cat), $names[$i]);
    is $prove->{status}, $verdict eq 'fail' ? 1 : 0, "prove's status" or diag $prove->{out};
    unlike $prove->{out} . $prove->{err}, qr/Parse errors/, 'and it does not complain';
}
like $runs[1]{out}, qr/^    - 'MSR_\w+ = /m, 'an item begins with a name and =';
is_deeply [ log_faults(document(full_log()), 'pass') ], [], 'the log of a full run is whole';

# What the parsers refuse: so the test would notice.
my $good = p4sim($ELF, 'only=state.cccr')->{out};
my @refused = (
    [ 'a line before the version line'       => "pmuproof\r\n$good", qr/first line/ ],
    [ 'an empty line there'                  => "\r\n$good", qr/first line/ ],
    [ 'a line between version line and plan' => $good =~ s/\n/\n# early\r\n/r, qr/plan must appear/ ],
    [ 'a line that is none of TAP' => "${good}The log is not there.\r\n", qr/The log is not there/ ],
);
my @complaints = strictly_read(map { file("refused$_", $refused[$_][1]) } 0 .. $#refused);
for my $i (0 .. $#refused) {
    my ($title, undef, $complaint) = @{ $refused[$i] };
    like $complaints[$i], $complaint, "refused: $title";
}
my @lines = $good =~ /([^\n]*\n)/g;
my @unnoticed;
for my $i (0 .. $#lines) {
    my %damage = (
        missing => '',
        twice   => $lines[$i] x 2,
        changed => $lines[$i] =~ s/([ -~])(?=\r)/chr(ord($1) ^ 1)/er
    );
    for my $how (keys %damage) {
        my @damaged = @lines;
        $damaged[$i] = $damage{$how};
        push @unnoticed, "line $i $how" if !log_faults(join('', @damaged), 'pass');
    }
}
is_deeply \@unnoticed, [], 'no line can be missing, twice or changed';

done_testing;
