#!/usr/bin/perl
# Programs that read TAP take the log as it comes from the board, without pmulog: prove, and the strict parsers of meson and
# tappy, which want the version line first, the plan next, and nothing that TAP does not know (strict_tap.py).
use lib 'tests/image';
use ImageTest;

# Title, what the strict parsers must say, exit status of prove, p4sim's arguments.
my @logs = (
    [ 'a run that passes', qr/[1-9]\d* passed, 0 failed, [1-9]\d* skipped of \d+/, 0, $ELF, 'only=state,access.escr,probe.cascade' ],
    # Each diagnosis has a list; in the first log an item begins with the name of a register.
    [ 'a run that fails', qr/\d+ passed, [1-9]\d* failed, \d+ skipped of \d+/, 1, qw(--fault counter-alias-0-1), $ELF, 'only=access,state' ],
    [ 'a brief log', qr/\d+ passed, [1-9]\d* failed, \d+ skipped of \d+/, 1, qw(--fault counter-alias-0-1), $ELF, 'only=access,state,tag', 'brief' ],
    [ 'an exception', qr/6 passed, 1 failed, 0 skipped of 7/, 1, $ELF, qw(selftest=many only=state) ],
    [ 'a soak that fails', qr/1 passed, 1 failed, 0 skipped of 3|2 passed, 1 failed, 0 skipped of 3/, 1, $ELF, qw(selftest=late only=state.cccr loop=2) ],
    [ 'a skipped machine', qr/0 passed, 0 failed, 0 skipped of 0/, 0, qw(--board msr-fault --board hypervisor), $ELF ],
    [ 'a dead PMU', qr/0 passed, 1 failed, 0 skipped of 1/, 1, qw(--board msr-fault), $ELF ],
    [ 'a list', qr/0 passed, 0 failed, 0 skipped of 0/, 0, $ELF, 'list' ],
);

my @names;
for my $log (@logs) {
    my ($title, undef, undef, @arguments) = @$log;
    my $name = "$dir/" . $title =~ tr/ /-/r;
    push @names, spew($name, p4sim(@arguments)->{out});
}
my $read = run(2, '/usr/bin/python3', 'tests/image/strict_tap.py', @names);
is $read->{status}, 0, 'the strict parsers come to their end' or diag $read->{err};
my @said = split /\n/, $read->{out};
for my $i (0 .. $#logs) {
    my ($title, $counts, $status) = @{ $logs[$i] };
    like $said[$i], qr/\A\Q$names[$i]\E: $counts\z/, "$title: meson and tappy agree and do not complain";
    my $prove = run(1, qw(prove --norc --exec cat), $names[$i]);
    is $prove->{status}, $status, "prove's status" or diag $prove->{out};
    unlike $prove->{out} . $prove->{err}, qr/Parse errors/, 'and it does not complain';
}
like p4sim(qw(--fault counter-alias-0-1), $ELF, 'only=access')->{out}, qr/^    - 'MSR_\w+ = /m, 'an item begins with a name and =';

# A bail-out is a failure to all of them; tappy reports it as a complaint.
my $bailed = spew("$dir/bail-out", p4sim($ELF, 'bogus')->{out});
like run(2, '/usr/bin/python3', 'tests/image/strict_tap.py', $bailed)->{out}, qr/: 0 passed, 1 failed, 0 skipped of 1, bail; tappy: Bailed: boot line: 'bogus' [^\n]*\n\z/, 'a bail-out';

# What the parsers refuse: so the test would notice.
my $good = p4sim($ELF, 'only=state.cccr')->{out};
for my $case (
    [ 'a line before the version line'              => "pmuproof\r\n$good",                      qr/first line/ ],
    [ 'an empty line there'                         => "\r\n$good",                              qr/first line/ ],
    [ 'a line between version line and plan'        => $good =~ s/\n/\n# early\r\n/r,            qr/plan must appear/ ],
    [ 'a line that is none of TAP'                  => "${good}The log is not there.\r\n",       qr/The log is not there/ ],
    )
{
    my ($title, $text, $complaint) = @$case;
    like run(2, '/usr/bin/python3', 'tests/image/strict_tap.py', spew("$dir/refused", $text))->{out}, $complaint, "refused: $title";
}

done_testing;
