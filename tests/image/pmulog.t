#!/usr/bin/perl
# tools/pmulog check: each verdict with its exit status, what it says of a boot, several boots, real captures,
# and documents whose checksums are right and whose lines contradict each other.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(checked checked_lines judge $SEVERAL);

sub pmulog { return tool(1, 'tools/pmulog', @_) }

my @short = ('1..1', '# build: abc', '# processor: GenuineIntel 0F43H', '#> a.b title', 'ok 1 - a.b');
my $totals = '# 1 passed, 0 failed, 0 skipped of 1';
my $pass = checked(@short, $totals, 'END pass');
my $fail = checked(@$SEVERAL);
my $skip = checked('1..0 # SKIP no NetBurst PMU', '# build: abc', 'END skip');
my $cut = checked(@short[ 0 .. 3 ]);
my $broken = $pass =~ s/ok 1 - a/ok 1 - c/r;
my $bailed = checked('1..2', 'not ok 1 - boot.line', 'Bail out! word not understood');
my $soak = checked(
    '1..2',
    '#> a.b title',
    'ok 1 - a.b',
    map {
        my $all = $_ * 9;
        "# soak loop $_: 9 points, 0 failed; in all $all points, 2 failed, 0 disturbed; $_ s"
    } 1,
    2,
    70
);
my $noise = "\e[2J\0\0Award BIOS v6.00PG\r\nGRUB loading.\r\n\x{b3} *pmuproof \x{b3}\r\n";

subtest 'a verdict, its exit status and its words' => sub {
    my @cases = (
        [
            'pass',
            0,
            $pass,
            qr/boot 1 \(line 1\): pass: 1 passed, 0 failed, 0 skipped of 1; .*build abc; processor GenuineIntel 0F43H$/m
        ],
        [ 'fail', 1, $fail, qr/fail: 4 passed, 1 failed, 1 skipped of 6/ ],
        [ 'skip', 77, $skip, qr/skip: .*no NetBurst PMU/ ],
        [ 'incomplete', 2, $cut, qr/its last words: a\.b/ ],
        [ 'incomplete', 2, $bailed, qr/bailed out: word not understood/ ],
        [ 'incomplete', 2, $soak, qr/in the soak: loop 70: 630 points in all, 2 failed/ ],
        [ 'incomplete', 2, '', qr/no log in it/ ],
        [ 'incomplete', 2, $noise, qr/no log in it/ ],
        [ 'damaged', 2, $broken, qr/line 6, record 1: a point whose check code/ ],
        [ 'damaged', 2, $pass =~ s/^TAP.*\n//r, qr/line 1: damaged: a plan outside of any document/ ],
    );
    for my $case (@cases) {
        my ($verdict, $status, $bytes, $words) = @$case;
        my $run = pmulog('check', file('log', $bytes));
        ends($run, $status, 'the line over all', out => qr/^$verdict: \d boots? in 1 file$/m);
        like $run->{out}, $words, 'and why';
        is $run->{err}, '', 'nothing else';
    }
};

subtest 'a pass that could have tested more' => sub {
    my ($lacking, $twice) = (
        '# not tested: 2 of 3: no APIC (lapic=on); BIOS: turn it on',
        '1 of 3 not tested: no sibling; turn it on'
    );
    my @points = (
        '1..3',
        'ok 1 - a.b',
        'ok 2 - a.c # SKIP no APIC (lapic=on)',
        'ok 3 - a.d # SKIP no APIC (lapic=on)'
    );
    my $totals = '# 1 passed, 0 failed, 2 skipped of 3';
    my $partly = file('partly', checked(@points, $lacking, $totals, 'END pass'));
    my $whole = file('whole', $pass);
    my $run = pmulog('check', $partly);
    is $run->{status}, 0, 'is a pass';
    like $run->{out},
        qr/; every check that ran passed; 2 of 3 not tested: no APIC \(lapic=on\); BIOS: turn it on; build .*\npass: 1 boot in 1 file; not everything/s,
        'which says what was not tested, and the remedy';
    is pmulog(qw(check --strict), @$_)->{status}, 77, 'and none for --strict'
        for [$partly], [ $partly, $whole ];
    is pmulog(qw(check --strict), $whole)->{status}, 0, 'for which a whole one is';
    is pmulog(qw(check --strict), $partly, file('failed', $fail))->{status}, 1, 'and a failure counts more';
    is pmulog('check', file('log', checked(@points, $lacking, $totals, 'END skip')), $whole)->{status}, 77,
        'the boot word strict does the same';
    is + (judge(checked(@points, $totals, 'END skip')))[0], 'damaged',
        'a skip that does not say what was not tested is none';
    like pmulog(
        'check',
        file(
            'log',
            checked(
                @points, $lacking, $lacking =~ s/2 of 3: .*/1 of 3: no sibling; turn it on/r,
                $totals, 'END pass'
            )
        )
        )->{out},
        qr/turn it on; \Q$twice\E/, 'several reasons';
    like pmulog('explain', $partly)->{out}, qr/^  a\.c and a\.d: no APIC \(lapic=on\); BIOS: turn it on$/m,
        'explain, too';
    like pmulog('junit', $partly)->{out}, qr{<system-out>pass: .*2 of 3 not tested: .*</system-out>},
        'junit, too';
    like pmulog('html', $partly)->{out}, qr/class="banner pass partly".*2 of 3 not tested: /, 'html, too';
    like pmulog(qw(check --json), $partly)->{out},
        qr/"points" : 2,\s+"reason" : "no APIC \(lapic=on\)",\s+"remedy" : "BIOS: turn it on"/, 'and JSON';
};

subtest 'names of files in UTF-8 are printed as they are, other bytes not' => sub {
    my ($good, $bad) = map { file($_, $pass) } "Br\xC3\xB6tchen", "Br\xFFtchen";
    for my $command ([qw(check)], [qw(explain)], [qw(sheet)], [qw(html)], [ 'compare', $good ]) {
        like pmulog(@$command, $good)->{out}, qr/Br\xC3\xB6tchen/, "$command->[0]";
        like pmulog(@$command, $bad)->{out}, qr/Br\?tchen/, 'and one that is no UTF-8';
    }
};

subtest 'bundle' => sub {
    for my $case ([ 0, $noise . $pass ], [ 1, $fail ], [ 2, $cut . $noise . $pass ], [ 2, '' ]) {
        my ($status, $bytes) = @$case;
        my $run = pmulog('bundle', file('log', $bytes));
        is $run->{status}, $status, "status $status";
        my $lines = join "\n", grep { !/[^ -~]/ } split /\r\n/, $bytes;
        like $run->{out},
            qr/\Apmuproof report, made by pmulog \S+\n.*photographs.*^  Board, .*:\n.*\Q@{[ substr $lines, rindex $lines, 'TAP' ]}\E/ms,
            'what to fill in, and every line of the log';
        unlike $run->{out}, qr/[^\t\n -~]/, 'nothing but text';
        is pmulog('check', file('report', $run->{out}))->{status}, $status, 'which is judged as before';
    }
    like pmulog('bundle', file('log', $fail))->{out}, qr/^\S+: boot 1 \(line 1\): fail: /m,
        'with the verdict';
};

subtest 'the failed vectors are named' => sub {
    like pmulog('check', file('log', $fail))->{out}, qr/^\S+: boot 1: failed: access\.counter\.0$/m, 'one';
    unlike pmulog('check', file('log', $pass))->{out}, qr/failed:/, 'none';
    my @many = map { "not ok $_ - a.b$_" } 1 .. 23;
    like pmulog('check',
        file('log', checked('1..23', @many, '# 0 passed, 23 failed, 0 skipped of 23', 'END fail')))->{out},
        qr/: failed: a\.b1, a\.b2, .*, a\.b20 and 3 more$/m, 'twenty of many';
    my $later = checked(
        '1..2',
        'ok 1 - a.b',
        '# soak loop 1: 1 points, 0 failed; in all 1 points, 0 failed',
        '# soak loop 2: not ok - a.b',
        "#   what: 'x'",
        '# soak loop 2: 1 points, 1 failed; in all 2 points, 1 failed',
        '# soak loop 3: not ok - a.b',
        '# soak loop 3: 1 points, 1 failed; in all 3 points, 2 failed',
        'not ok 2 - soak',
        '# 1 passed, 1 failed, 0 skipped of 2; 3 loops begun',
        'END fail'
    );
    like pmulog('check', file('log', $later))->{out}, qr/: failed: soak; in later loops: a\.b$/m,
        'in later loops of a soak, each once';
    like pmulog('check', file('log', $later =~ s/not ok 2 - soak.*//sr))->{out},
        qr/: failed: in later loops: a\.b$/m, 'also in a soak that hangs';
    like pmulog('check', file('log', $broken =~ s/ok 1/not ok 1/r))->{out}, qr/\A(?!.*: failed: )/s,
        'a damaged point does not count';
};

# The kernel writes the state first: until the rest is written, behind it stands the log of an earlier run.
my ($ended, $running) = ('the run has ended', 'saved during the run, which has not ended here');

sub on_medium {
    return sprintf "pmuproof log file, 8192 bytes reserved\nstate: %-56s\n%s%s\n", $_[0], $_[1], ' ' x 4000;
}

my @soak = (
    '1..2', 'ok 1 - a.b', '# soak loop 1: 1 points, 0 failed; in all 1 points, 0 failed',
    '#> a.b',
    '# soak loop 2: not ok - a.b',
    "#   what: 'x'",
    '# soak loop 2: 1 points, 1 failed; in all 2 points, 1 failed'
);

# The verdict on a capture, some with that on each boot; and what is said of the first boot.
my @judged = (
    # The end line of an incomplete log is no later record, the wrong check code of a damaged one is.
    [ damaged    => 'a wrong check code without any end line', $cut . "ok 1 - a.b #0000\r\n" ],
    [ incomplete => 'a point without its check code at the end of the capture', $cut . 'ok 1 - a.b' ],
    [ incomplete => 'a reset in the middle of a run', $cut . $noise ],
    [ 'incomplete incomplete pass' => 'and the next boot after it', $cut . $noise . $pass ],
    [ damaged                      => 'noise in the middle of a document', $cut . $noise . "# 1 passed\r\n" ],
    [ damaged                      => 'or with a point behind it', $cut . $noise . "ok 2 - a.c #1234\r\n" ],
    # Real captures.
    map({ [
            'pass pass skip' => 'noise before, between and after; line ends ' . unpack('H*', $_),
            ($noise . $pass . $noise . $skip . $noise) =~ s/\r\n/$_/gr
        ] } "\r\n",
        "\n", "\r\r\n"),
    map({
            my $stamp = $_;
            [ pass => "time stamps of a console server: $stamp", $pass =~ s/^/$stamp/gmr ]
        } '[2026-11-25 22:10:11] ',
        '[Wed Nov 25 22:10:11 2026]: ',
        '22:10:11.250 ',
        'Nov 25 22:10:11 ',
        '[   12.345678] '),
    [ damaged => 'which are no pardon', $broken  =~ s/^/22:10:11 /gmr ],
    [ pass    => 'no line end at the end', $pass =~ s/\r\n\z//r ],
    [ pass    => 'the loader left the cursor in the middle of a line', 'menu entry ' . $pass ],
    [ pass    => 'a long line of NULs before it', "\0" x 300_000 . $pass ],
    [ pass    => 'or on a line of their own', "\0" x 300_000 . "\r\n" . $pass ],
    [ pass    => 'or after it', $pass . "\xFF" x 300_000 ],
    map({ [ damaged => "what is left of a log before it: $_", "$noise$_\r\n$noise$pass" ] } "  observed: '0'",
        '  ...', "#   what: 'x'",
        '# build: abc', $totals, '#> a.b'),
    [ damaged => 'text behind the header on its line', $pass =~ s/13\r/13 x\r/r ],
    # A log file whose run has not ended.
    [ pass => 'one that has', on_medium($ended, $pass) ],
    [
        incomplete => 'the end behind it is no verdict',
        on_medium($running, $pass), qr/state line .* may be an earlier run's/
    ],
    [ damaged => 'damage is damage', on_medium($running, $broken) ],
    [
        'incomplete incomplete incomplete' => 'behind a document without an end',
        on_medium($running, $cut) . on_medium($running, $pass)
    ],
    [ incomplete => 'behind an empty line', on_medium($running, "\r\n" . $pass) ],
    [ pass => 'it is about the document directly behind it alone', on_medium($running, '') . $noise . $pass ],
    # Words that the kernel no longer prints: needs: LP1, selftest.lp1-fault, stray interrupts, interrupts
    # nobody asked for.
    [
        skip => 'a list of before',
        checked(
            '1..0 # SKIP vectors are listed, none is run (boot word list)',
            '# vector a.b [R1] check x; needs: LP1',
            'END skip'
        )
    ],
    [
        fail => 'a run of before',
        checked(
            '1..3',
            '#> selftest.lp1-fault an exception on the second logical processor',
            'not ok 1 - selftest.lp1-fault',
            '#> a.b title',
            'ok 2 - a.b',
            '# soak loop 1: 2 points, 1 failed; in all 2 points, 1 failed, 0 disturbed, '
                . '3 stray interrupts; 1 s',
            '# soak loop 2: 2 points, 0 failed; in all 4 points, 1 failed, 0 disturbed, '
                . '4 stray interrupts; 2 s',
            'ok 3 - soak',
            '# interrupts nobody asked for: 0 PMIs, 4 NMIs, 0 others',
            '# 2 passed, 1 failed, 0 skipped of 3; 2 loops begun',
            'END fail'
        )
    ],
    [
        damaged => 'a soak that is ok and had failures',
        checked(@soak, 'ok 2 - soak', '# 2 passed, 0 failed, 0 skipped of 2; 2 loops begun', 'END pass'),
        qr/the soak is ok and had failures in loop 2/
    ],
    [
        incomplete => 'a soak that hangs',
        checked(@soak, '#> a.b'), qr/last words: a\.b; in the soak: loop 2: 2 points in all, 1 failed/
    ],
    [
        incomplete => 'a start that hangs',
        checked('1..2', '# pmuproof is about to do this'), qr/it was about to do this/
    ],
    [
        incomplete => 'the copy in memory of a longer one',
        checked('1..2', 'ok 1 - a.b')
            . "# the copy in memory is full: 99 bytes more went to the consoles\r\n",
        qr/the copy in memory was full/
    ],
    [
        incomplete => 'a trap outside of any vector, though another point was announced',
        checked(@short[ 0 .. 3 ], 'not ok 1 - kernel.trap', '  ---', "  EIP: '0'", '  ...', 'Bail out! #GP'),
        qr/bailed out: #GP/
    ],
);

# Lines that contradict each other. The check codes of each are right; only the contents are wrong.
my $head = '1..1';
for my $wrong (
    [
        qr/point 2 where point 1 was due/,
        '1..2', 'ok 2 - a.b', 'ok 1 - c.d', '# 2 passed, 0 failed, 0 skipped of 2',
        'END pass'
    ],
    [
        qr/point 2 of 1/,
        $head, 'ok 1 - a.b', 'ok 2 - a.c', '# 2 passed, 0 failed, 0 skipped of 1',
        'END pass'
    ],
    [
        qr/1 points, and 2 were planned/,
        '1..2', 'ok 1 - a.b', '# 1 passed, 0 failed, 0 skipped of 2',
        'END pass'
    ],
    [
        qr/a second point 'a\.b'/,
        '1..2', 'ok 1 - a.b', 'ok 2 - a.b', '# 2 passed, 0 failed, 0 skipped of 2',
        'END pass'
    ],
    [
        qr/says pass, and the points say fail/,
        $head,
        'not ok 1 - a.b',
        '# 0 passed, 1 failed, 0 skipped of 1',
        'END pass'
    ],
    [ qr/says fail, and the points say pass/, $head, 'ok 1 - a.b', $totals, 'END fail' ],
    [ qr/says pass, and the points say skip/, '1..0 # SKIP list', 'END pass' ],
    [ qr/says skip, and the points say pass/, $head, 'ok 1 - a.b', $totals, 'END skip' ],
    [ qr/totals say 2 passed/, $head, 'ok 1 - a.b', '# 2 passed, 0 failed, 0 skipped of 1', 'END pass' ],
    [ qr/without totals/, $head, 'ok 1 - a.b', 'END pass' ],
    [ qr/between the totals and the end/, $head, 'ok 1 - a.b', $totals, '# late remark', 'END pass' ],
    [ qr/counts 7 lines, and these are 5/, $head, 'ok 1 - a.b', $totals, 'END pass 7' ],
    [ qr/no line of a log/, $head, 'hello', 'ok 1 - a.b', $totals, 'END pass' ],
    [ qr/no line of a log/, 'ok 1 - a.b', '1..1', $totals, 'END pass' ],
    [ qr/no line of a log/, $head, '1..1', 'ok 1 - a.b', $totals, 'END pass' ],
    [ qr/point of an unknown form/, $head, 'ok 1 - A B', $totals, 'END pass' ],
    [ qr/point of an unknown form/, $head, 'ok 1', $totals, 'END pass' ],
    [ qr/point of an unknown form/, $head, 'ok 1 - a.b # TODO later', $totals, 'END pass' ],
    [
        qr/failed and is skipped/,
        $head,
        'not ok 1 - a.b # SKIP why',
        '# 0 passed, 1 failed, 0 skipped of 1',
        'END fail'
    ],
    [ qr/'a\.b' where 'a\.c' was announced/, $head, '#> a.c x', 'ok 1 - a.b', $totals, 'END pass' ],
    [
        qr/'a\.b' announced while 'a\.c' runs/,
        $head, '#> a.c x', '#> a.b x', 'ok 1 - a.b', $totals, 'END pass'
    ],
    [
        qr/end comes while 'a\.c' runs|between the totals/,
        $head, 'ok 1 - a.b', '#> a.c x', $totals, 'END pass'
    ],
    [ qr/not follow a failed point/, $head, 'ok 1 - a.b', '  ---', '  ...', $totals, 'END pass' ],
    [
        qr/which had not ended/,
        $head, 'not ok 1 - a.b',
        '  ---', '# 0 passed, 1 failed, 0 skipped of 1',
        'END fail'
    ],
    [
        qr/which had not ended/,
        $head, 'not ok 1 - a.b',
        '  ---', "  a: 'it's'", '  ...', '# 0 passed, 1 failed, 0 skipped of 1',
        'END fail'
    ],
    [ qr/without points and without a reason/, '1..0', 'END skip' ],
    [ qr/with points and a reason/, '1..1 # SKIP why', 'ok 1 - a.b', $totals, 'END pass' ],
    [ qr/a plan of 99999 points/, '1..99999', 'ok 1 - a.b', $totals, 'END pass' ],
    [
        qr/loop 1 after loop 2/,
        $head, map({ "# soak loop $_: 1 points, 0 failed; in all $_ points, 0 failed" } 2, 1),
        'ok 1 - a.b', $totals, 'END pass'
    ],
    [
        qr/less than the one before/,
        $head, map({ "# soak loop $_: 1 points, 0 failed; in all " . (9 - $_) . ' points, 0 failed' } 1, 2),
        'ok 1 - a.b', $totals, 'END pass'
    ],
    [ qr/no line of a log/, $head, 'ok 1 - a.b', '# ' . 'x' x 2000, $totals, 'END pass' ],
    [ qr/no line of a log/, $head, "# caf\xE9", 'ok 1 - a.b', $totals, 'END pass' ],
    )
{
    my ($words, @lines) = @$wrong;
    push @judged, [ damaged => $lines[-2], checked(@lines), $words ];
}

subtest 'the verdict on a capture' => sub {
    for my $case (@judged) {
        my ($due, $title, $capture, $words) = @$case;
        my ($verdict, @boots) = judge($capture);
        $verdict .= join '', map { ' ' . $_->[1]->verdict } @boots if $due =~ / /;
        is $verdict, $due, $title;
        like $boots[0][1]->why, $words, 'and the reason is said' if $words;
    }
    my (undef, $boot) = judge("\0" x 300_000 . "\r\n\r\n" . $pass);
    is $boot->[1]{first_line}, 3, 'NULs are one line';
    like pmulog('check', file('stamped', $fail =~ s/^/22:10:11 /gmr))->{out},
        qr/; every line begins with '22:10:11 ' or the like, which another program put there$/m,
        'stamps are mentioned';
    like pmulog('check', file('long', 'Bail out! ' . "\0" x 600_000 . $pass))->{out},
        qr/line 1: damaged: a bail-out outside/, 'the first one';
    is pmulog('check', '--last', file('running', $_ . on_medium($running, $pass)))->{status}, 2,
        'a run that has not ended, with --last'
        for on_medium($running, $cut), "TAP version 13\n";
};

# A line that is so long is read in pieces.
subtest 'a header in the middle of a line' => sub {
    my $log = checked('1..0 # SKIP ' . 'x' x 200, 'END skip') =~ s/\r\n//r;
    is pmulog('check', file('glued', 'x' x ($_ - length 'TAP version 13') . $log))->{status}, 2,
        "that ends at $_"
        for map { $_ * (65_536 - 32) } 1 .. 4;
};

subtest 'several boots' => sub {
    my @worst = (
        [ pass       => $skip, $pass ],
        [ skip       => $skip, $skip ],
        [ fail       => $pass, $fail, $skip ],
        [ incomplete => $fail, $cut, $pass ],
        [ damaged    => $broken, $cut, $fail, $pass ],
    );
    is judge(join $noise, @$_[ 1 .. $#$_ ]), $_->[0], "the worst: $_->[0]" for @worst;

    my $log = file('boots', $pass . $fail . $cut . $skip);
    is pmulog('check', $log)->{status}, 2, 'all';
    is pmulog('check', '--last', $log)->{status}, 77, 'the last';
    is pmulog('check', '--boot', $_->[0], $log)->{status}, $_->[1], "boot $_->[0]"
        for [ 1, 0 ], [ 2, 1 ], [ 3, 2 ];
    like pmulog('check', '--boot', 5, $log)->{err}, qr/no boot 5 .* it holds 4/, 'boot 5';
    is pmulog('check', '--boot', 5, $log)->{status}, 2, 'and its status';

    my $lost = file('lost', $pass . "9 #0000\r\nok 7 - b.c #1234\r\n" . $fail . $skip);
    is pmulog('check', '--boot', $_->[0], $lost)->{status}, $_->[1],
        "records lost between boots 1 and 2: boot $_->[0]"
        for [ 1, 2 ], [ 2, 2 ], [ 3, 77 ];
    my $far = file('far',
        join('', map { "ok $_ - b.c #1234\r\n" } 1 .. 40) . $pass . "ok 7 - b.c #1234\r\n" . $skip);
    is pmulog('check', '--last', $far)->{status}, 2, 'also when many were lost before';
    is pmulog('check', file('one', $pass), file('two', $fail))->{status}, 1, 'several files';
};

subtest 'files that are none' => sub {
    my $log = file('log', $pass);
    is run(1, 'sh', '-c', "tools/pmulog check - < '$log'")->{status}, 0, 'standard input';
    like pmulog('check', "$dir/none")->{err}, qr/\Apmulog: cannot read .+none: No such file/,
        'a file that is not there is named';
    is pmulog('check', $_)->{status}, 2, "status of $_" for "$dir/none", "$dir";
    is pmulog('check', '--boot=1', $log)->{status}, 0, '--boot=N';
};

subtest 'the name of a file says no verdict of its own' => sub {
    for my $case (
        [ "a\nb: pass", 'a?b: pass' ],
        [ "\e[31mred", '?[31mred' ],
        [ "\xC2\x9B31mred", '?31mred' ],
        [ "\xC3\xA4\xE2\x82\xAC", "\xC3\xA4\xE2\x82\xAC" ]
        )
    {
        my ($name, $shown) = @$case;
        my $log = file($name, $pass);
        like pmulog($_, $log)->{out}, qr{\A\Q$dir\E/\Q$shown\E(?:, |: )boot 1}, "$_: $shown"
            for qw(check sheet);
        like pmulog('check', file("none$name", ''))->{out},
            qr{\A\Q$dir\E/none\Q$shown\E: incomplete: no log}, 'without a log';
    }
};

done_testing;
