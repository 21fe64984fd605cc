# The text of the command `compare`: the boards, then a table of what differs, with a column for each board. More boards than
# have room beside each other are listed below each other instead.
package Pmulog::CompareText;

use strict;
use warnings;
use List::Util qw(max);
use Text::Wrap ();
use Pmulog::Outcome;
use Pmulog::Vectors qw(family);

use constant {
    WIDTH   => 120,    # columns of the output
    LABEL   => 32,     # of these for the name of a line
    BESIDE  => 4,      # boards that have room beside each other
    VECTORS => 3,      # vectors of one row that are named
};

# The headings of the sections, in their order.
my @SECTIONS = ([ verdict => 'Verdict' ], [ inventory => 'Inventory' ], [ vector => 'Vectors with different outcomes' ],
    [ sheet => 'Characterisation sheet' ], [ soak => 'Soak' ]);

# The text of what Pmulog::Compare::comparison() returns.
sub text {
    my ($found) = @_;
    my @boards = @{ $found->{boards} };
    my @names  = map { $_->{name} } @boards;
    my @absent = map { $_->{verdict} =~ /\A(?:pass|fail|skip)\z/ ? 'absent' : 'not in the log' } @boards;
    my $text   = '';
    for my $board (@boards) {
        $text .= paragraph("$board->{name}  ", 4, "$board->{file}, boot $board->{boot}: $board->{verdict}: " . Pmulog::Outcome::counts($board)
            . '; ' . ($board->{processor} // 'processor unknown'));
    }
    my @differences = @{ $found->{differences} };
    $text .= "\nNo difference in inventory, vectors and characterisation sheet.\n" if !@differences;
    for my $section (@SECTIONS) {
        my ($kind, $title) = @$section;
        my @rows = grep { $_->{section} eq $kind } @differences;
        @rows = together(@rows) if $kind eq 'vector';
        $text .= table($title, \@names, \@absent, @rows);
    }
    my @disturbed = @{ $found->{disturbances} };
    my @heard     = @{ $found->{unexpected_interrupts} };
    my @none = map { 'none' } @boards;
    $text .= table('Disturbed vectors', \@names, \@none, families(@disturbed));
    $text .= table('Unexpected interrupts', \@names, \@none, { name => '', values => \@heard }) if grep { defined } @heard;
    $text .= "\nNo run was disturbed, and no unexpected interrupts came.\n" if !@disturbed && !grep { defined } @heard;
    return $text;
}

# Vectors with the same outcomes in one row.
sub together {
    my @rows = @_;
    my (%ids, @order);
    for my $row (@rows) {
        my $outcomes = join "\n", map { $_ // '' } @{ $row->{values} };
        push @order, $row if !$ids{$outcomes};
        push @{ $ids{$outcomes} }, $row->{name};
    }
    return map {
        my @same = @{ $ids{ join "\n", map { $_ // '' } @{ $_->{values} } } };
        my $more = @same - VECTORS;
        { name => join(', ', @same[ 0 .. ($more > 0 ? VECTORS : @same) - 1 ]) . ($more > 0 ? " and $more more" : ''), values => $_->{values} }
    } @order;
}

# Disturbances in one row for each family, of which the measurements and runs are added up.
sub families {
    my @rows = @_;
    my (%rows, @order);
    for my $row (@rows) {
        my $family = family($row->{name});
        push @order, $family if !$rows{$family};
        push @{ $rows{$family} }, $row;
    }
    return map {
        my @same = @{ $rows{$_} };
        @same == 1 ? @same : { name => $_, values => [ map { my $n = $_; added(map { $_->{values}[$n] } @same) } 0 .. $#{ $same[0]{values} } ] }
    } @order;
}

# "3 vectors: 4 of 60 measurements, 1 of 3 runs", or undef if there are none.
sub added {
    my @told = grep { defined } @_ or return undef;
    my (%some, %all);
    for my $text (@told) {
        while ($text =~ /(\d+) of (\d+) (measurements|runs)/g) {
            $some{$3} += $1;
            $all{$3}  += $2;
        }
    }
    return @told . ' vector' . (@told == 1 ? '' : 's') . ': ' . join ', ', map { "$some{$_} of $all{$_} $_" } sort keys %some;
}

# Rows below a title; absent: what to print for each board where a row has no value.
sub table {
    my ($title, $names, $absent, @rows) = @_;
    return '' if !@rows;
    my @filled = map { my $row = $_; { name => $row->{name}, values => [ map { $row->{values}[$_] // $absent->[$_] } 0 .. $#$absent ] } } @rows;
    return "\n$title\n" . (@$names > BESIDE ? join '', map { listed($names, $_) } @filled : columns([ '', @$names ], map { [ $_->{name}, @{ $_->{values} } ] } @filled));
}

# Rows of cells, whose text is broken to the width of its column.
sub columns {
    my @rows  = @_;
    my $width = int((WIDTH - LABEL) / $#{ $rows[0] });
    my $text  = '';
    for my $row (@rows) {
        my ($label, @cells) = @$row;
        my @broken = (broken(LABEL - 3, $label), map { broken($width - 2, $_) } @cells);
        for my $n (0 .. max(map { $#$_ } @broken)) {
            my ($first, @others) = map { $_->[$n] // '' } @broken;
            $text .= sprintf('  %-*s', LABEL - 2, $first) . join('', map { sprintf '%-*s', $width, $_ } @others) =~ s/\s+\z//r . "\n";
        }
    }
    return $text =~ s/ +$//gmr;
}

# A text as lines of at most so many characters.
sub broken {
    my ($width, $text) = @_;
    local $Text::Wrap::columns  = $width + 1;
    local $Text::Wrap::unexpand = 0;
    local $Text::Wrap::huge     = 'wrap';
    return [ split /\n/, Text::Wrap::wrap('', '', printable($text)) ];
}

# A row as a line for each value, with the names of the boards that have it.
sub listed {
    my ($names, $row) = @_;
    my (%boards, @order);
    for my $n (0 .. $#$names) {
        my $value = $row->{values}[$n];
        push @order, $value if !$boards{$value};
        push @{ $boards{$value} }, $names->[$n];
    }
    return ($row->{name} eq '' ? '' : paragraph('  ', 4, $row->{name})) . join '', map { paragraph('    ' . join(', ', @{ $boards{$_} }) . ': ', 8, $_) } @order;
}

sub paragraph {
    my ($before, $hang, $text) = @_;
    local $Text::Wrap::columns  = WIDTH + 1;
    local $Text::Wrap::unexpand = 0;
    local $Text::Wrap::huge     = 'overflow';
    return Text::Wrap::wrap($before, ' ' x $hang, printable($text)) . "\n";
}

# Without what would control a terminal: a file's name may hold anything.
sub printable {
    my ($text) = @_;
    return $text =~ s/[^ -~]/?/gr;
}

1;
