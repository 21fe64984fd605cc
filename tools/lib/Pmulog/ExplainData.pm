# What `pmulog explain` gives to programs (docs/pmulog-formats.md): the findings of Pmulog::Findings without the sentences.
package Pmulog::ExplainData;

use strict;
use warnings;
use Pmulog::Data qw(bool);
use Pmulog::Findings;
use Pmulog::Run;

# The members of the JSON object.
sub members {
    my ($found) = @_;
    my $run = $found->{run};
    my ($first) = @{ $found->{failed} };
    my $likely = $first ? Pmulog::Findings::likely($found) : { rules => [], unknown => 0 };
    return {
        %{ Pmulog::Run::record($run) },
        points                => scalar @{ $run->{points} },
        notes                 => [ Pmulog::Findings::read_first($found) ],
        not_run               => [ map { { reason => $_->{reason}, vectors => $_->{ids} } } @{ $found->{skipped} } ],
        families              => [ map { { family => $_->{name}, ran => $_->{all}, failed_vectors => [ map { $_->{id} } @{ $_->{failed} } ] } } @{ $found->{families} } ],
        failed_in_later_loops => [ map { { vector => $_->{id}, first_loop => $_->{loop} + 0 } } @{ $found->{later} } ],
        first_failure         => $first ? failure($found, $first) : undef,
        rules                 => [ map { rule($_) } @{ $likely->{rules} } ],
        passed_vectors_known  => bool($found->{known}),
        unknown_vectors       => $likely->{unknown},
        repeat                => Pmulog::Findings::boot_words($found),
    };
}

sub failure {
    my ($found, $point) = @_;
    my $failure = Pmulog::Findings::failure($found, $point);
    my %pair = Pmulog::Run::diagnosis($point);
    return {
        vector => $point->{id}, title => $point->{title}, map({ $_ => $pair{$_} } qw(what expected observed)), fields_that_differ => $failure->{differ},
        also => $failure->{also}, more => $failure->{more},
        registers => [ map { { register => $_->{name}, value => $_->{value}, title => $_->{title}, fields => $_->{fields} } } Pmulog::Findings::registers($found, $point) ],
    };
}

sub rule {
    my ($rule) = @_;
    return { rule => $rule->{rule}, map({ $_ => $rule->{entry} ? $rule->{entry}{$_} : undef } qw(title text manual certainty)), failed_vectors => $rule->{failed},
        passed_vectors => $rule->{passed} };
}

# A row of CSV for each rule, with what all rows share, below the heading.
sub rows {
    my ($members) = @_;
    my @shared = (@{$members}{qw(file boot verdict)}, ($members->{first_failure} // {})->{vector}, $members->{repeat});
    my $rank = 0;
    return [ qw(file boot verdict first_failure repeat rank rule title manual certainty failed_vectors passed_vectors) ],
        map { [ @shared, ++$rank, @{$_}{qw(rule title manual certainty)}, scalar @{ $_->{failed_vectors} }, $_->{passed_vectors} ] } @{ $members->{rules} };
}

1;
