# Counts what the rows of the covering array cover. It reads the list of features and what never meets (pairs.h) and the
# rows as the image has them (pairs_rows.c), and knows nothing of how tools/pairs makes them.
package Pairs;

use strict;
use warnings;
use Exporter qw(import);

our @EXPORT_OK = qw(read_pairs count_pairs);

sub text_of {
    my ($path) = @_;
    open my $file, '<', $path or die "cannot read $path: $!\n";
    local $/ = undef;
    return scalar <$file>;
}

# The numbers of words such as 12 or 0-16.
sub numbers {
    return map { /\A(\d+)-(\d+)\z/ ? $1 .. $2 : $_ } @_;
}

# The array as a hash; dies when one of the files is not understood.
#   features  in order: { name, levels [names] }
#   tables    in order: { name, counters [numbers], pairs (rows of strength 2), rows }, each row { counter, levels [numbers] }
#   absent    "TABLE FEATURE LEVEL" => 1
#   only      "FEATURE LEVEL" => { counter => 1 }
#   apart     [ TABLE or any, "FEATURE LEVEL", "FEATURE LEVEL" ] each
sub read_pairs {
    my ($header, $source) = map { text_of($_) } @_;
    my %array = (features => [], tables => [], absent => {}, only => {}, apart => []);
    my ($list) = $header =~ m{/\* PAIRS_BEGIN(.*)PAIRS_END \*/}s or die "pairs.h has no list of features\n";
    while ($list =~ /\b(FEATURE|LEVEL)\((\w+), *(\w*)/g) {
        if ($1 eq 'FEATURE') { push @{ $array{features} }, { name => $2, levels => [] } }
        else                 { push @{ $array{features}[-1]{levels} }, $3 }
    }
    my ($rules) = $header =~ /^ \* PAIRS_RULES\n(.*)^ \* PAIRS_RULES_END/ms or die "pairs.h has no rules\n";
    for my $line (split /\n/, $rules) {
        my ($kind, @words) = split ' ', $line =~ s/\A \* +//r =~ s/ {3,}.*//r;
        if    ($kind eq 'table')  { push @{ $array{tables} }, { name => $words[0], counters => [ numbers($words[1]) ] } }
        elsif ($kind eq 'absent') { $array{absent}{"@words"} = 1 }
        elsif ($kind eq 'only')   { $array{only}{"@words[0, 1]"} = { map { $_ => 1 } numbers(@words[2 .. $#words]) } }
        elsif ($kind eq 'masks')  { }    # how rows are chosen, not what they must cover
        elsif ($kind eq 'apart')  { push @{ $array{apart} }, [ $words[0], "@words[1, 2]", "@words[3, 4]" ] }
        else                      { die "pairs.h: not understood: $line\n" }
    }
    my ($widths) = $source =~ /PAIRS_WIDTH\[\w+\] = \{([\d, ]+)\}/ or die "the rows have no widths\n";
    read_rows($_, $source, split /, /, $widths) for @{ $array{tables} };
    return \%array;
}

sub read_rows {
    my ($table, $source, @widths) = @_;
    my ($words) = $source =~ /\b$table->{name}_ROWS\[\] = \{([^}]*)\}/ or die "$table->{name} has no rows\n";
    my ($pairs, $triples) = $source =~ /PAIRS_$table->{name} = \{\w+, (\d+), (\d+)\}/ or die "$table->{name} has no length\n";
    for my $word (map { hex } $words =~ /0x([0-9A-F]+)/g) {
        my @fields;
        for my $width (@widths) {
            push @fields, $word & (1 << $width) - 1;
            $word >>= $width;
        }
        push @{ $table->{rows} }, { counter => $table->{counters}[0] + pop @fields, levels => \@fields };
    }
    $table->{pairs} = $pairs;
    die "$table->{name} has not as many rows as it says\n" if $pairs + $triples != @{ $table->{rows} };
    return;
}

# Every combination of so many of these, in order.
sub combinations {
    my ($count, @from) = @_;
    return [] if $count == 0;
    return map { my $i = $_; map { [ $from[$i], @$_ ] } combinations($count - 1, @from[ $i + 1 .. $#from ]) } 0 .. $#from;
}

# What can meet in a table, and what its rows cover: { pairs, triples and singles => { possible, covered, missing [texts] },
# forbidden [texts]: what rows have and may not }. Singles are the levels of every counter. Pairs are counted in the rows of
# strength 2, triples (only when asked for) in all rows.
sub count_pairs {
    my ($array, $table, $with_triples) = @_;
    my @cells;    # by feature: its levels here, as "FEATURE LEVEL"
    for my $feature (@{ $array->{features} }) {
        push @cells, [ map { "$feature->{name} $_" } @{ $feature->{levels} } ];
    }
    my %apart = map { ("$_->[1]/$_->[2]" => 1, "$_->[2]/$_->[1]" => 1) }
        grep { $_->[0] eq 'any' || $_->[0] eq $table->{name} } @{ $array->{apart} };
    my @here = map { [ grep { !$array->{absent}{"$table->{name} $_"} } @$_ ] } @cells;
    my @rows = map { my $row = $_; { counter => $row->{counter}, cells => [ map { $cells[$_][ $row->{levels}[$_] ] // '?' } 0 .. $#cells ] } }
        @{ $table->{rows} };

    my (%count, @forbidden);
    for my $row (@rows) {
        my @have = @{ $row->{cells} };
        my %known = map { $_ => 1 } map { @$_ } @here;
        push @forbidden, map { "$_ in $table->{name}" } grep { !$known{$_} } @have;
        push @forbidden, map { "$_ on counter $row->{counter}" }
            grep { $array->{only}{$_} && !$array->{only}{$_}{ $row->{counter} } } @have;
        push @forbidden, grep { $apart{$_} } map { join '/', @$_ } combinations(2, @have);
    }
    for my $kind ([ pairs => 2 ], $with_triples ? [ triples => 3 ] : ()) {
        my ($name, $strength) = @$kind;
        my %seen;
        for my $row ($strength == 2 ? @rows[ 0 .. $table->{pairs} - 1 ] : @rows) {
            $seen{ join '/', @$_ } = 1 for combinations($strength, @{ $row->{cells} });
        }
        my (@possible, @missing);
        for my $features (combinations($strength, @here)) {
            my @tuples = ([]);
            for my $levels (@$features) {
                @tuples = map { my $tuple = $_; map { [ @$tuple, $_ ] }
                    grep { my $level = $_; !grep { $apart{"$_/$level"} } @$tuple } @$levels } @tuples;
            }
            push @possible, map { join '/', @$_ } @tuples;
        }
        @missing = grep { !$seen{$_} } @possible;
        $count{$name} = { possible => scalar @possible, covered => @possible - @missing, missing => \@missing };
    }
    my %seen = map { my $row = $_; map { ("$_ on counter $row->{counter}" => 1) } @{ $row->{cells} } } @rows[ 0 .. $table->{pairs} - 1 ];
    my @possible;
    for my $counter (@{ $table->{counters} }) {
        push @possible, map { "$_ on counter $counter" } grep { !$array->{only}{$_} || $array->{only}{$_}{$counter} } map { @$_ } @here;
    }
    my @missing = grep { !$seen{$_} } @possible;
    $count{singles} = { possible => scalar @possible, covered => @possible - @missing, missing => \@missing };
    return { %count, forbidden => \@forbidden };
}

1;
