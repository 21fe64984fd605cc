#!/usr/bin/perl
# tools/pmulog explain: families, the first failure with its registers, the rule that is ranked first, the boot line, and
# what it says of logs that pass, are skipped, cut, damaged or disturbed. Its tables agree with the image, with the vectors'
# words and with docs/pmu-rules.md.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(checked);
use Pmulog::Explain;
use Pmulog::Registers;
use Pmulog::Rules qw(family find_rules find_vectors read_rules read_vectors);

my $page = read_rules(find_rules());

sub explained ($bytes, $status = undef) {
    my $run = tool(1, 'tools/pmulog', 'explain', file('log', $bytes));
    is $run->{err}, '', 'no complaint';
    is $run->{status}, $status, "status $status" if defined $status;
    return $run->{out};
}

# A sentence of the output, whose lines are wrapped.
sub says ($text, $words, $name) { return like $text =~ s/\s+/ /gr, $words, $name }

# A log of these points; the last line is the verdict.
sub log_of ($failed, $passed, @lines) {
    my $all = $failed + $passed;
    return checked(
        "1..$all", @lines,
        "# $passed passed, $failed failed, 0 skipped of $all",
        $failed ? 'END fail' : 'END pass'
    );
}

my @head = (
    '# build: abc',
    '# boot line: /boot/pmuproof.elf only=cascade,state exit=reboot console=ttyS1 loop=3 quick',
    '# processor: GenuineIntel 0F43H, Prescott',
    '# threads: 2 per core, 1 core; boot processor is LP0; sibling runs'
);
# The manual: Figure 18-48 (CCCR), Table 18-63 (counter 12 is IQ_COUNTER0, select 4 of its set is CRU_ESCR0).
my @diagnosis = (
    '  ---',
    "  title: 'a cascade'",
    "  rules: 'EX18-1 R33 R34'",
    "  what: 'B''s counted by Y (12) once X has overflowed'",
    "  expected: '400'",
    "  observed: '0'",
    "  breaks: 'R34 R33'",
    "  counters: '12'",
    "  escrs: 'CRU_ESCR0'",
    "  setting: 'FORCE_OVF CASCADE'",
    '  also:',
    "    - 'OVF of Y (12), 0 B beyond its overflow = 0, not 1 [R29 R28]'",
    "  MSR_IQ_CCCR0: '40038000H'",
    "  MSR_IQ_COUNTER2: 'FFFFFFFE70H'",
    "  MSR_CRU_ESCR0: '0400060CH'",
    '  ...'
);

subtest 'what everything else follows from' => sub {
    my $gone = explained(
        checked(
            '1..3',
            @head,
            'not ok 1 - count.all',
            @diagnosis,
            'ok 2 - overflow.nth.12 # SKIP not run: needs count',
            'ok 3 - state.cccr',
            '# stage count is gone: no counter counts: count.all failed, and so did 18 of 18 counters, each tried alone; 1 vectors not run',
            '# 1 passed, 1 failed, 1 skipped of 3',
            'END fail'
        ),
        1
    );
    says $gone,
        qr/Prescott\. Above all: no counter counts\. count\.all failed, and so did each of the 18 counters, tried alone\. 1 vector rests on this, and was not run; what else failed may follow from it\. Boot with the word bringup, .* What failed: /,
        'a stage that is gone, before what failed';
    my $stopped = explained(
        checked(
            '1..2',
            $head[0],
            '# boot line: pmuproof.elf bringup exit=reboot',
            'ok 1 - bringup.registers',
            'not ok 2 - bringup.count',
            @diagnosis,
            '# bringup stops at stage count (R2 R7): right on counters 0-3; wrong on 4-17: calls = 0, not 180 [R27]',
            '# 1 passed, 1 failed, 0 skipped of 2',
            'END fail'
        ),
        1
    );
    says $stopped,
        qr/Begin with the stage 'count', the first that is not there: right on counters 0-3; wrong on 4-17: calls = 0, not 180 \[R27\]\. Its rules are R2 and R7 .* What failed: .* boot with these words: bringup exit=reboot/,
        'where bringup stopped';
    unlike explained(log_of(1, 0, @head, 'not ok 1 - state.cccr', @diagnosis), 1),
        qr/Above all|Begin with/,
        'otherwise nothing of the kind';
};

subtest 'a PMU that is promised and dead' => sub {
    says explained(
        log_of(
            1,
            0,
            @head,
            'not ok 1 - boot.pmu',
            '  ---',
            "  what: 'MSR_BPU_COUNTER0 does not hold what is written'",
            "  although: 'IA32_MISC_ENABLE[7] announces the PMU'",
            "  register: 'MSR_BPU_COUNTER0'",
            "  msr: '300H'",
            "  written: '5555555555H'",
            "  expected: '5555555555H'",
            "  observed: '0000000011H'",
            '  ...'
        ),
        1
        ),
        qr/The first failure is boot\.pmu\. MSR_BPU_COUNTER0 does not hold what is written, although IA32_MISC_ENABLE\[7\] announces the PMU: expected 5555555555H, observed 0000000011H\. MSR_BPU_COUNTER0 was written 5555555555H\./,
        'what is expected although, and what was written';
};

subtest 'a failure, family by family' => sub {
    my $text = explained(
        log_of(
            2,
            3,
            @head,
            '#> state.cccr all',
            'ok 1 - state.cccr',
            '#> cascade.18-1.iq.12-14 a cascade',
            'ok 2 - cascade.18-1.iq.12-14',
            '#> cascade.18-1.iq.14-12',
            'not ok 3 - cascade.18-1.iq.14-12',
            @diagnosis,
            '#> cascade.18-1.ms.6-4',
            'not ok 4 - cascade.18-1.ms.6-4',
            @diagnosis,
            '#> cascade.only x',
            'ok 5 - cascade.only'
        ),
        1
    );
    says $text, qr/fail: 3 passed, 2 failed, 0 skipped of 5\./, 'the totals';
    says $text,
        qr/What failed: 2 vectors in one family, in the order of the run\. cascade\.18-1: 2 of 3: iq\.14-12 and ms\.6-4 /,
        'the family, how many of it, and which';
    says $text,
        qr/The first failure is cascade\.18-1\.iq\.14-12: a cascade\. B's counted by Y \(12\) once X has overflowed: expected 400, observed 0\. The nearest vector that passes: cascade\.18-1\.iq\.12-14\. To see both, boot with only=cascade\.18-1\.iq\.14-12,cascade\.18-1\.iq\.12-14\. Erratum E14 predicts such a failure: FORCE_OVF breaks cascades\./,
        'what was expected and observed, what passes, what is known';
    says $text, qr/All 2 failed vectors use CASCADE\. - All 2 failed vectors use FORCE_OVF\./,
        'what was in use';
    says $text, qr/also: OVF of Y \(12\), 0 B beyond its overflow = 0, not 1 \[R29 R28\]\./, 'what else';
    says $text,
        qr/CCCR12 \(MSR_IQ_CCCR0\) = 40038000H: OVF \[31\] 0, CASCADE \[30\] 1, ACTIVE_THREAD \[17:16\] 3 \(any\), ESCR select \[15:13\] 4 = CRU_ESCR0, ENABLE \[12\] 0 /,
        'a CCCR field by field';
    says $text, qr/counter 14 \(MSR_IQ_COUNTER2\) = FFFFFFFE70H: overflows after 400 more counts /,
        'a counter';
    says $text,
        qr/MSR_CRU_ESCR0 = 0400060CH: event select \[30:25\] 2 = instr_retired, event mask \[24:9\] 3 = NBOGUSNTAG \+ NBOGUSTAG, T0_OS \[3\] 1, T0_USR \[2\] 1 /,
        'an ESCR with its event';
    says $text,
        qr/\d\. R34: \Q$page->{entry}{R34}{title}\E\. \Q$page->{entry}{R34}{text}\E In the manual: \Q$page->{entry}{R34}{manual}\E; certainty: confirmed\./,
        'the rule in the words of docs/pmu-rules.md';
    like $text, qr/^  \d\. R34: .*\n(?: {5}\S.*\n)+(?:  \d\.|\n)/m, 'as a paragraph below its number';
    says $text,
        qr/R34: .*?Failed expectations of all 2 failed vectors \(cascade\.18-1\.iq\.14-12 and cascade\.18-1\.ms\.6-4\) name it\. 2 other vectors with this rule have no such expectation that failed\./,
        'failed against passed';
    says $text, qr/What the failures have in common: - Every failed vector is about counter 12\b/,
        'what they share';
    like $text, qr/^  only=cascade\.18-1\.iq\.14-12 exit=reboot console=ttyS1$/m,
        'the boot line: this vector, and what the board needs';
    unlike $text, qr/Read this first/, 'nothing disturbed this run';
    unlike $text, qr/^.{81}/m, 'in 80 columns';
};

# The notation of logs before 2026-12: tests/suite/course_old.c.
subtest 'a course of an older log: the nearest that passes, and each family' => sub {
    my @course = (
        '#> course.draw.12 x',
        '# shortest course that fails: course=12:0:1031000,14:1:31000/lF-ea-wb=80000000-ea',
        '# nearest course that passes: course=12:0:31000,14:1:31000/lF-ea-ea',
        '# disturbed: 12 of 24 runs, the last at x',
        'not ok 1 - course.draw.12',
        '  ---',
        "  what: 'counter 12, step 4 of 12:0:1031000,14:1:31000/lF-ea-wb=80000000-''ea3U=2 (x): counts'",
        "  expected: 'at least 40'",
        "  observed: '-2'",
        "  counters: '12'",
        "  MSR_BPU_CCCR0: '00001000H'",
        "  MSR_IQ_CCCR0: '00031000H'",
        '  ...'
    );
    my $log = log_of(
        2, 0, @course, '#> a.b y', 'not ok 2 - a.b',
        '  ---', "  what: 'z'",
        "  expected: '-8 to 8'",
        "  observed: '0'",
        '  ...'
    );
    my $text = explained($log, 1);
    says $text,
        qr/observed -2\. It failed in 12 of 24 runs\. Step by step: 1\. LVTPC is unmasked; 2\. counter 12: events; 3\. counter 14: the CCCR is written \(OVF cleared\); 4\. counter 12: events \(at CPL 3, with USR alone, 2 of them, by the sibling\)\. The nearest course that passes: counter 12 has EDGE \[24\]: 0, not 1; step 3, wb=80000000, is left out\. To see both, boot with course=12:0:1031000\S+ then with course=12:0:31000,/,
        'their difference, then both';
    says $text, qr/not 0 then: CCCR12 .*ENABLE \[12\] 1 and 1 more register, which --all prints\./,
        'the registers that it is about';
    unlike $text, qr/is a\.b/, 'the first failure alone';
    says tool(1, qw(tools/pmulog explain --all), file('log', $log))->{out},
        qr/CCCR12 .*CCCR0 .* Another failure is a\.b: y\. z: expected -8 to 8, observed 0: what it is compared with has hardly counted\./,
        '--all: every register, each family';
};

# The list spells each step out; pmulog knows none, and says what it cannot read.
subtest 'each failed course, step by step' => sub {
    my ($counter, $other) =
        ('12:uops_retired,ENABLE=1,ACTIVE_THREAD=3', '14:instr_retired,ENABLE=1,COUNTER=-20');
    my $courses = sub ($first) {
        return (
            '  courses:',
            "    - 'failure 1 is in the last step of course=$counter,EDGE=1,COUNTER=-20+$other/14:OVF=0/12:dance=2'",
            "    - 'failure 1, first: counter 12 counts $first'",
            "    - 'failure 1, step 1: LP0 clears it'",
            "    - 'failure 1, step 2: LP0 dances, 2 times'",
            "    - 'failure 1 does not come in course=$counter,COUNTER=-20+$other/12:dance=2'",
            "    - 'failure 2 is in the last step of course=$counter,COUNTER=0/12:dance=1'",
            "    - 'failure 2, step 1: LP0 dances'"
        );
    };
    my @points = map {
        my $n = $_;
        (
            "#> course.drawn.$n x",
            "not ok $n - course.drawn.$n",
            '  ---',
            "  what: 'counter 12, step 2 of its course (x): counts of its twin, counter 16'",
            "  expected: 'at least 40'",
            "  observed: '0'",
            "  counters: '12'",
            "  setting: 'EDGE ESCR-select'",
            $courses->("uops ($n)"),
            ($n == 1 ? "    - 'what nobody knows'" : ()),
            '  ...'
        )
    } 1, 2;
    my $text = explained(log_of(2, 0, @head, @points), 1);
    says $text,
        qr/observed 0\. Step by step: counter 12 counts uops \(1\); 1\. LP0 clears it; 2\. LP0 dances, 2 times\. The twin is counter 16\. The log also says of its courses: what nobody knows\. The nearest course that passes: counter 12 has EDGE 0, not 1; step 1, 14:OVF=0, is left out\. To see both, boot with course=12:\S+EDGE=1\S+ then with course=12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COUNTER=-20\S+\. Failure 2 of this vector: Step by step: 1\. LP0 dances\. /,
        'the first failure: each of its courses';
    says $text,
        qr/The other courses that failed: - course\.drawn\.2: Step by step: counter 12 counts uops \(2\); 1\. .* - course\.drawn\.2: Failure 2 of this vector: Step by step: 1\. LP0 dances\./,
        'and the courses of the others';
    says $text,
        qr/- All 2 failed courses need EDGE\. - All 2 failed courses need another ESCR select in a CCCR\./,
        'what they need';
    says $text, qr/- Every failed vector is about counter 16\./, 'the twin is what failed';
    my $page = tool(1, qw(tools/pmulog html), file('log', log_of(2, 0, @head, @points)))->{out};
    like $page,
        qr{<p>Step by step: counter 12 counts uops \($_\); 1\. LP0 clears it; 2\. LP0 dances, 2 times\.</p>},
        "the page, course $_"
        for 1, 2;
    like $page, qr{<p>Failure 2 of this vector: Step by step: 1\. LP0 dances\.</p>},
        'and further failures of a vector';
};

# Of five failed vectors, three name counter 12 and one counter 13; the broken counter is not in all of them.
# A course says what its failure needs. Most of three need EDGE.
subtest 'what failed courses need, and a log that does not say' => sub {
    my $course = sub ($n, @field) {
        return (
            "#> course.drawn.$n x",
            "not ok $n - course.drawn.$n",
            '  ---', "  rules: 'R23'",
            "  what: 'x'", "  breaks: 'R23'",
            @field, '  ...'
        );
    };
    my @failed = map {
        $course->(
            $_,
            "  what: 'counter 12, step 2 of 12:0:31000,16:1:31000/vaN-ea (x): counts of its twin'",
            "  counters: '12'",
            "  setting: '" . ($_ < 3 ? 'EDGE started' : 'COMPARE') . "'"
        )
    } 1 .. 3;
    says explained(log_of(3, 0, @head, @failed), 1),
        qr/in common: - Every failed vector is about counter 13\. - All 3 failed courses need a write of a counter\. - 2 of the 3 failed courses need EDGE\. - 2 of the 3 failed courses need a counter that a cascade has started\.(?! - \d of)/,
        'what most need';
    says explained(log_of(1, 0, @head, $course->(1)), 1),
        qr/Read this first: - No failure of this log says which counters and features were in use, so what the failures have in common is not known\./,
        'a log of an older version';
};

# What rests on the registers fails with them; what all failures need is what the rule about it says.
subtest 'one failure below many, and what all failures need' => sub {
    my $failed = sub ($n, $id, $breaks, @field) {
        return (
            "#> $id x", "not ok $n - $id",
            '  ---', "  what: 'x'",
            "  breaks: '$breaks'",
            "  counters: '12'",
            @field, '  ...'
        );
    };
    my @many = map { $failed->($_, "cascade.18-1.iq.$_", 'R34 R33') } 2 .. 30;
    says explained(log_of(30, 0, @head, $failed->(1, 'access.foo', 'R3 R2'), @many), 1),
        qr/ [123]\. R3: /, 'the lowest layer is not outvoted by all others';
    my @need = map { $failed->($_, "course.invented.$_", 'R27 R17', "  setting: 'ESCR-select'") } 1, 2;
    says explained(log_of(2, 0, @head, @need), 1), qr/best, the likeliest first: 1\. R17: /,
        'another ESCR select';
    says explained(log_of(2, 0, @head, map { s/ESCR-select/EDGE/r } @need), 1),
        qr/best, the likeliest first: 1\. R27: /, 'which is not what they need here';
};

# A log in which one vector ran and failed, with these lines of its diagnosis.
sub one_failed ($id, @lines) {
    return log_of(1, 0, @head, "not ok 1 - $id", '  ---', @lines, '  ...');
}

# A course goes wrong in its last step, and not without what the nearest one that passes has not. An act that should change nothing
# (HLT: R42, a change of the privilege level: R12, INIT: R1, a read: R57) is the suspect, not what it disturbs (R28).
subtest 'the act that makes courses go wrong' => sub {
    my $failed = sub ($n, $breaks, $fails, $passes, @field) {
        my $first = '12:uops_retired,ENABLE=1,COUNTER=-20';
        return (
            "not ok $n - course.invented.$n",
            '  ---',
            "  what: 'counter 12'",
            "  breaks: '$breaks'",
            @field,
            '  courses:',
            "    - 'failure 1 is in the last step of course=$first$fails'",
            "    - 'failure 1 does not come in course=$first$passes'",
            '  ...'
        );
    };
    my $explained = sub ($breaks, @courses) {
        my $n = 0;
        return explained(log_of(scalar @courses, 0, @head, map { $failed->(++$n, $breaks, @$_) } @courses),
            1);
    };
    my $best = sub ($rule) { qr/(?:failures best|likeliest first): (?:1\. )?$rule: / };
    my %last = (
        'R42' => [ [ '/LP0:HLT', '' ], [ '/LP1:LVTPC=fixed', '/LP0:LVTPC=fixed' ] ],
        'R12' => [ [ '/LP1:loop', '' ], [ '/12:events=40,CPL=3', '/12:events=40' ] ],
        'R1'  => [ [ '/12:events=40/LP1:INIT', '/LP1:INIT' ], [ '/LP1:INIT', '' ] ],
        'R57' => [ [ '/12:read', '' ], [ '/12:events=1/LP1:12:read', '/12:events=1' ] ],
    );
    says $explained->('R28 R27', @{ $last{$_} }), $best->($_), "$_ is suspected" for sort keys %last;
    my @events = ([ '/12:events=40', '' ]) x 2;
    says $explained->('R28 R27', @events), $best->('R28'), 'work is no such act';
    says $explained->('R28 R27', [ '/LP0:HLT/12:events=40', '/12:events=40' ]), $best->('R28'),
        'nor is a state in which something else goes wrong';
    says $explained->('R60 R57', @{ $last{R57} }), $best->('R60'), 'nor a read that is wrong itself';
    says $explained->('R46 R45', @{ $last{R42} }), $best->('R46'), 'nor what a PMI needs';
    says $explained->('R28 R27', $last{R42}[0], @events, @events, @events, @events), $best->('R28'),
        'nor one that few courses need';
};

# The boot line takes no course of more than 900 characters, so the log has the words of its steps alone. A damaged log may have no step.
subtest 'courses that are too long for the boot line' => sub {
    my $explained = sub ($fails, $passes) {
        return explained(
            one_failed(
                'course.invented.1',
                "  what: 'counter 12'",
                "  breaks: 'R28 R27'",
                '  courses:',
                "    - 'failure 1 is in the last step of $fails'",
                "    - 'failure 1, step 1: LP0 halts'",
                "    - 'failure 1 does not come in $passes'"
            ),
            1
        );
    };
    my $long = 'a course of more than 900 characters';
    my $short = 'course=12:uops_retired,ENABLE=1,COUNTER=-20';
    says $explained->($long, $long),
        qr/1\. LP0 halts\. It is $long, so that the boot line does not take it\. The nearest course that passes is $long\. /,
        'both';
    says $explained->($long, "$short/LP0:HLT"),
        qr/ does not take it\. The nearest course that passes is \Q$short\E\/LP0:HLT\. To repeat /,
        'the one that fails';
    says $explained->("$short/LP0:HLT", $long),
        qr/1\. LP0 halts\. The nearest course that passes is $long\. To repeat /, 'the one that passes';
    says $explained->($short, "$short/LP0:HLT"), qr/ passes: it is the same\. To see both, /,
        'a course without steps';
};

# Courses need of a failure what they do not go wrong without. The rule of a field of the CCCR that all need is among the first.
subtest 'a field of the CCCR that all courses need' => sub {
    my $failed = sub ($id) {
        my @points = map { (
            "not ok $_ - $id.$_",
            '  ---',
            "  what: 'x'",
            "  breaks: 'R27 R7 R21'",
            "  setting: 'COMPARE'",
            '  ...'
        ) } 1, 2;
        return explained(log_of(2, 0, @head, @points), 1);
    };
    says $failed->('course.invented'), qr/ [123]\. R22: /, 'though nothing names it';
    unlike $failed->('access.invented') =~ s/\s+/ /gr, qr/ \d\. R22: /,
        'but another vector has more than it needs';
};

# LVTPC: bit 16 is the mask (R51), the others are R50.
subtest 'which bits of LVTPC are wrong' => sub {
    my $failed = sub ($observed, $also) {
        return explained(
            one_failed(
                'lvtpc.invented',
                "  what: 'LVTPC of LP1 after PMIs'",
                "  expected: '00000461H'",
                "  observed: '$observed'",
                "  breaks: 'R51 R45'",
                '  also:',
                "    - 'LVTPC of LP1 after PMIs = $also, not 0000049AH [R51 R45]'"
            ),
            1
        );
    };
    says $failed->('00010461H', '0001049AH'), qr/likeliest first: 1\. R51: /, 'the mask';
    says $failed->('000004E1H', '0000041AH'), qr/likeliest first: 1\. R50: /, 'the vector';
};

# A PMI passes through LVTPC (R50); a selection with COMPLEMENT and threshold 15 (R16) is a comparison (R22).
subtest 'a rule that failed ones rest on' => sub {
    my $failed = sub (@failures) {
        my $n = 0;
        my @points = map {
            my ($id, $breaks) = @$_;
            ("#> $id x", 'not ok ' . ++$n . " - $id", '  ---', "  what: 'x'", "  breaks: '$breaks'", '  ...')
        } @failures;
        return explained(log_of($n, 0, @head, @points), 1);
    };
    says $failed->([ 'course.invented.0', 'R46 R45' ], [ 'pmi.invented.1', 'R55 R46' ]),
        qr/\d\. R50: .* No failed expectation names it, but it would explain what failed\./,
        'it is named by nothing';
    my @rest = map { [ "course.invented.$_", 'R16' ] } 0 .. 3;
    says $failed->(@rest), qr/first: 1\. R16: /, 'what failures name comes first,';
    says $failed->([ 'filter.invented.0', 'R22' ], [ 'value.invented.0', 'R22' ], @rest),
        qr/best, the likeliest first: 1\. R22: /, 'unless others name what it rests on';
    says $failed->([ 'harness.apic.tpr', 'harness' ], map { [ "pmi.next-count.$_", 'R42 R49' ] } 0 .. 3),
        qr/best, the likeliest first: 1\. R50: /, 'the local APIC is broken without the PMU';
};

subtest 'the counter that most failures name' => sub {
    my @points = map {
        my ($id, $counters) = @$_;
        ("#> $id x", "not ok 1 - $id", '  ---', "  what: 'x'", "  counters: '$counters'", '  ...')
        } [ 'overflow.nth.12', 12 ],
        [ 'filter.a', 12 ], [ 'filter.b', 12 ], [ 'filter.c', 13 ], [ 'filter.d', '' ];
    my $number = 0;
    s/^not ok 1/'not ok ' . ++$number/e for @points;
    says explained(log_of(5, 0, @head, @points), 1),
        qr/have in common: - Counter 12 is in 3 of the 4 failed vectors that name a counter, no other one in more than 1\./,
        'it stands out';
};

# What an ESCR selects is R7 (docs/pmu-rules.md). Three rules are named before it here; R8, on which R27 rests, has
# 0.7 of its half a voice, and R26 a quarter.
subtest 'the ESCR that all failures name' => sub {
    my $failing = sub (@escrs) {
        my $n = 0;
        return log_of(
            scalar @escrs,
            0, @head,
            map {
                ++$n;
                (
                    "#> filter.$n x",
                    "not ok $n - filter.$n",
                    '  ---', "  what: 'x'",
                    "  breaks: 'R12 R27 R26 R7'",
                    "  escrs: '$_'",
                    '  ...'
                )
            } @escrs
        );
    };
    my $rules = sub ($text) { [ $text =~ /^  \d\. (R\d+)/mg ] };
    is_deeply $rules->(explained($failing->('MS_ESCR0', 'MS_ESCR0'), 1)), [qw(R12 R27 R7)],
        'its rule is one of the three';
    is_deeply $rules->(explained($failing->('MS_ESCR0', 'MS_ESCR1'), 1)), [qw(R12 R27 R8)],
        'not if they name two';
    is_deeply $rules->(explained($failing->('MS_ESCR0'), 1)), [qw(R12 R27 R8)], 'nor for one failure';
};

# Figure 18-48 and Table 18-63 of the manual, Table 19-28.
subtest 'fields and maps' => sub {
    my $maps = Pmulog::Registers::maps($page);
    is keys %{ $maps->{counter} }, 36, '18 counters and 18 CCCRs';
    is scalar(grep { $maps->{escr}{$_} } 0 .. 17), 18, 'each counter selects ESCRs';
    is $maps->{escr}{14}[5], 'CRU_ESCR3', 'Table 18-63: select 5 of counter 14';
    is $maps->{escr}{4}[3], undef, 'a select value without an ESCR';
    is $maps->{event}{FIRM_ESCR1}{8}{name}, 'packed_SP_uop', 'Table 19-28: select 08H of FIRM_ESCR1';
    is_deeply [ Pmulog::Registers::differences($maps, 'MSR_IQ_CCCR0', '80039000H', '00031000H') ],
        [ 'OVF [31]: 0, not 1', 'ESCR select [15:13]: 0, not 4' ], 'the fields in which two values differ';
    is Pmulog::Registers::decode($maps, 'MSR_IQ_CCCR0', '0400F000H', 1)->{fields}[2], 'OVF_PMI [26] 1',
        'on a part with one thread a flag has its other name';
};

subtest 'the table of vectors is that of the image' => sub {
    my %image = map { /^# vector (\S+) \[([^\]]+)\] check / ? ($1 => [ split ' ', $2 ]) : () } split /\r?\n/,
        p4sim($ELF, 'list')->{out};
    cmp_ok scalar keys %image, '>', 400, 'hundreds of checks';
    my $table = read_vectors(find_vectors());
    is_deeply {
        map { $_ => $table->{$_}{rules} } keys %$table
    }, \%image, 'and each has its rules in build/vector-rules.txt (make)';
    cmp_ok scalar(grep { @{ $_->{held} } } values %$table), '>', 0.9 * keys %image,
        'most have the rules of their expectations';
    is family($_->[0]), $_->[1], "the family of $_->[0]"
        for [ 'state.cccr', 'state' ], [ 'access.counter.0', 'access.counter' ],
        [ 'cascade.18-1.iq.14-12', 'cascade.18-1' ];
};

# The model breaks exactly the rule that the catalogue names for the fault. A ranking finds most of them, and not all.
subtest 'the rule of a fault is among the first' => sub {
    my @faults = (
        [ R34 => 'cascade-foreign-16-12', 'course.only.16,cascade.only' ],
        [ R22 => 'threshold-dead-14', 'course.lives.14,count.several' ],
        [ R29 => 'ovf-missing-7', 'overflow.nth,course.lives.7' ],
        [ R2  => 'escr-write.clears-ovf@escr=TBPU_ESCR1', 'access.neighbours,overflow.nth,cascade.18-1.ms' ],
        [
            R32 => 'cccr-write.clears-ovf@counter=0@on=other-block',
            'access.neighbours,access.sibling.rest,course.lives.0'
        ],
        [
            R57 => 'counter-read.clears-counter@counter=8@cpl=usr@access=rdpmc',
            'access.rdpmc,course.lives.8'
        ],
        [ R42 => 'hlt-clears-bit-11', 'access.sibling.rest,state.hlt,overflow.nth' ],
        [ R7  => 'event-mask.with-bit@bit=3@event=branch_retired', 'event.branch_retired,value.no-event' ],
        [
            R12 => 'qualify.never@escr=TBPU_ESCR1@lp=0@cpl=os',
            'count.retired_branch_type,qualify.escr-sibling,qualify.escr'
        ],
        [ R28 => 'wraps-7-bit-15', 'overflow.nth,overflow.carries' ],
    );
    my @missed;
    for my $fault (@faults) {
        my ($rule, $name, $only) = @$fault;
        my $text = explained(p4sim('--fault', $name, $ELF, "only=$only")->{out}, 1);
        push @missed, "$name: $rule" if $text !~ /^  [123]\. $rule: /m;
    }
    cmp_ok scalar(@missed), '<=', @faults / 10, 'nine of ten' or diag join "\n", @missed;
};

subtest 'what disturbed the run comes first' => sub {
    my $text = explained(
        log_of(
            1,
            0,
            '# build: abc',
            "# threads: 2 per core, 1 core; boot processor is LP0",
            '# pmu at boot: 3 set: 300H 1H',
            "# left out: MSR_IQ_ESCR0: access faults",
            '# register 300H would not clear at boot',
            '#> a.b title',
            '# disturbed: 2 of 3 runs, the last at X: 0, not 1',
            '# erratum E3: no PMI',
            'not ok 1 - a.b',
            '  ---',
            "  rules: 'R33'",
            "  what: 'x'",
            '  ...',
            '# unexpected interrupts: 0 PMIs, 531 NMIs, 0 others',
            '# not tested: 3 of 9: the second logical processor does not answer; update the BIOS'
        ),
        1
    );
    my ($first) = $text =~ /\nRead this first:\n(.*?)\n\n/s;
    ok defined $first, 'there is such a part' or return;
    ok index($text, 'Read this first') < index($text, 'What failed'), 'before the failures';
    says $first, $_, "$_"
        for qr/0 PMIs, 531 NMIs, 0 others/, qr/register 300H kept what/, qr/not fail every time/,
        qr/in use before the kernel started: 3 set: 300H 1H/,
        qr/erratum of this part was seen in a\.b: E3/, qr/left out .*MSR_IQ_ESCR0/,
        qr/3 of 1 not tested: the second logical processor does not answer; update the BIOS/;
    my $steady =
        log_of(1, 0, '#> a.b title', '# disturbed: 3 of 3 runs, the last at X: 0, not 1', 'not ok 1 - a.b');
    unlike explained($steady, 1), qr/intermittent/, 'what failed in every run is not called intermittent';
    my $quiet = log_of(0, 1, '# pmu at boot: 3 set: 300H 1H',
        '#> a.b title', 'ok 1 - a.b', '# unexpected interrupts: 0 PMIs, 0 NMIs, 0 others');
    unlike explained($quiet, 0), qr/Read this first/, 'where it does not matter it is not there';
};

subtest 'a soak' => sub {
    my $text = explained(p4sim($ELF, 'only=state.cccr', 'selftest=late', 'loop=3')->{out}, 1);
    says $text,
        qr/In the first loop of this soak none of them failed; in later loops: selftest\.late \(first in loop 2\)\. So the cause is intermittent/,
        'which vectors failed later';
    says $text, qr/The first failure is selftest\.late.*expected \S+, observed/, 'with what they observed';
    like $text, qr/^  only=selftest\.late loop=1000 selftest=late$/m, 'and they are repeated in a soak';
};

subtest 'logs that pass, that are skipped, cut, damaged or empty' => sub {
    my $whole =
        p4sim('--fault', 'cascade-late', $ELF, 'only=state,cascade.18-1.iq,access.escr.iq_escr0')->{out};
    my $sound = p4sim($ELF, 'only=state,access.escr.iq_escr0')->{out};
    says explained($sound, 0),
        qr/No vector failed\. There is nothing to explain\. These did not run: access\.escr\.iq_escr0: MSR_IQ_ESCR0 is for models 0 to 2/,
        'a pass, with what was skipped';
    says explained(checked('1..0 # SKIP vectors are listed, none is run (boot word list)', 'END skip'), 77),
        qr/vectors are listed, none is run \(boot word list\)\. Nothing was tested/, 'a skip';
    my $cut = substr $whole, 0, index $whole, '# END';
    says explained($cut, 2),
        qr/Read this first: - The log is incomplete\..*The first failure is cascade\.18-1\.iq\./,
        'a cut one is explained as far as it goes';
    my $hung = substr $sound, 0, index $sound, 'ok 3';
    says explained($hung, 2), qr/ends while state\.escr was running.*No vector failed in the part/,
        'its last words';
    says explained($whole =~ s/not ok (\d+ - cascade)/ok $1/r, 2),
        qr/: damaged: .* up to the damage in line \d+; behind it .*The log is damaged in line/,
        'a damaged one';
    says explained("BIOS\r\n", 2), qr/incomplete: no log in it: no line 'TAP version 13'/, 'no log at all';
    says explained(p4sim($ELF, 'bogus')->{out}, 2),
        qr/tests no rule of the manual.*The first failure is boot\.line.*No boot line repeats this alone/,
        'a run that broke off';
    my $unknown = explained(
        log_of(
            1,
            2,
            '#> a.b title',
            'ok 1 - a.b',
            'ok 2 - state.cccr',
            'not ok 3 - c.d',
            '  ---',
            "  rules: 'R33'",
            "  what: 'x'",
            "  breaks: 'R33'",
            '  ...'
        ),
        1
    );
    says $unknown, qr/1 passed vector of this log is unknown to this pmulog/, 'vectors of another version';
    unlike explained(log_of(1, 0, "# build: \e[31m", 'not ok 1 - a.b', '  ---', "  what: 'x'", '  ...')),
        qr/\e/, 'nothing that controls a terminal';
    is tool(1, 'tools/pmulog', 'explain', "$dir/none")->{status}, 2, 'no such file';
};

done_testing;
