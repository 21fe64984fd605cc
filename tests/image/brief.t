#!/usr/bin/perl
# The boot word brief: the points and the verdict of the full log, failures with all that is said of them, the
# sheet, and nothing else of what passed. Such a log is a sound document like any other; readers.t gives one
# to other readers of TAP.
use lib 'tests/image';
use ImageTest;
use Pmulog::Run;

# What a failure is understood with (docs/log.md), as far as the machine has it.
my @KEPT = (
    'build', 'version', 'boot line', 'processor', 'microcode', 'threads',
    'pmu at boot', 'errata', 'log file'
);

# A run's log as Pmulog::Run reads it, and its bytes.
sub logged ($name, @arguments) {
    my $bytes = p4sim(@arguments)->{out};
    return (Pmulog::Run::load(file($name, $bytes), 'last'), $bytes);
}

sub outcomes ($run) {
    return [ map { join ' ', $_->{number}, Pmulog::Run::outcome($_), $_->{id}, $_->{skip} // '' }
            @{ $run->{points} } ];
}

for my $case (
    [
        'a run that passes',
        'pass', $ELF, 'only=state,access.escr,cascade,tag,probe.cascade,probe.tag,probe.cost,probe.erratum'
    ],
    [
        'a run that fails',
        'fail', '--board', 'counter-dead:12', $ELF, 'only=state,access,tag,cascade.18-2,probe.cascade',
        'skip=access.drawn'
    ],
    )
{
    my ($title, $verdict, @arguments) = @$case;
    subtest $title => sub {
        my ($full, $long) = logged('full', @arguments);
        my ($run, $short) = logged('brief', @arguments, 'brief');
        is $full->{verdict}, $verdict, 'the full log';
        is $run->{verdict}, $verdict, 'pmulog judges the brief log alike' or diag $run->{why};
        is_deeply outcomes($run), outcomes($full), 'the same points';
        is_deeply [ map { $_->[0] } @{ $run->{sheet} } ], [ map { $_->[0] } @{ $full->{sheet} } ],
            'the same questions of the sheet';
        is_deeply [ map { $_->[0] } @{ $run->{inventory} } ], \@KEPT, 'a short inventory';
        unlike $short, qr/^#> /m, 'no announcement';
        my @said = grep { $_->{ok} && @{ $_->{comments} } } @{ $run->{points} };
        is_deeply [ map { $_->{id} } @said ], [], 'no comment on what passed';
        my %comments = map { $_->{id} => scalar @{ $_->{comments} } } grep { !$_->{ok} } @{ $full->{points} };
        is_deeply {
            map { $_->{id} => scalar @{ $_->{comments} } } grep { !$_->{ok} } @{ $run->{points} }
        }, \%comments, 'all comments on what failed';
        cmp_ok scalar(grep { $_ } values %comments), '>', 0, 'of which there are some' if $verdict eq 'fail';
        cmp_ok length $short, '<', ($verdict eq 'pass' ? 0.65 : 0.9) * length $long, 'it is shorter';
    };
}

subtest 'other words beside it' => sub {
    my ($full) = logged('full', $ELF, 'only=state.cccr');
    my $keys = @{ $full->{inventory} };
    my ($verbose) = logged('verbose', $ELF, qw(brief verbose only=state.cccr));
    is scalar @{ $verbose->{inventory} }, $keys, 'verbose wins if it comes last';
    my ($inventory) = logged('inventory', $ELF, qw(brief inventory));
    is scalar @{ $inventory->{inventory} }, $keys, 'inventory prints all of it';
    my ($none) = logged('none', '--board', 'msr-zero', $ELF, qw(brief list));
    my ($listed) = logged('listed', '--board', 'msr-zero', $ELF, 'list');
    is scalar @{ $none->{inventory} }, scalar @{ $listed->{inventory} },
        'list prints all of it where there is no PMU';
    my ($soak, $bytes) = logged('soak', $ELF, qw(brief loop=2 selftest=late only=state));
    is $soak->{verdict}, 'fail', 'a soak' or diag $soak->{why};
    like $bytes, qr/^# soak loop 2: not ok - selftest\.late .*\n#   title: /m,
        'says what fails in a later loop';
};

done_testing;
