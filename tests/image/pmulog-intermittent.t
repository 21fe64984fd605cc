#!/usr/bin/perl
# What every command of tools/pmulog, and capture, say of results that were wrong without a witness of a
# disturbance: too few to call, or a failure that came now and then; of what a run judged; of points that were
# too disturbed to judge; and of soaks. The logs are as docs/log.md has them.
use lib 'tests/image';
use ImageTest;
use JSON::PP ();
use CheckedLog qw(checked judge $DOUBTS);
use Pty qw(on_terminal);

sub pmulog { return tool(1, 'tools/pmulog', @_) }
sub flat   { return $_[0] =~ s/\s+/ /gr }
sub json   { return JSON::PP->new->decode(pmulog(@_)->{out}) }

# Two unexplained results of different actions: a pass.
my @marginal = (
    '1..2', '#> a.b title', 'ok 1 - a.b # unexplained: 1 of 93 starts by CASCADE, 14 by 12; 1 of 7 readings',
    'ok 2 - a.c'
);
my $totals = '# 2 passed, 0 failed, 0 skipped of 2';
my $passed = file('passed', checked(@marginal, "$totals; 2 unexplained", 'END pass'));
my $strict = file('strict', checked(@marginal, "$totals; 2 unexplained", 'END skip'));
my $sound = file('sound', checked('1..2', '#> a.b title', 'ok 1 - a.b', 'ok 2 - a.c', $totals, 'END pass'));
my $failed = file('failed', checked(@$DOUBTS));

subtest 'unexplained results are a pass, and none for strict' => sub {
    my $run = pmulog('check', $passed);
    ends($run, 0, 'a pass that says so',
        out =>
            qr/: pass: 2 passed, 0 failed, 0 skipped of 2; 2 unexplained; every check passed; 2 results unexplained; .*\npass: 1 boot in 1 file; 2 results unexplained\n\z/
    );
    ends(
        pmulog(qw(check --strict), $passed),
        77,
        'with --strict',
        out => qr/^skip: 1 boot in 1 file; 2 results unexplained; so it is no pass for --strict\n\z/m
    );
    is json(qw(check --strict --json), $passed)->{verdict}, 'skip', 'JSON says it as well';
    ends(pmulog(qw(check --strict), $sound, $passed), 77, 'beside a sound run');
    ends(
        pmulog(qw(check --strict), $sound),
        0,
        'which is a pass by itself',
        out => qr/^pass: 1 boot in 1 file\n\z/m
    );
    unlike pmulog('check', $strict, $passed)->{out}, qr/--strict/, 'of the option only if it is given';
    ends(
        pmulog('check', $strict),
        77,
        'the boot word strict',
        out => qr/: skip: .*; the boot word strict, and 2 results unexplained; /
    );
    ends(pmulog(qw(check --strict), $passed, $failed), 1, 'a failure counts more');
    my $both = checked(
        '1..2',
        'ok 1 - a.b # unexplained: 1 of 7 halts',
        'ok 2 - a.c # SKIP no APIC',
        '# not tested: 1 of 2: no APIC; turn it on',
        '# 1 passed, 0 failed, 1 skipped of 2; 1 unexplained',
        'END skip'
    );
    like pmulog('check', file('both', $both))->{out},
        qr/the boot word strict, and 1 of 2 not tested: no APIC; turn it on; 1 result unexplained;/,
        'both reasons';
};

subtest 'capture' => sub {
    plan skip_all => 'no pseudo-terminals here (/dev/ptmx)' if !-w '/dev/ptmx';
    for my $case ([ 0, [], qr/\A(?!.*--strict)/s ],
        [ 77, ['--strict'], qr/^capture: --strict makes this pass a skip: 2 results unexplained$/m ])
    {
        my ($status, $options, $said) = @$case;
        my $run = run(5, 'sh', '-c', 'cat "$1" | { shift; tools/capture "$@"; }',
            'sh', $passed, @$options, '--force', '/dev/stdin', "$dir/out");
        ends($run, $status, "@$options: status and words", err => $said);
    }
    my $shown = flat(
        on_terminal(5, {}, 'tools/watch', '--log', "$dir/kept", '--reference', '', 'cat', $passed)->{out});
    like $shown,
        qr/2 results in points that are ok are unexplained: .* a\.b \(1 of 93 starts by CASCADE, 14 by 12; 1 of 7 readings\)\. .*\e\[1;33mpass\e\[0m: 2 passed, 0 failed, 0 skipped of 2; 2 unexplained\./,
        'on a terminal: the results, and a yellow verdict';
    $shown = flat(
        on_terminal(5, {}, 'tools/watch', '--log', "$dir/kept", '--reference', '', 'cat', $failed)->{out});
    like $shown,
        qr/Disturbed, and measured again: course\.links\.14 and cascade\.18-1\.iq\.14-12\. 2 vectors failed: .*1 failed vector is intermittent: .*By action: start by CASCADE 1\. The first, /,
        'and a failure that came now and then';
};

subtest 'check' => sub {
    my $run = pmulog('check', $failed);
    ends($run, 1, 'the verdict',
        out =>
            qr/: fail: 3 passed, 2 failed, 1 skipped of 6; 1 of the failed intermittent; 3 unexplained; 2 of 6 points failed; 1 of them intermittent, by action: start by CASCADE 1; 3 results unexplained; /
    );
    like $run->{out},
        qr/: failed: cascade\.18-1\.iq\.14-12 \(intermittent: start by CASCADE\), state\.cccr\n/,
        'the vectors, and the action';
    my ($boot) = @{ json(qw(check --json), $failed)->{boots} };
    is_deeply $boot->{intermittent_vectors},
        [ { vector => 'cascade.18-1.iq.14-12', action => 'start by CASCADE' } ], 'JSON: which';
    is "$boot->{intermittent} $boot->{unexplained}", '1 3', 'and how many';
    is_deeply $boot->{judged},
        [
        {
            action        => 'start by CASCADE',
            judged        => 3120,
            excludes      => 1006,
            place         => '14 by 12',
            judged_here   => 174,
            excludes_here => 56
        },
        {
            action        => 'start by bit 11',
            judged        => 0,
            excludes      => undef,
            place         => undef,
            judged_here   => undef,
            excludes_here => undef
        },
        {
            action        => 'carry',
            judged        => 2600,
            excludes      => 548,
            place         => 'counter 3',
            judged_here   => 170,
            excludes_here => 35
        },
        ],
        'and what was judged';
    like pmulog(qw(check --csv), $failed)->{out},
        qr/\A.*,intermittent,unexplained,intermittent_vectors,not_exercised\n.*,1,3,"cascade\.18-1\.iq\.14-12 \(start by CASCADE\)",\n\z/,
        'CSV';
    my @two = map {
        s/CCCRs that are not 0'/x'|  action: 'halt'|  intermittent: '2 of 9 halts'/r =~
            s/1 of the failed/2 of the failed/r
    } @$DOUBTS;
    ends(
        pmulog(qw(check --csv), file('two', checked(map { split /\|/ } @two))),
        1,
        'several of them',
        out => qr/,2,3,"cascade\.18-1\.iq\.14-12 \(start by CASCADE\); state\.cccr \(halt\)",\n\z/
    );
    like pmulog('bundle', $failed)->{out},
        qr/: boot 1 .*; 1 of them intermittent, by action: start by CASCADE 1; 3 results unexplained;/,
        'bundle';
    ends(pmulog('tap', $failed),
        1, 'tap', out => qr/^ok 1 - course\.links\.14 # unexplained: 1 of 93 starts by CASCADE, 14 by 12$/m);
    like run(1, 'prove', '--norc', file('log.tap', pmulog('tap', $failed)->{out}))->{out},
        qr/Failed tests:\s+3-4\n/, 'which prove reads';
};

subtest 'explain' => sub {
    my $text = flat(pmulog('explain', $failed)->{out});
    like $text,
        qr/The first failure is cascade\.18-1\.iq\.14-12: 200 A on X, then 400 B on Y\. Intermittent: the action 'start by CASCADE' went wrong now and then, 3 of 1212 times in this run, 2 of 93 times at counter 14, which counter 12 starts\. /,
        'the action first, how often, where';
    like $text,
        qr/seen\. It had gone wrong before in course\.links\.14 and course\.drawn\.14, too few times to call; those points are ok with # unexplained\. To see it again, boot with only=cascade\.18-1\.iq\.14-12,course\.links\.14 loop=100\. counts of counter 14 .*: expected 400, observed 0\. /,
        'what went before, the boot line, and only then the values';
    like $text,
        qr/To see the first failure again, boot with these words: only=cascade\.18-1\.iq\.14-12,course\.links\.14 loop=100 strict console=ttyS1 \z/,
        'with what the board needs';
    like $text,
        qr/1 failed vector is intermittent: wrong now and then, without anything that disturbed it\. By action: start by CASCADE 1\./,
        'how many';
    like $text, qr/ \d\. R34: .* \d\. R33: /, 'the rules are ranked all the same';
    like $text,
        qr/ R34: (?:(?! R\d+: ).)* 1 other vector with this rule has no such expectation that failed\. /,
        'vectors with unexplained results do not speak against a rule';
    unlike flat(
        pmulog(
            'explain',
            file(
                'near',
                checked(map { s/course\.links\.14/cascade.18-1.iq.13-15/r =~ s/iq\.12-14/ms.4-6/r } @$DOUBTS)
            )
        )->{out}
        ),
        qr/that passes: cascade\.18-1\.iq\.13-15/, 'nor are they the nearest that passes';
    like $text,
        qr/- 3 results in points that are ok are unexplained: .*seen that could have disturbed the measurement: course\.links\.14 \(1 of 93 starts by CASCADE, 14 by 12\) and course\.drawn\.14 .* A failure that is intermittent names those that belong to it\./,
        'what is unexplained';
    like $text, qr/- 1 vector was too disturbed to judge: tag\.reading\./, 'what could not be judged';
    like $text,
        qr/- Measurements of 1 failed vector were disturbed and taken again \(cascade\.18-1\.iq\.14-12\)\. What failed there was not disturbed\./,
        'what was disturbed';
    unlike $text, qr/It failed in|majority/, 'nothing voted';
    unlike flat(
        pmulog(
            'explain',
            file(
                'other',
                checked(
                    map {
                        s/\A(ok 1 .*) # unexplained.*/$1/r =~ s/; 3 unexp/; 2 unexp/r =~
                            s/course\.links\.14 (?=course)//r
                    } @$DOUBTS
                )
            )
        )->{out}
        ),
        qr/in course\.links/, 'no more than the log says';
    $text = flat(pmulog('explain', $passed)->{out});
    like $text,
        qr/- 2 results in points that are ok are unexplained: .*, and too few of one action to call a failure: a\.b \(.*\)\. A PMU that is right hardly ever has one\. .* No vector failed\. What is unexplained is said above\. \z/,
        'a pass';
    my @noisy = (
        '1..2',
        'ok 1 - a.b # SKIP too disturbed to judge: 9 of 9',
        'ok 2 - a.c # SKIP no APIC',
        '# 0 passed, 0 failed, 2 skipped of 2',
        'END pass'
    );
    like flat(pmulog('explain', file('noisy', checked(@noisy)))->{out}),
        qr/- 1 vector was too disturbed to judge: a\.b\. .* These did not run: a\.c: no APIC \z/,
        'what was too disturbed is not among what did not run';
    my $found = json(qw(explain --json), $failed);
    is_deeply $found->{first_failure}{intermittent},
        {
        action      => 'start by CASCADE',
        place       => '14 by 12',
        wrong       => 3,
        judged      => 1212,
        wrong_here  => 2,
        judged_here => 93,
        earlier     => [qw(course.links.14 course.drawn.14)],
        boot        => 'only=cascade.18-1.iq.14-12,course.links.14 loop=100'
        },
        'JSON: the failure';
    is_deeply $found->{unexplained_vectors}[2],
        { vector => 'course.drawn.14', action => 'OVF', place => 'counter 12', wrong => 1, judged => 310 },
        'and each unexplained result';
    is $found->{not_run}[0]{reason}, 'too disturbed to judge',
        'and what could not be judged, whatever its numbers';
    is json(
        qw(explain --json),
        file('always', checked('1..1', 'not ok 1 - a.b', '# 0 passed, 1 failed, 0 skipped of 1', 'END fail'))
    )->{first_failure}{intermittent}, undef, 'any other failure has none';
};

subtest 'junit' => sub {
    my $xml = pmulog('junit', $failed)->{out};
    like $xml,
        qr{<testcase classname="course\.links" name="course\.links\.14">\n<system-out>unexplained: 1 of 93 starts by CASCADE, 14 by 12</system-out>\n</testcase>},
        'a case that passed with a remark';
    like $xml,
        qr{<failure message="intermittent \(start by CASCADE: 3 of 1212 starts by CASCADE, none beside a disturbance; 14 by 12: 2 of 93\): counts of counter 14 [^"]*: 0, not 400" type="intermittent">},
        'a failure of its own type';
    like $xml, qr{<failure message="CCCRs that are not 0: 1, not 0" type="not ok">},
        'and one that came always';
    like $xml,
        qr{<system-out>fail: 2 of 6 points failed; 1 of them intermittent, by action: start by CASCADE 1; 3 results unexplained</system-out>},
        'the suite';
};

subtest 'html' => sub {
    my $page = pmulog('html', $failed)->{out};
    like $page,
        qr{<p>Intermittent: the action &#39;start by CASCADE&#39; went wrong .*</p>\n<p>It had gone wrong before in .*</p>\n<p>To see it again, boot with only=},
        'the failure';
    unlike $page, qr{<dt>(?:wrong_here|earlier|boot|action)</dt>}, 'and its fields only once';
    like $page, qr{<p>1 failed vector is intermittent: }, 'how many';
    like $page,
        qr{<tr class="passed"><th scope="row">course\.links\.14</th><td>passed</td><td>.*<b>unexplained: 1 of 93 starts by CASCADE, 14 by 12</b>},
        'the vectors';
    like $page, qr{Every vector: 3 passed, 2 failed, 1 skipped, 2 with unexplained results}, 'in sum';
    like $page,
        qr{<tr><th scope="row">start by CASCADE</th><td>3120</td><td>1 in 1006</td><td>counter 14, which counter 12 starts</td><td>174</td><td>1 in 56</td></tr>\n<tr><th scope="row">start by bit 11</th><td>0</td><td></td><td></td><td></td><td></td></tr>},
        'what a pass excludes';
    like pmulog('html', $passed)->{out}, qr/class="banner pass partly"/,
        'a pass with unexplained results is no plain one';
    like pmulog('html', $sound)->{out}, qr/class="banner pass"/, 'as another one is';
};

subtest 'compare' => sub {
    my $became = pmulog('compare', $sound, $passed);
    ends(
        $became, 1,
        'a point that became unexplained',
        out => qr/^  a\.b +passed +passed, unexplained: 1 of 93 starts by\n/m
    );
    my @always = map { s/\A  (?:intermittent|action): .*//r =~ s/1 of the failed intermittent; //r } @$DOUBTS;
    my $always = file('always', checked(grep { $_ ne '' } @always));
    $became = pmulog('compare', $always, $failed);
    ends($became, 1, 'a point that became intermittent',
        out =>
            qr/^  cascade\.18-1\.iq\.14-12 +failed: counts .* failed, intermittent \(start by CASCADE: 3\n/m);
    unlike $became->{out}, qr/^What was judged/m, 'equal numbers are no difference';
    my @now = map { ("not ok $_ - a.b.$_", '  ---', "  intermittent: '$_ of 9 halts'", '  ...') } 1, 2;
    my @then = map { ("not ok $_ - a.b.$_", '  ---', "  what: 'x'", '  ...') } 1, 2;
    my ($now, $then) = (
        file(
            'now',
            checked(
                '1..2', @now, '# 0 passed, 2 failed, 0 skipped of 2; 2 of the failed intermittent',
                'END fail'
            )
        ),
        file('then', checked('1..2', @then, '# 0 passed, 2 failed, 0 skipped of 2', 'END fail'))
    );
    like pmulog('compare', $then, $now)->{out}, qr/^  a\.b \(2\) +failed +failed, intermittent$/m,
        'several of a family in one row';
    my $judged = sub ($name, @numbers) {
        file(
            $name,
            checked(
                map {
                    s/\A# judged: starts by CASCADE.*/# judged: starts by CASCADE $numbers[0], excludes 1 in $numbers[1]; least $numbers[2]: $numbers[3], excludes 1 in $numbers[4]/r
                } @$DOUBTS
            )
        );
    };
    is pmulog('compare', $failed, $judged->('near', 3001, 968, 'counter 14', 172, 55))->{status}, 0,
        'nor are numbers that are near, or another place';
    my $far = pmulog('compare', $failed, $judged->('far', 1500, 483, '14 by 12', 174, 56));
    ends($far, 1, 'numbers that differ',
        out =>
            qr/^What was judged\n.*\n  start by CASCADE +3120, excludes 1 in 1006; least 14 by 12: +1500, excludes 1 in 483; least 14 by 12:\n/m
    );
    my $none = file('none', checked(grep { !/\A# judged/ } @$DOUBTS));
    is pmulog('compare', $failed, $none)->{status}, 0,
        'a run that does not say what it judged is no difference';
    my $found = json(qw(compare --json), $failed, $none);
    is_deeply [ map { "$_->{intermittent} $_->{unexplained}" } @{ $found->{boards} } ], [ '1 3', '1 3' ],
        'JSON: the boards';
    is_deeply $found->{disturbances}[0],
        { name => 'course.links.14', values => [ ('2 by interrupts') x 2 ] }, 'and the disturbances';
    my @points = map { ("#> a.b.$_ x", '# disturbed: 2 by interrupts, 1 by time', "ok $_ - a.b.$_") } 1, 2;
    my $noisy = file('noisy', checked('1..2', @points, $totals, 'END pass'));
    like flat(pmulog('compare', $noisy, $noisy)->{out}),
        qr/ a\.b 2 vectors: 4 by interrupts, 2 by time 2 vectors: 4 by interrupts, 2 by time /,
        'added up for a family';
};

# ---- Soaks ----

my @intermittent = map { "#   $_" } "what: 'x'", "expected: '1'", "observed: '0'",
    "intermittent: '2 of 90 halts, none beside a disturbance; counter 3: 2 of 9'", "action: 'halt'",
    "place: 'counter 3'",
    "wrong: '2'", "judged: '90'", "wrong_here: '2'", "judged_here: '9'", "earlier: 'a.c'",
    "boot: 'only=a.b loop=100'";
my @soak = (
    '1..3',
    '#> a.b title',
    'ok 1 - a.b',
    'ok 2 - a.c # unexplained: 1 of 9 halts, counter 3',
    '# soak loop 1: 2 points, 0 failed; in all 2 points, 0 failed, 0 disturbed; 1 s',
    '# soak loop 1: judged: halts 9, excludes 1 in 2; least counter 3: 1',
    '# soak loop 2: not ok - a.b',
    @intermittent,
    '# soak loop 2: 2 points, 1 failed; in all 4 points, 1 failed, 0 disturbed; 2 s',
    '# soak loop 2: judged: halts 90, excludes 1 in 19; least counter 3: 9, excludes 1 in 2'
);
my @end =
    ('not ok 3 - soak', '# 2 passed, 1 failed, 0 skipped of 3; 2 loops begun; 4 unexplained', 'END fail');

subtest 'a soak' => sub {
    my $soak = file('soak', checked(@soak, @end));
    my $run = pmulog('check', $soak);
    ends($run, 1, 'check',
        out =>
            qr/fail: 2 passed, 1 failed, 0 skipped of 3; 4 unexplained; loop 2: 4 points in all, 1 failed; 1 of the failed vectors intermittent, by action: halt 1; 4 results unexplained; /
    );
    like $run->{out}, qr/: failed: soak; in later loops: a\.b \(intermittent: halt\)$/m,
        'the vector and its action';
    my ($boot) = @{ json(qw(check --json), $soak)->{boots} };
    is_deeply [ @{$boot}{qw(intermittent intermittent_vectors unexplained)}, $boot->{judged}[0]{judged} ],
        [ 0, [ { vector => 'a.b', action => 'halt' } ], 4, 90 ], 'JSON: what came last was judged';
    my $text = flat(pmulog('explain', $soak)->{out});
    like $text,
        qr/- 4 results in points that are ok are unexplained: .*: a\.c \(1 of 9 halts, counter 3\); 3 of them in later loops of the soak\./,
        'explain: what has no line';
    like $text,
        qr/is a\.b: title\. Intermittent: the action 'halt' went wrong now and then, 2 of 90 times in this run, 2 of 9 times at counter 3\. .* It had gone wrong before in a\.c, too few times to call; that point is ok/,
        'the failure';
    like $text, qr/boot with these words: only=a\.b loop=100 \z/, 'its boot line';
    my @before = map {
        s/\Aok 1 - a\.b\z/ok 1 - a.b # unexplained: 1 of 9 halts, counter 3/r =~
            s/\A(#   )action.*/$&|$1breaks: 'R38'/r
    } @soak;
    like flat(pmulog('explain', file('before', checked((map { split /\|/ } @before), @end)))->{out}),
        qr/ the likeliest first: 1\. R38: /,
        'its rule, though the first loop was ok with an unexplained result';
    like pmulog('html', $soak)->{out},
        qr{<tr><th scope="row">halt</th><td>90</td>.*<li>loop 2: not ok - a\.b; what: }s, 'html';
    unlike pmulog('html', $soak)->{out}, qr/<li>loop 1: judged/, 'without the lines themselves';
    my $hung = pmulog('check', file('hung', checked(@soak)));
    ends($hung, 2, 'one that hangs',
        out =>
            qr/in the soak: loop 2: 4 points in all, 1 failed; 1 of the failed vectors intermittent, by action: halt 1/
    );
    my $other = file('soak2', checked(@soak, map { s/4 unexplained/6 unexplained/r } @end));
    like pmulog('compare', $soak, $other)->{out}, qr/^Soak\n.*\n  unexplained +4 +6$/m, 'compare';
    like json(qw(compare --json), $sound, $soak)->{differences}[-2]{name}, qr/\Aintermittent: a\.b\z/,
        'and the vector';
};

# ---- Lines that contradict each other or have another form, and lines outside of any document ----

my @block = ('  ---', "  intermittent: '2 of 9 halts'", "  action: 'halt'", '  ...');
my $one = '# 1 passed, 0 failed, 0 skipped of 1';
my $not = '# 0 passed, 1 failed, 0 skipped of 1';
for my $case (
    [
        qr/the totals say 1 passed, 0 failed, 0 skipped of 1 and the points .*; 1 unexplained/,
        'ok 1 - a.b # unexplained: 1 of 9 halts',
        $one, 'END pass'
    ],
    [
        qr/the totals say .*; 2 unexplained and the points .*; 1 unexplained/,
        'ok 1 - a.b # unexplained: 1 of 9 halts',
        "$one; 2 unexplained",
        'END pass'
    ],
    [ qr/the totals say .*; 1 unexplained and the points/, 'ok 1 - a.b', "$one; 1 unexplained", 'END pass' ],
    [
        qr/the totals say .* and the points .*; 1 of the failed intermittent/,
        'not ok 1 - a.b',
        @block, $not, 'END fail'
    ],
    [
        qr/the totals say .*; 1 of the failed intermittent and the points/,
        'not ok 1 - a.b',
        "$not; 1 of the failed intermittent",
        'END fail'
    ],
    [ qr/says skip, and the points say pass/, 'ok 1 - a.b', $one, 'END skip' ],
    [
        qr/says skip, and the points say fail/,
        'not ok 1 - a.b',
        @block, "$not; 1 of the failed intermittent",
        'END skip'
    ],
    [ qr/point of an unknown form/, 'ok 1 - a.b # unexplained: some', $one, 'END pass' ],
    [
        qr/point of an unknown form/,
        'ok 1 - a.b # unexplained: 1 of 9 halts; more',
        "$one; 1 unexplained",
        'END pass'
    ],
    [
        qr/point 1 failed and is unexplained/,
        'not ok 1 - a.b # unexplained: 1 of 9 halts',
        "$not; 1 unexplained",
        'END fail'
    ],
    [
        qr/the totals say .*; 4 unexplained and the points .*; 5 unexplained/,
        @soak[ 1 .. 2 ],
        'ok 2 - a.c # unexplained: 5 of 9 halts',
        @soak[ 4 .. $#soak ], @end
    ],
    [ qr/a heartbeat whose check code/, 'ok 1 - a.b', $one, 'END pass' ],
    )
{
    my ($why, @lines) = @$case;
    my $log = checked($lines[0] =~ /#> / ? '1..3' : '1..1', @lines);
    $log = checked('1..1', '# soak loop 1: judged: halts 9') =~ s/halts 9/halts 8/r if $why =~ /heartbeat/;
    my ($verdict, $boot) = judge($log);
    is $verdict, 'damaged', "damaged: $why";
    like $boot->[1]->why, $why, 'for this reason';
}
is + (judge("# judged: halts 9, excludes 1 in 2\r\n" . checked('1..1', 'ok 1 - a.b', $one, 'END pass')))[0],
    'damaged', 'a line of what was judged outside of any document';
is + (judge(checked('1..1', 'ok 1 - a.b', '# judged: what nobody knows yet', $one, 'END pass')))[0], 'pass',
    'a line `judged` of another form is a comment';

done_testing;
