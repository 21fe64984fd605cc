#!/usr/bin/perl
# What tools/pmulog makes of a log: TAP, JUnit, a page. A log that is not whole fails in each, a malicious one does not become
# part of the page, and the same log gives the same bytes. pmulog-explain.t, pmulog-compare.t and pmulog-data.t have the rest.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib", $FindBin::Bin;
use Image qw(run p4sim spew results $ELF);
use CheckedLog qw(checked $SEVERAL);
use lib "$FindBin::Bin/../../tools/lib";
use Pmulog::Cascade;

my $dir = File::Temp->newdir;

sub file {
    my ($name, $bytes) = @_;
    return spew("$dir/$name", $bytes);
}

sub pmulog {
    my $run = run(1, 'tools/pmulog', @_);
    is $run->{err}, '', "$_[0]: no complaint";
    return $run;
}

my $good   = file('good',   p4sim($ELF)->{out});
my $bad    = file('bad',    p4sim('--fault', 'cascade-late', $ELF, 'only=cascade.18-1,cascade.18-2')->{out});
my $soaked = file('soaked', checked(@$SEVERAL));
my $text   = checked(@$SEVERAL);
my $cut    = file('cut',    substr $text, 0, index $text, 'ok 4');
my $block  = file('block',  substr $text, 0, index $text, '  expected');
my $torn   = file('torn',   $text =~ s/start level/start leve1/r);
my $bailed = file('bailed', p4sim($ELF, 'bogus')->{out});
my $empty  = file('empty',  "BIOS\r\n");
my $listed = file('listed', checked('1..0 # SKIP list of <vectors> only', '# vector a.b [R1] check x', 'END skip'));
my $late   = file('late',   p4sim($ELF, 'only=state', 'selftest=late', 'loop=3')->{out});
my @whole  = ([ $good, 0 ], [ $bad, 1 ], [ $soaked, 1 ]);
my @not    = ($cut, $block, $torn, $bailed, $empty);

# The exit status of prove with this TAP.
sub prove {
    my ($tap) = @_;
    return run(1, 'prove', '--norc', file('log.tap', $tap))->{status};
}

subtest 'tap' => sub {
    for my $log (@whole) {
        my ($name, $status) = @$log;
        my $run = pmulog('tap', $name);
        is $run->{status}, $status, 'status';
        unlike $run->{out}, qr/ #[0-9A-F]{4}$/m, 'no check codes';
        is prove($run->{out}), $status, 'prove agrees';
        my ($parser) = results($run->{out});
        like pmulog('check', $name)->{out}, qr/: ${\scalar $parser->actual_passed - scalar $parser->skipped} passed, ${\scalar $parser->failed} failed, ${\scalar $parser->skipped} skipped/,
            'TAP::Parser counts what check counts';
    }
    my $colon = file('colon', checked('1..2', 'not ok 1 - a.b', '  ---', "  what: 'MSR_IQ_CCCR0'", '  also:', "    - 'MSR_IQ_CCCR0: 1, not 2'", '  ...', 'ok 2 - a.c',
        '# 1 passed, 1 failed, 0 skipped of 2', 'END fail'));
    my ($all) = results(pmulog('tap', $colon)->{out});
    is $all->tests_run, 2, 'TAP::Parser reads on after an item that looks like a key to it';
    like pmulog($_, $colon)->{out}, qr/MSR_IQ_CCCR0: 1, not 2|MSR_IQ_CCCR0/, "so does $_" for 'html', 'junit', 'explain';
    for my $name (@not) {
        my $run = pmulog('tap', $name);
        is $run->{status}, 2, "$name: status";
        isnt prove($run->{out}), 0, 'prove fails it';
        like $run->{out}, qr/^not ok \d+ - pmulog\.(?:incomplete|damaged)\n  ---\n  what: '.*'\n  \.\.\.\nBail out! /m, 'with the reason';
    }
};

# What Jenkins' schema allows (junit-10.xsd of its xUnit plugin), in our words: for each element its attributes, those with !
# being required, and the elements in it; text is allowed in the last three alone.
my %SCHEMA = (
    testsuites => [ 'name time tests failures errors', 'testsuite' ],
    testsuite  => [ 'name! tests! failures! errors! group time skipped timestamp hostname id package file log url', 'testsuite properties testcase system-out system-err' ],
    properties => [ '', 'property' ],
    property   => [ 'name! value!', '' ],
    testcase   => [ 'name! time classname group', 'skipped error failure system-out system-err' ],
    skipped    => [ 'type message', '', 'text' ],
    error      => [ 'type message', '', 'text' ],
    failure    => [ 'type message', '', 'text' ],
);

# What breaks the form of XML or the schema, one text each.
sub against_schema {
    my ($xml) = @_;
    my (@open, @wrong);
    push @wrong, 'no declaration' if $xml !~ s/\A<\?xml version="1\.0" encoding="UTF-8"\?>\n//;
    while ($xml =~ /\G([^<]*)<(\/?)([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>/gc) {
        my ($text, $end, $name, $attributes, $empty) = ($1, $2, $3, $4, $5);
        my ($parent) = @open ? $SCHEMA{ $open[-1] } : ();
        push @wrong, "text in $open[-1]" if $text =~ /\S/ && !($parent && $parent->[2]);
        push @wrong, "not text: $text" if $text =~ /[^\n -~]/;
        push @wrong, "not escaped: $_" for "$text$attributes" =~ /(&(?!(?:amp|lt|gt|quot|apos);).{0,9})/g;
        if ($end) {
            my $due = pop @open // 'nothing';
            push @wrong, "$name ends, not $due" if $name ne $due;
            next;
        }
        my $rule = $SCHEMA{$name} or push(@wrong, "an element $name"), next;
        push @wrong, "$name in " . ($open[-1] // 'nothing') if $parent ? " $parent->[1] " !~ / \Q$name\E / : $name ne 'testsuites';
        my %has;
        $has{$1}++ while $attributes =~ / ([\w-]+)="[^"]*"/g;
        push @wrong, map { "$name with two $_" } grep { $has{$_} > 1 } keys %has;
        for my $allowed (split ' ', $rule->[0]) {
            my $required = $allowed =~ s/!\z//;
            push @wrong, "$name without $allowed" if !delete $has{$allowed} && $required;
        }
        push @wrong, map { "$name with $_" } keys %has;
        push @open, $name if !$empty;
    }
    push @wrong, 'the rest: ' . substr $xml, pos $xml // 0 if substr($xml, pos $xml // 0) =~ /\S/;
    push @wrong, "@open not ended" if @open;
    return @wrong;
}

subtest 'junit' => sub {
    is_deeply [ against_schema(qq(<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name="a" tests="1"><testcase id="1">x</testcase></testsuites>)) ],
        [ 'testsuite without failures', 'testsuite without errors', 'testcase without name', 'testcase with id', 'text in testcase', 'testsuites ends, not testsuite', 'testsuites not ended' ],
        'what breaks the schema is noticed';
    my $run = pmulog('junit', $good);
    is $run->{status}, 0, 'status';
    is pmulog('junit', $good)->{out}, $run->{out}, 'the same bytes again';
    my $points  = () = $run->{out} =~ /<testcase /g;
    my ($skips) = pmulog('check', $good)->{out} =~ /(\d+) skipped/;
    my $skipped = () = $run->{out} =~ m{<testcase classname="[^"]+" name="[^"]+">\n<skipped message="[^"]+"/>\n</testcase>}g;
    cmp_ok $points, '>', 400, 'a case for each point';
    is $skipped, $skips, 'a skipped point is a <skipped> with its reason';
    cmp_ok $skips, '>', 0, 'and there are some';
    like $run->{out}, qr{<testcase classname="state" name="state\.cccr"/>}, 'the family is the class, the id the name, without the number of the point';
    like $run->{out}, qr{<testcase classname="cascade\.18-1" name="cascade\.18-1\.iq\.14-12"/>}, 'the same of a family of many';
    like $run->{out}, qr{<property name="processor" value="GenuineIntel 0F43H}, 'the inventory is in the properties';
    my $failed = pmulog('junit', $bad)->{out};
    my ($case) = $failed =~ m{(<testcase classname="cascade\.18-1" name="cascade\.18-1\.\S+">\n<failure.*?</testcase>)}s;
    like $case, qr{<failure message="B&apos;s counted by Y [^"]+: \d+, not \d+ to \d+" type="not ok">title: &apos;.*^MSR_\w+: &apos;[0-9A-F]+H&apos;\n</failure>}ms, 'a failure with its message and its own block';
    unlike $case, qr/^(?:#|ok|not ok|---)/m, 'and nothing else';
    for my $name ($good, $bad, $soaked, $listed, @not) {
        my $xml = pmulog('junit', $name)->{out};
        is_deeply [ against_schema($xml) ], [], "$name: as the schema says";
        my ($suite) = $xml =~ /<testsuite ([^>]*)>/;
        my %said = $suite =~ /(\w+)="([^"]*)"/g;
        my %count = (errors => 0, tests => 0, failures => 0, skipped => 0);
        $count{ { testcase => 'tests', failure => 'failures', skipped => 'skipped', error => 'errors' }->{$1} }++
            while $xml =~ /<(testcase|failure|skipped|error)\b/g;
        is_deeply { map { $_ => $said{$_} } keys %count }, \%count, "$name: what the suite counts is there";
    }
    like pmulog('junit', $listed)->{out}, qr{name="pmulog\.skip">\n<skipped message="list of &lt;vectors&gt; only"/>}, 'a run without points is a skipped case';
    for my $name ($cut, $bailed) {
        my $not = pmulog('junit', $name);
        is $not->{status}, 2, "$name: status";
        like $not->{out}, qr/<testcase classname="pmulog" name="pmulog\.(?:incomplete|damaged)">\n<error message="[^"]+"/, 'an error says so';
        like $not->{out}, qr/errors="1"/, 'and is counted';
    }
};

my $markup = '<script>alert(1)</script> & "x" \'y\' ]]> <img src=x onerror=alert(1)>';
my $attack = file('attack', checked('1..3', "# build: $markup", "# $markup: $markup", "# board: $markup", "#> a.b [$markup] $markup",
    "# $markup", 'not ok 1 - a.b', '  ---', "  what: '" . $markup =~ s/'/''/gr . "'", "  expected: '<b>'", "  observed: '<i>'", '  ...',
    "ok 2 - cascade.18-1.iq.1-2 # SKIP $markup", 'not ok 3 - cascade.18-1.iq.3-4', '  ---', "  what: 'X (14) after 9 A$markup'" =~ s/'y'/y/r,
    "  expected: '<b>1'", "  observed: '2<b>'", '  ...', "# soak loop 1: $markup; in all 3 points, 2 failed",
    "# sheet 1 $markup: $markup", '# 0 passed, 2 failed, 1 skipped of 3', 'END fail'));

subtest 'html' => sub {
    my $page = pmulog('html', $good)->{out};
    is pmulog('html', $good)->{out}, $page, 'the same bytes again';
    like $page, qr/<h1>PASS</, 'the verdict';
    like $page, qr/<th scope="row">processor<.*0F43H/, 'the inventory';
    like $page, qr/<th scope="row">10\.1a</, 'the sheet';
    like $page, qr/<th scope="row">10\.1<.*?10\.1a: /, 'what its question means, from docs/pmu-rules.md';
    like $page, qr/state\.cccr<.*?passed/s, 'the vectors';
    my $figures = () = $page =~ /<svg /g;
    my $drawn   = () = pmulog('tap', $good)->{out} =~ /^ok \d+ - cascade\.(?:18-1|18-2|18-2\.sample|extended)\.[a-z]+\.\d+-\d+$/mg;
    is $figures, $drawn, 'a diagram of each cascade of the examples';
    unlike $page, qr/(?:src|href)=|url\(|\@import|<script/i, 'nothing from elsewhere';

    my $failed = pmulog('html', $bad)->{out};
    like $failed, qr/<h1>FAIL</, 'a failed run';
    like $failed, qr/class="dot"/, 'what was observed is drawn';
    like $failed, qr/<abbr title="[^"]+">R33</, 'a rule has its title';
    like $failed, qr/<th scope="row">R33<.*?CASCADE.*?18\.15\.5\.5/, 'and its text, and where the manual has it';
    unlike $page, qr/class="(?:dot|ring|observed)"/, 'and nothing of a run that passed is said to be observed';
    like pmulog('html', $soaked)->{out}, qr/<h2>Soak<.*loop 3:/s, 'a soak';
    like pmulog('html', $_)->{out}, qr/<h1>(?:INCOMPLETE|DAMAGED)<.*not whole/s, "$_" for @not;
    like pmulog('html', $cut)->{out}, qr/cascade\.18-1\.iq\.14-12<.*was running when the log broke off/s, 'last words';

    my $soak = pmulog('html', $late)->{out};
    like $soak, qr{<li>loop 3: not ok - selftest\.late; title: .*; observed: &#39;1&#39;</li>}, 'a failure in a later loop is shown with it';
    unlike $soak =~ s/.*<h3>7 soak<//sr =~ s/<h2>.*//sr, qr/INIT/, 'the point soak has no title of another vector';

    my $attacked = pmulog('html', $attack);
    is $attacked->{status}, 1, 'a log full of markup';
    like $attacked->{out}, qr/&lt;script&gt;alert/, 'its text is shown';
    unlike $attacked->{out}, qr/<script|<img|<b>1|<b>"|<i>|onerror=alert\(1\)>/, 'and is no part of the page';
    my %open;
    $open{$2} += $1 ? -1 : 1 while $attacked->{out} =~ m{<(/?)([a-z]\w*)[^<>]*(?<!/)>}g;
    delete @open{qw(meta br)};
    is_deeply [ grep { $open{$_} } sort keys %open ], [], 'every element is closed';
    my $junit = pmulog('junit', $attack)->{out};
    unlike $junit, qr/<script|<img/, 'nor of the JUnit';
    is_deeply [ against_schema($junit) ], [], 'which stays as the schema says';
};

# Where the ring and the dot of a failure are drawn: [x, in units of X's count; y].
sub drawn {
    my ($id, $what, $expected, $observed) = @_;
    my $svg = Pmulog::Cascade::svg({ id => $id, ok => 0, pairs => [ [ what => $what ], [ expected => $expected ], [ observed => $observed ] ] });
    my ($none) = $svg =~ /class="lane" x1="([\d.]+)"/;
    my ($ovf)  = $svg =~ /class="mark" x1="([\d.]+)"/;
    return map { [ sprintf('%.2f', ($_->[0] - $none) / ($ovf - $none)), $_->[1] ] }
        map { $svg =~ /class="$_" cx="([\d.]+)" cy="([\d.]+)"/ ? [ $1, $2 ] : () } qw(ring dot);
}

subtest 'the moments of a cascade' => sub {
    my ($one, $two) = qw(cascade.18-1.iq.14-12 cascade.18-2.a.17-16);
    my @cases = (
        [ $one, 'X (14), one A short of its overflow',    'FFFFFFFFFFH', '0000003CH', 1 ],
        [ $one, 'OVF of X (14), which overflows with the last A', '1', '0', 1 ],
        [ $one, 'Y (12) after 400 B, X one A short of its overflow', 'FFFFFFFE70H', 'FFFFFFFFFEH', 3 ],
        [ $one, 'Y (12), -1 B beyond its overflow',       'FFFFFFFFFFH', 'FFFFFFFF00H', 3 ],
        [ $one, 'OVF of Y (12), 0 B beyond its overflow', '1', '0', 3 ],
        [ $one, "B's counted by Y (12) once X has overflowed, ...", '400 to 400', '0', 3 ],
        [ $one, 'clocks of Y (2) while X has not overflowed; ...', '0 to 32', '390', 0.95 ],
        [ $two, 'X (17) after 4095 events of LP0',        'FFFFFFFFFFH', '00000019H', 1 ],
        [ $two, 'OVF of X (17) after 4096',               'yes', 'no', 1 ],
        [ $two, 'OVF of X (17) stays 0 after 4095',       'yes', 'no', 1 ],
        [ $two, 'Y (16) before the 4096th, with LP1 running', '00000000H', '00000629H', 0.95 ],
    );
    for my $case (@cases) {
        my ($id, $what, $expected, $observed, $when) = @$case;
        my ($ring, $dot) = drawn($id, $what, $expected, $observed);
        ok $ring && $dot, "$what: drawn" or next;
        cmp_ok abs($_->[0] - $when), '<', 0.02, "at $when" for $ring, $dot;
        my $higher = $what =~ / stays 0 / || $observed =~ /\A0+[1-9]/ || $what =~ /A short|clocks/ ? $dot : $ring;
        cmp_ok $higher->[1], '<', ($higher == $ring ? $dot : $ring)->[1], 'the greater value above';
    }
};

subtest 'what cannot be read twice' => sub {
    for my $command ('tap', 'junit', 'html', 'explain') {
        my $run = run(1, 'tools/pmulog', $command, '/dev/null');
        is $run->{status}, 2, $command;
        like $run->{err}, qr/cannot read .*needs a file, not a pipe or a device/, 'says so';
    }
};

done_testing;
