# The files for LAVA (tools/lab): LAVA's own library accepts the jobs, and the monitor of a job sees the same
# results in a log as TAP::Parser. Complete runs of LAVA and labgrid are in tests/lab (make test-lab).
use lib 'tests/image';
use ImageTest;

my $LAVA = 'tools/lab/lava';
my @JOBS = map { "$LAVA/job-$_.yaml" } qw(stick pxe qemu);
my $TEMPLATES = $ENV{LAVA_DEVICE_TYPES} || '/usr/share/lava-server/device-types';

# Debian 13 does not have it.
my $NO_LAVA =
    run(2, '/usr/bin/python3', '-c', 'import lava_common.schemas')->{status}
    ? 'lava-common is not installed'
    : '';

sub check { return run(2, '/usr/bin/python3', 'tests/lab/lava_check.py', @_) }

subtest 'the jobs are valid' => sub {
    plan skip_all => $NO_LAVA if $NO_LAVA;
    is_deeply [ split /\n/, check('job', @JOBS)->{out} ], [ map { "$_: valid" } @JOBS ], 'as they are';
    (my $wrong = slurp($JOBS[0])) =~ s/method: minimal/method: minimal\n    mehtod: x/;
    unlike check('job', file('wrong.yaml', $wrong))->{out}, qr/valid$/,
        'the check is strict: a misspelt key is refused';
};

# What the monitor of each job sees in each log, as a hash: "JOB LOG" => a list of lines "result id".
sub by_monitors (@logs) {
    my (undef, %lines) = split /^(\S+ \S+):\n/m, check('results', @JOBS, @logs)->{out};
    return map { $_ => [ split /\n/, $lines{$_} ] } keys %lines;
}

# What TAP::Parser sees.
sub by_parser ($log) {
    my (undef, @tests) = results(document($log));
    return map {
        my ($id) = $_->description =~ /^(?:- )?([^\s#]+)/;
        ($_->has_skip ? 'skip' : $_->is_actual_ok ? 'pass' : 'fail') . " $id";
    } @tests;
}

subtest 'the monitor takes a log apart' => sub {
    plan skip_all => $NO_LAVA if $NO_LAVA;
    my $fail = p4sim('--fault', 'cascade-broken-2-0', $ELF, 'only=cascade')->{out};
    my $skip = p4sim('--cpu', '0F12', $ELF, 'only=cascade')->{out};
    my $rehearsal = run_qemu('-kernel', $ELF)->{out};
    my @logs = map { file("log$_", ($fail, $skip, $rehearsal)[$_]) } 0 .. 2;
    my @ptys = map { file((split m{/})[-1] . '.pty', slurp($_) =~ s/\r\n/\r\r\n/gr) } @logs;
    my $half = file('half', substr $fail, 0, length($fail) / 2);
    my %seen = by_monitors(@logs, @ptys, $half);
    my %count;

    for my $i (0 .. $#logs) {
        my @expected = by_parser(slurp($logs[$i]));
        $count{ (split)[0] }++ for @expected;
        for my $job (@JOBS) {
            is_deeply $seen{"$job $logs[$i]"}, [ @expected, 'end' ], "$job, as on the line";
            is_deeply $seen{"$job $ptys[$i]"}, [ @expected, 'end' ], 'through a pty, with CR CR LF';
        }
    }
    ok $count{pass} && $count{fail} && $count{skip}, 'there was something of each kind to see';
    is $seen{"$_ $half"}[-1], 'no end', "$_: half a log has no end" for @JOBS;
};

subtest 'the device type renders with the templates of LAVA' => sub {
    plan skip_all => "no templates in $TEMPLATES (package lava-server, or LAVA_DEVICE_TYPES=folder)"
        unless -e "$TEMPLATES/x86-pentium4.jinja2";
    my $board = "$LAVA/board-example.jinja2";
    is check('device', $TEMPLATES, $board)->{out}, "$board: valid\n", 'valid';
};

subtest 'serial-log takes the serial line out of a job log' => sub {
    my $job = file('job.yaml', <<'END');
- {"dt": "2026-01-01T00:00:00", "lvl": "info", "msg": "start: 1"}
- {"dt": "2026-01-01T00:00:01", "lvl": "target", "msg": "TAP version 13"}
- {"dt": "2026-01-01T00:00:01", "lvl": "results", "msg": {"case": "x"}}
- {"dt": "2026-01-01T00:00:01", "lvl": "target", "msg": "\e[0m\x41\\e"}
{"dt": "2026-01-01T00:00:02", "lvl": "target", "msg": "  what: '\u00e9 \"q\"'\r"}
END
    my $run = run(1, "$LAVA/serial-log", $job);
    is $run->{out}, "TAP version 13\n\e[0mA\\e\n  what: '\xC3\xA9 \"q\"'\n", 'the lines of level target';
    is $run->{status}, 0, 'exit status';
    is run(1, "$LAVA/serial-log", 'README.md')->{status}, 1, 'not a job log';
    is run(1, "$LAVA/serial-log", 'no/such/file')->{status}, 64, 'no such file';
};

done_testing;
