#!/usr/bin/perl
# p4sim --vcd: a run with waveforms is the run without them, and the waveforms of the manual's examples are
# what the manual says, clock by clock: presets, counts, OVF, the start of Y, PMIs.
use lib 'tests/image';
use ImageTest;
use List::Util qw(sum0);
use Vcd qw(read_vcd value_at rises);

my $MODULUS = 2**40;

# The waveforms of a run with this boot line, which must do what it does without them.
sub waves_of ($only, @options) {
    unlink "$dir/waves.vcd";
    my ($plain, $run) = map { p4sim(@$_, @options, '--stats', $ELF, "only=$only") } [],
        [ '--vcd', "$dir/waves.vcd" ];
    is $run->{status}, 0, "$only passes";
    is $run->{out}, $plain->{out}, 'with the log that it has without waveforms';
    my ($clocks, $before) = map { $_->{err} =~ /(\d+ instructions, \d+ clocks)/ } $run, $plain;
    is $clocks, $before, 'and as many instructions and clocks';
    my $vcd = read_vcd("$dir/waves.vcd");
    is "$vcd->{end} clocks", $clocks =~ s/.*, //r, 'the waveforms are as long';
    return $vcd;
}

# The increments of a counter that come after clock $from and not after clock $to.
sub counted ($vcd, $n, $from, $to) {
    my @changes = (@{ $vcd->{changes}{"increment$n"} }, [ $vcd->{end} ]);
    return sum0(
        map {
            # the increment is that of each clock in between
            my ($begin, $end) = ($changes[$_][0], $changes[ $_ + 1 ][0]);
            $begin = $from + 1 if $begin <= $from;
            $end = $to + 1 if $end > $to + 1;
            $end > $begin ? ($end - $begin) * $changes[$_][1] : ();
        } 0 .. $#changes - 1
    );
}

# In each clock in which a counter moves while it is enabled, it moves by its increment, but for a write of
# $preset. A write that stops it comes at the end of a clock, which then shows no increment.
sub moves_by_increment ($vcd, $n, $preset = undef) {
    my ($before, @wrong) = (0);
    for my $change (@{ $vcd->{changes}{"counter$n"} }) {
        my ($clock, $value) = @$change;
        push @wrong, $clock
            if value_at($vcd, "enable$n", $clock - 1)
            && value_at($vcd, "enable$n", $clock)
            && $value != ($before + value_at($vcd, "increment$n", $clock)) % $MODULUS
            && !(defined $preset && $value == $preset);
        $before = $value;
    }
    is_deeply \@wrong, [], "counter $n moves by its increments";
}

# OVF of counter n is set in the clock of its last count of so many, and of no earlier one. A clock may have
# several counts.
sub overflows_on ($vcd, $n, $count, $start, $ovf) {
    cmp_ok counted($vcd, $n, $start, $ovf - 1), '<', $count,
        "counter $n: fewer than $count counts before OVF";
    my $beyond = counted($vcd, $n, $start, $ovf) - $count;
    cmp_ok $beyond, '>=', 0, "$count with it";
    is value_at($vcd, "counter$n", $ovf), $beyond, 'it has wrapped around to 0 and what is beyond';
}

subtest 'Example 18-1' => sub {
    my ($x, $y) = (12, 14);
    my $id = "cascade.18-1.iq.$x-$y";
    my $vcd = waves_of($id);
    is scalar @{ $vcd->{declared} }, 1 + 2 * 4 + 18 * 4, 'signals';
    like $vcd->{comment}, qr/1 ns .* one clock .* 3000 MHz/, 'the unit of time is explained';
    is_deeply [ map { $_->[1] } @{ $vcd->{changes}{vector} } ], [$id], 'the id of the vector';
    cmp_ok $vcd->{end} - $vcd->{first}, '<', $vcd->{end} / 20, 'start-up is left out';
    moves_by_increment($vcd, $_) for $x, $y;

    # Runs of the example as the manual has it: X from -200, Y from -400 or thereabouts, both overflow.
    my @starts = grep {
               value_at($vcd, "counter$x", $_) == $MODULUS - 200
            && value_at($vcd, "counter$y", $_) > $MODULUS - 1000
    } rises($vcd, "enable$x");
    cmp_ok scalar @starts, '>=', 3, 'X starts from -200';
    my $full = 0;
    for my $start (@starts) {
        my $preset = $MODULUS - value_at($vcd, "counter$y", $start);
        my ($ovf_x) = grep { $_ > $start } rises($vcd, "OVF$x");
        overflows_on($vcd, $x, 200, $start, $ovf_x);
        is value_at($vcd, "enable$y", $ovf_x - 1), 0, 'Y is off until then';
        is value_at($vcd, "enable$y", $ovf_x), 1, 'and on from then on';
        is value_at($vcd, "counter$y", $ovf_x), $MODULUS - $preset, 'still at its preset';
        cmp_ok value_at($vcd, "enable$x", $ovf_x), '==', 1, 'X stays on';
        my ($end) = grep { $_ > $ovf_x } map { $_->[1] ? () : $_->[0] } @{ $vcd->{changes}{"enable$x"} };
        cmp_ok value_at($vcd, "counter$x", $end), '>', 0, 'and counts on from 0';
        my ($ovf_y) = grep { $_ > $ovf_x && $_ < $end } rises($vcd, "OVF$y");
        next if !defined $ovf_y;
        $full++;
        overflows_on($vcd, $y, $preset, $ovf_x, $ovf_y);
    }
    cmp_ok $full, '>=', 2, 'Y overflows, too';
    is_deeply [ map { rises($vcd, "PMI_LP$_") } 0, 1 ], [], 'nobody asked for a PMI';

    # What GTKWave shows: the signals of the counters that run, and the first run in which X overflows.
    my $save = slurp("$dir/waves.gtkw");
    like $save, qr/\A\[dumpfile\] "waves\.vcd"\n/, 'beside it the file for GTKWave';
    is_deeply [ sort $save =~ /^(p4sim\S*?)(?:\[\d+:0\])?$/mg ],
        [ sort grep { !/\D\d+\z/ || /LP\d\z|\D(?:$x|$y)\z/ } @{ $vcd->{declared} } ],
        'with the signals that matter';
    is_deeply [ $save =~ /^-(.*)$/mg ], [ map { ($_, $_) } qw(LP0 LP1), "counter $x", "counter $y" ],
        'in groups';
    my ($from, $zoom) = $save =~ /^\[timestart\] (\d+)\n.*^\*-(\d+)\.0 \1\n/ms;
    my ($overflow) = rises($vcd, "OVF$x");
    my ($begin) = grep { $_ < $overflow } reverse rises($vcd, "enable$x");
    is $from, $begin, 'from the start of the first run with an overflow';
    cmp_ok $overflow, '<', $from + 900 * 2**$zoom / 200, 'which the window shows';
};

subtest 'Example 18-2' => sub {
    my ($x, $y) = (17, 16);
    my $vcd = waves_of("cascade.18-2.sample.a.$x-$y");
    moves_by_increment($vcd, $x);
    moves_by_increment($vcd, $y, $MODULUS - 999);    # the handler writes it while Y counts
    my @pmis = rises($vcd, 'PMI_LP1');
    cmp_ok scalar @pmis, '>=', 32, 'PMIs, as many as the vector takes';
    is_deeply [ rises($vcd, 'PMI_LP0') ], [], 'and none for LP0';
    for my $pmi (@pmis[ 0, 1, -1 ]) {
        my ($ovf) = grep { $_ < $pmi } reverse rises($vcd, "OVF$y");
        is counted($vcd, $y, $ovf, $pmi - 1), 0, 'after the overflow of Y nothing is counted';
        cmp_ok value_at($vcd, "increment$y", $pmi), '>', 0, 'until the PMI';
        my ($masked) = grep { $_ > $pmi } rises($vcd, 'LVTPC_mask_LP1');
        cmp_ok $masked - $pmi, '<', 10_000, 'its delivery masks LVTPC';
        is value_at($vcd, 'PMI_LP1', $pmi + 1), 0, 'the request is for one clock';
    }
    my ($last) = grep { $_ < $pmis[0] } reverse rises($vcd, "OVF$x");
    cmp_ok value_at($vcd, "enable$y", $last), '==', 1, 'Y runs because X has overflowed';
    is value_at($vcd, 'HLT_LP1', $pmis[0]), 0, 'and runs when it is interrupted';
};

subtest 'from power-up' => sub {
    my $vcd = waves_of('state.cccr', '--vcd-all');
    is $vcd->{first}, 0, 'the first clock';
    is_deeply [ map { $_->[1] } @{ $vcd->{changes}{vector} } ], [ '-', 'state.cccr' ], 'no vector at first';
    is value_at($vcd, 'HLT_LP1', 0), 1, 'LP1 waits for a SIPI';
    is p4sim('--vcd', "$dir/quiet", $ELF, 'only=cascade.18-1.iq.12-14', 'quiet')->{status}, 0,
        'a log that announces no vector';
    my $quiet = read_vcd("$dir/quiet");
    is_deeply [ map { $_->[1] } @{ $quiet->{changes}{vector} } ], ['-'], 'which has no name then';
    cmp_ok $quiet->{first}, '>', $quiet->{end} / 2, 'and begins when a counter is enabled';
    ok -s "$dir/quiet.gtkw", 'a name of another kind';
};

subtest 'counters of clocks' => sub {
    my $vcd = waves_of('cascade.18-1.bpu.2-0');
    moves_by_increment($vcd, $_) for 2, 0;
    my ($most) = sort { $b <=> $a } map { scalar @{ $vcd->{changes}{$_} } } qw(counter2 counter0);
    cmp_ok $most, '>', 1000, 'each of many clocks is there';
};

subtest 'privilege levels, and a processor without Hyper-Threading' => sub {
    my $vcd = waves_of('course.due.12', qw(--cpu 0F12 --noise 4 --timing 7));
    is scalar(grep { /LP1/ } @{ $vcd->{declared} }), 0, 'it has no LP1';
    my %seen = map { $_->[1] => 1 } @{ $vcd->{changes}{CPL_LP0} };
    ok $seen{0} && $seen{3}, 'kernel and user';
    cmp_ok scalar(grep { value_at($vcd, 'CPL_LP0', $_) == 3 } rises($vcd, 'PMI_LP0')), '>', 0,
        'PMIs at CPL 3';
};

# The figures in docs/ are what tools/figure draws; it refuses what it cannot draw. That of Example 18-2 shows
# the clocks of a PMI handler in C, which differ from compiler to compiler.
my $DRAWN_WITH = 12;
my ($gcc) = run(1, 'gcc', '-dumpversion')->{out} =~ /^(\d+)/;
for my $example (qw(18-1 18-2)) {
    my $drawn = run(2, 'tools/figure', $example);
    is $drawn->{status}, 0, "the figure of Example $example" or diag $drawn->{err};
SKIP: {
        skip "docs/example-$example.svg was drawn with gcc $DRAWN_WITH; this is gcc $gcc", 1
            if $example eq '18-2' && $gcc != $DRAWN_WITH;
        ok $drawn->{out} eq slurp("docs/example-$example.svg"),
            "docs/example-$example.svg is up to date (make figures)";
    }
    like $drawn->{out}, qr/<title id="title">Example $example:.*<desc id="desc">.*X overflows, Y starts/s,
        'it has a title and a description';
}
POSIX::mkfifo("$dir/fifo", 0600) or die "$dir/fifo: $!\n";
for my $refused (
    [ "$dir/nowhere/vcd", qr/cannot write waveforms $dir.*: No such file/ ],
    [ '/dev/full', qr/cannot write waveforms .*: No space left/ ],
    map { [ $_, qr/--vcd \Q$_\E: it exists/ ] } "$dir/fifo", $ELF
    )
{
    my ($file, $why) = @$refused;
    my $run = p4sim('--vcd', $file, $ELF, 'only=state.cccr');
    ends($run, 2, "--vcd $file: status 2, it says why", err => qr/^p4sim: $why/);
    ok one_line($run->{err}), 'in one line';
}

done_testing;
