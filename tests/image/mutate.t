#!/usr/bin/perl
# tools/mutate: the text of each mutant of the list is in its source exactly once, mistakes in the list are
# named, the same seed draws the same mutants, and what notices a mutant is reported. `make mutate` tries the
# list and draws others.
use lib 'tests/image';
use ImageTest;

sub mutate { return run(20, 'tools/mutate', @_) }

# A list of mutants of its own, and none that is drawn.
my $lists = 0;
sub list { return ('--count', 0, '--mutants', file('list' . ++$lists . '.mut', join "\n", @_, '')) }

my @GOOD = (
    'mutant once tests/suite/repeat.c',
    '-     for (unsigned run = 0; run < REFERENCE_RUNS; run++) {',
    '+     for (unsigned run = 0; run < 1; run++) {',
    'notice host suite/repeat_test',
);

subtest 'the list' => sub {
    my $run = mutate('--list', '--count', 0);
    ends(
        $run, 0,
        'every text is in its source exactly once, number of mutants',
        out => qr/^[1-9]\d mutants\n\z/m
    );
};

subtest 'mistakes are named' => sub {
    my @mistakes = (
        [ 'a name that is not there' => qr/no mutant is called nonsense/, 'build', 'nonsense' ],
        [
            'a drawn one that is not there' => qr/no mutant is called pmc/,
            'build', 'pmc/netburst/setup.c:1:call.1'
        ],
        [
            'a text that is gone' => qr/\(once\): its text is in \S+ 0 times, not once/,
            list(map { s/run < REF/REF/r } @GOOD)
        ],
        [
            'a text that is there twice' => qr/\(once\): its text is in \S+ [2-9] times/,
            list(map { s/^-.*/- taken > most/r } @GOOD)
        ],
        [ 'nothing to notice it' => qr/\(once\): nothing is to notice it/, list(grep { !/^notice/ } @GOOD) ],
        [
            'an unknown word' => qr/list\d\.mut:4: not understood: notice hots/,
            list(map { s/host/hots/r } @GOOD)
        ],
        [ 'no list'      => qr/nonsense\.mut: No such file/, '--mutants', "$dir/nonsense.mut" ],
        [ 'a name twice' => qr/\(once\): two mutants have this name/, list(@GOOD, @GOOD) ],
    );
    for my $mistake (@mistakes) {
        my ($what, $says, @arguments) = @$mistake;
        my $run = mutate('--list', @arguments);
        ends($run, 2, "$what: status 2, says so", err => $says);
        ok one_line($run->{err}), 'on one line';
    }
};

subtest 'drawn' => sub {
    my ($first, $again) = map { mutate(qw(--list --seed 5 --count 60))->{out} } 1, 2;
    is $first, $again, 'the same seed draws the same';
    my ($one, $other) =
        map { mutate(qw(--list --count 60 --room pmc --seed), $_)->{out} =~ s/^seed \K./N/r } 5, 6;
    isnt $one, $other, 'another seed others';
    like $first, qr/^seed 5\n/, 'the seed is printed';
    like $first, qr{^\Q$_\E[^:\s]*:\d+:\w+\.\d+ }m, "one of $_"
        for qw(kernel/ pmc/ tests/suite/ tests/vectors/ sim/ tools/);
    my @sim =
        mutate('--list', '--mutants', (list(@GOOD))[3], qw(--count 5 --room sim))->{out} =~ /^(\S+):\d+:/mg;
    is scalar(grep { m{\Asim/} } @sim), 5, 'or of one room';
    my ($name) = $first =~ /^(\S+:\d+:\S+)/m;
    like mutate('--list', 'build', $name)->{out}, qr/\A\Q$name\E .*\n1 mutants\n\z/, 'a name is enough';
};

# The same mutant under another name.
sub called {
    my ($name, @mutant) = @_;
    return map { s/^mutant \S+/mutant $name/r } @mutant;
}

subtest 'noticed, not noticed, broken' => sub {
    my @blank = (
        'mutant blank tests/suite/repeat.c',
        '- unsigned taken = measure(arg);',
        '+ unsigned int taken = measure(arg);',
        'notice host suite/repeat_test'
    );
    my $run =
        mutate(list(@GOOD, @blank, called('nonsense', map { s/^\+.*/+     for (; nonsense;) {/r } @GOOD)));
    is $run->{status}, 1, 'status 1, because two of the list are not noticed' or diag $run->{err};
    like $run->{out},
        qr{^once +host suite/repeat_test: \w+\n    -    for \(.*REFERENCE_RUNS.*\n    \+    for \(.*run < 1;.*\n}m,
        'what noticed the first, and its lines';
    like $run->{out}, qr/^blank +UNNOTICED/m, 'one is not noticed';
    like $run->{out}, qr/^nonsense +BROKEN: it does not build: .*nonsense/m, 'one does not build';
    like $run->{out}, qr/^the list +1 BROKEN, 1 UNNOTICED, 1 noticed\n\z/m, 'totals';
};

done_testing;
