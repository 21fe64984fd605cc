# The command `compare`: what differs between boards, or between runs of one board, and what disturbed each run.
package Pmulog::Compare;

use strict;
use warnings;
use Pmulog::CompareText;
use Pmulog::Data qw(csv json);
use Pmulog::Run;

# Prints the comparison. Returns 0 if there is no difference, 1 if there is one, 2 if a log is incomplete or damaged: what can
# be read of it is compared as well.
sub compare {
    my ($wanted, $format, @paths) = @_;
    my @runs = map { loaded($_, $wanted) } @paths;
    my $found = comparison(@runs);
    print $format eq 'json' ? json('compare', $found) : $format eq 'csv' ? csv(rows($found)) : Pmulog::CompareText::text($found);
    my @torn = grep { !$_->{whole} } @runs;
    print STDERR "pmulog: $_->{path}, boot $_->{boot} is $_->{verdict}: $_->{why}\n" for @torn;
    return @torn ? 2 : @{ $found->{differences} } ? 1 : 0;
}

sub loaded {
    my ($path, $wanted) = @_;
    my $run = Pmulog::Run::load($path, $wanted);
    die "there is no log in $path: no line 'TAP version 13'\n" if !$run->{document};
    return $run;
}

# What docs/pmulog-formats.md describes: the boards, by the names A, B, C ...; the differences, { section, name, values }, in
# which a board that has no such line has the value undef; disturbances and unexpected interrupts, which are no difference,
# because they belong to one run.
sub comparison {
    my (@runs) = @_;
    my $name = 'A';
    my @boards = map { { name => $name++, %{ Pmulog::Run::record($_) } } } @runs;
    my @whole  = map { $_->{whole} } @runs;
    my @listed = map { $_->{whole} && !brief($_) } @runs;
    return {
        boards                => \@boards,
        differences           => [
            differing('verdict',   \@whole, map { [ [ '', $_->{verdict} ] ] } @runs),
            differing('inventory', \@listed, map { [ inventory($_) ] } @runs),
            differing('vector',    \@whole, map { [ map { [ $_->{id}, said($_) ] } @{ $_->{points} } ] } @runs),
            differing('sheet',     \@whole, map { [ sheet($_) ] } @runs),
            differing('soak',      \@whole, map { [ soak($_) ] } @runs),
        ],
        disturbances          => [ beside(map { [ disturbances($_) ] } @runs) ],
        unexpected_interrupts => [ map { interrupts($_) } @runs ],
    };
}

# A row for each board: what it is, then a column for each difference.
sub rows {
    my ($found) = @_;
    my @facts = qw(file boot verdict passed failed skipped);
    my @rows  = [ @facts, 'unexpected interrupts', 'disturbed vectors', map { $_->{name} eq '' ? () : "$_->{section} $_->{name}" } @{ $found->{differences} } ];
    for my $n (0 .. $#{ $found->{boards} }) {
        my @disturbed = map { defined $_->{values}[$n] ? "$_->{name}: $_->{values}[$n]" : () } @{ $found->{disturbances} };
        push @rows, [ @{ $found->{boards}[$n] }{@facts}, $found->{unexpected_interrupts}[$n], join('; ', @disturbed),
            map { $_->{name} eq '' ? () : $_->{values}[$n] } @{ $found->{differences} } ];
    }
    return @rows;
}

# ---- What is compared: lists of [name, value] ----

# The inventory, with a line of its own for each leaf of CPUID. If a key comes twice, the second is "key (2)".
sub inventory {
    my ($run) = @_;
    my %seen;
    my @lines = map { $_->[0] eq 'cpuid' ? map { /\A([0-9A-F.]+): (.*)\z/ ? [ "cpuid $1", $2 ] : [ 'cpuid', $_ ] } split /; /, $_->[1] : $_ } @{ $run->{inventory} };
    return map { [ $seen{ $_->[0] }++ ? "$_->[0] ($seen{$_->[0]})" : $_->[0], $_->[1] ] } @lines;
}

# True for a run with the boot word `brief`, whose inventory is short.
sub brief {
    my ($run) = @_;
    return scalar grep { $_->[0] eq 'boot line' && $_->[1] =~ /(?:\A|\s)brief(?:\s|\z)/ } @{ $run->{inventory} };
}

# A vector's outcome; of a skip the reason, of a failure the first expectation that did not hold.
sub said {
    my ($point) = @_;
    my $text = Pmulog::Run::outcome($point);
    my %pair = Pmulog::Run::diagnosis($point);
    $text .= " ($point->{skip})" if defined $point->{skip};
    $text .= ": $pair{what}" if defined $pair{what};
    $text .= ": $pair{observed}, not $pair{expected}" if defined $pair{expected} && defined $pair{observed};
    return $text;
}

# The sheet, by question and text.
sub sheet {
    my ($run) = @_;
    return map { [ "$_->[0] $_->[1]", $_->[2] ] } @{ $run->{sheet} };
}

sub soak {
    my ($run) = @_;
    my $document = $run->{document};
    return () if !$document->{loops};
    return [ 'loops', $document->{loops} ], [ 'points in all', $document->{soaked} ], [ 'failed in all', $document->{soak_fails} ];
}

# The vectors that were disturbed, with what the log says of it.
sub disturbances {
    my ($run) = @_;
    my @found;
    for my $point (@{ $run->{points} }) {
        my @said = map { /\Adisturbed: (.*)\z/ ? $1 : () } @{ $point->{comments} };
        push @found, [ $point->{id}, join '; ', @said ] if @said;
    }
    return @found;
}

# What the log says about interrupts that nobody asked for, or undef.
sub interrupts {
    my ($run) = @_;
    my ($said) = map { /\Aunexpected interrupts: (.*)\z/ ? $1 : () } @{ $run->{comments} }, map { @{ $_->{comments} } } @{ $run->{points} };
    return $said;
}

# ---- Comparing ----

# Lists of [name, value] beside each other: { name, values }, in the order of the first list, then what only others have.
sub beside {
    my @lists = @_;
    my @maps  = map { { map { @$_ } @$_ } } @lists;
    my %seen;
    return map { my $name = $_; { name => $name, values => [ map { $_->{$name} } @maps ] } } grep { !$seen{$_}++ } map { map { $_->[0] } @$_ } @lists;
}

# What differs between these lists. whole: for each, whether it is; one that is not may lack any line.
sub differing {
    my ($section, $whole, @lists) = @_;
    return map { { section => $section, %$_ } } grep { !alike($_->{name}, $whole, @{ $_->{values} }) } beside(@lists);
}

sub alike {
    my ($name, $whole, @values) = @_;
    my @told = grep { defined } @values;
    return 0 if grep { !defined $values[$_] && $whole->[$_] } 0 .. $#values;
    for my $n (1 .. $#told) {
        for my $old (@told[ 0 .. $n - 1 ]) {
            return 0 if !same($name, $old, $told[$n]);
        }
    }
    return 1;
}

# True if the two values are equal, but for what differs between two measurements of one machine.
sub same {
    my ($name, $old, $new) = @_;
    s/ over \d+ ticks// for $old, $new;    # the time that a measurement took is no result
    return $old eq $new || near_rates($old, $new) || near_costs($name, $old, $new);
}

# A line of the sheet that holds measured clocks or rates: questions 10.14 to 10.16.
my $MEASURED = qr/\A10\.1[4-6][a-z] /;

# True for two measurements: the text is the same and no number differs by more than a tenth, or 16. Spreads in brackets and
# the longest of many distances belong to one run.
sub near_costs {
    my ($name, $old, $new) = @_;
    return 0 if $name !~ $MEASURED;
    s/ \([^)]*\)//, s/, \d+ clocks in all; longest distance \d+ clocks// for $old, $new;
    my $number = qr/\d+(?:\.\d+)?/;
    return 0 if $old =~ s/$number/N/gr ne $new =~ s/$number/N/gr;
    my @new = $new =~ /($number)/g;
    for my $before ($old =~ /($number)/g) {
        my $after = shift @new;
        my $apart = abs($before - $after);
        my $larger = $before > $after ? $before : $after;
        return 0 if $apart > $larger / 10 && ($before =~ /\./ || $apart > 16);
    }
    return 1;
}

# True for two measured clock rates that differ by at most a thousandth.
sub near_rates {
    my ($old, $new) = @_;
    my ($a, $b) = map { [ /(\d+) kHz/g ] } $old, $new;
    return 0 if !@$a || $old =~ s/\d+ kHz/kHz/gr ne $new =~ s/\d+ kHz/kHz/gr;
    return !grep { abs($a->[$_] - $b->[$_]) * 1000 > $a->[$_] } 0 .. $#$a;
}

1;
