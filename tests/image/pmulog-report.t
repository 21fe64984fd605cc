#!/usr/bin/perl
# What tools/pmulog prints for programs. TAP and JUnit: a log that is not whole fails in each, a malicious one
# does not become part of the JUnit, and the same log gives the same bytes. JSON and CSV of check, explain and
# sheet: they are read back and hold what docs/pmulog-formats.md promises. pmulog-page.t, -explain.t and
# -compare.t have the rest.
use lib 'tests/image';
use ImageTest;
use JSON::PP ();
use POSIX qw(strftime);
use Text::CSV;
use CheckedLog qw(checked $DOUBTS $SEVERAL);
use Xml qw(tree elements);

sub pmulog {
    my $run = tool(1, 'tools/pmulog', @_);
    is $run->{err}, '', "$_[0]: no complaint";
    return $run;
}

my @some = ('only=state,access,cascade.18-1,cascade.18-2', 'skip=access.drawn');
my $good = file('good', p4sim($ELF, @some)->{out});
my $bad = file('bad', p4sim('--fault', 'cascade-late', $ELF, 'only=cascade.18-1.iq,cascade.18-2')->{out});
my $soaked = file('soaked', checked(@$SEVERAL));
my $text = checked(@$SEVERAL);
my $cut = file('cut', substr $text, 0, index $text, 'ok 4');
my $middle = file('middle', substr $text, 0, index $text, '  expected');
my $torn = file('torn', $text =~ s/start level/start leve1/r);
my $bailed = file('bailed', p4sim($ELF, 'bogus')->{out});
my $empty = file('empty', "BIOS\r\n");
my $listed =
    file('listed', checked('1..0 # SKIP list of <vectors> only', '# vector a.b [R1] check x', 'END skip'));
my $late = file('late', p4sim($ELF, 'only=state', 'selftest=late', 'loop=3')->{out});
my @whole = ([ $good, 0 ], [ $bad, 1 ], [ $soaked, 1 ]);
my @not = ($cut, $middle, $torn, $bailed, $empty);

# The exit status of prove with this TAP.
sub prove ($tap) { return run(1, 'prove', '--norc', file('log.tap', $tap))->{status} }

subtest 'tap' => sub {
    for my $log (@whole) {
        my ($name, $status) = @$log;
        my $run = pmulog('tap', $name);
        is $run->{status}, $status, 'status';
        unlike $run->{out}, qr/ #[0-9A-F]{4}$/m, 'no check codes';
        is prove($run->{out}), $status, 'prove agrees';
        my ($parser) = results($run->{out});
        like pmulog('check', $name)->{out},
            qr/: ${\scalar $parser->actual_passed - scalar $parser->skipped} passed, ${\scalar $parser->failed} failed, ${\scalar $parser->skipped} skipped/,
            'TAP::Parser counts what check counts';
    }
    my $colon = file(
        'colon',
        checked(
            '1..2', 'not ok 1 - a.b',
            '  ---', "  what: 'MSR_IQ_CCCR0'",
            '  also:', "    - 'MSR_IQ_CCCR0: 1, not 2'",
            '  ...', 'ok 2 - a.c', '# 1 passed, 1 failed, 0 skipped of 2',
            'END fail'
        )
    );
    my ($all) = results(pmulog('tap', $colon)->{out});
    is $all->tests_run, 2, 'TAP::Parser reads on after an item that looks like a key to it';
    unlike pmulog('tap', $_)->{out}, qr/^ +(?:- |\w+:$)/m, 'no list, at which tap-out 2 stops'
        for $colon, $bad;
    like pmulog('tap', $colon)->{out}, qr/^  also: 'MSR_IQ_CCCR0: 1, not 2'$/m, 'the item is the value';
    like pmulog($_, $colon)->{out} =~ s/\s+/ /gr, qr/MSR_IQ_CCCR0: 1, not 2/, "so does $_"
        for 'html', 'junit', 'explain';
    for my $name (@not) {
        my $run = pmulog('tap', $name);
        is $run->{status}, 2, "$name: status";
        isnt prove($run->{out}), 0, 'prove fails it';
        like $run->{out},
            qr/^not ok \d+ - pmulog\.(?:incomplete|damaged)\n  ---\n  what: '.*'\n  \.\.\.\nBail out! /m,
            'with the reason';
    }
};

# A reader of TAP that is not Perl's: node-tap-parser of Debian. Where another node than Debian's is
# installed, it is told where its modules are. For each of the documents: the verdict as an exit status, the
# numbers of points, of those that passed and of those that failed.
sub by_node (@taps) {
    local $ENV{NODE_PATH} = '/usr/share/nodejs';
    my $run = run(2, 'node', '-e', <<'END', map { file("log$_.tap", $taps[$_]) } 0 .. $#taps);
const parser = require('tap-parser');
for (const name of process.argv.slice(1)) {
    const tap = new (parser.Parser || parser)({ preserveWhitespace: true });
    tap.on('complete', all => console.log(all.ok ? 0 : 1, all.count || 0, all.pass || 0, all.fail || 0));
    tap.end(require('fs').readFileSync(name));
}
END
    my @said = map { [split] } split /\n/, $run->{out};
    is scalar @said, scalar @taps, 'node reads all' or diag $run->{err};
    return @said;
}

subtest 'tap as others read it' => sub {
    my @cases = ([ $good, 0 ], [ $bad, 1 ], [ $soaked, 1 ], [ $cut, 1 ], [ $torn, 1 ], [ $listed, 0 ]);
    my @taps = map { pmulog('tap', $_->[0])->{out} } @cases;
    my @read = by_node(@taps);
    for my $i (0 .. $#cases) {
        my ($name, $due) = @{ $cases[$i] };
        my ($status, $count, $passed, $failed) = @{ $read[$i] };
        is $status, $due, "$name: the verdict";
        my ($parser) = results($taps[$i]);
        is "$count $passed $failed", $parser->tests_run . ' ' . $parser->passed . ' ' . $parser->failed,
            'and the numbers of TAP::Parser';
    }
};

subtest 'tap --strict: what is no pass is red' => sub {
    my $partly = file(
        'partly',
        checked(
            '1..2', 'ok 1 - a.b',
            'ok 2 - a.c # SKIP no APIC',
            '# not tested: 1 of 2: no APIC; turn it on',
            '# 1 passed, 0 failed, 1 skipped of 2',
            'END pass'
        )
    );
    my @strict;
    for my $case (
        [ $listed, 77, 0, qr/^1\.\.1\n.*^not ok 1 - pmulog\.skip\n/ms ],
        [
            $partly,
            0,
            0,
            qr/^1\.\.3\n.*^ok 2 - a\.c [^\n]*\n.*^not ok 3 - pmulog\.skip\n  ---\n  what: '1 of 2 not tested: no APIC; turn it on'\n/ms
        ]
        )
    {
        my ($name, $before, $green, $says) = @$case;
        my ($plain, $strict) = (pmulog('tap', $name), pmulog('tap', '--strict', $name));
        is $plain->{status}, $before, 'without it: the status of the verdict';
        is prove($plain->{out}), $green, 'and prove is green';
        is $strict->{status}, 77, 'with it: that of a skip';
        isnt prove($strict->{out}), 0, 'and prove is red';
        like $strict->{out}, $says, 'with the reason';
        push @strict, $strict->{out};
    }
    is_deeply [ map { $_->[0] } by_node(@strict) ], [ 1, 1 ], 'node-tap-parser is red, too';
    is pmulog('tap', '--strict', $_->[0])->{out}, pmulog('tap', $_->[0])->{out}, "$_->[0]: nothing changes"
        for @whole;
};

# What xmllint finds against tests/image/junit.xsd, which says what Jenkins' xUnit plugin accepts; a line
# each.
sub against_schema ($xml) {
    my $run = run(1, 'xmllint', '--noout', '--nonet', '--schema', 'tests/image/junit.xsd',
        file('report.xml', $xml));
    return map { s/\A\S+:\d+: //r } grep { !/ (?:validates|fails to validate)\z/ } split /\n/, $run->{err}
        if $run->{status};
    return $xml =~ /\A<\?xml version="1\.0" encoding="UTF-8"\?>\n/
        && $xml !~ /[^\n -~]/ ? () : 'not text, or no declaration';
}

subtest 'junit' => sub {
    for my $wrong (
        [ '<testsuite name="a" tests="1" errors="0"/>', qr/attribute 'failures' is required/ ],
        [ '<testcase name="a"/>', qr/testcase/ ],
        [
            '<testsuite name="a" tests="1" failures="0" errors="0"><testcase '
                . 'id="1">x<property/></testcase></testsuite>',
            qr/attribute 'id' is not allowed/
        ],
        [
            '<testsuite name="a" tests="1" failures="0" errors="0" timestamp="today"/>',
            qr/attribute 'timestamp'/
        ],
        [ '<testsuite name="a"><b></testsuite>', qr/mismatch/ ]
        )
    {
        like join("\n",
            against_schema(qq(<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>$wrong->[0]</testsuites>))),
            $wrong->[1], "what breaks the schema is noticed: $wrong->[0]";
    }
    my $run = pmulog('junit', $good);
    is $run->{status}, 0, 'status';
    is run(1, 'tools/pmulog', 'junit', $good)->{out}, $run->{out}, 'the same bytes again';
    my $points = () = $run->{out} =~ /<testcase /g;
    my ($skips) = pmulog('check', $good)->{out} =~ /(\d+) skipped/;
    my $skipped = () =
        $run->{out} =~ m{<testcase classname="[^"]+" name="[^"]+">\n<skipped message="[^"]+"/>\n</testcase>}g;
    cmp_ok $points, '>', 150, 'a case for each point';
    is $skipped, $skips, 'a skipped point is a <skipped> with its reason';
    cmp_ok $skips, '>', 0, 'and there are some';
    like $run->{out}, qr{<testsuite name="pmuproof, pmuproof, p4sim board, 0F43H" },
        'the suite is named by the board alone, so that a trend is one';
    like $run->{out},
        qr{ timestamp="@{[ strftime('%Y-%m-%dT%H:%M:%S', gmtime((stat $good)[9])) ]}" hostname="localhost">},
        'when the log was written, and where nobody knows the board by name';
    like pmulog('junit', '--hostname', 'board<7>', $good)->{out}, qr{ hostname="board&lt;7&gt;">},
        '--hostname';
    like $run->{out}, qr{<testcase classname="state" name="state\.cccr"/>},
        'the family is the class, the id the name, without the number of the point';
    like $run->{out}, qr{<testcase classname="cascade\.18-1" name="cascade\.18-1\.iq\.14-12"/>},
        'the same of a family of many';
    like $run->{out}, qr{<property name="processor" value="GenuineIntel 0F43H},
        'the inventory is in the properties';
    my $short = file('short', checked('1..2', '#> state.cccr a', 'ok 1 - state.cccr', 'not ok 2 - a.b'));
    my $stamp = sub {
        file('stamps', join '', map { sprintf "%.3f 2026-01-01T00:00:%02d.000Z\n", $_, $_ } @_);
    };
    my $timed = pmulog('junit', '--stamps', $stamp->(2, 2, 3, 5.25, 5.5, 5.5, 5.5), $short);
    like $timed->{out}, qr{ time="3\.500" timestamp="2026-01-01T00:00:02" },
        'with stamps: when the run began, and how long it took';
    like $timed->{out},
        qr{name="state\.cccr" time="2\.250"/>\n<testcase classname="a" name="a\.b" time="0\.250">},
        'with stamps: each vector has its time';
    is_deeply [ against_schema($timed->{out}) ], [], 'as the schema says';
    for my $wrong (
        [ 'state: x', qr/line 1: no stamp of capture --stamps/ ],
        [
            "0.000 x\n0.000 x\n",
            qr/has stamps for 2 lines, and .*short has a point in line 5: they were not captured together/
        ]
        )
    {
        my $refused = tool(1, 'tools/pmulog', 'junit', '--stamps', file('stamps', $wrong->[0]), $short);
        ends($refused, 2, 'stamps that do not fit are refused', err => $wrong->[1]);
    }
    is tool(1, 'tools/pmulog', 'junit', '--stamps', "$dir/none", $short)->{status}, 2,
        'and so are those that cannot be read';
    my $failed = pmulog('junit', $bad)->{out};
    my ($case) = $failed =~
        m{(<testcase classname="cascade\.18-1" name="cascade\.18-1\.\S+">\n<failure.*?</testcase>)}s;
    like $case,
        qr{<failure message="B&apos;s counted by Y [^"]+: \d+, not \d+" type="not ok">title: &apos;.*^MSR_\w+: &apos;[0-9A-F]+H&apos;\n</failure>}ms,
        'a failure with its message and its own diagnosis';
    unlike $case, qr/^(?:#|ok|not ok|---)/m, 'and nothing else';
    for my $name ($good, $bad, $soaked, $listed, @not) {
        my $xml = pmulog('junit', $name)->{out};
        is_deeply [ against_schema($xml) ], [], "$name: as the schema says";
        my ($suite) = $xml =~ /<testsuite ([^>]*)>/;
        my %said = $suite =~ /(\w+)="([^"]*)"/g;
        my %count = (errors => 0, tests => 0, failures => 0, skipped => 0);
        $count{ { testcase => 'tests', failure => 'failures', skipped => 'skipped', error => 'errors' }->{$1}
            }++
            while $xml =~ /<(testcase|failure|skipped|error)\b/g;
        is_deeply {
            map { $_ => $said{$_} } keys %count
        }, \%count, "$name: what the suite counts is there";
    }
    like pmulog('junit', $listed)->{out},
        qr{name="pmulog\.skip">\n<skipped message="list of &lt;vectors&gt; only"/>},
        'a run without points is a skipped case';
    my $markup = '<script>alert(1)</script> & "x" ]]> <img src=x onerror=alert(1)>';
    my $attack = pmulog(
        'junit',
        file(
            'attack',
            checked(
                '1..2',
                "# board: $markup",
                'not ok 1 - a.b',
                '  ---',
                "  what: '$markup'",
                "  expected: '<b>'",
                "  observed: '<i>'",
                '  ...',
                "ok 2 - a.c # SKIP $markup",
                '# 0 passed, 1 failed, 1 skipped of 2',
                'END fail'
            )
        )
    )->{out};
    is_deeply [ against_schema($attack) ], [], 'a log full of markup: as the schema says';
    is scalar(() = $attack =~ /&lt;script&gt;alert/g), 5,
        'its text is in the name of the suite, a property, a message, a diagnosis and the reason of a skip';
    for my $name ($cut, $bailed) {
        my $not = pmulog('junit', $name);
        ends($not, 2, "$name: an error says so",
            out =>
                qr/<testcase classname="pmulog" name="pmulog\.(?:incomplete|damaged)">\n<error message="[^"]+"/
        );
        like $not->{out}, qr/errors="1"/, 'and is counted';
    }
};

# ---- JSON and CSV ----

my $passed = file(
    'a "b", c',
    checked(
        '1..1', '# build: abc, "d"',
        '#> a.b title', 'ok 1 - a.b',
        '# sheet 10.1a cascade start: not probed: x, "y"',
        '# 1 passed, 0 failed, 0 skipped of 1',
        'END pass'
    )
);
my $outside = file('outside', "ok 1 - a.b #0000\r\n" . checked(@$SEVERAL));

# Every member of the objects in this JSON, as paths: "rules[].title".
sub members ($value, $path) {
    return map { my $at = $path eq '' ? $_ : "$path.$_"; ($at, members($value->{$_}, $at)) } keys %$value
        if ref $value eq 'HASH';
    return map { members($_, "${path}[]") } @$value if ref $value eq 'ARRAY';
    return ();
}

# What the page says of a command: the members of its JSON, the columns of its CSV.
my $page = slurp('docs/pmulog-formats.md');

sub documented ($command) {
    my ($section) = $page =~ /^## $command\n(.*?)(?=^## |\z)/ms or die "no section '$command'";
    my ($columns) = $section =~ /^    (file,.*)$/m              or die "no columns of $command";
    my ($shared) = $page =~ /^## What every output has\n(.*?)(?=^## )/ms;
    return [ split /,/, $columns ],
        {
        map { $_ => 1 } map { /`([^`]+)`/g } map { /\A\| (`[^|]+) \|/ ? $1 : () } split /\n/,
        "$shared$section"
        };
}

# Runs a command for JSON and CSV: the object, the rows as hashes.
sub outputs ($command, $status, @files) {
    my ($json, $csv) = map { tool(1, 'tools/pmulog', $command, $_, @files) } '--json', '--csv';
    is $json->{err} . $csv->{err}, '', 'no complaint';
    is "$json->{status} $csv->{status}", "$status $status", "$command: status";
    is run(1, 'tools/pmulog', $command, '--json', @files)->{out}, $json->{out}, 'the same bytes again';
    my $found = JSON::PP->new->utf8->decode($json->{out});
    is "$found->{command} $found->{schema}", "$command 1", 'which output this is';
    open my $handle, '<', \$csv->{out} or die "cannot read a string: $!";
    my ($heading, @rows) = @{ Text::CSV->new({ binary => 1 })->getline_all($handle) };
    my ($columns, $members) = documented($command);
    is_deeply $command eq 'compare' ? [ @$heading[ 0 .. $#$columns ] ] : $heading, $columns,
        "docs/pmulog-formats.md has the columns of $command";
    my %seen = map { $_ => 1 } map { s/\A(?:boots|boards)\[\]\.//r } members($found, '');
    is_deeply [
        grep { !$members->{$_} && !$members->{"boots[].$_"} && !$members->{"boards[].$_"} }
        sort keys %seen
        ],
        [], 'and each member';
    return ($found, map { my %row; @row{@$heading} = @$_; \%row } @rows);
}

my $doubtful = file('doubtful', checked(@$DOUBTS));

subtest 'what is wrong now and then' => sub {
    my ($found, @rows) = outputs('check', 1, $doubtful);
    is_deeply [ map { scalar @{ $found->{boots}[0]{$_} } } qw(intermittent_vectors judged) ], [ 1, 3 ],
        'the lists have items, whose members the page has';
    is "@{$rows[0]}{qw(intermittent unexplained)}", '1 3', 'CSV';
    ($found) = outputs('explain', 1, $doubtful);
    is_deeply [ scalar keys %{ $found->{first_failure}{intermittent} },
        scalar @{ $found->{unexplained_vectors} } ],
        [ 8, 3 ], 'of explain as well';
    ($found, @rows) = outputs('compare', 1, $doubtful, $passed);
    is_deeply [ map { $_->{unexplained} } @rows ], [ 3, 0 ], 'and of compare';
    is_deeply [ against_schema(pmulog('junit', $doubtful)->{out}) ], [], 'JUnit: as the schema says';
};

subtest 'JSON and CSV of check' => sub {
    my ($found, @rows) = outputs('check', 2, $soaked, $passed, $cut, $empty, $outside);
    is $found->{verdict}, 'damaged', 'the verdict of all';
    my @due = (
        [ $soaked, 1, 'fail' ],
        [ $passed, 1, 'pass' ],
        [ $cut, 1, 'incomplete' ],
        [ $empty, 0, 'incomplete' ],
        [ $outside, 1, 'fail' ],
        [ $outside, 0, 'damaged' ]
    );
    is_deeply [ map { [ @{$_}{qw(file boot verdict)} ] } @{ $found->{boots} } ], \@due,
        'JSON: boots, a file without any, a line outside of any';
    is_deeply [ map { [ @{$_}{qw(file boot verdict)} ] } @rows ], \@due,
        'CSV: the same, with commas and quotes in a name';
    is_deeply [ map { $_->{failed_vectors} } @{ $found->{boots} }[ 0, 1 ] ], [ ['access.counter.0'], [] ],
        'JSON: the vectors that failed';
    is $rows[0]{failed_vectors}, 'access.counter.0', 'CSV: as well';
    is $rows[1]{build}, 'abc, "d"', 'CSV: commas and quotes in a field';
    is_deeply [ map { "@{$_}{qw(passed failed skipped planned)}" } $found->{boots}[0], $rows[0] ],
        [ '4 1 1 6', '4 1 1 6' ], 'the counts';
    like tool(1, 'tools/pmulog', 'check', '--json', $soaked)->{out}, qr/"passed" : 4,/, 'which are numbers';
};

subtest 'JSON and CSV of explain' => sub {
    my ($found, @rows) = outputs('explain', 1, $bad);
    like $found->{rules}[0]{rule}, qr/^[RE]\d+$/, 'JSON: the rule that is ranked first';
    is_deeply [ @{ $rows[0] }{qw(rank rule first_failure)} ],
        [ 1, $found->{rules}[0]{rule}, 'cascade.18-1.iq.14-12' ], 'CSV: as well';
    is $found->{families}[0]{family}, 'cascade.18-1', 'the family';
    my ($cccr) = grep { $_->{register} eq 'MSR_IQ_CCCR2' } @{ $found->{first_failure}{registers} };
    ok + (grep { $_ eq 'OVF [31] 1' } @{ $cccr->{fields} }), 'a register field by field';
    is "$found->{repeat} $rows[0]{repeat}", 'only=cascade.18-1.iq.14-12 only=cascade.18-1.iq.14-12',
        'the boot line';
    my ($nothing, @none) = outputs('explain', 0, $passed);
    is_deeply [ $nothing->{rules}, $nothing->{first_failure}, \@none ], [ [], undef, [] ],
        'of a log that passes: no rules';
    ($nothing) = outputs('explain', 2, $cut);
    like $nothing->{notes}[0], qr/incomplete/, 'of a log that is cut: a note';
    is + (outputs('explain', 2, $empty))[0]{boot}, 0, 'of no log: boot 0';
};

subtest 'JSON and CSV of sheet' => sub {
    my ($found, @rows) = outputs('sheet', 0, $passed);
    is_deeply $found->{sheet},
        [ {
        id       => '10.1a',
        question => 'How a cascade starts',
        text     => 'cascade start',
        value    => 'not probed: x, "y"',
        doubt    => undef,
        probed   => JSON::PP::false()
        } ],
        'JSON: a line';
    is_deeply [ map { [ @{$_}{qw(file id value)} ] } @rows ], [ [ $passed, '10.1a', 'not probed: x, "y"' ] ],
        'CSV: as well';
    my ($counted, undef, $number) = outputs('sheet', 1, $soaked);
    ok $counted->{sheet}[0]{probed}, 'JSON: a line with an answer';
    my %number = (vector => 'cascade.18-1.iq.14-12', name => 'branch_retired on counter 12', number => '400');
    is_deeply $counted->{numbers}, [ { %number, class => 'exact' } ], 'JSON: a number that a vector reports';
    is_deeply [ @{$number}{qw(id text value)} ], [ @number{qw(vector name number)} ], 'CSV: as well';
    my $text = tool(1, 'tools/pmulog', 'sheet', $soaked);
    ends($text, 1, 'the status is that of the verdict, as text, by question',
        out =>
            qr/^10\.1 How a cascade starts\n  10\.1a  \S.*: .*\n\nNumbers that vectors report\n  cascade\.18-1\.iq\.14-12\n    branch_retired on counter 12: 400\n\z/m
    );
    like tool(1, 'tools/pmulog', 'sheet', $cut)->{out},
        qr/The log is not whole: .*\n\nThis log has no characterisation sheet\./,
        'a log that broke off before it';
};

subtest 'JSON and CSV of compare' => sub {
    my ($found, @rows) = outputs('compare', 1, $soaked, $passed);
    is scalar @rows, scalar @{ $found->{boards} }, 'a row for each board';
};

subtest 'Text::CSV' => sub {
    my $run = run(1, 'sh', '-c', "PERL5OPT='-Mlib=$dir/lib' tools/pmulog check --csv '$soaked'");
    is $run->{status}, 1, 'Text::CSV is there';
    mkdir "$dir/lib"      or die "cannot make $dir/lib: $!";
    mkdir "$dir/lib/Text" or die "cannot make $dir/lib/Text: $!";
    file("lib/Text/CSV.pm", "die 'not installed';\n");
    $run = run(1, 'sh', '-c', "PERL5OPT='-Mlib=$dir/lib' tools/pmulog check --csv '$soaked'");
    is "$run->{status} $run->{err}",
        "2 pmulog: --csv needs Perl's Text::CSV, which is not installed (Debian: libtext-csv-perl)\n",
        'and where it is not, the package is named';
};

done_testing;
