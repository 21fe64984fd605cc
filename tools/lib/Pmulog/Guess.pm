# What the words of failed expectations suggest: which rule is broken, as a score for each rule, and where in a diagram of
# Pmulog::Cascade the wrong value belongs. Pmulog::Findings ranks the rules by the scores (docs/read-a-log.md, "How the rules
# are ranked").
#
# 1. Vectors with equal rules are one group, so that 17 cascades that fail alike have one voice.
# 2. A failed vector gives its voice to the rules that the words of its failed expectations are about, and the rest of it, or all
#    if the words say nothing, to the rules that it names, in equal parts.
# 3. What rests on something broken fails as well. So groups are in layers, and each failing layer has less weight than the
#    one below it.
# 4. A rule that other vectors checked and found right is less likely.
package Pmulog::Guess;

use strict;
use warnings;
use Exporter qw(import);
use Pmulog::Registers;
use Pmulog::Run;

our @EXPORT_OK = qw(placed scores);

# ---- Scores ----

# Found on 45 faults of the catalogue; the outcome hardly depends on them (docs/read-a-log.md).
my %WEIGHT = (
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

# The scores of rules that the failures suggest: { rule => number }. points: of Pmulog::Run, without skipped ones; named: { id =>
# [rules] }; independent: { event in lower case => true } for thread-independent events.
sub scores {
    my ($points, $named, $independent) = @_;
    my @failed = grep { !$_->{ok} } @$points;
    my $run = {
        independent => $independent,
        passed      => { map { $_->{id} => 1 } grep { $_->{ok} } @$points },
        failed      => { map { $_->{id} => [ expectations($_) ] } @failed },
    };
    my @all = map { @$_ } values %{ $run->{failed} };
    $run->{alone} = { map { $_ => 1 } map { $_->{what} =~ /\AOVF of counter (\d+) from/ } @all };
    $run->{other_bits} = other_bits(@all);
    $run->{explained} = '';
    my ($proved, $explained) = side_effects($run, { map { $_->{id} => [ split ' ', $_->{rules} // '' ] } @failed });
    $run->{explained} = $explained // '';
    my %group;
    for my $point (grep { $named->{ $_->{id} } && !uncleared($_) } @$points) {
        my @named = @{ $named->{ $point->{id} } };
        my $layer = layer($point->{id});
        my $group = $group{"$layer @named"} //= { rules => \@named, layer => $layer, failed => 0, all => 0, voice => {} };
        $group->{all}++;
        next if $point->{ok};
        $group->{failed}++;
        my $voice = voice($point, $run, @named);
        $group->{voice}{$_} += $voice->{$_} for keys %$voice;
    }
    # A register that keeps a bit fails every vector, and what it says about its rule counts once.
    my $once = sub { my ($rule) = @_; return { rules => [$rule], layer => 0, failed => 1, all => 1, voice => { $rule => 1 } } };
    $group{"uncleared $_"} = $once->($_) for grep { defined } map { uncleared($_) } @failed;
    $group{"proved $proved"} = $once->($proved) if defined $proved;
    return added(map { $group{$_} } sort keys %group);
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

# The scores of all groups together.
sub added {
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

# ---- What an expectation itself says ----
#
# A vector names every rule that it needs; which of them failed shows in the words of the expectation, and in whether too much
# or too little was observed.

# A row with such a condition ends the search even if the vector names none of its rules.
my $DECISIVE = qr/few counts|top lost|power of two|clocks missing|not started|always|no bits count|missing anyway|wrong anyway|kept by none/;

# The rows, from the special to the general; the first one that fits and whose rules the vector names decides.
#   words of the expectation; the rules that it is about; what was observed: 'none', 'low' (none included) or 'high',
#   undef: whatever; a further condition
our @ROWS = (
    # Interrupts
    [ qr/LVTPC (?:in the handler|here after)/,                                  'R51' ],
    [ qr/PMIs?\b.*(?:forced|FORCE_OVF)/,                                        'R48', undef, 'always' ],
    [ qr/OVF standing|OVF cleared before|that of \d+ stands|was cleared\z/,     'R49' ],
    [ qr/LVTPC|interrupt vector|as an NMI|ISR bit/,                             'R50' ],
    [ qr/PMIs after \d+ events|PMIs of Y .*after its overflow|samples/,         'R46' ],
    [ qr/\bPMIs /,                                                              'R45' ],
    # Reading and writing registers
    [ qr/\AMSR_\w+_CCCR\d after (?:its overflow, LP\d|RDPMC while it counted)/,  'R29', undef, 'missing anyway' ],
    [ qr/\AMSR_\w+ as LP\d reads it/,                                          'R3 R4', undef, 'kept by none' ],
    [ qr/\bLP\d reads it|as the sibling|sibling's preset|by (?:fast )?(?:RDPMC|RDMSR) of LP\d|by (?:the sibling, )?LP1|LP1 enabled|, LP[01]\z/, 'R5' ],
    [ qr/after all ESCRs and counters were written|while an ESCR alone|ENABLE = 0\z|its ENABLE 0/, 'R2' ],
    [ qr/\AMSR_\w+_CCCR\d (?:while|after) MSR_\w+_ESCR\d (?:is|was) written/,   'R2' ],
    [ qr/\AMSR_\w+_CCCR\d (?:while|after) MSR_\w+_COUNTER\d (?:is|was) written/, 'R4' ],
    [ qr/\AMSR_\w+_CCCR\d after MSR_\w+_CCCR\d was written/,                   'R32', undef, 'one flag' ],
    [ qr/\AMSR_\w+_COUNTER\d (?:while|after) MSR_\w+_CCCR\d (?:is|was) written/, 'R32' ],
    [ qr/\AMSR_\w+(?:, which counts,)? after INIT/,                             'R1',  undef, 'bits lost' ],
    [ qr/\AMSR_\w+(?:, which counts,)? after HLT/,                              'R42', undef, 'bits lost' ],
    [ qr/\AMSR.* was read\z|after RDMSR|after (?:fast )?RDPMC|, running, by/, 'R57' ],
    [ qr/exception of|RDPMC\(\d+\)|refused write/,                              'R60' ],
    [ qr/\AMSR_\w+_COUNTER\d while MSR_\w+_COUNTER\d is written/,                'R57', undef, 'few counts' ],
    [ qr/\AMSR_\w+_COUNTER\d(?:\z| holds| while| after it was written| after MSR_\w+_COUNTER\d was written)/, 'R4' ],
    [ qr/\AMSR_\w+_(?:CCCR|ESCR)\d(?:\z| holds| while| after it was written| after MSR_\w+ was written)/, 'R3' ],
    [ qr/\Acounter \d+|\A[XY] \(/,                                              'R28', undef, 'top lost' ],
    [ qr/\Acounter|counts of counter|events of [XY]/,                           'R27', undef, 'power of two' ],
    [ qr/before X has overflowed/,                                              'R34 R35', 'high', 'not started' ],
    [ qr/counter \d+.*FORCE_OVF/,                                               'R27', undef, 'wrong anyway' ],
    [ qr/FORCE_OVF and COMPARE, EDGE/,                                          'R23', undef, 'EDGE alone' ],
    [ qr/FORCE_OVF/,                                                            'R31' ],
    # The value of an ESCR
    # A flag counts all or nothing.
    [ qr/ESCR\[3:0\] = \dH?: [1-9]\d* not fewer/,                               'R27', undef, 'always' ],
    [ qr/ESCR\[3:0\]/,                                                         'R17', undef, 'no bits count' ],
    [ qr/ESCR\[3:0\]|by its own bits|at CPL \d of LP/,                          'R12', undef, 'specific' ],
    [ qr/ESCR\[3:0\]|by its own bits|at CPL \d of LP/,                          'R13', undef, 'independent' ],
    [ qr/with mask \S+ on/,                                                     'R9', undef, 'several members alone' ],
    [ qr/with mask|event select|empty event mask|IOQ_allocation mask/,          'R7' ],
    [ qr/NBOGUS\d with tag|by NBOGUS\d/,                                        'R7', 'high' ],
    [ qr/NBOGUS\d with tag|by NBOGUS\d|\btags\b|tagged/,                        'R15', 'low' ],
    [ qr/tag enable|uop_type|nothing tagged/,                                   'R15' ],
    [ qr/members|taken and not|NBOGUSNTAG/,                                     'R9' ],
    [ qr/\Acounter \d+, \d+ more|\A\d+ \S+ on counter|occurs\b/,               'R12 R13', 'none', 'other bits count' ],
    [ qr/\Acounter \d+, \d+ more|\A\d+ \S+ on counter|occurs\b/,               'R7',  'none', 'both sides' ],
    [ qr/\Acounter \d+, \d+ more|\A\d+ \S+ on counter|occurs\b/,               'R17', 'none', 'clocks counted' ],
    [ qr/all counters of \S+ running|all 18 running|against counter \d+ on its ESCR/, 'R6', 'high' ],
    # Filters
    [ qr/by complement with ACTIVE_THREAD|COMPLEMENT.*ACTIVE_THREAD closed/,    'R26', 'high' ],
    [ qr/ACTIVE_THREAD|[01][01]B[, ]/,                                          'R18' ],
    [ qr/COMPARE = 0/,                                                          'R21' ],
    [ qr/clocks/,                                                               'R22', 'none' ],
    [ qr/of clocks|in one clock/,                                               'R16', 'low', 'all clocks missing' ],
    [ qr/of clocks|in one clock/,                                               'R27', 'low', 'clocks missing' ],
    [ qr/rising edges|EDGE/,                                                    'R23', undef, 'edges alone' ],
    [ qr/value 1|above \d|at or below|COMPARE|COMPLEMENT|threshold|rising edges|EDGE/,            'R22' ],
    # Counting and overflow
    [ qr/acknowledged|stopped, started|written 0/,                              'R32' ],
    [ qr/was written \d+ times/,                                                'R32 R57' ],
    [ qr/OVF of counter \d/,                                                    'R28', 'low',  'overflows by one' ],
    [ qr/OVF of counter \d+ (?:from|after a carry)/,                            'R28', 'high' ],
    [ qr/OVFs, one bit a counter|OVF of counters/,                              'R28', 'low',  'missing alone' ],
    [ qr/stays 0 far|goes on after the wrap|several counts a clock/,            'R28' ],
    [ qr/OVFs, one bit a counter|OVF of counter|OVF after \d+ events/,          'R29' ],
    [ qr/carry into bit|lost|running|\Acounter \d+, \d+ more|counts of counter|clocks on counter/, 'R27' ],
    # Cascades
    [ qr/\(tree of/,                                                          'R33' ],
    [ qr/must not start|stays 0\z|initiates? nothing/,                          'R34 R35' ],
    [ qr/once X has overflowed|\bruns\b|Y, started|has counted \d+ events/,     'R33 R36', 'none', 'none starts' ],
    [ qr/once X has overflowed|\bruns\b|Y, started|has counted \d+ events/,     'R34 R35', 'none' ],
    [ qr/once X has overflowed|between X \(/,                                   'R37' ],
    [ qr/while X has not overflowed|before X|one A short/,                      'R37' ],
    [ qr/halted by|halts/,                                                      'R38' ],
);

# The rule that a register's bits obey, if the vector failed because the register does not clear; else undef.
sub uncleared {
    my ($point) = @_;
    for my $value (@{ $point->{values} }) {
        my ($msr) = $value->[1] =~ /\Aregister 3([0-9A-F]{2})H does not clear after the vector/ or next;
        return hex $msr <= 0x11 ? 'R4' : 'R3';
    }
    return undef;
}

# The expectations of a failed point that did not hold: { what, expected, observed } each. Without those that say nothing of
# the vector: a register that does not clear fails every vector.
sub expectations {
    my ($point) = @_;
    my %value = Pmulog::Run::diagnosis($point);
    my @found = defined $value{what} ? { map { $_ => $value{$_} } qw(what expected observed) } : ();
    for my $text (map { $_->[1] } grep { $_->[0] eq 'also' } @{ $point->{values} }) {
        my ($what, $observed, $expected) = $text =~ /\A(.*)(?: =|:) (\S+), not (.*)\z/;    # older images write a colon
        push @found, { what => $what // $text, expected => $expected, observed => $observed };
    }
    common_features(@found);
    return grep { $_->{what} !~ /does not clear after the vector/ } @found;
}

# The expectations of a vector of pairs begin with the features of a row. Only those that all failed rows share say something.
sub common_features {
    my @found = @_;
    my (%rows, $rows);
    for my $expectation (@found) {
        my ($features) = $expectation->{what} =~ s/\Arow \d+, counter \d+ \(([^)]*)\): // ? $1 : next;
        $rows{$_}++ for split /, /, $features;
        $rows++;
    }
    my @shared = ($rows // 0) > 1 ? grep { $rows{$_} == $rows } sort keys %rows : ();
    $_->{what} .= ' (' . join(', ', @shared) . ')' for @shared ? @found : ();
    return;
}

# The rules that an expectation is about, of those named: a list, and as the second value true if the words are known but
# are about none of these rules, as when a vector fails because something that it takes for granted is broken.
sub suspects {
    my ($expectation, $run, @named) = @_;
    my %named = map { $_ => 1 } @named;
    my $what  = $expectation->{what};
    my @own   = grep { $named{$_} } $what =~ /\((R\d+)\b(?!:)/g;    # not "(R25: the first is open)"
    return (\@own, 0) if @own;
    my $known = 0;
    my $seen = direction(@{$expectation}{qw(expected observed)}) // '';
    for my $row (@ROWS) {
        my ($words, $rules, $when, $condition) = @$row;
        next if $what !~ $words;
        next if defined $when && $seen ne $when && !($when eq 'low' && $seen eq 'none');
        next if defined $condition && !fits($condition, $expectation, $run);
        my @found = grep { $named{$_} } split ' ', $rules;
        return ([], 1) if "@found" eq $run->{explained};
        return (\@found, 0) if @found;
        return ([], 1) if ($condition // '') =~ $DECISIVE;
        $known = 1;
    }
    return ([], $known);
}

# ---- The conditions of the rows: what must be so beside the words ----

# Counts that a single access can cost.
use constant FEW => 16;

# Each is a function of the expectation, { what, expected, observed }, and the run:
#   passed, failed  { id => true }, { id => [its failed expectations] }
#   expectations    those of the vector at hand
#   independent     { event in lower case => true } for thread-independent events
#   alone           { number => true } for counters whose OVF is missing when they overflow alone
#   other_bits      true if an ESCR counts for one logical processor and not for the other
my %CONDITION = (
    'always'        => sub { return 1 },
    'not started'   => sub { return 1 },
    'specific'      => sub { return !independent(@_) },
    'independent'   => sub { return independent(@_) },
    'bits lost'     => sub { return lost($_[0]) },

    # What the values are
    'one flag'      => sub {
        my ($register) = $_[0]{what} =~ /\A(\w+)/;
        return defined $_[0]{observed} && 1 == Pmulog::Registers::differences($register, @{ $_[0] }{qw(expected observed)});
    },
    'few counts'    => sub { my ($due, $seen) = numbers($_[0]) or return 0; return abs($due - $seen) <= FEW || abs($due - $seen) >= 2**40 - FEW },
    'top lost'      => sub { my ($due, $seen) = numbers($_[0]) or return 0; return $due >= 2**39 && $seen < 2**39 && $due - $seen > 2**32 },
    'power of two'  => sub { my ($due, $seen) = numbers($_[0]) or return 0; return grep { abs(abs($due - $seen) - 2**$_) <= 1000 } 16 .. 40 },

    # What else failed in this vector
    'EDGE alone'    => sub { return !grep { $_->{what} =~ /FORCE_OVF/ && $_->{what} !~ /EDGE/ } @{ $_[1]{expectations} } },
    # What the threshold passes is right, on which edges depend.
    'edges alone'   => sub { return !grep { $_->{what} !~ /edge/i } @{ $_[1]{expectations} } },
    'several members alone' => sub { return !grep { $_->{what} =~ /with mask ([0-9A-F]{1,4})H on/ && !(hex($1) & hex($1) - 1) } @{ $_[1]{expectations} } },
    'clocks missing' => sub { return clocks_missing($_[1]) },
    'all clocks missing' => sub { return clocks_missing($_[1]) && !Pmulog::Registers::number($_[0]{observed}) },
    'both sides'    => sub {
        my %side = map { side($_) => 1 } map { $_->{what} =~ /\bcounter (\d+)/ } @{ $_[1]{expectations} };
        return keys %side > 1;
    },
    'no bits count' => sub {
        my ($escr) = $_[0]{what} =~ /(MSR_\w+)/ or return 0;
        my %dead = map { $_->{what} =~ /\Q$escr\E .*ESCR\[3:0\] = ([1248])H: 0 not fewer/ ? ($1 => 1) : () } @{ $_[1]{expectations} };
        return keys %dead == 4;
    },

    # What other vectors say
    'clocks counted'    => sub { return $_[1]{passed}{'overflow.together.clock'} },
    'other bits count'  => sub { return $_[1]{other_bits} },
    'none starts'       => sub { return !grep { /\Acascade\.18-1\./ } keys %{ $_[1]{passed} } },
    'overflows by one'  => sub { my @counters = counters($_[0]); return @counters && !grep { !$_[1]{passed}{"overflow.nth.$_"} } @counters },
    'missing alone'     => sub {
        my ($expectation, $run) = @_;
        my @counters = counters($expectation);
        return @counters && !grep { !$run->{alone}{$_} || !$run->{passed}{"overflow.nth.$_"} } @counters;
    },
    # A register that does not keep what is written whoever writes it says nothing of LP1.
    'kept by none'      => sub {
        my ($register) = $_[0]{what} =~ /\A(MSR_\w+)/;
        return grep { $_->{what} =~ /\b$register\b/ } map { @{ $_[1]{failed}{$_} } } grep { /\Aaccess\.(?:counter|cccr|escr)\./ } keys %{ $_[1]{failed} };
    },
    # A counter that is wrong without FORCE_OVF says nothing of FORCE_OVF.
    'wrong anyway'      => sub { return $_[0]{what} =~ /counter (\d+)/ && $_[1]{failed}{"overflow.nth.$1"} },
    # An OVF that is missing both beside RDPMC and beside the sibling says nothing of either.
    'missing anyway'    => sub {
        my ($expectation, $run) = @_;
        my ($cccr) = $expectation->{what} =~ /(MSR_\w+)/;
        my @found  = grep { $_->{what} =~ /\A$cccr after / } map { @{ $run->{failed}{$_} || [] } } 'access.rdpmc.effects', 'access.sibling.work';
        return (grep { $_->{what} =~ / after RDPMC/ } @found) && grep { $_->{what} =~ / after its overflow/ } @found;
    },
);

sub fits {
    my ($name, $expectation, $run) = @_;
    my $condition = $CONDITION{$name} // die "no condition '$name'\n";
    return scalar $condition->($expectation, $run);
}

# 'none', 'low' or 'high': how what was observed differs from what was expected; a flag that is not set is 'none'. undef:
# they are no numbers.
sub direction {
    my ($expected, $observed) = @_;
    return undef if !defined $expected || !defined $observed;
    return 'none' if $observed eq 'no';
    return 'high' if $observed eq 'yes';
    if (defined(my $due = Pmulog::Registers::number($expected))) {
        my $seen = Pmulog::Registers::number($observed) // return undef;
        return $seen < $due ? 'low' : 'high';
    }
    my ($least, $most) = $expected =~ /\A(\d+)(?: to (\d+))?\z/ or return undef;
    return undef if $observed !~ /\A\d+\z/;
    return $observed < $least ? ($observed == 0 ? 'none' : 'low') : $observed > ($most // $least) ? 'high' : undef;
}

# What was expected (of a range, the least) and observed, as numbers; an empty list if they are none.
sub numbers {
    my ($expectation) = @_;
    my @numbers;
    for my $text (@{$expectation}{qw(expected observed)}) {
        push @numbers, !defined $text ? return () : $text =~ /\A(\d+)/ && $text !~ /H\z/ ? $1 : Pmulog::Registers::number($text) // return ();
    }
    return @numbers;
}

# True if the words name a thread-independent event.
sub independent {
    my ($expectation, $run) = @_;
    return scalar grep { $run->{independent}{$_} } map { lc } $expectation->{what} =~ /(\w+)/g;
}

# True if the vector at hand found clocks that a counter did not count.
sub clocks_missing {
    my ($run) = @_;
    return scalar grep { $_->{what} =~ /clocks (?:on|of) counter/ && (direction(@{$_}{qw(expected observed)}) // '') =~ /none|low/ } @{ $run->{expectations} };
}

# The ESCR side of a block that a counter belongs to: 0 or 1.
sub side {
    my ($n) = @_;
    return $n >= 16 ? $n - 16 : int($n / 2) % 2;
}

# The counters whose OVF is missing, by the expectation's words or bits.
sub counters {
    my ($expectation) = @_;
    return $expectation->{what} =~ /(\d+)/ if $expectation->{what} =~ /\bcounters? \d+/;
    return () if $expectation->{what} !~ /one bit a counter/;
    my ($due, $seen) = map { Pmulog::Registers::number($_) // 0 } @{$expectation}{qw(expected observed)};
    return grep { $due >> $_ & 1 && !($seen >> $_ & 1) } 0 .. 17;
}

# ---- Side effects that a run proves ----
#
# A register changed because of an access, or of HLT, that must not change it, and no vector found a register that does not keep
# what is written. That is direct evidence of a rule, and it explains failures whose words are about others: an OVF that a
# write of an ESCR clears is missing wherever OVF is looked at.

# A vector; words of an expectation in it on a register that nothing was to change; the rule that this breaks, undef: the one
# that the words are about; a rule whose failures it explains, if there is one; true if only the first failed expectation of
# the vector counts, because the others follow from it. A row is looked at only if the rows before it proved nothing.
my @EFFECTS = (
    [ 'access.neighbours',    qr/\AOVFs, one bit a counter, after all ESCRs and counters were written/, 'R2', undef, 0 ],
    [ 'access.neighbours',    qr/\A(MSR_\w+) (?:after|while) (?!\g1)MSR_\w+ (?:was|is) (?:written|read)/, undef, undef, 1 ],
    [ 'access.rdpmc.effects', qr/\AMSR_\w+_COUNTER\d after (?:a refused )?(?:fast )?RDPMC at/,          'R57', 'R60', 0 ],
    [ 'state.hlt',            qr/\AMSR_\w+ after HLT of this/,                                           'R42', 'R5', 0 ],
);

# What the run proves: (rule, the rule whose failures it explains or undef), or an empty list. named: { id => [the rules that
# this failed vector names] }.
sub side_effects {
    my ($run, $named) = @_;
    return () if grep { /\Aaccess\.(?:counter|cccr|escr)\./ } keys %{ $run->{failed} };
    # Where no OVF stays at all, it is not lost by what came before it was looked at.
    my $stays = grep { /\Aoverflow\.sticky\./ } keys %{ $run->{passed} };
    for my $row (@EFFECTS) {
        my ($id, $words, $rule, $explains, $first) = @$row;
        my @found = @{ $run->{failed}{$id} || [] };
        for my $expectation ($first ? grep { defined } $found[0] : @found) {
            next if $expectation->{what} !~ $words || !$stays || !lost($expectation) && !$first || lost_before($expectation, @found);
            return ($rule, $explains) if defined $rule;
            my ($meant) = suspects($expectation, { %$run, expectations => \@found }, @{ $named->{$id} });
            return ($meant->[0], $explains) if @$meant == 1;
        }
    }
    return ();
}

# True if what was observed has only bits of what was expected, and not all of them.
sub lost {
    my ($expectation) = @_;
    my ($due, $seen) = map { Pmulog::Registers::number($_) // return 0 } @{$expectation}{qw(expected observed)};
    return $seen != $due && ($seen & $due) == $seen;
}

# True if an expectation before it, on the same OVFs, had lost all of these bits already.
sub lost_before {
    my ($expectation, @all) = @_;
    return 0 if $expectation->{what} !~ /\AOVFs, one bit a counter/;
    for my $other (@all) {
        return 0 if $other == $expectation;
        next if $other->{what} !~ /\AOVFs, one bit a counter/;
        my ($earlier, $seen) = map { Pmulog::Registers::number($_->{observed}) // return 0 } $other, $expectation;
        return 1 if ($earlier & $seen) == $earlier;
    }
    return 0;
}

# ---- The place of a wrong value in a diagram ----

# A value of the log as a number: decimal, the middle of 'A to B', or a register of 40 bits with bit 39 as its sign.
# undef if it is no number.
sub signed {
    my ($text) = @_;
    return ($1 + $2) / 2 if $text =~ /\A(\d{1,12}) to (\d{1,12})\z/;
    return $text if $text =~ /\A\d{1,12}\z/;
    my $value = Pmulog::Registers::number($text) // return undef;
    return $value >= 2**40 ? undef : $value >= 2**39 ? $value - 2**40 : $value;
}

# Where the first wrong value of a failed point belongs: { lane, time, values [expected, observed] }, either value undef if
# it is no number; { late } with the clocks between X and Y; undef if it has no place.
sub placed {
    my ($s, $point) = @_;
    my %value = Pmulog::Run::diagnosis($point);
    my ($what, @said) = @value{qw(what expected observed)};
    return undef if grep { !defined } $what, @said;
    my @number = map { signed($_) } @said;
    return defined $number[1] ? { late => $number[1] } : undef if $what =~ /\Aclocks between X/;

    my $place = sub { my ($lane, $time, @values) = @_; return { lane => $lane, time => $time, values => \@values } };
    my $y_at = sub { my ($count) = @_; return defined $count ? $count + $_[1] : undef };
    # What Y has counted from its preset on, or since it was halted.
    if ($what =~ /\A(?:B's counted by|clocks of) Y \(\d+\) (once|while)/) {
        return $place->('y', $1 eq 'once' ? 1 - $s->{from}{y} / 200 : 0.95, map { $y_at->($_, $s->{from}{y}) } @number);
    }
    return $place->('y', 3, map { $y_at->($_, -300) } @number) if $what =~ /\Aevents counted by Y \(\d+\), halted by/;
    # 'yes' means that the counter runs as it should.
    my $runs = sub { my ($yes, $no) = @_; return map { { yes => $yes, no => $no }->{$_} } @said };
    return $place->('y', 2, $runs->(-300, -400)) if $what =~ /\AY \(\d+\) runs after X/;
    return $place->('x', 3, $runs->(100, 0)) if $what =~ /\AX \(\d+\) keeps counting when Y is halted/;
    return $place->('pmi', 2 + 0.35 * $1, @number) if $what =~ /\APMIs of Y \(\d+\), ([01]) B after its overflow/;

    my ($ovf, $counter, $rest) = $what =~ /\A(OVF of )?([XY]) \(\d+\)(.*)\z/ or return undef;
    my %flag = $rest =~ / stays 0 / ? (yes => 0, no => 1) : (yes => 1, no => 0);
    @number = map { $flag{$_} // signed($_) } @said if $ovf;
    my $time = $rest =~ /after (\d+) B/ ? 1 + $1 / 200
        : $rest =~ /B beyond its overflow/           ? 3
        : $rest =~ /which overflows, and ([01]) B/   ? 2 + 0.35 * $1
        : $rest =~ /one A short|with the last A/     ? 1
        : $rest =~ /after (\d+)\b/                   ? $1 / -$s->{from}{x}
        : $rest =~ /before the 4096th/               ? 0.95
        :                                              $s->{end} - 0.15;
    return (grep { defined } @number) ? $place->(($ovf ? 'ovf_' : '') . lc $counter, $time, @number) : undef;
}

1;
