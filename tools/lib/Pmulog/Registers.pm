# What a value of a PMU register says, field by field. The fields of ESCR and CCCR, which counter a register
# belongs to, which ESCR a select value reaches and what an event is called come from the tables of
# docs/pmu-rules.md (2.1, 2.2, 3.1, 3.2, 4.1 to 4.5).
package Pmulog::Registers;

use v5.36;

# Fields that are told even when they are 0: whether the counter ran, and what it counted.
my %ALWAYS = map { $_ => 1 } 'OVF', 'CASCADE', 'ENABLE', 'ESCR select', 'event select';

# ACTIVE_THREAD in words; its value is the index (Table 18-65).
my @ACTIVE = ('none', 'exactly one', 'both', 'any');

use constant { COUNTER_BITS => 40, FAR_PRESET => 2**39 };

# The number that the log writes as hexadecimal digits and an H, or undef.
sub number ($text) {
    my ($hex) = ($text // '') =~ /\A0*([0-9A-F]{1,12})H\z/ or return undef;
    my $value = 0;
    $value = $value * 16 + hex $_ for split //, $hex;
    return $value;
}

# The maps of the page that Pmulog::Rules read:
#   partner  number of a counter => the one that starts it by CASCADE
#   counter  "IQ_CCCR0" and "IQ_COUNTER0" => number
#   bit11    number of a counter => those that its bit 11 listens to
#   escr     number of a counter => [name of the ESCR, by select value]
#   set      number of a counter => its ESCR set
#   event    ESCR => { event select => { name, members { mask bit => name } } }
#   fields   CCCR and ESCR => [ [msb, lsb, name] ... ], from the highest bit down
sub maps ($page) {
    my %map = (
        counter => {},
        bit11   => {},
        escr    => {},
        event   => {},
        fields  =>
            { CCCR => [ fields_of($page->{tables}{'3.2'}) ], ESCR => [ fields_of($page->{tables}{'3.1'}) ] }
    );
    my %set;
    for my $row (@{ $page->{tables}{'2.1'} }) {
        my ($numbers, $names, undef, $set, $cascade, $bit11) = @$row;
        my @numbers = split /, /, $numbers;
        $set{$_} = $set for @numbers;
        my @from = split /, /, $bit11 // '';
        my @alternates = split /, | or |\s/, $cascade;
        $map{partner}{ $numbers[$_] } = $alternates[$_] for 0 .. $#numbers;
        $map{bit11}{ $numbers[$_] } = $from[$_] for grep { ($from[$_] // '') =~ /\A\d/ } 0 .. $#numbers;
        for my $list (split /; /, $names) {
            my ($stem, $first) = $list =~ /\A(\w+?)(\d)(?:, \d)?\z/ or next;
            $map{counter}{ $stem . ($first + $_) } = $numbers[$_] for 0 .. $#numbers;
        }
    }
    my %selected;
    for my $row (@{ $page->{tables}{'2.2'} }) {
        my ($sets, @units) = @$row;
        for my $set ($sets =~ /\b([A-Z]\d)\b/g) {
            my ($side) = $set =~ /(\d)/;
            $selected{$set} = [ map { $_ eq '-' ? undef : /_ESCR\d/ ? $_ : "${_}_ESCR$side" } @units ];
        }
    }
    $map{escr}{$_} = $selected{ $set{$_} } for keys %set;
    $map{set} = \%set;
    for my $table (map { "4.$_" } 1 .. 5) {
        my @members;
        for my $row (@{ $page->{tables}{$table} || [] }) {
            my ($name, $select, undef, $escrs, $mask) = @$row;
            @members = $mask =~ /(\d+) (\w+)/g if $mask !~ /\Aas /;
            my ($stem, @sides) = $escrs =~ /\A(\w+?)(\d)(?:\/(\d))?\z/ or next;
            $map{event}{"$stem$_"}{ number($select) } = { name => $name, members => {@members} }
                for grep { defined } @sides;
        }
    }
    return \%map;
}

# The fields of a table of section 3. A row has one field ("23:20 | THRESHOLD"), or several of one bit ("18,
# 19 | COMPARE, COMPLEMENT").
sub fields_of ($rows) {
    my @found;
    for my $row (grep { $_->[1] !~ /\Areserved/ } @{ $rows || [] }) {
        my ($bits, $names) = ($row->[0], $row->[1] =~ s/[:;].*| in the .*//r);
        my @names = split /, /, $names;
        push @found, $bits =~ /:/
            ? [ split(/:/, $bits), $names ]
            : map { [ ((split /, /, $bits)[$_]) x 2, $names[$_] ] } 0 .. $#names;
    }
    return sort { $b->[0] <=> $a->[0] } @found;
}

# A register's value in words: { title, fields ["NAME [msb:lsb] value" ...] } or undef if it is no ESCR, CCCR
# or counter. single: the part has one thread a core, whose flags have other names.
sub decode ($maps, $register, $text, $single) {
    my $value = number($text) // return undef;
    my ($name) = $register =~ /\A(?:MSR_)?(\w+)\z/ or return undef;
    if ($name =~ /_CCCR\d\z/ && defined(my $n = $maps->{counter}{$name})) {
        return {
            title  => "CCCR$n ($register)",
            fields => [ fields($maps, 'CCCR', $value, $single, \&cccr_field, $maps, $n) ]
        };
    }
    if ($name =~ /_COUNTER\d\z/ && defined(my $n = $maps->{counter}{$name})) {
        return { title => "counter $n ($register)", fields => [ counted($value) ] };
    }
    return undef if $name !~ /_ESCR\d\z/;
    return {
        title  => $register,
        fields => [ fields($maps, 'ESCR', $value, $single, \&escr_field, $maps, $name, $value) ]
    };
}

# The names of the CCCR's fields in which these bits are.
sub named_bits ($maps, $bits) {
    return map { $_->[2] } grep { value_of($_, $bits) } @{ $maps->{fields}{CCCR} };
}

# What differs between two values of a register: ["NAME [bits]: observed, not expected" ...]; empty if nothing
# is known.
sub differences ($maps, $register, $expected, $observed, $single = 0) {
    my ($kind) = $register =~ /(CCCR|ESCR)\d\z/ or return ();
    my ($due, $seen) = map { number($_) // return () } $expected, $observed;
    my @found;
    for my $field (@{ $maps->{fields}{$kind} }) {
        my ($old, $new) = map { value_of($field, $_) } $due, $seen;
        push @found, place($field, $single) . ": $new, not $old" if $old != $new;
    }
    return @found;
}

sub value_of ($field, $value) {
    my ($msb, $lsb) = @$field;
    return ($value >> $lsb) & (2**($msb - $lsb + 1) - 1);
}

# Name and bits of a field: "ENABLE [12]", "THRESHOLD [23:20]".
sub place ($field, $single) {
    my ($msb, $lsb, $name) = @$field;
    $name =~ s/\AT0_|_T0\z// if $single;
    return "$name [" . ($msb == $lsb ? $msb : "$msb:$lsb") . ']';
}

sub fields ($maps, $kind, $value, $single, $words, @more) {
    my @told;
    for my $field (@{ $maps->{fields}{$kind} }) {
        my $held = value_of($field, $value);
        next if !$held && !$ALWAYS{ $field->[2] };
        push @told, place($field, $single) . " $held" . $words->($field->[2], $held, @more);
    }
    my $known = 0;
    $known |= 2**($_->[0] + 1) - 2**$_->[1] for @{ $maps->{fields}{$kind} };
    my $rest = $value & ~$known;
    push @told, sprintf 'reserved bits %XH', $rest if $rest;
    return @told;
}

sub cccr_field ($name, $held, $maps, $n) {
    return ' = ' . ($maps->{escr}{$n}[$held] // 'no ESCR') if $name eq 'ESCR select';
    return " ($ACTIVE[$held])" if $name eq 'ACTIVE_THREAD';
    return " (waits for counter $maps->{bit11}{$n})" if $name eq 'CASCNTxINTOy' && defined $maps->{bit11}{$n};
    return '';
}

sub escr_field ($name, $held, $maps, $escr, $value) {
    my ($select) = grep { $_->[2] eq 'event select' } @{ $maps->{fields}{ESCR} };
    my $event = $maps->{event}{$escr}{ value_of($select, $value) };
    return sprintf '%s', $event ? " = $event->{name}" : ' (no event of this ESCR)' if $name eq 'event select';
    return '' if $name ne 'event mask' || !$event;
    my @names = map { $event->{members}{$_} // "bit $_" } grep { $held >> $_ & 1 } 0 .. 15;
    return ' = ' . join ' + ', @names;
}

# How far a counter is from where somebody would look: its overflow, the preset in the middle of its range, or
# 0.
sub counted ($value) {
    return "overflows after " . (2**COUNTER_BITS - $value) . ' more counts'
        if $value >= 2**COUNTER_BITS - 2**32;
    return
          'holds 8000000000H'
        . ($value > FAR_PRESET ? ' and ' . ($value - FAR_PRESET) : '')
        . ', far from an overflow'
        if $value >= FAR_PRESET;
    return "holds $value";
}

1;
