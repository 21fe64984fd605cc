#!/usr/bin/perl
# tools/pmulog compare: what it takes for a difference and what not, two to many boards, disturbances, logs
# that are not whole, and its JSON and CSV.
use lib 'tests/image';
use ImageTest;
use JSON::PP ();
use Text::CSV;
use CheckedLog qw(checked $SEVERAL);

sub log_file ($name, @lines) { return file($name, @lines == 1 ? $lines[0] : checked(@lines)) }

# Runs it; whoever expects a complaint gives its words.
sub compare ($words, @arguments) {
    my $run = tool(1, 'tools/pmulog', 'compare', @arguments);
    defined $words ? like $run->{err}, $words, 'the complaint' : is $run->{err}, '', 'no complaint';
    return $run;
}

# A log that passes, with these lines of the inventory, comments and sheet.
sub board ($name, $inventory, @others) {
    return log_file($name, '1..2', @$inventory, '#> a.b title', 'ok 1 - a.b', 'ok 2 - a.c', @others,
        '# 2 passed, 0 failed, 0 skipped of 2',
        'END pass');
}

my $soaked = log_file('soaked', @$SEVERAL);

subtest 'two processors' => sub {
    my $only = 'only=state,access.escr,probe.reserved';
    my ($good, $other) = map { log_file($_, p4sim('--cpu', $_, $ELF, $only)->{out}) } qw(0F43 0F29);
    my $same = compare(undef, $good, $good);
    is $same->{status}, 0, 'a log and itself';
    like $same->{out},
        qr/\n\nNo difference in inventory, vectors, characterisation sheet and numbers\.\n\nNo run was disturbed, and no unexpected interrupts came\.\n\z/,
        'no difference';
    my $run = compare(undef, $good, $other);
    ends($run, 1, 'the boards',
        out =>
            qr/\AA  \S+0F43, boot 1: pass: \d+ passed, .*0F43H.*\n(?:    .*\n)?B  \S+0F29, boot 1: pass: /);
    like $run->{out}, qr/^Inventory\n {32}A +B\n  processor +GenuineIntel 0F43H, .* GenuineIntel 0F29H, /m,
        'the inventory, beside each other';
    like $run->{out}, qr/^  cpuid 1 +F43 20800 649D BFEBFBFF +F29 20809 4400 BFEBFBFF$/m,
        'CPUID by leaf: what differs alone';
    like $run->{out}, qr/^  cpuid 5 +40 40 0 0 +absent$/m, 'a leaf that one of them lacks';
    like $run->{out}, qr/^  access\.escr\.iq_escr0 +skipped \(.* passed$/m,
        'a vector that only one of them can run';
    like $run->{out}, qr/^  10\.10 CCCR bits 10:8 of +kept +ignored$/m, 'the sheet';
    unlike $run->{out}, qr/^Verdict|^  10\.8a|^  brand|^  clocks/m, 'nothing that is the same';
    unlike $run->{out}, qr/.{121}| $/m, 'within 120 columns, no blanks at the ends';
};

subtest 'each kind of difference' => sub {
    my %change = (
        verdict => [
            'Verdict',
            sub { s/\Anot ok/ok/ || s/4 passed, 1 failed/5 passed, 0 failed/ || s/END fail/END pass/ for @_ }
        ],
        vector    => [ 'Vectors with different outcomes', sub { s/observed: '0'/observed: '7'/ for @_ } ],
        sheet     => [ 'Characterisation sheet', sub { s/\(level\)/(latch)/ for @_ } ],
        soak      => [ 'Soak', sub { s/loop 3:/loop 4:/ for @_ } ],
        inventory => [ 'Inventory', sub { s/0F43H/0F29H/ for @_ } ],
    );
    for my $what (sort keys %change) {
        my @lines = $what eq 'verdict' ? grep { !/\A  / } @$SEVERAL : @$SEVERAL;
        my ($title, $code) = @{ $change{$what} };
        $code->(@lines);
        my $run = compare(undef, $soaked, log_file('changed', @lines));
        ends($run, 1, "$what has its section", out => qr/^\Q$title\E\n +A +B\n/m);
    }
    my @clocks = map { board("clocks$_", ["# clocks: TSC $_ kHz"]) } 2999816, 3000117, 3010000;
    is compare(undef, @clocks[ 0, 1 ])->{status}, 0, 'a clock measured twice';
    is compare(undef, @clocks[ 0, 2 ])->{status}, 1, 'another clock';
    my @cost = map {
        board('cost' . s/\D//gr, [], "# sheet 10.14b clocks of WRMSR: $_", "# sheet 10.1d first clock: $_")
    } '800, 880, 835', '826, 919, 872', '1247, 1204, 1401';
    my @said = map { compare(undef, $cost[0], $cost[$_])->{out} } 1, 2;
    unlike $said[0], qr/^  10\.14b/m, 'a cost measured twice';
    like $said[0], qr/^  10\.1d/m, 'a line that measures no cost';
    like $said[1], qr/^  10\.14b/m, 'the cost of another part';
    like compare(undef, @cost)->{out},
        qr/^  10\.14b clocks of WRMSR\n    A: 800, 880, 835\n    B: 826, 919, 872\n    C: 1247, 1204, 1401$/m,
        'if one of three differs, all are told';
    # Numbers that are near to each other, and other words.
    for my $case (
        [
            'Characterisation sheet',
            'sheet 10.15b presets whose PMI comes early',
            'none of -4 to -16',
            '-4 to -16, 312 of 312 times'
        ],
        [ 'What was judged', 'judged', 'starts by CASCADE 16, excludes 1 in 5', 'starts by CASCADE 0' ]
        )
    {
        my ($section, $line, @values) = @$case;
        my @boards = map { board("words$_", [], "# $line: $values[$_]") } 0, 1;
        ends(compare(undef, @boards), 1, "other words: $line", out => qr/^$section\n/m);
    }
    my $failing = log_file(
        'failing', '1..4',
        map({ "not ok $_ - a.b$_" } 1 .. 4),
        '# 0 passed, 4 failed, 0 skipped of 4',
        'END fail'
    );
    my $passing = log_file(
        'passing', '1..4',
        map({ "ok $_ - a.b$_" } 1 .. 4),
        '# 4 passed, 0 failed, 0 skipped of 4',
        'END pass'
    );
    like compare(undef, $failing, $passing)->{out}, qr/^  a \(4\) +failed +passed$/m,
        'vectors with the same outcomes are one row';
};

subtest 'a short inventory' => sub {
    my ($brief, $full) = (
        board('brief', ['# boot line: pmuproof.elf brief']),
        board('full', [ '# boot line: pmuproof.elf', '# memory: 65151 KB' ])
    );
    my $run = compare(undef, $brief, $full);
    like $run->{out}, qr/^  boot line +pmuproof\.elf brief +pmuproof\.elf$/m, 'the boot line differs';
    unlike $run->{out}, qr/memory/, 'what a brief log does not list is no difference';
};

subtest 'many boards' => sub {
    my @boards =
        map { board("many$_", [ '# board: ' . ($_ == 3 ? 'another' : 'the usual'), "# build: $_" ]) } 1 .. 6;
    my $run = compare(undef, @boards);
    ends($run, 1, 'each has its letter', out => qr/^F  \S+many6, /m);
    like $run->{out}, qr/^  board\n    A, B, D, E, F: the usual\n    C: another$/m,
        'boards with the same value are told together';
};

subtest 'what disturbed the runs is told, and is no difference' => sub {
    my $quiet = board('quiet', []);
    my $noisy = log_file(
        'noisy',
        '1..4',
        '#> qualify.ti.0001 title',
        '# disturbed: 11 of 28 measurements',
        'ok 1 - qualify.ti.0001',
        '#> qualify.ti.0010',
        '# disturbed: 8 of 24 measurements',
        '# disturbed: 1 of 3 runs, the last at x',
        'ok 2 - qualify.ti.0010',
        '#> a.b title',
        '# disturbed: 2 of 3 runs, the last at OVF: 0, not 1',
        'ok 3 - a.b',
        'ok 4 - a.c',
        '# unexpected interrupts: 0 PMIs, 531 NMIs, 0 others',
        '# 4 passed, 0 failed, 0 skipped of 4',
        'END pass'
    );
    my $run = compare(undef, $noisy, $noisy);
    is $run->{status}, 0, 'status of two disturbed runs';
    like $run->{out},
        qr/^Disturbed vectors\n.*\n  qualify\.ti +2 vectors: 19 of 52 measurements, 1 of 3 +2 vectors: .*\n +runs /m,
        'a family is added up';
    $run = compare(undef, $quiet, $noisy);
    like $run->{out}, qr/^  a\.b +none +2 of 3 runs, the last at OVF: 0, not 1$/m, 'one vector in its words';
    like $run->{out}, qr/^Unexpected interrupts\n.*\n +none +0 PMIs, 531 NMIs, 0 others$/m,
        'unexpected interrupts';
    my $found = JSON::PP->new->decode(compare(undef, '--json', $quiet, $noisy)->{out});
    is_deeply $found->{unexpected_interrupts}, [ undef, '0 PMIs, 531 NMIs, 0 others' ],
        'JSON: unexpected interrupts';
    is_deeply $found->{disturbances}[2],
        { name => 'a.b', values => [ undef, '2 of 3 runs, the last at OVF: 0, not 1' ] },
        'JSON: disturbances';
};

subtest 'JSON and CSV' => sub {
    my @boards = map {
        board(
            "data$_",
            [ '# board: "Acme", model ' . $_, '# memory: 1 KB' ],
            $_ == 2 ? () : "# sheet 10.1a cascade start: follows X, \"level\" $_"
        )
    } 1 .. 3;
    my $run = compare(undef, '--json', @boards);
    is $run->{status}, 1, 'status';
    my $found = JSON::PP->new->decode($run->{out});
    is "$found->{command} $found->{schema}", 'compare 1', 'which output this is';
    is_deeply [ map { "$_->{name} $_->{verdict} $_->{passed}" } @{ $found->{boards} } ],
        [ 'A pass 2', 'B pass 2', 'C pass 2' ], 'the boards';
    is_deeply $found->{differences},
        [
        { section => 'inventory', name => 'board', values => [ map { '"Acme", model ' . $_ } 1 .. 3 ] },
        {
            section => 'sheet',
            name    => '10.1a cascade start',
            values  => [ 'follows X, "level" 1', undef, 'follows X, "level" 3' ]
        },
        ],
        'the differences, with null for a line that is not there';
    open my $csv, '<', \compare(undef, '--csv', @boards)->{out} or die "cannot read a string: $!";
    my @rows = @{ Text::CSV->new({ binary => 1 })->getline_all($csv) };
    is scalar @rows, 4, 'a row for each board below the heading';
    my %second;
    @second{ @{ $rows[0] } } = @{ $rows[2] };
    is_deeply {
        map { $_ => $second{$_} } 'file',
            'verdict',
            'passed',
            'inventory board',
            'sheet 10.1a cascade start'
        },
        {
        file                        => $boards[1],
        verdict                     => 'pass',
        passed                      => 2,
        'inventory board'           => '"Acme", model 2',
        'sheet 10.1a cascade start' => ''
        },
        'with commas and quotes as they were';
    my %third;
    @third{ @{ $rows[0] } } = @{ $rows[3] };
    is $third{'sheet 10.1a cascade start'}, 'follows X, "level" 3', 'and each value in its column';
};

# A log with these numbers, each a line without "# number ".
sub counted ($name, @numbers) {
    return log_file(
        $name, '1..1',
        '# boot line: pmuproof.elf',
        '#> reach.both title',
        map({ "# number $_" } @numbers),
        'ok 1 - reach.both',
        '# 1 passed, 0 failed, 0 skipped of 1',
        'END pass'
    );
}

subtest 'an event that is silent, and numbers that differ by more than their class allows' => sub {
    my @usual = (
        'bnr on counter 0: 201 (class never)',
        'TC_misc on counter 4: 40 (class invariant)',
        'branch_retired on counter 12: 400 (class exact)',
        'x87_assist on counter 13: 100 (class near-exact)'
    );
    my $sound = counted('numbers', @usual);
    # What changes => what is said of it; undef: nothing.
    my %said = (
        'bnr on counter 0: 0'      => 'bnr on counter 0 (reach.both) went silent on B: 201 on A, 0 on B.',
        'bnr on counter 0: 1'      => undef,
        'bnr on counter 0: 9999'   => undef,
        'TC_misc on counter 4: 0'  => 'TC_misc on counter 4 (reach.both) went silent on B: 40 on A, 0 on B.',
        'TC_misc on counter 4: 80' => undef,
        'branch_retired on counter 12: 401' =>
            'branch_retired on counter 12 (reach.both) differs by more than class exact allows: '
            . '400 on A, 401 on B.',
        'x87_assist on counter 13: 116' => undef,
        'x87_assist on counter 13: 200' =>
            'x87_assist on counter 13 (reach.both) differs by more than class near-exact allows: '
            . '100 on A, 200 on B.',
    );
    for my $change (sort keys %said) {
        my ($name) = split /: /, $change;
        my $other = counted('changed', map { /\A\Q$name\E: .*( \(.*)/ ? "$change$1" : $_ } @usual);
        my $run = compare(undef, $sound, $other);
        my ($numbers) = $run->{out} =~ /^Numbers\n((?:  .*\n)+)/m;
        is $run->{status}, defined $said{$change} ? 1 : 0, "status of $change";
        is $numbers && join(' ', split ' ', $numbers), $said{$change}, 'what is said of it';
    }
    my @left_open = map {
        log_file(
            "open$_", '1..1', 'ok 1 - a.b',
            "# not exercised: bnr: nobody knows; counted $_",
            '# 1 passed, 0 failed, 0 skipped of 1; 1 not exercised',
            'END pass'
        )
    } 0, 7, 300;
    is compare(undef, @left_open[ 0, 1 ])->{status}, 0, 'what was not exercised may count a little';
    like compare(undef, @left_open[ 2, 0 ])->{out},
        qr/^  bnr \(not-exercised\) went silent on B: 300 on A, 0 on B\.$/m,
        'and is silent if it counted often elsewhere';
    my ($low, $none) = (
        counted('low', 'bnr on counter 0: 15 (class never)'),
        counted('uncounted', 'bnr on counter 0: 0 (class never)')
    );
    is compare(undef, $low, $none)->{status}, 0, 'an event that is seldom may not occur';
    like compare(undef, $none, $sound)->{out},
        qr/^  bnr on counter 0 \(reach\.both\) is silent on A: 0 on A, 201 on B\.$/m,
        'the first log is the silent one';
    my $found = JSON::PP->new->decode(compare(undef, '--json', $sound, $none, $none)->{out});
    is_deeply $found->{differences}[0],
        {
        section => 'number',
        name    => 'reach.both bnr on counter 0',
        class   => 'never',
        silent  => [qw(B C)],
        values  => [ 201, 0, 0 ]
        },
        'JSON: who is silent';
};

subtest 'what a log lacks is one sentence for each reason, and no difference if there is one' => sub {
    my $log = sub ($name, $inventory, @points) {
        my $n = 0;
        return log_file(
            $name,
            '1..' . @points,
            @$inventory,
            map({
                    my $id = $_;
                    "#> $id title", "# number bnr on counter 0: 20 (class never)", 'ok ' . ++$n . " - $id"
            } @points),
            "# $n passed, 0 failed, 0 skipped of $n",
            'END pass'
        );
    };
    my @all = map { "access.counter.$_" } 0 .. 9;
    my $full = $log->('whole', ['# boot line: pmuproof.elf'], @all);
    my $none = qr/\n\nNot in every log\n/;
    for my $case (
        [
            ['# boot line: pmuproof.elf only=access.counter.0'],
            'since its boot line chooses vectors (only=access.counter.0)'
        ],
        [ [ '# boot line: pmuproof.elf', '# processor: another' ], 'since it has another processor' ],
        [ [ '# boot line: pmuproof.elf', '# build: another' ], 'since its image is of another version' ],
        [ ['# boot line: pmuproof.elf'], undef ],
        )
    {
        my ($inventory, $why) = @$case;
        my $run = compare(undef, $full, $log->('short', $inventory, $all[0]));
        my $vectors = '  B lacks 9 vectors' . (defined $why ? ", $why." : '; no reason is known.');
        is $run->{status}, 1, 'what has no reason is a difference' if !defined $why;
        like $run->{out}, qr/$none\Q$vectors\E\n  B lacks 9 numbers, since it did not run their vectors\.\n/,
            $vectors;
        unlike $run->{out}, qr/absent$|^  access\.counter/m, 'and no line for each';
    }
    my $found = JSON::PP->new->decode(
        compare(
            undef, '--json',
            $full, $log->('chosen', ['# boot line: pmuproof.elf only=access.counter.0'], $all[0])
        )->{out}
    );
    is_deeply [ map { $_->{section} } @{ $found->{differences} } ], ['inventory'],
        'JSON: the boot line alone differs';
    is_deeply $found->{absent}[0],
        {
        section => 'vector',
        boards  => ['B'],
        reason  => 'its boot line chooses vectors (only=access.counter.0)',
        names   => [ @all[ 1 .. 9 ] ]
        },
        'JSON: what is absent, and why';
    my $failing = log_file(
        'one-failed', '1..2',
        '# boot line: pmuproof.elf',
        'ok 1 - access.counter.0',
        'not ok 2 - access.counter.1',
        '# 1 passed, 1 failed, 0 skipped of 2',
        'END fail'
    );
    like compare(undef, $failing,
        $log->('fewer', ['# boot line: pmuproof.elf only=access.counter.0'], $all[0]))->{out},
        qr/^  access\.counter\.1 +failed +absent$/m, 'a failure is told all the same';
};

subtest 'a log of the image, and one in which an event is silent' => sub {
    my ($sound, $silent) = map { $_->{out} } p4sim($ELF, 'only=reach.both-escrs');
    $silent = $sound =~ s/^(# number BSQ_cache_reference [^\r]* on counter 0: )\d+/${1}0/mr;
    my @lines =
        map { s/\A((?:not )?ok .*|# soak .*) #[0-9A-F]{4}\z/$1/r =~ s/\A# END OF TAP: (\w+).*/END $1/r }
        split /\r\n/, document($silent);
    my $run =
        compare(undef, log_file('sounding', document($sound)), log_file('silent', @lines[ 1 .. $#lines ]));
    ends($run, 1, 'the silent event is a difference',
        out =>
            qr/\n\nNumbers\n  BSQ_cache_reference of 200 occurrences on counter 0\s+\(reach\.both-escrs\)\s+went\s+silent\s+on\s+B:\s+[12]\d\d\s+on\s+A,\s+0\s+on\s+B\.\n\nNo run/
    );
    my $numbers = () = $sound =~ /^# number /mg;
    is
        scalar
        @{ JSON::PP->new->decode(tool(1, 'tools/pmulog', 'sheet', '--json', "$dir/sounding")->{out})
            ->{numbers} }, $numbers, 'pmulog reads each number of the log';
    cmp_ok $numbers, '>', 0, 'and there are some';
};

subtest 'logs that are not whole' => sub {
    my $text = checked(@$SEVERAL);
    my $cut = log_file('cut', substr $text, 0, index $text, 'ok 4');
    my $torn = log_file('torn', $text =~ s/start level/start leve1/r);
    for my $case ([ $cut, 'incomplete' ], [ $torn, 'damaged' ]) {
        my ($name, $verdict) = @$case;
        my $run = compare(qr/\Apmulog: \Q$name\E, boot 1 is $verdict: .+\n\z/, $soaked, $name);
        ends($run, 2, "$verdict: status, the verdicts", out => qr/^  +fail +$verdict$/m);
        unlike $run->{out}, qr/^Characterisation/m, 'what a log that is not whole lacks is no difference';
    }
    my $other = log_file('other', map { s/\(level\)/(latch)/r } @$SEVERAL);
    like compare(qr/incomplete/, $soaked, $other, $cut)->{out},
        qr/A: .*\(level\)\n    B: .*\(latch\)\n    C: not in the log$/m,
        'beside a difference of others it says so';
    my $empty = log_file('empty', "BIOS\r\n");
    is compare(qr/\Apmulog: there is no log in \Q$empty\E: no line 'TAP version 13'\n\z/, $soaked, $empty)
        ->{status}, 2, 'a file without a log';
    is compare(qr/\Apmulog: cannot read \S+none: No such file/, $soaked, "$dir/none")->{status}, 2,
        'a file that is not there';
    is compare(qr/\Apmulog: there is no boot 2 in \Q$soaked\E: it holds 1\n/, '--boot', 2, $soaked, $soaked)
        ->{status}, 2, 'a boot that is not there';
};

done_testing;
