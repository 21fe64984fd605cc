# Side effects that a run proves: a register changed because of an access, or of HLT, that must not change it, and no vector
# found a register that does not keep what is written. That is direct evidence of a rule, and it explains failures whose
# words are about others: an OVF that a write of an ESCR clears is missing wherever OVF is looked at.
package Pmulog::SideEffects;

use strict;
use warnings;
use Exporter qw(import);
use Pmulog::Registers;

our @EXPORT_OK = qw(side_effects lost);

# A vector; words of an expectation in it on a register that nothing was to change; the rule that this breaks, undef: the one
# that the words are about; a rule whose failures it explains, if there is one; true if only the first failed expectation of
# the vector counts, because the others follow from it. A row is looked at only if the rows before it proved nothing.
our @EFFECTS = (
    [ 'access.neighbours',    qr/\AOVFs, one bit a counter, after all ESCRs and counters were written/, 'R2', undef, 0 ],
    [ 'access.neighbours',    qr/\A(MSR_\w+) (?:after|while) (?!\g1)MSR_\w+ (?:was|is) (?:written|read)/, undef, undef, 1 ],
    [ 'access.rdpmc.effects', qr/\AMSR_\w+_COUNTER\d after (?:a refused )?(?:fast )?RDPMC at/,          'R57', 'R60', 0 ],
    [ 'state.hlt',            qr/\AMSR_\w+ after HLT of this/,                                           'R42', 'R5', 0 ],
);

# What the run proves: (rule, the rule whose failures it explains or undef), or an empty list. failed: { id => the failed
# expectations of this vector }; passed: { id => true }; about: what the words of an expectation are about, as a function.
sub side_effects {
    my ($failed, $passed, $about) = @_;
    return () if grep { /\Aaccess\.(?:counter|cccr|escr)\./ } keys %$failed;
    # Where no OVF stays at all, it is not lost by what came before it was looked at.
    my $stays = grep { /\Aoverflow\.sticky\./ } keys %$passed;
    for my $row (@EFFECTS) {
        my ($id, $words, $rule, $explains, $first) = @$row;
        my @found = @{ $failed->{$id} || [] };
        for my $expectation ($first ? grep { defined } $found[0] : @found) {
            next if $expectation->{what} !~ $words || !$stays || !lost($expectation) && !$first || lost_before($expectation, @found);
            my $broken = $rule // $about->($expectation, $id) // next;
            return ($broken, $explains);
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

1;
