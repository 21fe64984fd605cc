#!/usr/bin/perl
# The checks catch faults: p4sim's option --fault, and faults of several stages of the model, judged by tools/campaign, also
# under noise. noise.t has machines without a fault; `make campaign` tries the catalogue and many machines.
use lib 'tests/image';
use ImageTest;
use Parallel qw(cores in_parallel);
use Text::ParseWords qw(shellwords);

# Faults of registers, tags, qualification, comparison, cascade, interrupt and RDPMC; one that needs a second feature to show.
my @FAULTS = (
    qw(cccr-bit-15-at-1 tag-lp1-dead qualify.by-other-cpl@cpl=middle threshold-one-more cascade-foreign-4-0
        lvtpc-masks.never rdpmc-clears-ovf-1), 'link-source.none@link=cascade,while=edge'
);

subtest 'the list names each fault once, with rule and description' => sub {
    my $list = p4sim('--fault', 'list', '*');
    is $list->{status}, 0, 'exit status';
    my @lines = split /\n/, $list->{out};
    cmp_ok scalar @lines, '>=', 200, 'number of faults';
    is_deeply [ grep { !/\A[a-z0-9A-Z_-]+ +R\d+ +\S.*\S\z/ } @lines ], [], 'form of the lines';
    my %seen;
    is_deeply [ grep { $seen{$_}++ } map { /^(\S+)/ } @lines ], [], 'names are unique';
};

subtest 'composed faults: the parts, members, drawing, and register programs' => sub {
    my $parts = p4sim('--fault', 'list');
    is $parts->{status}, 0, 'exit status';
    like $parts->{out},
        qr/^stage edge +R23 +\S.*; deviations: never always inverted rearms-at-0; places: counter pair block; not while: /m,
        'a stage';
    like $parts->{out}, qr/^condition ovf: its OVF is set$/m, 'a condition';
    like p4sim('--fault', 'list', 'edge.*')->{out},
        qr/^edge\.never\@counter=12 +R23 +that a change .*: is never so$/m,
        'members of a pattern';
    is p4sim('--fault', 'list', 'cascade-e*')->{out},
        sprintf("%-32s %-4s %s\n", qw(cascade-early R37 link.early@link=cascade)),
        'a name and its composition';
    like p4sim('--fault', $_, 'x')->{err}, qr/; did you mean never\?$/m, "a misspelt part: $_"
        for 'edge.nevr', 'edge.nver@counter=12,while=ovf';
    my @drawn = map { [ split /\n/, p4sim('--cpu', '0F29', '--fault', "draw=history:20:$_")->{out} ] } 1, 1,
        2;
    is scalar @{ $drawn[0] }, 20, 'as many as asked for';
    is_deeply [ grep { !/\A[\w-]+\.[\w-]+\S*,(?:after|every|once-in|until)=\S+ R\d+\z/ } @{ $drawn[0] } ],
        [], 'their form';
    is_deeply $drawn[0], $drawn[1], 'the same seed draws the same';
    isnt "@{ $drawn[0] }", "@{ $drawn[2] }", 'another one others';
    like p4sim('--fault', $_, '--programs', 10000)->{out},
        qr/\A\d+ programs, the fault acted in [1-9]\d*: software can notice it\n\z/, "$_ is noticed"
        for 'edge.never', 'ovf.never,once-in=20', 'lvtpc-eoi.never', 'lvtpc-masks.never,every=3';
    is p4sim('--fault', 'lvtpc-wake.never,while=above-cpl-0', '--programs', 3)->{status}, 0,
        'the status is 0 whatever is said';
};

# In backquotes, or after --fault: what begins with a stage and has no placeholder (N, NAME, {counter}, *). Of one that lacks a
# place, such as escr-read.bit-1, there are compositions that have it. What a page gives as an example of what is refused, must be.
subtest 'compositions that documents name can be typed' => sub {
    my $stages = join '|', p4sim('--fault', 'list')->{out} =~ /^stage (\S+)/mg;
    my %vector = map { $_ => 1 } slurp('tests/vectors/rules') =~ /^([^:\s]+):/mg;
    my %named;
    for my $page (glob 'README.md docs/*.md') {
        my @code = slurp($page) =~ /`([^`\n]+)`|--fault '?([^\s']+)/g;
        $named{$_} //= $page for grep {
            defined && !$vector{$_} && /\A(?:$stages)\.[a-z]\S*\z/ && !/\b(?:N|NAME)\b|[{*]|\.\.\.|\.c\z/
        } @code;
    }
    cmp_ok scalar keys %named, '>=', 80, 'how many are named';
    my %refused =
        map { $_ => 1 } 'field.bit-1@field=edge,while=edge', 'event-select.bit-inverted@bit=0';
    for my $text (sort keys %named) {
        my $lists = sub ($pattern) { return p4sim('--fault', 'list', $pattern)->{out} ne '' };
        my $taken = $lists->($text) || $text !~ /[@,]/ && $lists->("$text\@*");
        is !$taken, !!$refused{$text}, "$text ($named{$text})";
    }
};

subtest 'a fault makes the image fail, in a vector of its rule, which says what is wrong' => sub {
    for my $row (
        [ '--fault cascade-broken-12-14', 'cascade.18-1', 'cascade.18-1.iq.12-14', qr/^  what: /m ],
        [ '--fault link.never@counter=14', 'cascade.18-1', 'cascade.18-1.iq.12-14', qr/^  what: /m ],
        [ '--fault lvtpc-disable.never', 'pmi.software-disabled', 'pmi.software-disabled', qr/^  what: /m ],
        [
            '--fault lvtpc-tpr.always@lp=1',
            'lvtpc.number',
            'lvtpc.number', qr/^  what: 'PMIs of LP1 while its TPR of their priority class holds them up'/m
        ],
        [
            '--fault cascade-broken-12-14', 'cascade.only',
            'cascade.only', qr/^  what: 'counter 14, which the overflow of 12 starts, /ms
        ],
        [
            '--fault edge-falling', 'filter.edge.wake',
            'filter.edge.wake', qr/^  what: 'rising edges of the level, the sibling having woken;/ms
        ],
        [
            '--fault counter-read.costs-count@counter=0@access=rdpmc@on=neighbour',
            'access.neighbours',
            'access.neighbours',
            qr/^  what: 'MSR_BPU_COUNTER1 after MSR_BPU_COUNTER0 was read'.*^  breaks: 'R57'/ms
        ],
        [
            '--fault init-clears-bit-11',
            'state.init', 'state.init', qr/^  what: 'MSR_IQ_CCCR0, which counts, after INIT of the sibling'/m
        ],
        [
            '--fault lvtpc-fixed-as-nmi,once-in=20',
            'again.12', 'again.12', qr/^  what: 'PMIs of counter 12 on LP[01]'.*^  intermittent: /ms
        ],
        [
            '--fault pmi-missing-12',
            'pmi.skid', 'pmi.skid', qr/^  what: 'a PMI has come'\r?\n  expected: 'yes'\r?\n  observed: 'no'/m
        ],
        [
            '--fault event-mask.none@event=BSQ_cache_reference',
            'event.bsq_cache_reference',
            'event.bsq_cache_reference',
            qr/^  what: 'BSQ_cache_reference with mask 0100H, counter 0: 0 with 60 of its work, not 6 at least \(SDM 11\.5\.5: /m
        ],
        [
            '--fault match.never@event=bsq_active_entries', 'event.bsq_active_entries',
            'event.bsq_active_entries', qr/^  what: 'bsq_active_entries /m
        ],
        [
            '--fault event-mask.without-bit@bit=4@event=TC_deliver_mode',
            'event.tc_deliver_mode',
            'event.tc_deliver_mode',
            qr/^  what: 'TC_deliver_mode with mask 0010H, /m
        ],
        [
            '--fault route-dead-ALF_ESCR1', 'event.resource_stall',
            'event.resource_stall', qr/^  what: 'resource_stall with mask 0020H, counter 14: 0 /m
        ],
        [
            '--fault escr-bit-12-at-0 --cpu 0F29', 'access.escr.bsu_escr0',
            'access.escr.bsu_escr0', qr/^  what: 'MSR_BSU_ESCR0'/m
        ],
        )
    {
        my ($options, $only, $vector, $says) = @$row;
        my $run = p4sim((split / /, $options), $ELF, "only=$only", 'quiet');
        is $run->{status}, 1, "exit status of a failed check: $options";
        my %diagnosis = diagnoses($run->{out});
        is_deeply [ keys %diagnosis ], [$vector], 'the one that failed';
        like $diagnosis{$vector}, $says, 'what it says';
    }
};

subtest 'counter 17 is started by one of 13 and 15, whichever it is (pmu-rules 5.5.1)' => sub {
    for my $reading ([], [qw(--variant alt17-13)]) {
        my %status =
            map { $_ => p4sim(@$reading, $_ ? ('--fault', $_) : (), $ELF, 'only=cascade.17')->{status} } '',
            qw(cascade-broken-15-17 cascade-foreign-13-17);
        is_deeply \%status, { '' => 0, 'cascade-broken-15-17' => 1, 'cascade-foreign-13-17' => 1 },
            "one, neither, both: @$reading";
    }
};

subtest 'a Y whose ENABLE reads 1 halts by its CASCADE as it was written (pmu-rules R38)' => sub {
    for my $row ([ 'cascade-outlives-flag', 14 ], [ 'cascnt-outlives-flag', 12 ], [ 'enable-cannot-stop', 0 ])
    {
        my ($fault, $counter) = @$row;
        my @halt = ($ELF, $ENV{TEST_ALL} ? 'only=course.links' : "only=course.links.$counter");
        is p4sim(qw(--variant enable-reads-back), @halt)->{status}, 0, "a sound part: @halt";
        is p4sim(qw(--variant enable-reads-back --fault), $fault, @halt)->{status}, 1, $fault;
    }
};

# Where LVTPC stays open after a PMI, the handler's own clocks raise the next one: counter 12 counts each
# clock, and FORCE_OVF makes each an overflow. Nothing but the handler runs any more, not even what stops the
# counters.
subtest 'a storm of PMIs ends, and the run goes on' => sub {
    my $each_clock = '12:uops_retired,ENABLE=1,ACTIVE_THREAD=3,COMPARE=1,COMPLEMENT=1,FORCE_OVF=1,'
        . 'OVF_PMI_T0=1,COUNTER=-20';
    my $run = p4sim(
        qw(--fault lvtpc-mask-ignored),
        $ELF, "course=$each_clock/LP0:LVTPC=fixed/12:events=40",
        'only=probe.count.clock', 'quiet'
    );
    is $run->{status}, 1, 'status';
    my %diagnosis = diagnoses($run->{out});
    is_deeply [ keys %diagnosis ], ['course.typed'], 'the vector, the first one, fails';
    like $run->{out}, qr/^ok \d+ - probe\.count\.clock/m, 'and the next one runs';
    like $diagnosis{'course.typed'},
        qr/^  what: 'a storm of PMIs .*\r\n  expected: 'less than 1000'\r\n  observed: '1000, and no end'\r$/m,
        'because of the storm';
};

subtest 'names that mean nothing here are refused' => sub {
    for my $bad (
        [qw(--fault no-such-fault)], [qw(--cpu 0F12 --fault cascnt-early)],
        [qw(--fault edge.nver)], [ '--fault', 'edge.never,while=edge' ],
        [qw(--cpu 0F12 --fault gate.never)], [qw(--fault draw=plain)],
        [qw(--programs 10)], [qw(--fault ti-as-ts --programs 10)],
        [ '--fault', 'ti-as-ts,every=3' ],
        )
    {
        my $run = p4sim(@$bad, $ELF);
        is $run->{status}, 2, "exit status of @$bad";
        ok one_line($run->{err}), 'one line says why' or diag $run->{err};
    }
};

# The run of a command that the campaign prints, and the file of its log.
sub run_of ($command, $logs) {
    my ($words, $log) = $command =~ /\A\{ (.*?); printf .* > (\S+) 2>&1\z/ or die "what is this: $command\n";
    my (undef, @words) = shellwords($words);
    return ($log =~ /\A\Q$logs\E\/plain-/ ? without_fault($command) : p4sim(@words), $log);
}

# Without a fault the whole image must pass, because a vector that always fails would catch everything. On 0F43 that is the
# full run of the tests; on 0F12 it is the run of run.t, and the whole image in make test-all.
sub without_fault ($command) {
    return full_run() if $command =~ / --cpu 0F43 /;
    return p4sim(qw(--cpu 0F12), $ELF, $ENV{TEST_ALL} ? 'quiet' : qw(quick skip=course))
        if $command =~ / --cpu 0F12 /;
    die "what is this run: $command";
}

subtest 'faults are caught, under noise too, and nothing legal is taken for one' => sub {
    my $logs = "$dir/campaign";
    my $todo = run(1, 'tools/campaign', '--print', $logs, '--seed', 1, @FAULTS);
    for my $stage (1 .. 3) {
        last if $todo->{out} eq '';
        my @commands = split /\n/, $todo->{out};
        is scalar(grep { /\/plain-/ } @commands), 2, 'runs without a fault' if $stage == 1;
        in_parallel(
            cores(),
            scalar @commands,
            'faults',
            sub ($number) {
                my ($run, $log) = run_of($commands[$number], $logs);
                spew($log, "$run->{out}$run->{err}\nexit $run->{status}\n");
                return 1;
            }
        );
        $todo = run(1, 'tools/campaign', '--print', $logs);
    }
    my $campaign = run(1, 'tools/campaign', '--judge', $logs);
    is $campaign->{status}, 0, 'exit status of tools/campaign' or diag $campaign->{err}, $campaign->{out};
    my ($faults, $noisy) = (scalar @FAULTS, scalar grep { !/,while=/ } @FAULTS);
    like $campaign->{out},
        qr/^$faults faults: $faults caught, 0 survived.*\nunder noise: caught in $noisy of $noisy runs\nplain: 2 right, 0 wrong;/m,
        'totals';
};

done_testing;
