#!/usr/bin/perl
# tools/watch: on a terminal one line of progress, then a summary; in a pipe the log, byte for byte. The exit
# status is always that of the command.
use lib 'tests/image';
use ImageTest;
use Cwd qw(getcwd);
use CheckedLog qw(checked $SEVERAL);
use Pty qw(on_terminal);

plan skip_all => 'no pseudo-terminals here (/dev/ptmx)' if !-w '/dev/ptmx';

my $kept = "$dir/kept";
my @inventory = ('1..2', '# processor: GenuineIntel 0F43H, Prescott');
my @sheet = (
    '# sheet 10.1a cascade start: follows OVF of X (level)',
    '# sheet 10.2 alternatives: none',
    '# sheet 10.19 other: 7'
);
my @totals = ('# 2 passed, 0 failed, 0 skipped of 2', 'END pass');
my $pass = checked(@inventory, '#> a.b title', 'ok 1 - a.b', '#> c.d title', 'ok 2 - c.d', @sheet, @totals);
my $fail = checked(@$SEVERAL);
my $skip = checked('1..0 # SKIP no NetBurst PMU', 'END skip');
my $hung = $pass =~ s/ok 2 .*//sr;

# A command that prints a log, something on standard error, and ends with a status.
sub printing ($log, $status) {
    file('log', $log);
    return ('sh', '-c', 'cat "$1"; echo said >&2; exit "$2"', 'sh', "$dir/log", $status);
}

# What a terminal showed, without the line ends inside a paragraph.
sub flat { return $_[0] =~ s/\n +/ /gr }

# What presses Enter when this was shown (Pty.pm).
sub typed_after ($shown) {
    return sub ($out) { $out =~ $shown ? "\n" : () };
}

sub watch { return on_terminal(5, $_[0], 'tools/watch', '--log', $kept, '--reference', '', @_[ 1 .. $#_ ]) }

subtest 'a pipe gets the log' => sub {
    for my $case ([ 0, $pass ], [ 1, $fail ], [ 2, $hung ], [ 77, $skip ],
        [ 3, join '', map { chr } 0 .. 255 ])
    {
        my ($status, $log) = @$case;
        my $run = run(5, 'tools/watch', '--log', "$dir/none", printing($log, $status));
        is unpack('H*', $run->{out}), unpack('H*', $log), 'byte for byte';
        is $run->{err}, "said\n", 'with its standard error';
        is $run->{status}, $status, 'and its status';
    }
    ok !-e "$dir/none", 'no file is written';
    is run(5, 'sh', '-c', "tools/watch yes | head -n 1")->{out}, "y\n", 'a reader may leave';
    my $none = run(5, 'tools/watch', "$dir/no-such-program");
    is $none->{status}, 2, 'a program that is not there';
    is $none->{err}, "watch: cannot run $dir/no-such-program: No such file or directory\n", 'in one line';
    is run(5, 'tools/watch', 'printf', '--help')->{out} =~ /printf/ ? 1 : 0, 1,
        'options after the command are those of the command';
};

subtest 'a terminal gets progress and a summary' => sub {
    my $run = watch({}, printing($fail, 1));
    is $run->{status}, 1, 'the status of the command';
    is slurp($kept), $fail, 'the log is kept, byte for byte';
    unlike $run->{out}, qr/TAP version/, 'and not printed';
    like $run->{out}, qr/\r0 of 6 vectors, 0 failures/, 'progress';
    like $run->{out}, qr/\r\e\[K(?:\e\[K)?said\n/, 'standard error on a line of its own';
    like $run->{out},
        qr/^1 vector failed: access\.counter \(1 of 1\)\.\nThe first, access\.counter\.0: .*\n\e\[1;31mfail\e\[0m: 4 passed, 1 failed, 1 skipped of 6\. The whole\s.*\n.*pmulog explain \Q$kept\E\n.*pmulog html \Q$kept\E > page.html\n\z/ms,
        'what failed, in groups, and the first; the verdict; the commands that say more';
    like watch({}, printing($pass, 0))->{out},
        qr/(?:\n|\e\[K)\e\[1;32mpass\e\[0m: 2 passed.*\Q$kept\E; [^\n]*\n?[^\n]*\n\z/s,
        'in the colour of the verdict, and no such command';
    my $partly = checked(
        '1..2', 'ok 1 - a.b',
        'ok 2 - a.c # SKIP no APIC',
        '# not tested: 1 of 2: no APIC; BIOS: turn it on',
        '# 1 passed, 0 failed, 1 skipped of 2',
        'END pass'
    );
    like flat(watch({}, printing($partly, 0))->{out}),
        qr/\e\[1;33mpass\e\[0m: 1 passed, 0 failed, 1 skipped of 2; 1 of 2 not tested: no APIC; BIOS: turn it on\. /,
        'which is yellow if more could be tested';
    is watch({}, 'sh', '-c', 'kill -TERM $$')->{status}, 128 + 15, 'a command that a signal ended';
};

subtest 'what failed fits on a screen of 24 rows, with the verdict, in whole words' => sub {
    my $words = join ' ', 'counter 5', map { "word$_" } 1 .. 120;
    my @failed = map { (
        "not ok $_ - family$_.member",
        '  ---',
        "  rules: 'R33 R36 R23 R51'",
        "  what: '$words'",
        "  expected: '1'",
        "  observed: '0'",
        "  breaks: 'R33 R36'",
        "  counters: '5'",
        '  ...'
    ) } 1 .. 60;
    my $out = watch(
        {},
        printing(
            checked(
                '1..60', @failed,
                map({ "# sheet 10.$_ question $_: 1 (in doubt: family1.a)" } 1 .. 40),
                '# 0 passed, 60 failed, 0 skipped of 60',
                'END fail'
            ),
            1
        )
    )->{out};
    my @rows = split /\n/, $out =~ s/.*\e\[K(?:said\n)?//sr;
    my ($first) = grep { $rows[$_] =~ /^60 vectors failed: family1 \(1 of 1\), / } 0 .. $#rows;
    ok defined $first && @rows - $first < 24, 'from the first row on' or diag $out;
    is_deeply [ grep { length $_ > 80 && !/\Q$dir\E/ } @rows ], [], 'each as wide as it may be';
    like $out, qr/ and \d+ more\.\nThe first, family1\.member: /,
        'the families that have no room are counted';
    like $out, qr/ most likely broken:\n(?: .*\n)+In common: Every failed vector is about counter 5\.\n/,
        'below the rules, what the failures have in common';
    my ($what) = $out =~ /^The first, family1\.member: (.*?) \.\.\.$/ms;
    ok defined $what && index($words, $what =~ s/\n +/ /gr . ' word') == 0,
        'and what is cut ends with a whole word'
        or diag $out;
};

subtest 'progress counts vectors and failures' => sub {
    my @lines =
        map { (
        "#> v.$_ title", $_ == 2 ? ('not ok 2 - v.2', '  ---', "  what: 'x'", '  ...') : "ok $_ - v.$_") }
        1 .. 3;
    my ($first, @rest) = split /(?<=\r\n)(?=#> )/,
        checked('1..3', @lines, '# 2 passed, 1 failed, 0 skipped of 3', 'END fail');
    file("part$_", $_ ? $rest[ $_ - 1 ] : $first) for 0 .. @rest;
    # Each part comes when the one before it has been shown.
    my @go_on = map { typed_after(qr/\r$_ of 3 vectors[^\r]*\e/) } 0 .. 3;
    my $run = watch(
        { type => \@go_on },
        'sh', '-c', 'for n in 0 1 2 3; do cat "$1/part$n"; read line; done',
        'sh', $dir
    );
    my @shown = $run->{out} =~ /\r(\d[^\r\e]*)/g;
    # What comes within a twentieth of a second is shown together.
    my @all = map { s/,/ of 3 vectors,/r } '0, 0 failures', '0, 0 failures, v.1', '1, 0 failures, v.1',
        '1, 0 failures, v.2',
        '2, 1 failure, v.2', '2, 1 failure, v.3', '3, 1 failure, v.3';
    my %counts = map { /^(\d+)/ ? ($1 => 1) : () } @shown;
    is_deeply [ sort keys %counts ], [ 0 .. 3 ], 'as the log comes';
    is $shown[-1], $all[-1], 'up to the last vector';
    my %place = map { $all[$_] => $_ } 0 .. $#all;
    my @places = map { $place{$_} // -1 } @shown;
    file('log', checked('1..2', '#> a.b title', 'ok 1 - a.b', 'ok 2 - c.d', @totals));
    my $last = qr/2 of 2 vectors, 0 failures\e/;
    like watch({ type => typed_after($last) }, 'sh', '-c', 'cat "$1"; read line', 'sh', "$dir/log")->{out},
        $last,
        'a vector that was not announced does not go by the name of another';
    is_deeply \@places, [ sort { $a <=> $b } grep { $_ >= 0 } @places ], 'in the order of the log'
        or diag explain \@shown;
};

subtest 'a wrong word costs one line' => sub {
    my $allowed = "allowed: exit=halt|reboot only=PATTERN[,PATTERN...] quick";
    for my $case (
        [ "'onyl=x' is not understood; $allowed", "'onyl=x' is not understood; did you mean only=?" ],
        [
            "'nonsense' is not understood; $allowed",
            "'nonsense' is not understood; docs/boot-line.md has the words"
        ],
        [
            "'exit=x' is not understood; allowed: exit=halt|reboot",
            "'exit=x' is not understood; allowed: exit=halt|reboot"
        ],
        [
            "'only=cascaed' matches no vector; allowed: an id",
            "'only=cascaed' matches no vector; did you mean cascade?"
        ]
        )
    {
        my ($refusal, $shown) = @$case;
        my $run = watch(
            {},
            'sh',
            '-c',
            'cat "$1"; echo "p4sim: broken: the kernel bailed out: $2" >&2; exit 2',
            'sh',
            file('log', checked('1..1', 'not ok 1 - boot.line', "Bail out! boot line: $refusal")),
            "boot line: $refusal"
        );
        is flat($run->{out} =~ s/.*\e\[K//sr), "boot line: $shown\n", $shown;
        is $run->{status}, 2, 'status 2';
    }
};

subtest 'make run ends with that line, and make says nothing' => sub {
    delete local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKE_TERMOUT)};
    local $SIG{QUIT} = 'DEFAULT';    # of a background job it is ignored
    my $run = on_terminal(20, {}, qw(make run WORDS=onyl=x));
    is $run->{out} =~ s{.*\e\[K}{}sr, "boot line: 'onyl=x' is not understood; did you mean only=?\n",
        'the nearest word';
    is $run->{status}, 1, 'status 1';
    $SIG{QUIT} = 'IGNORE';
    is on_terminal(20, {}, qw(make run WORDS=onyl=x))->{status}, 2,
        'status 2 where make cannot end without a line';
};

subtest 'a list is shown by groups' => sub {
    my @listed = (
        '1..0 # SKIP vectors are listed, none is run (boot word list)',
        map({ "# vector $_ [R1] check x" } 'a.b', 'a.c', 'd.e'),
        'END skip'
    );
    like watch({}, printing(checked(@listed), 77))->{out},
        qr/The vectors: a \(2\), d \(1\)\nThe boot word list=a prints/, 'with the number of vectors';
    like watch({}, printing(checked(grep { !/d\.e/ } @listed), 77))->{out},
        qr/# vector a\.b \[R1\] check x\n/, 'one group as it is';
};

subtest 'terminals' => sub {
    my $plain = watch({ env => { NO_COLOR => 1 } }, printing($fail, 1))->{out};
    unlike $plain, qr/\e\[[0-9;]*m/, 'NO_COLOR: no colour';
    like $plain, qr/\nfail: 4 passed/, 'and the verdict';
    for my $type ('dumb', '') {
        my $dumb = watch({ env => { TERM => $type } }, printing($fail, 1))->{out};
        unlike $dumb, qr/[\e\r]/, "TERM='$type': nothing but text";
        like $dumb, qr/\nfail: 4 passed/, 'and the verdict';
    }
    my @drawn =
        watch({ env => { TERM => 'dumb' } }, printing(full_log(), 0))->{out} =~ /^(\d+) of \d+ vectors/mg;
    is "@drawn", join(' ', map { 100 * $_ } 1 .. (full_log() =~ /^1\.\.(\d+)/m)[0] / 100),
        'a line for each hundred vectors';
    my $narrow = watch({ columns => 24 }, printing($pass, 0))->{out};
    like $narrow, qr/\r0 of 2 vectors, 0 failu\e\[K/, '24 columns: progress fits into a line';
    $narrow = watch({ columns => 30 }, printing($pass, 0))->{out};
    my @text = split /\n/, $narrow =~ s/.*\e\[K//sr;
    is_deeply [ grep { length > 30 && !/\Q$dir\E/ } map { s/\e\[[0-9;]*m//gr } @text ], [],
        'and so does the text';
    my $full = on_terminal(5, {}, 'tools/watch', '--full', printing($fail, 1));
    is $full->{out}, $fail =~ s/\r\n/\n/gr . "said\n", '--full: the log itself';
    is $full->{status}, 1, 'with its status';
    # A program in the background writes nothing over what a person types.
    my $behind =
        on_terminal(5, {}, $^X, '-e',
        'if (!($p = fork)) { setpgrp 0, 0; exec @ARGV } waitpid $p, 0; exit $? >> 8',
        'tools/watch', printing($fail, 1));
    is $behind->{out}, $fail =~ s/\r\n/\n/gr . "said\n", 'in the background: the log itself';
    is $behind->{status}, 1, 'with its status';
};

subtest 'what is no log, or a short one, is printed' => sub {
    my $run = watch({}, printing("one\ntwo\n", 0));
    like $run->{out}, qr/\bone\ntwo\n\z/, 'a list';
    is $run->{status}, 0, 'and its status';
    $run = watch({}, printing($skip, 77));
    like $run->{out}, qr/^1\.\.0 # SKIP no NetBurst PMU$/m, 'a run that tested nothing';
    is $run->{status}, 77, 'and its status';
};

subtest 'the sheet beside that of a reference' => sub {
    my $sheet = sub { flat(on_terminal(5, {}, 'tools/watch', '--log', $kept, '--reference', @_)->{out}) };
    file('reference', $pass);
    like $sheet->("$dir/reference", printing($pass, 0)),
        qr/^Questions that the manual leaves open: none of 3 answered differently from \Q$dir\E\/reference\.$/m,
        'the same';
    my $other = checked(
        @inventory, '#> a.b title', 'ok 1 - a.b', '#> c.d title', 'ok 2 - c.d',
        '# sheet 10.1a cascade start: a latch',
        '# sheet 10.2 alternatives: not probed: not selected on the boot line', @totals
    );
    like $sheet->("$dir/reference", printing($other, 0)),
        qr/open: 1 of 1 answered differently from \Q$dir\E\/reference: 10\.1a cascade start: a latch; there: follows OVF of X \(level\)\n\n/,
        'what both have and is not the same';
    my $doubted = checked(
        '1..2',
        'not ok 1 - a.b',
        'ok 2 - c.d',
        '# sheet 10.1a cascade start: a latch (in doubt: a.b)',
        '# sheet 10.2 alternatives: not probed: gone',
        '# sheet 10.19 other: 8',
        '# 1 passed, 1 failed, 0 skipped of 2',
        'END fail'
    );
    like $sheet->("$dir/reference", printing($doubted, 1)),
        qr/open: 2 of 3 answered differently from \Q$dir\E\/reference; 1 not probed: gone; 1 in doubt: checks failed\.\n\n1 vector failed/,
        'of a run with failures in one line';
    file('empty', '');
    file('log', $pass);
    unlike on_terminal(
        5, {}, 'sh', '-c', 'cd "$0" && "$@"',
        "$dir", getcwd() . "/tools/watch",
        '--log', $kept, 'cat', "$dir/log"
        )->{out}, qr{/\.\./},
        'its name is short, in another folder too';
    like $sheet->("$dir", 'true'), qr/\Awatch: --reference: cannot read \Q$dir\E: it is a folder\n/,
        'a reference that is a folder';
    like $sheet->("$dir/empty", printing($pass, 0)),
        qr/has no log, so the answers to the manual's open questions are compared with nothing/,
        'a reference without a log';
    unlike $sheet->('', printing($pass, 0)), qr/Questions/, 'none';
    like $sheet->("$dir/nowhere", printing($pass, 0)),
        qr/\Awatch: --reference: cannot read \S+nowhere: No such file/, 'a file that is not there';
};

# A command that prints the beginning of a log and then goes on for ever; its process id is in $dir/id.
sub endless {
    file('log', $hung);
    unlink "$dir/id";
    return ('sh', '-c', 'echo $$ > "$2"; cat "$1"; exec sleep 1000', 'sh', "$dir/log", "$dir/id");
}

sub ended {
    my ($id) = slurp("$dir/id") =~ /(\d+)/;
    select undef, undef, undef, 0.1 for 1 .. 50 * kill 0, $id;
    return !kill 0, $id;
}

subtest 'signals' => sub {
    my $started = sub { $_[0] =~ /c\.d/ ? "\x03" : () };
    my $run = watch({ type => $started }, endless());
    is $run->{signal}, 2, 'Ctrl-C ends it as it ends any program' or diag $run->{out};
    like $run->{out}, qr/The log ends while c\.d was running/, 'with a summary of what there is';
    like flat($run->{out}),
        qr/incomplete\e\[0m: 1 passed, 0 failed, 0 skipped of 2; no end line; its last words: c\.d\./,
        'and the verdict';
    ok ended(), 'the command has ended';
    $run = watch({ type => sub { $_[0] =~ /c\.d/ ? undef : () } }, endless());
    is $run->{signal}, 1, 'a terminal that is closed';
    ok ended(), 'ends the command too';
};

done_testing;
