# The conditions of the rows of Pmulog::Symptoms: what must be so, beside the words of an expectation, for a row to fit.
package Pmulog::Conditions;

use strict;
use warnings;
use Exporter qw(import);
use Pmulog::Registers;
use Pmulog::SideEffects qw(lost);

our @EXPORT_OK = qw(fits direction);

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

1;
