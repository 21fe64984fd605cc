# Which rules explain the failures of a run: by the rules that its failed expectations name, against those
# that its other expectations name (docs/log-reference.md, "How the rules are ranked").
#
# 1. The expectations of a family that name the same rules are one group, so that 17 cascades that fail alike
#    have one voice.
# 2. An expectation names its most specific rule first. Each further one has half the voice of the one before
#    it. Further failures of one vector may follow from its first one, and count less.
# 3. What rests on something broken fails as well. So groups are in layers (docs/pmu-rules.md, section 5), and
#    each failing layer has less weight than the one below it. A group is in the highest layer of its rules,
#    unless its family has a layer of its own.
# 4. What an expectation names may rest on a rule that it does not name (section 5.10). That rule has a part
#    of the voice of the one that is named, and nearly all of it if another failed expectation names it first.
# 5. A rule that other expectations checked and found right is less likely, and one that not all failed
#    vectors name or rest on. That counts less for a rule of the lowest failing layer that only one failed
#    vector names, and first: the others may rest on it.
# 6. A rule that failures name is likelier if all of them need what it is about. If they are courses, the rule of a field of
#    the CCCR is suspected even if nothing names it.
# 7. What should change nothing in a counter, and without which courses do not go wrong, is suspected: HLT, a change of the
#    privilege level, INIT, a read. An expectation names what was disturbed.
# 8. If vectors of the harness find the local APIC broken by itself, nothing is likelier than LVTPC (R50).
package Pmulog::Ranking;

use v5.36;
use Exporter qw(import);
use List::Util qw(max);

our @EXPORT_OK = qw(broken scores);

# The ranking hardly depends on these numbers (docs/log-reference.md).
our %WEIGHT = (
    layer    => 0.4,     # the weight of a failing layer relative to the one below it
    position => 0.5,     # the voice of a rule relative to the one that is named before it
    part     => 0.5,     # the power to which the failed part of a group is raised: 1 of 17 is more than a 17th
    later    => 0.4,     # the voice of the further failures of a vector: they may follow from its first one
    passed   => 0.5,     # the power to which the failed part of a rule's groups is raised
    needed   => 3,       # the voice of a rule about what all failures need
    alone    => 0.35,    # the power for a rule of the lowest failing layer that one vector alone names
    below    => 0.7,     # the voice of a rule relative to the one that rests on it and is named
    twice    => 0.85,    # the same if a failed expectation names the lower rule first
    field    => 0.8,     # the least score of the rule of a field that all courses need, relative to the best one
    act      => 3,       # the score of the rule of an act that all failed courses need, relative to the best one
);

# The rules that are about what failed vectors need (`setting`).
my %ABOUT = (
    'ACTIVE_THREAD' => ['R18'],
    'CASCADE'       => ['R34'],
    'EDGE'          => ['R23'],
    'ESCR-select'   => ['R17'],
    'FORCE_OVF'     => ['R31'],
    'HLT'           => ['R42'],
    'INIT'          => ['R1'],
    'RDPMC'         => [qw(R57 R60)],
    'bit-11'        => ['R35'],
    'tags'          => ['R15'],
    map({ $_ => ['R22'] } qw(COMPARE COMPLEMENT THRESHOLD)),
    map({ $_ => [qw(R12 R13 R11)] } qw(OS-alone USR-alone T1-alone no-flags CPL-1-to-3))
);

# The fields of the CCCR that nothing but their rule is about.
my %FIELD = map { $_ => 1 } qw(ACTIVE_THREAD COMPARE COMPLEMENT EDGE ESCR-select THRESHOLD);

# A course goes on until something is wrong, and then without what it does not need for that.
my $COURSE = qr/\Acourse\./;

# The vectors of the harness that try the local APIC without the PMU.
my $APIC = qr/\Aharness\.(?:apic\.|second\.lvtpc\z)/;

# The rules of each failed expectation of a point of Pmulog::Run: [rules] ... A register that does not clear
# counts as one. Where OVF alone is wrong in a CCCR, that is what R29 is about.
sub broken ($point) {
    my @sets;
    my %of = map { @$_ } reverse @{ $point->{values} };
    my ($subject, $due, $seen) = map { $_ // '' } @of{qw(what expected observed)};
    my $ovf = grep { $_->[0] =~ /_CCCR\d\z/ && $_->[1] eq '80000000H' } @{ $point->{values} };
    for my $pair (@{ $point->{values} }) {
        my ($key, $value) = @$pair;
        push @sets,
              only_ovf(@of{qw(register expected observed)}) ? $value =~ s/\A(\w+)(?!.*R29)/$1 R29/r
            : is_other_lvtpc($subject, $due, $seen)         ? of_fields($value)
            : $value
            if $key eq 'breaks';
        push @sets, is_other_lvtpc($1, $3, $2) ? of_fields($4) : $4
            if $key eq 'also'
            && $value =~ /\A(.*?)(?: = (\S+), not (\S+))? \[((?:[A-Z]+\d+|MP)(?: (?:[A-Z]+\d+|MP))*)\]\z/;
        push @sets, hex $1 <= 0x11 ? 'R4' : $ovf ? 'R29 R3' : 'R3'
            if $value =~ /\Aregister 3([0-9A-F]{2})H does not clear/;
    }
    return map { [ split ' ' ] } grep { /\S/ } @sets;
}

# Do two values of a CCCR differ in bit 31 alone?
sub only_ovf ($register, $due, $seen) {
    return
           ($register // '') =~ /_CCCR\d\z/
        && substr($due, 1) eq substr($seen, 1)
        && abs(hex(substr $due, 0, 1) - hex substr $seen, 0, 1) == 8;
}

# Do two values of LVTPC differ in another bit than that of the mask? R51 is about the mask, R50 about all fields.
sub is_other_lvtpc ($what, $due, $seen) {
    return
           ($what // '') =~ /\ALVTPC\b/
        && 2 == grep({ ($_ // '') =~ /\A[0-9A-F]{8}H\z/ } $due, $seen)
        && (hex(substr $due, 0, 8) ^ hex substr $seen, 0, 8) & ~0x10000;
}

# The rules with R50 as the first one.
sub of_fields ($rules) {
    return join ' ', 'R50', grep { $_ ne 'R50' } split ' ', $rules;
}

# The scores of rules that the failures suggest: { rule => number }. points: of Pmulog::Run, without skipped
# ones; held: { id => [ [rules] ... ] }, what the expectations of a vector name; family: a function of an id;
# left_out: rules that do not concern this machine, as keys; page: docs/pmu-rules.md as Pmulog::Rules reads it;
# of_acts: of Pmulog::Findings::of_acts().
sub scores ($points, $held, $family, $left_out, $page, $of_acts = {}) {
    my %group;
    my $layers = $page->{layers};
    my $top = max(0, values %$layers);    # the layer of a rule that only another version knows
    my %first;                            # the rules that failed expectations name first
    for my $point (@$points) {
        my @broken = map { "@$_" } $point->{ok} ? () : broken($point);
        my %failed = map { ($_ => $_ eq $broken[0] ? 1 : $WEIGHT{later}) } @broken;
        my %named = (%failed, map { ("@$_" => 1) } @{ $held->{ $point->{id} } || [] });
        for my $set (keys %named) {
            my @rules = judged($left_out, split ' ', $set) or next;
            my $name = $family->($point->{id});
            my $group = $group{"$name: @rules"} //= {
                rules  => \@rules,
                layer  => $layers->{$name} // max(map { $layers->{$_} // $top } @rules),
                failed => 0,
                all    => 0
            };
            $group->{all}++;
            $group->{failed} += $failed{$set} // 0;
            $first{ $rules[0] } = 1 if $failed{$set};
        }
    }
    my $voices = sub (@rules) { return voices($page->{rests}, \%first, judged($left_out, @rules)) };
    my @failed = grep { !$_->{ok} } @$points;
    my ($lowest) = sort { $a <=> $b } map { $_->{failed} ? $_->{layer} : () } values %group;
    my $score = common(
        added($voices, map { $group{$_} } sort keys %group), $voices,
        sub ($rule) { ($layers->{$rule} // $top) == ($lowest // $top) }, @failed
    );
    my @needed = needed(@failed);
    my $of_field = $WEIGHT{field} * max(0, values %$score);
    $score->{$_} *= $WEIGHT{needed} for grep { exists $score->{$_} } map { @{ $ABOUT{$_} || [] } } @needed;
    $score->{$_} = max($of_field, $score->{$_} // 0)
        for map { $FIELD{$_} ? @{ $ABOUT{$_} } : () } grep({ $_->{id} !~ $COURSE } @failed) ? () : @needed;
    my $best = max(0, values %$score);
    $score->{$_} = ($score->{$_} // 0) + $WEIGHT{act} * $best * $of_acts->{$_}
        for grep { !$left_out->{$_} } sort keys %$of_acts;
    $score->{R50} = max(1, map { $_ * 1.01 } values %$score) if grep { $_->{id} =~ $APIC } @failed;
    return $score;
}

# Of the words that an expectation names the rules that concern this machine.
sub judged ($left_out, @words) {
    return grep { !$left_out->{$_} && /\A(?:R\d|E\d|MP)/ } @words;
}

# The voices that an expectation gives to the rules that it names, in their order, and to those that they rest
# on: { rule => number }. first: rules that failed expectations name first, as keys.
sub voices ($rests, $first, @rules) {
    my ($voice, %voice) = (1);
    for my $rule (@rules) {
        $voice{$rule} = max($voice, $voice{$rule} // 0);
        $voice *= $WEIGHT{position};
    }
    my %below;
    for my $rule (keys %voice) {
        for my $lower (@{ $rests->{$rule} || [] }) {
            my $part = $voice{$rule} * $WEIGHT{ $first->{$lower} ? 'twice' : 'below' };
            $below{$lower} = max($part, $below{$lower} // 0);
        }
    }
    $voice{$_} = max($below{$_}, $voice{$_} // 0) for keys %below;
    return \%voice;
}

# What all failures need that say what they need, if there are several.
sub needed (@failed) {
    my ($all, %times) = (0);
    for my $point (@failed) {
        my @words = map { $_->[0] eq 'setting' ? split(' ', $_->[1]) : () } @{ $point->{values} } or next;
        $all++;
        $times{$_}++ for @words;
    }
    return grep { $all > 1 && $times{$_} == $all } sort keys %times;
}

# The scores, each times the part of the failed vectors whose failed expectations give the rule a voice; a root of that for
# a rule of the lowest layer that one vector alone names, and names first. is_lowest: a function of a rule.
sub common ($score, $voices, $is_lowest, @failed) {
    my ($all, %named, %first) = (0);
    for my $point (@failed) {
        my @broken = broken($point) or next;
        $all++;
        $named{$_}++ for keys %{ { map { %{ $voices->(@$_) } } @broken } };
        $first{ $broken[0][0] } = 1;
    }
    my $part = sub ($rule) {
        my $named = $named{$rule} // 0;
        return ($named / $all)**($is_lowest->($rule) && $first{$rule} && $named == 1 ? $WEIGHT{alone} : 1);
    };
    return { map { $_ => $score->{$_} * $part->($_) } keys %$score };
}

# The scores of all groups together. voices: a function of the rules of a group.
sub added ($voices, @groups) {
    my (%layer, %support, %hit, %all);
    for my $group (grep { $_->{failed} } @groups) {
        $group->{part} = ($group->{failed} / $group->{all})**$WEIGHT{part};
        $layer{ $group->{layer} } += $group->{part};
    }
    my @failing = sort { $a <=> $b } keys %layer;
    my %above = map { $failing[$_] => $_ } 0 .. $#failing;
    for my $group (@groups) {
        my $voice = $voices->(@{ $group->{rules} });
        $all{$_} += $voice->{$_} for keys %$voice;
        next if !$group->{failed};
        my $weight = $WEIGHT{layer}**$above{ $group->{layer} } * $group->{part} / $layer{ $group->{layer} };
        for my $rule (keys %$voice) {
            $hit{$rule}     += $voice->{$rule} * $group->{part};
            $support{$rule} += $voice->{$rule} * $weight;
        }
    }
    return { map { $_ => $support{$_} * ($hit{$_} / $all{$_})**$WEIGHT{passed} } keys %support };
}

1;
