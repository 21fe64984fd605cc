# Ranks the rules that may explain the failures of a run, the likeliest first (docs/read-a-log.md, "How the rules are ranked").
#
# 1. Vectors with equal rules are one group, so that 17 cascades that fail alike have one voice.
# 2. A failed vector gives its voice to the rules that the words of its failed expectations are about (Pmulog::Symptoms),
#    and the rest of it, or all if the words say nothing, to the rules that it names, in equal parts.
# 3. What rests on something broken fails as well. So groups are in layers, and each failing layer has less weight than the
#    one below it.
# 4. A rule that other vectors checked and found right is less likely.
package Pmulog::Ranking;

use strict;
use warnings;
use Exporter qw(import);
use Pmulog::SideEffects qw(side_effects);
use Pmulog::Symptoms qw(expectations suspects uncleared);

our @EXPORT_OK = qw(rank);

# Found on 45 faults of the catalogue; the outcome hardly depends on them (docs/read-a-log.md).
our %WEIGHT = (
    words  => 0.8,    # the part of a voice that goes to the rules that the words are about
    silent => 0.3,    # the voice of a vector whose words say nothing
    layer  => 0.4,    # the weight of a failing layer relative to the one below it
    part   => 0.3,    # the power to which the failed part of a group is raised: 1 of 17 is more than a 17th
    passed => 0.3,    # the power to which the failed part of a rule's vectors is raised
);

# What rests on what: the first row whose pattern an id begins with. Layer 0 needs no counting, layer 1 nothing but counting.
my @LAYERS = (
    [ qr/access\.(?:sibling\.work|rdpmc\.effects|running|features|neighbours)/, 2 ],
    [ qr/access\.|state\.(?:cccr|counter|escr|pebs)\z/,                         0 ],
    [ qr/count\.(?:several|all|undisturbed|long)\z/,                            2 ],
    [ qr/value\.members\z/,                                                     3 ],
    [ qr/(?:count|reach)\./,                                                    1 ],
    [ qr/(?:value|overflow|filter|qualify|event|lvtpc\.storage)\b/,             2 ],
    [ qr/pairs\b/,                                                              4 ],
    [ qr//,                                                                     3 ],
);

sub layer {
    my ($id) = @_;
    my ($row) = grep { $id =~ /\A$_->[0]/ } @LAYERS;
    return $row->[1];
}

# points: of Pmulog::Run; known: the rules of vectors that passed, by id; about: { independent }, see Pmulog::Conditions;
# left_out: rules that do not concern this machine, as keys. Returns [{ rule, score, failed (ids), checked (how many
# vectors that ran check it) } ...], the likeliest first.
sub rank {
    my ($points, $known, $about, $left_out) = @_;
    my $run = { %$about, passed => { map { $_->{id} => 1 } grep { $_->{ok} && !defined $_->{skip} } @$points } };
    my @failed = grep { !$_->{ok} } @$points;
    $run->{failed} = { map { $_->{id} => [ expectations($_) ] } @failed };
    my @all = map { @$_ } values %{ $run->{failed} };
    $run->{alone} = { map { $_ => 1 } map { $_->{what} =~ /\AOVF of counter (\d+) from/ } @all };
    $run->{other_bits} = other_bits(@all);
    $run->{explained} = '';
    my %named = map { $_->{id} => [ split ' ', $_->{rules} // '' ] } @failed;
    my ($proved, $explained) = side_effects($run->{failed}, $run->{passed}, sub {
        my ($expectation, $id) = @_;
        my ($meant) = suspects($expectation, { %$run, expectations => $run->{failed}{$id} }, @{ $named{$id} });
        return @$meant == 1 ? $meant->[0] : undef;
    });
    $run->{explained} = $explained // '';
    my (%group, %failed, %checked);
    for my $point (grep { !defined $_->{skip} } @$points) {
        my @named = grep { !$left_out->{$_} } defined $point->{rules} ? split(' ', $point->{rules}) : @{ $known->{ $point->{id} } || [] };
        next if !@named;
        $checked{$_}++ for @named;
        push @{ $failed{$_} }, $point->{ok} ? () : $point->{id} for @named;
        next if uncleared($point);
        my $layer = layer($point->{id});
        my $group = $group{"$layer @named"} //= { rules => \@named, layer => $layer, failed => 0, all => 0, voice => {} };
        $group->{all}++;
        next if $point->{ok};
        $group->{failed}++;
        my $voice = voice($point, $run, @named);
        $group->{voice}{$_} += $voice->{$_} for keys %$voice;
    }
    # A register that keeps a bit fails every vector, and what it says about its rule counts once.
    for my $rule (grep { defined } map { uncleared($_) } @failed) {
        $group{"uncleared $rule"} = { rules => [$rule], layer => 0, failed => 1, all => 1, voice => { $rule => 1 } };
    }
    $group{"proved $proved"} = { rules => [$proved], layer => 0, failed => 1, all => 1, voice => { $proved => 1 } } if defined $proved;
    my $score = scores(map { $group{$_} } sort keys %group);
    return [ map { { rule => $_, score => $score->{$_}, failed => $failed{$_}, checked => $checked{$_} } }
            sort { $score->{$b} <=> $score->{$a} || $a cmp $b } grep { @{ $failed{$_} || [] } } keys %$score ];
}

# True if one of the four bits of an ESCR counts nothing and another does: for LP0 and LP1, or at CPL 0 and 3.
sub other_bits {
    my (@expectations) = @_;
    my %dead;
    for my $expectation (@expectations) {
        $dead{$1}{LP0} = 1 if $expectation->{what} =~ /of LP0 by its own bits of (MSR_\w+)\z/ && ($expectation->{observed} // '') eq '0';
        $dead{$1}{LP1} = 1 if $expectation->{what} =~ /of LP1 by its own bits of (MSR_\w+), against/ && ($expectation->{observed} // '0') ne '0';
        $dead{$1}{$2} = 1 if $expectation->{what} =~ /on (MSR_\w+) at (CPL [03]) of LP0, ESCR\[3:0\] = [48]H: 0 not fewer/;
    }
    return scalar grep { $_->{LP0} && $_->{LP1} || $_->{'CPL 0'} && !$_->{'CPL 3'} } values %dead;
}

# The part of a failed vector's voice that each rule gets. The first expectation has half of it, the others share the rest.
sub voice {
    my ($point, $run, @named) = @_;
    my @found = expectations($point);
    my %voice;
    for my $i (0 .. $#found) {
        my $share = @found == 1 ? 1 : $i == 0 ? 0.5 : 0.5 / $#found;
        my ($meant, $elsewhere) = suspects($found[$i], { %$run, expectations => \@found }, @named);
        my $words = @$meant ? $WEIGHT{words} : 0;
        $share *= $elsewhere ? 1 - $WEIGHT{words} : $WEIGHT{silent} if !@$meant;
        $voice{$_} += $share * $words / @$meant for @$meant;
        $voice{$_} += $share * (1 - $words) / @named for @named;
    }
    return @found ? \%voice : { map { $_ => $WEIGHT{silent} / @named } @named };
}

sub scores {
    my (@groups) = @_;
    my (%layer, %support, %hit, %ran);
    for my $group (grep { $_->{failed} } @groups) {
        $group->{part} = ($group->{failed} / $group->{all})**$WEIGHT{part};
        $layer{ $group->{layer} } += $group->{part};
    }
    my @failing = sort { $a <=> $b } keys %layer;
    my %above   = map { $failing[$_] => $_ } 0 .. $#failing;
    for my $group (@groups) {
        my $size = 1 / @{ $group->{rules} };    # a vector that names many rules says little of each
        $ran{$_} += $size for @{ $group->{rules} };
        next if !$group->{failed};
        $hit{$_} += $size * $group->{part} for @{ $group->{rules} };
        my $weight = $WEIGHT{layer}**$above{ $group->{layer} } * $group->{part} / $layer{ $group->{layer} };
        $support{$_} += $weight * $group->{voice}{$_} / $group->{failed} for keys %{ $group->{voice} };
    }
    return { map { $_ => $support{$_} * ($hit{$_} / $ran{$_})**$WEIGHT{passed} } keys %support };
}

1;
