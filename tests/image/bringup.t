#!/usr/bin/perl
# PMUs that are half there. The boot word bringup stops behind the first stage that is not, and names the
# counters that are right. The whole test runs nothing that rests on a stage that is gone, and one sentence says what everything else
# follows from: at the end of the log, on the screen, and first in what pmulog explain and the page say.
use lib 'tests/image';
use ImageTest;

my @STAGES = qw(registers count counters flags overflow pmi filters cascade extended threads tags);

# A PMU without one stage: the fault, the stage, and what is said of it.
my @HALF = (
    [
        'cccr-write.not-written', 'registers',
        'no counter holds what is written together with its CCCR and its ESCR'
    ],
    [ 'increment.zero', 'count', 'no counter counts' ],
    [ 'increment.zero@block=iq', 'counters', 'right on counters 0-11; wrong on 12-17' ],
    [ 'enable.never@counter=3', 'counters', 'right on counters 0-2 4-17; wrong on 3' ],
    [ 'match.always', 'count', 'right on counters 0-3 8-11; wrong on 4-7 12-17' ],
    [ 'qualify.always', 'flags', 'right on counters 8-11; wrong on 0-7 12-17' ],
    [ 'ovf.never', 'overflow', 'no counter has OVF 0 before its overflow and 1 after it' ],
    [ 'request.never', 'pmi', 'no overflow interrupts its logical processor' ],
    [ 'lvtpc-masks.never', 'pmi', 'right on no counter; wrong on 0-17' ],
    [ 'field.zero@field=compare', 'filters', 'no counter compares' ],
    [ 'edge.never', 'filters', 'right on no counter; wrong on 0-17' ],
    [ 'complement.never@block=ms', 'filters', 'right on counters 0-3 8-17; wrong on 4-7' ],
    [ 'link.never@link=cascade', 'cascade', 'CASCADE starts no counter at an overflow, and not before' ],
    [ 'link.never@counter=6', 'cascade', 'right on counters 0-5 7-17; wrong on 6' ],
    [ 'link.never@link=bit-11', 'extended', 'bit 11 starts no counter at an overflow, and not before' ],
    [ 'qualify.never@lp=1', 'threads', 'no counter counts what the other logical processor does' ],
    [ 'gate.always', 'threads', 'right on no counter; wrong on 4-7 12-17' ],
# An FPGA's mistakes: a write of the CCCR that reaches the counter; ENABLE that is not looked at; CASCADE that does not
# wait; a carry that is lost; PMIs of LP0 that go to LP1.
    [ 'cccr-write.clears-counter', 'registers', 'right on no counter; wrong on 0-17' ],
    [ 'enable.always', 'count', 'right on no counter; wrong on 0-17' ],
    [ 'link.always', 'cascade', 'CASCADE starts no counter at an overflow, and not before' ],
    [ 'carry.never@bit=32', 'overflow', 'right on no counter; wrong on 0-17' ],
    [ 'pmi-targets.swapped', 'pmi', 'no overflow interrupts its logical processor' ],
    [ 'tag.none', 'tags', 'no counter counts tagged uops, and no others' ],
);

for my $half (@HALF) {
    my ($fault, $stage, $sentence) = @$half;
    my $run = p4sim('--fault', $fault, $ELF, 'bringup');
    my $log = $run->{out};
    my ($at) = grep { $STAGES[$_] eq $stage } 0 .. $#STAGES;
    ends $run, 1, "$fault fails", out => qr/^1\.\.11\r$/m;
    is_deeply [ $log =~ /^(ok \d+ - bringup\.\w+|not ok \d+ - bringup\.\w+)(?= #)/mg ],
        [ map { ($_ == $at ? 'not ok ' : 'ok ') . ($_ + 1) . " - bringup.$STAGES[$_]" } 0 .. $#STAGES ],
        "$fault: it fails at $stage";
    is scalar(() = $log =~ /# SKIP not run: bringup stops at \Q$stage\E #/g), $#STAGES - $at,
        "$fault: what comes behind is not run";
    my $which = $sentence =~ /wrong on/ ? qr/: .+ = .+, not .+/ : qr//;    # what was wrong with the first of them
    like $log, qr/^# bringup stops at stage \Q$stage\E \((?:R\d+ ?)+\): \Q$sentence\E$which\r$/m,
        "$fault: what is said";
    my ($block) = $log =~ /^  ---\r\n(.*?)^  \.\.\.\r$/ms;
    like $block // '', $at ? qr/^  what: .*^  MSR_\w+: '/ms : qr/^  what: /m, "$fault: with registers";
    cmp_ok scalar(() = ($block // '') =~ /\n/g), '<=', 20, "$fault: in a few lines";
}

subtest 'a PMU that is there' => sub {
    for my $cpu (qw(0F07 0F29 0F43 0F64)) {
        my $run = p4sim('--cpu', $cpu, $ELF, 'bringup');
        ends $run, 0, $cpu,
            out => qr/^# bringup: every stage is there; boot without this word for the whole test\r$/m;
    }
    ends p4sim('--timing', 7, '--noise', 3, $ELF, 'bringup'), 0, 'on a disturbed board';
};

subtest 'a PMU that stores and never counts' => sub {
    my $good = full_run();
    my $run = p4sim('--stats', '--fault', 'increment.zero', $ELF);
    my $log = $run->{out};
    my ($usual, $seconds) = map { $_->{err} =~ /\(([\d.]+) s simulated\)/ ? $1 : undef } $good, $run;
    ends $run, 1, 'it fails';
    cmp_ok length $log, '<', 60_000, 'bytes of its log';
    cmp_ok $seconds, '<', 1.5 * $usual, 'simulated seconds';
    my ($number) =
        $log =~
        /^# stage count is gone: no counter counts: \S+ failed, and so did 18 of 18 counters, each tried alone; (\d+) vectors not run\r$/m
        or diag $log;
    is scalar(() = $log =~ /^ok \d+ - \S+ # SKIP not run: needs count #/mg), $number,
        'what is not run, as counted';
    cmp_ok $number, '>', 300, 'which is most of it';
    like $log, qr/^ok \d+ - \Q$_\E #\w{4}\r$/m, "$_ needs no counter, and is run"
        for qw(access.counter.17 probe.bits.escr probe.reserved.cccr probe.cost.registers);
    like $log, qr/^# sheet 10\.1a .*: not probed: no counter counts\r$/m, 'the sheet says why';

    my $path = file('zero.log', $log);
    my $explained = qx(tools/pmulog explain $path);
    like $explained, qr/\A.*?^Above all: no counter counts\. (?s:.*)^What failed: /ms,
        'explain begins with it';
    my $page = qx(tools/pmulog html $path);
    like $page, qr{<header.*<p>Above all: no counter counts\..*</header>}s, 'the page, too';
    my $summary = qx(tools/pmulog explain --json $path);
    like $summary, qr/"follows"\s*:\s*\[\s*"Above all: no counter counts\./, 'and JSON';
};

subtest 'a PMU whose overflows never interrupt' => sub {
    my @resting = qw(course.lives.12 course.due.12 again.12);
    my $only = join ',', 'only=pmi.next-count,cascade.18-1.iq.14-12', @resting;
    my $log = p4sim('--fault', 'request.never', $ELF, $only)->{out};
    like $log, qr/^not ok \d+ - pmi\.next-count #/m, 'the vector of PMIs fails';
    like $log, qr/^ok \d+ - \Q$_\E # SKIP not run: needs pmi #/m, "$_ is not run" for @resting;
    like $log, qr/^ok \d+ - cascade\.18-1\.iq\.14-12 #\w{4}\r$/m, 'a vector that needs no PMI is run';
};

subtest 'what nothing happening shows is shown beside something that happens' => sub {
    for my $id (
        qw(overflow.carries qualify.ts.0000 qualify.ts-sibling.0000 event.uop_type filter.edge.stands tag.off course.only.0 course.only.1 course.only.2 course.only.3 course.due.0 course.due.1 course.due.2)
        )
    {
        ends p4sim('--fault', 'increment.zero', $ELF, "only=$id"), 1, "$id on a PMU that never counts";
    }
    ends p4sim('--cpu', $_, '--fault', 'increment.zero', $ELF, 'only=value.ioq-privilege'), 1,
        "value.ioq-privilege of $_"
        for qw(0F12 0F43);
};

# Of each family one vector: all run, whatever one counter of 18 does not do.
subtest 'one counter that fails takes nothing away' => sub {
    for my $fault (qw(enable.never@counter=3 ovf.never@counter=12 request.never@counter=9)) {
        my $run = p4sim('--fault', $fault, $ELF, 'quick', 'only=count,overflow,pmi,cascade.18-1');
        ends $run, 1, "$fault fails";
        unlike $run->{out}, qr/not run|is gone/, "$fault: everything runs";
    }
};

subtest 'the screen' => sub {
    p4sim('--fault', 'ovf.never', '--screen', "$dir/screen", $ELF, 'bringup');
    like Image::slurp("$dir/screen"),
        qr/^\s*bringup stops at stage overflow \(R28 R29 R32\): no counter has OVF 0/m,
        'it says where to begin';
};

subtest 'the page that says how to build one' => sub {
    my $page = Image::slurp('docs/build-a-pmu.md');
    my ($table) = $page =~ /^\| Stage \|.*?\n\|---.*?\n(.*?)\n\n/ms;
    my %row =
        map { /^\| `(\w+)` \| (.*?) ?\| .* \| ([R\d ]+) \| `(only=\S+)` \|$/ ? ($1 => [ $2, $3, $4 ]) : () }
        split /\n/, $table;
    my $log = p4sim($ELF, 'bringup')->{out};
    is_deeply [ map { [ $_, $row{$_}[1] ] } @STAGES ],
        [ map { [ split / /, $_, 2 ] } map { s/[()]//gr } $log =~ /^# stage (\w+ \([R\d ]+\)):/mg ],
        'its stages and rules are those of the kernel';

    # The kernel refuses a pattern that matches no vector. It takes 16 patterns.
    my @patterns = map { split /,/, s/\Aonly=//r } map { $row{$_}[2] } @STAGES;
    while (my @some = splice @patterns, 0, 16) {
        my $listed = p4sim($ELF, 'list=' . join ',', @some)->{out};
        like $listed, qr/^# vector /m, "@some select vectors" or diag $listed;
    }
};

done_testing;
