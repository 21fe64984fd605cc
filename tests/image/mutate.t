#!/usr/bin/perl
# tools/mutate: the text of each mutant is in its source exactly once, mistakes in the list are named, and mutants that a host
# test notices or overlooks are reported as such. `make mutate` tries them all.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run spew one_line);

my $dir = File::Temp->newdir;

sub mutate { return run(20, 'tools/mutate', @_) }

# A list of mutants of its own.
my $lists = 0;
sub list { return ('--mutants', spew("$dir/list" . ++$lists . '.mut', join "\n", @_, '')) }

my @GOOD = (
    'mutant once',
    'file   tests/suite/observe.c',
    'why    A single measurement decides.',
    '-     } while (tries < OBSERVE_MOST && !decided(times, distinct, best));',
    '+     } while (!tries);',
    'notice host suite/observe_test',
);
my @UNSEEN = (
    'mutant blank',
    'file   tests/suite/observe.c',
    'why    Nothing changes.',
    '-     unsigned distinct = 0, best = 0, tries = 0;',
    '+     unsigned distinct = 0, best = 0, tries = 0u;',
    'notice host suite/observe_test',
);

subtest 'the list' => sub {
    my $run = mutate('--list');
    is $run->{status}, 0, 'every text is in its source exactly once' or diag $run->{err};
    my ($mutants) = $run->{out} =~ /^(\d+) mutants\n\z/m;
    cmp_ok $mutants // 0, '>=', 140, 'number of mutants';
};

subtest 'mistakes are named' => sub {
    my @mistakes = (
        [ 'a name that is not there' => qr/no mutant is called nonsense/, 'build', 'nonsense' ],
        [ 'a text that is gone' => qr/\(once\): its text is in \S+ 0 times, not once/, list(map { s/tries < //r } @GOOD) ],
        [ 'a text that is there twice' => qr/\(once\): its text is in \S+ [2-9] times/, list(map { s/^-.*/- tries/r } @GOOD) ],
        [ 'no reason' => qr/\(once\): 'why' is missing/, list(grep { !/^why/ } @GOOD) ],
        [ 'nothing to notice it' => qr/\(once\): nothing is to notice it/, list(grep { !/^notice/ } @GOOD) ],
        [ 'an unknown word' => qr/list\d\.mut:6: not understood: notice hots/, list(map { s/host/hots/r } @GOOD) ],
        [ 'no list' => qr/nonsense\.mut: No such file/, '--mutants', "$dir/nonsense.mut" ],
        [ 'a name twice' => qr/two mutants once/, list(@GOOD, @GOOD) ],
    );
    for my $mistake (@mistakes) {
        my ($what, $says, @arguments) = @$mistake;
        my $run = mutate(@arguments, '--list');
        is $run->{status}, 2, "$what: status 2";
        like $run->{err}, $says, 'and says so';
        ok one_line($run->{err}), 'on one line';
    }
};

# The same mutant under another name.
sub called { my ($name, @mutant) = @_; return map { s/^mutant .*/mutant $name/r } @mutant }

subtest 'noticed, survived, equivalent' => sub {
    my @same = called('same', @UNSEEN, 'equivalent 0 and 0u are the same.');
    my $run = mutate(list(@GOOD, @same));
    is $run->{status}, 0, 'one is noticed, and one that is called equivalent may survive' or diag $run->{out}, $run->{err};
    like $run->{out}, qr{^once +host suite/observe_test: \w+$}m, 'which test noticed the first';
    like $run->{out}, qr/^same +equivalent: 0 and 0u are the same\.$/m, 'the reason of the second';

    $run = mutate(list(@UNSEEN, called('not-the-same', @GOOD, 'equivalent It is not.'),
        called('nonsense', map { s/^\+.*/+ } while (nonsense);/r } @GOOD)));
    is $run->{status}, 1, 'status 1, because three are wrong';
    like $run->{out}, qr/^blank +SURVIVED/m, 'one survived';
    like $run->{out}, qr/^not-the-same +WRONG: is called equivalent, but: host/m, 'one was noticed that is called equivalent, by what';
    like $run->{out}, qr/^nonsense +BROKEN: it does not build: .*nonsense/m, 'one does not build';
    like $run->{out}, qr/^3 mutants: 0 noticed, 0 equivalent, 1 survived, 1 broken, 1 called/m, 'totals';
};

done_testing;
