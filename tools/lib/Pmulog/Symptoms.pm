# What a failed expectation itself says about the rule that was broken. A vector names every rule that it needs; which
# of them failed shows in the words of the expectation, and in whether too much or too little was observed.
package Pmulog::Symptoms;

use strict;
use warnings;
use Exporter qw(import);
use Pmulog::Conditions qw(direction fits);
use Pmulog::Run;

our @EXPORT_OK = qw(expectations suspects uncleared);

# A row with such a condition ends the search even if the vector names none of its rules.
my $DECISIVE = qr/few counts|top lost|power of two|clocks missing|not started|always|no bits count|missing anyway|wrong anyway|kept by none/;

# The rows, from the special to the general; the first one that fits and whose rules the vector names decides.
#   words of the expectation; the rules that it is about; what was observed: 'none', 'low' (none included) or 'high',
#   undef: whatever; a further condition, see Pmulog::Conditions
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
    for my $pair (@{ $point->{pairs} }) {
        my ($msr) = $pair->[1] =~ /\Aregister 3([0-9A-F]{2})H does not clear after the vector/ or next;
        return hex $msr <= 0x11 ? 'R4' : 'R3';
    }
    return undef;
}

# The expectations of a failed point that did not hold: { what, expected, observed } each. Without those that say nothing of
# the vector: a register that does not clear fails every vector.
sub expectations {
    my ($point) = @_;
    my %pair = Pmulog::Run::diagnosis($point);
    my @found = defined $pair{what} ? { map { $_ => $pair{$_} } qw(what expected observed) } : ();
    for my $text (map { $_->[1] } grep { $_->[0] eq 'also' } @{ $point->{pairs} }) {
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

1;
