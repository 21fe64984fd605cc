#!/usr/bin/perl
# tools/campaign: what it calls caught, survived and wrong, with a stand-in for p4sim that has a fault of each
# kind; and that runs done elsewhere are judged in the same way. faults.t has it judge the image.
use lib 'tests/image';
use ImageTest;

my $build = "$dir/it's a folder";    # names are quoted
mkdir $build or die "mkdir: $!";
spew("$build/pmuproof.elf", '');
spew("$build/p4sim", <<'END');
#!/bin/sh
fails() { # ID RULES [LINE]
    printf "1..1\nnot ok 1 - %s #0000\n  ---\n  rules: '%s'\n%s\n  ...\n" "$1" "$2" "${3-  expected: 1}"
    exit 1
}
case "$*" in
'--fault list *')
    for line in 'caught R1' 'by-another R1' 'not-on-0F43 R1' 'survives R1' 'dies R1' 'other-rule R1' 'no-expectation R1' 'quiet-alone R1' \
        'by-others-under-noise R1'; do echo "$line text"; done ;;
'--fault list a.never,while='*) echo "$3 R1 text" ;;
'--cpu list') printf '0F43 one\n0F12 another\n' ;;
'--variant list') printf 'good  x\nbad  x\n' ;;
*'cpu 0F43 '*only=x.always*) fails x.always R1 '  expected: 1' ;;
*only=d.four*) ;;
*not-on-0F43*0F43* | *0F43*not-on-0F43*) echo 'p4sim: the fault does not apply to processor 0F43' && exit 2 ;;
*'fault caught '* | *not-on-0F43* | *while=b*only=course*) fails a.one 'R11 R1 R2' ;;
*by-another*stop*) fails b.two R2 ;;
*by-another*) fails a.one R1 ;;
*'fault dies '*) echo 'p4sim: broken' && exit 2 ;;
*other-rule*) fails b.two 'R11 R2' ;;
*no-expectation*) fails a.one R1 '  what: exception 13' ;;
*quiet-alone*noise*) ;;
*quiet-alone*) fails a.one R1 ;;
*by-others-under-noise*noise*only=R1) fails c.three R1 ;;
*by-others-under-noise*noise*) ;;
*by-others-under-noise*stop*) fails a.one R1 ;;
*by-others-under-noise*) (fails a.one R1); fails c.three R1 ;;
*while=c*thorough*) fails course.3 R1 ;;
*'variant bad'*) fails a.one R1 '  observed: 7' ;;
*timing*) printf '1..1\n# disturbed: 1 of 3 runs, the last at here\n# more\nok 1 - a.vector\n' ;;
*'cpu 0F12 --noise'*) echo 'p4sim: broken' && exit 2 ;;
esac
exit 0
END
chmod 0755, "$build/p4sim" or die "chmod: $!";

sub campaign      { return tool(5, 'tools/campaign', @_) }
sub campaign_anew { return run(5, 'tools/campaign', @_) }    # with another order of hashes

my @conditional = map { "a.never,while=$_" } qw(b c d);
my $all = campaign('--build', $build, '--seed', 1, '--faults', '--', @conditional);
is $all->{status}, 1, 'status with faults that survive';
is $all->{out} =~ s/\A.*\n//r =~ s/--noise \d+/--noise N/r,
    <<'END', 'the verdict about each' or diag $all->{err};
caught                           R1   1/1   a.one
by-another                       R1   1/1   a.one
not-on-0F43                      R1   1/1   a.one
survives                         R1   -     SURVIVED no vector of its rule failed
dies                             R1   -     BROKEN no check failed, but p4sim ended with 2: p4sim: broken
other-rule                       R1   -     BROKEN no check failed, but p4sim ended with 1:   ...
no-expectation                   R1   -     BROKEN no check failed, but p4sim ended with 1:   ...
quiet-alone                      R1   0/1   SURVIVED under --noise N; without noise: a.one
by-others-under-noise            R1   1/1   a.one
a.never,while=b                  R1   -     a.one
a.never,while=c                  R1   -     course.3
a.never,while=d                  R1   -     SURVIVED no vector of its rule failed
12 faults: 6 caught, 3 survived, 3 broken without a failed check
under noise: caught in 4 of 5 runs
plain: 2 right, 0 wrong; 0 measurements and vectors were disturbed
END

my $good = campaign('--build', $build, '--seed', 1, 'caught', 'a.never,while=c');
is $good->{status}, 0, 'status if all are caught';
is campaign('--build', $build, '--seed', 1, $_)->{status}, 1, "status of $_ alone"
    for qw(survives dies quiet-alone);

# Each kind of run that must pass, in the ways it can fail.
my $quoted = "'" . $build =~ s/'/'\\''/r;
for my $case (
    [ [qw(--noise 3 --cpu 0F43)], 0, 'noise: 3 right, 0 wrong' ],
    [
        [qw(--noise 1 --cpu 0F12)],
        1,
        qr{p4sim' --cpu 0F12 --noise \d+ \Q$quoted\E/pmuproof\.elf' quiet: status 2\n    p4sim: broken\nnoise: 0 right, 1 wrong}
    ],
    [
        [qw(--machines 1)],
        1,
        qr/ --timing \d+ .*: status 0\n    a\.vector: disturbed: 1 of 3 runs, the last at here\nmachines: 0 right, 1 wrong; 1 meas/
    ],
    [
        [qw(--variants)], 1,
        qr/--variant bad .*: status 1\n    a\.one: 7\n.*: 4 right, 2 wrong; 4 measurements/s
    ],
    )
{
    my ($words, $status, $says) = @$case;
    my $run = campaign('--build', $build, @$words);
    ends($run, $status, 'what it says', out => ref $says ? $says : qr/^\Q$says\E/m);
}

# The manual's sentences: fault and vector belong together if the vector, alone, catches the fault.
spew("$build/manual-sentences.txt", <<'END');
== A section
good | two halves | caught by-others-under-noise | a.one c.three
other | another processor | not-on-0F43@0F12 | a.one
missed | nobody looks | survives | a.one
idle | one vector does nothing | caught | a.one d.four
rule | fails for another reason | other-rule | a.one
dead | it does not end well | dies | a.one
always | fails without the fault, too | caught | x.always
why | nothing can | none: it is arithmetic | a.one
END
my $sentences = campaign('--build', $build, '--docs', $build, '--seed', 1, '--sentences');
is $sentences->{status}, 1, 'status with sentences that are not verified';
is $sentences->{out} =~ s/\A.*\n//r =~ s/^\Q$build\E\/manual-sentences\.txt//gmr =~ s/^'.*(?=quiet)//mr,
    <<'END', 'the verdict about each sentence' or diag $sentences->{err};
quiet only=x.always: status 1
    x.always: 1
:2 good: verified
:3 other: verified
:4 missed: NOT VERIFIED
    survives on 0F43 is caught by none of its vectors
        a.one: passes
    a.one catches none of its faults
:5 idle: NOT VERIFIED
    d.four catches none of its faults
:6 rule: NOT VERIFIED
    other-rule on 0F43 is caught by none of its vectors
        a.one: ended with 1:   ...; failed without naming R1: b.two
    a.one catches none of its faults
:7 dead: NOT VERIFIED
    dies on 0F43 is caught by none of its vectors
        a.one: ended with 2: p4sim: broken
    a.one catches none of its faults
:8 always: NOT VERIFIED
    x.always fails without a fault
7 sentences: 2 verified, 5 not
alone: 4 right, 1 wrong; 0 measurements and vectors were disturbed
END
# One sentence alone: the fault of `missed` is caught by nothing, and no run fails that should pass.
for my $case ([ 'good', 'caught', 0, 'verified' ], [ 'missed', 'survives', 1, 'NOT VERIFIED' ]) {
    my ($name, $fault, $status, $says) = @$case;
    spew("$build/manual-sentences.txt", "== A section\n$name | a sentence | $fault | a.one\n");
    my $run = campaign('--build', $build, '--docs', $build, '--sentences');
    ends($run, $status, "a sentence that is $says", out => qr/:2 $name: $says$/m);
    like $run->{out}, qr/^alone: 1 right, 0 wrong;/m, 'and its vector passes without a fault';
}
spew("$build/manual-sentences.txt", "a | b | cauht | a.one\n");
like campaign('--build', $build, '--docs', $build, '--sentences')->{err},
    qr/^tools\/campaign: .*:1: no fault cauht$/m, 'a fault that is not there';

subtest 'a seed draws the same again' => sub {
    my @reports =
        map { campaign_anew('--build', $build, '--faults=3', '--seed', $_)->{out} =~ s/.*\n//r } 1, 1, 2;
    is $reports[0], $reports[1], 'the same';
    isnt $reports[0], $reports[2], 'another seed draws others';
    my $run = campaign('--build', $build, '--faults', 3);
    my ($seed) = $run->{out} =~ /\Atools\/campaign --seed=(\d+) .*--faults=3\n/ or fail 'the seed is printed';
    is campaign_anew('--build', $build, '--faults', 3, '--seed', $seed)->{out}, $run->{out},
        'what it prints repeats the run';
};

subtest 'runs done elsewhere' => sub {
    my @what = ('--build', $build, '--seed', 1, '--faults', '--', @conditional);
    my $logs = "$dir/the logs";
    my $todo = campaign('--print', $logs, @what)->{out};
    my $first = $todo;
    for my $stage (1 .. 9) {
        last if $todo eq '';
        is campaign('--judge', $logs)->{status}, 2, "stage $stage: no report while runs are open";
        file('todo', $todo);
        run(5, 'sh', "$dir/todo");
        $todo = campaign('--print', $logs)->{out};
    }
    is $todo, '', 'in the end nothing is open';
    my $judged = campaign_anew('--judge', $logs);
    is_deeply [ @$judged{qw(status out)} ], [ @$all{qw(status out)} ], 'the same report and status';

    my ($line, $log) = $first =~ m{^(.* > '(\Q$logs\E/fault-caught\..*)' 2>&1\n)}m;
    spew($log, substr slurp($log), 0, -3);
    is campaign('--print', $logs)->{out}, $line, 'a log cut short is to be done again';
    like campaign('--judge', $logs)->{err}, qr/: open runs: 1; --print /, 'and not judged';
    is campaign(@$_)->{status}, 2, "@$_ is refused"
        for [ '--print', $logs, '--noise' ], [ '--judge', $logs, 'caught' ];
};

# Faults that strike now and then, on a stand-in whose runs are called or not by the fault, and which says
# what a pass excludes.
my $rates = "$dir/rates";
mkdir $rates or die "mkdir: $!";
spew("$rates/pmuproof.elf", '');
my @PLACES = (
    (map { "cascade-broken-$_" } qw(12-14 14-12)),
    'cascnt-broken-16-17',
    'halts-not-12',
    (
        map { "$_-12" }
            qw(ovf-missing carry-32-lost pmi-t0-missing pmi-t1-missing counter-high-lost reading-wrong
            edge-dead threshold-dead gate-ignored)
    ),
    'unqualified-for-12',
    qw(cascade-dead cascnt-dead halts-not ovf-missing carry-32-lost pmi-t0-dead pmi-t1-dead
        counter-loads-low readings-wrong
        edge-ignored threshold-ignored active-thread-ignored flags-ignored),
);
my $JUDGED = <<'END';
# judged: starts by CASCADE 3120, excludes 1 in 1006; least 14 by 12: 174, excludes 1 in 56
# judged: counts 9000, excludes 1 in 2000; least counter 3: 9, excludes 1 in 2 #A1B2
# judged: starts by bit 11 0
END

# The stand-in; what a sound run prints, and what else the shell shall look at.
sub stand_in ($judged, $cases) {
    spew("$rates/p4sim", <<"END");
#!/bin/sh
case "\$*" in
'--fault list *') for name in @PLACES; do echo "\$name R1 text"; done ;;
'--cpu list') echo '0F43 one' ;;
'--variant list') printf 'good  x\\n' ;;
'--board list') printf '%s\\n' 'hot  x' 'tm1:DUTY  x' 'smi-each:US  x' 'no-pci  x' 'tco-smi  x' 'counter-dead:N  x' 'msr-zero  x' ;;
$cases
'--cpu 0F43 '*elf*) printf '%s' '$judged' ;;
esac
exit 0
END
    chmod 0755, "$rates/p4sim" or die "chmod: $!";
}

subtest 'faults that strike now and then' => sub {
    # Of 13 actions one is missed at a single place, so 12 of 13 are called: less than 95 %, more than 80 %.
    # One run of each action.
    stand_in('',
        "*edge-dead-12*) exit 0 ;;\n*ovf-missing,*) echo 'p4sim: broken'; exit 2 ;;\n*--fault*) exit 1 ;;");
    my $run = campaign('--build', $rates, '--seed', 1, '--rates', 13);
    is $run->{status}, 1, 'status';
    # Wilson by hand: 12 of 13, z = 1.96: 0.6669 to 0.9863.
    my @of = map { (split /\n(?! )/, $_)[0] } $run->{out} =~ /^((?:one|all) (?:.*\n)(?: .*\n)*)/mg;
    is scalar @of, 3, 'three targets';
    for (0 .. 2) {
        my ($name, $word, $missed) = @{
            (
                [ 'one place at 1 in 20', '95 %: NOT REACHED', 'edge-dead-12,once-in=20' ],
                [ 'one place at 1 in 50', '80 %', 'edge-dead-12,once-in=50' ],
                [ 'all places at 1 in 200', '95 %: NOT REACHED', 'ovf-missing,once-in=200' ]
            )[$_]
        };
        like $of[$_], qr/\A$name: 12 of 13 called, 92\.3 % \(66\.7 to 98\.6\); asked for: $word\n/, $name;
        like $of[$_], qr/^    missed: \S+p4sim --cpu 0F43 --fault $missed,seed=\d+ .*$/m, 'what was missed';
        is scalar(() = $of[$_] =~ / 1 of 1 called/g), 12, 'the other actions are called';
    }
    like $of[2], qr/missed: .*ovf-missing,.*: status 2: p4sim: broken$/m,
        'a run that is broken is not called';
};

subtest 'the rates that a log prints' => sub {
    my $all = 'cascade-dead,once-in=1006,', my $least = 'cascade-broken-12-14,once-in=56,';
    for my $case ([ 19, 0, '1 of each action and place' ], [ 20, 1, 'all are called' ],
        [ 18, 1, 'too few are' ])
    {
        my ($called, $status, $what) = @$case;
        # The first 20 - $called of both faults' 10 runs each are missed: a file counts them.
        unlink glob "$dir/count*";
        stand_in($JUDGED,
                  "*$all* | *$least*) echo >> '$dir/count'; [ \$(wc -l < '$dir/count') -le "
                . (20 - $called)
                . " ] || exit 1; exit 0 ;;\n*--fault*) exit 3 ;;");
        my $run = campaign('--build', $rates, '--seed', 1, '--printed', 20, '--jobs', 1);
        like $run->{out}, qr/^at the printed rate: $called of 20 called, /m, "$called of 20";
        is $run->{status}, $status, $what;
    }
    stand_in("# judged: dances 12, excludes 1 in 4; least counter 3: 9, excludes 1 in 3\n",
        '*--fault*) exit 1 ;;');
    like campaign('--build', $rates, '--printed', 2)->{err}, qr/no fault strikes what the log calls dances/,
        'an action that has no fault';
    stand_in('', '*--fault*) exit 1 ;;');
    like campaign('--build', $rates, '--printed', 2)->{err}, qr/says of no action which rate it excludes/,
        'a log without rates';
};

subtest 'machines that a healthy board may be' => sub {
    my $IMAGES = 60;
    stand_in('',
        "*'--board hot'*) printf '1..1\\nok 1 - a.b # unexplained: one thing\\nok 2 - a.c # unexplained: "
            . "x\\n' ;;\n*tm1:[1-3]*) exit 1 ;;\n*tm1:*) exit 77 ;;");
    my $run = campaign('--build', $rates, '--seed', 1, '--images', $IMAGES, '--verbose');
    my ($right, $skipped, $wrong, $unexplained) =
        $run->{out} =~
        /^images: (\d+) right \((\d+) of them skipped\), (\d+) wrong; (\d+) unexplained results$/m
        or return fail $run->{out};
    my @failed = $run->{out} =~ /^\S+p4sim (.*): status 1: $/mg;
    is scalar @failed, $wrong, 'each that failed is named';
    is scalar(grep { !/ --board tm1:[1-3]/ } @failed), 0, 'for its board';
    is $right + $wrong, $IMAGES, 'none is left out';
    cmp_ok $_->[0], '>', 0, $_->[1]
        for [ $wrong, 'failed' ], [ $skipped, 'skipped' ], [ $unexplained, 'unexplained' ];
    is $unexplained % 2, 0, 'two in each such log';
    like $run->{$_}, qr/^    a\.b # unexplained: one thing$/m, "$_ says what" for 'out', 'err';
    is scalar(() = $run->{err} =~ /^(?:right|WRONG): \S+p4sim --cpu /mg), $IMAGES, '--verbose says each run';
    like $run->{err}, qr/^images: \d+ WRONG, \d+ right, 50 runs, \d+ unexplained$/m, 'and the totals of 50';
    my $all =
        campaign('--build', $rates, '--seed', 1, '--print', "$dir/images", '--images', 10 * $IMAGES)->{out};
    unlike $all, qr/counter-dead|msr-zero/, 'no board that is defective';
    my %boards = map { $_ => 1 } $all =~ /--board (\S+)/g;
    cmp_ok scalar keys %boards, '>', 7, 'several boards, some with a value';
    is p4sim('--board', $_, '--board', 'list')->{status}, 0, "p4sim has $_" for sort keys %boards;
    my @lines = split /\n/, $all;
    is scalar(grep { /tm1/ && /--board hot/ || /no-pci.*tco|tco.*no-pci/ } @lines), 0,
        'nor two that exclude each other';
    like $all, qr/$_/, "some have $_"
        for '--timing kind', '--timing typical', '--timing \d', '--noise \d', '--variant good', '--ht off',
        'smi-each:\d+', 'no-pci';
};

# Composed faults, of which this p4sim draws two in each class: caught with the rule of the stage and without it, never come about,
# equivalent, survived, broken. The run ends at the check that names the rule of the stage and what it expected, though it would be
# broken later; a check that names the rule alone does not end it.
subtest 'composed faults that are drawn' => sub {
    my $drawn = "$dir/drawn";
    mkdir $drawn or die "mkdir: $!";
    spew("$drawn/pmuproof.elf", '');
    spew("$drawn/p4sim", <<'END');
#!/bin/sh
struck() { echo "p4sim: the fault struck in $1 of $2 acts"; }
fails() { printf "1..1\nnot ok 1 - %s #0000\n  ---\n  rules: '%s'\n%s\n  ...\n" "$1" "$2" "$3"; }
case "$*" in
'--cpu list') echo '0F43 one' ;;
'--fault list *' | '--variant list') echo 'other R1 text' ;;
*draw=plain:2:*) printf 'edge.never R23\novf.never R29\n' ;;
*draw=condition:2:*) printf 'gate.never,while=ovf R18\nsum.bit-0@bit=1,while=ovf R27\n' ;;
*draw=two-conditions:2:*) printf 'ovf.late-1,while=edge,while=alone R29\nlvtpc-eoi.never,while=lp-halted,while=lp1-active R52\n' ;;
*draw=history:2:*) printf 'edge.always,once-in=20 R23\nedge.always,every=2 R23\n' ;;
*ovf.never' --programs 100000') echo '100000 programs, the fault acted in 0: undecided, because it acted in too few' ;;
*while=alone' --programs 100000') echo '9 programs, the fault acted in 3: software can notice it' ;;
*bit=1*' --programs 100000') echo '100000 programs, the fault acted in 400: equivalent' ;;
*ovf.never*) struck 0 0 ;;
*bit=1*) struck 3 3 ;;
*while=alone*) struck 2 4 ;;
*lvtpc-eoi*) echo 'p4sim: broken' && exit 2 ;;
*edge*) struck 1 1; fails c.three R23 '  what: exception 13'; fails a.one 'R11 R23' '  expected: 1'; echo later; exit 2 ;;
*) struck 1 1; fails b.two R11 '  expected: 1'; exit 1 ;;
esac
exit 0
END
    chmod 0755, "$drawn/p4sim" or die "chmod: $!";
    my $run = campaign('--build', $drawn, '--seed', 1, '--draw', 8);
    is $run->{status}, 1, 'status of shares that are too small';
    # Wilson by hand, z = 1.959964: 1 of 2, 1 of 1, 0 of 2, 2 of 2, 3 of 3.
    is $run->{out} =~ s/\A.*\n//r =~ s/\Q$drawn\E\///gr =~ s/,seed=\d+//gr,
        <<'END', 'the report' or diag $run->{err};
plain            1 of 2 caught, 50.0 % (9.5 to 90.5), 1 with the rule of the stage; 0 equivalent, 1 never came about; asked for: 98 %: NOT REACHED
condition        1 of 1 caught, 100.0 % (20.7 to 100.0), 0 with the rule of the stage; 1 equivalent, 0 never came about; asked for: 95 %: NOT REACHED
two-conditions   0 of 2 caught, 0.0 % (0.0 to 65.8), 0 with the rule of the stage; 0 equivalent, 0 never came about; asked for: 88 %: NOT REACHED
history          2 of 2 caught, 100.0 % (34.2 to 100.0), 2 with the rule of the stage; 0 equivalent, 0 never came about; asked for: 88 %
    edge             3 of 3 caught, 100.0 % (43.9 to 100.0), 3 with the rule of the stage; 0 equivalent, 0 never came about
    gate             1 of 1 caught, 100.0 % (20.7 to 100.0), 0 with the rule of the stage; 0 equivalent, 0 never came about
    lvtpc-eoi        0 of 1 caught, 0.0 % (0.0 to 79.3), 0 with the rule of the stage; 0 equivalent, 0 never came about
    ovf              0 of 2 caught, 0.0 % (0.0 to 65.8), 0 with the rule of the stage; 0 equivalent, 1 never came about
    sum              0 of 0 caught, 100.0 % (0.0 to 100.0), 0 with the rule of the stage; 1 equivalent, 0 never came about
    survived: p4sim --cpu 0F43 --fault ovf.late-1,while=edge,while=alone pmuproof.elf quiet
    never: p4sim --cpu 0F43 --fault ovf.never pmuproof.elf quiet
    broken: p4sim --cpu 0F43 --fault lvtpc-eoi.never,while=lp-halted,while=lp1-active pmuproof.elf quiet
    equivalent: p4sim --cpu 0F43 --fault sum.bit-0@bit=1,while=ovf pmuproof.elf quiet
END
    my $logs = "$dir/drawn logs";
    my $todo = campaign('--build', $drawn, '--seed', 1, '--draw', 8, '--print', $logs)->{out};
    is scalar(() = $todo =~ /\n/g), 8, 'elsewhere: a run for each';
    like $todo, qr/--fault edge\.always,once-in=20,seed=\d+ /, 'a rate has a seed';
    file('todo', $todo);
    run(5, 'sh', "$dir/todo");
    $todo = campaign('--print', $logs)->{out};
    is scalar(() = $todo =~ /--programs 100000;/g), 3, 'then the register programs of those that passed';
    file('todo', $todo);
    run(5, 'sh', "$dir/todo");
    is_deeply [ @{ campaign_anew('--judge', $logs) }{qw(status out)} ], [ @$run{qw(status out)} ],
        'the same report';

   # With --explain the runs go to their end. The one that is caught then has the log of a fault of its stage.
    file('gate.log',
        p4sim('--fault', 'gate.never@counter=12', $ELF, 'only=qualify.active,access.counter')->{out});
    spew("$drawn/p4sim", slurp("$drawn/p4sim") =~ s/^\*\) struck.*/*) cat '$dir\/gate.log'; exit 1 ;;/mr);
    like campaign('--build', $drawn, '--seed', 1, '--draw', 8, '--explain')->{out},
        qr/^explain: of 1 caught faults the rule of the stage is first for 1, among the first three for 1$/m,
        '--explain says where the rule of the stage is';
};

subtest 'wrong words' => sub {
    for (
        [ qr/no fault is called caugt; did you mean caught\?/, 'caugt' ],
        [ qr/p4sim has no processor 0F99/, qw(--noise --cpu 0F99) ],
        [ qr/each number is 1 or more/, qw(--faults 0) ],
        [ qr/has no runs/, '--judge', "$dir/none" ],
        [ qr/exclude each other/, qw(--jobs 2 --print x) ],
        )
    {
        my ($says, @words) = @$_;
        my $run = campaign(@words, $words[0] eq '--judge' ? () : ('--build', $build));
        ends($run, 2, 'and why', err => qr/\Atools\/campaign: [^\n]*$says[^\n]*\n(?:usage: |\z)/);
    }
};

done_testing;
