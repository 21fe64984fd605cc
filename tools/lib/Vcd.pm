# Reads a value change dump as p4sim --vcd writes it.
package Vcd;

use v5.36;
use Exporter 'import';

our @EXPORT_OK = qw(read_vcd value_at rises);

# The waveforms of a file: a hash of `first` and `end`, its clocks, `comment`, `declared` (the paths of the
# signals, as scope.name), and `changes`, which has for each signal, by its name alone, a list of [clock,
# value]. A signal has at most one change in a clock, the last one. Values are numbers; a signal of text has
# strings. Dies if the file is not understood.
sub read_vcd ($path) {
    my (%name, %changes, @scope, @declared, $comment, $first, $dumping);
    my $clock = 0;
    my $change = sub ($code, $value) {
        my $list = $changes{ $name{$code} // die "$path: signal '$code' is not declared\n" };
        pop @$list if @$list && $list->[-1][0] == $clock;
        push @$list, [ $clock, $value ] if !@$list || $list->[-1][1] ne $value;
    };
    open my $file, '<', $path or die "cannot read $path: $!\n";
    while (my $line = <$file>) {
        chomp $line;
        if    ($line =~ /^([01])(\S+)$/)         { $change->($2, $1) }
        elsif ($line =~ /^b([01]{1,40}) (\S+)$/) { $change->($2, number($1)) }
        elsif ($line =~ /^s(\S+) (\S+)$/)        { $change->($2, $1) }
        elsif ($line =~ /^#(\d+)$/) {
            die "$path: clock $1 after $clock\n" if $1 < $clock;
            $clock = $1;
            $first //= $1;
        } elsif ($line =~ /^\$var \S+ \d+ (\S+) (\S+)(?: \[\d+:0\])? \$end$/) {
            die "$path: $2 is declared twice\n" if $changes{$2} || $name{$1};
            $name{$1} = $2;
            $changes{$2} = [];
            push @declared, join '.', @scope, $2;
        } elsif ($line =~ /^\$scope module (\S+) \$end$/) {
            push @scope, $1;
        } elsif ($line eq '$upscope $end') {
            pop @scope;
        } elsif ($line =~ /^\$comment (.*) \$end$/) {
            $comment = $1;
        } elsif ($line eq ($dumping ? '$end' : '$dumpvars')) {
            $dumping = !$dumping;
        } elsif ($line !~ /^\$(?:version|timescale|enddefinitions)(?: .*)? \$end$/) {
            die "$path: not understood: $line\n";
        }
    }
    die "$path: \$dumpvars has no \$end\n" if $dumping;
    return {
        first    => $first,
        end      => $clock,
        comment  => $comment,
        declared => \@declared,
        changes  => \%changes
    };
}

# The number of at most 40 binary digits.
sub number ($digits) { return unpack 'Q>', pack 'B64', '0' x (64 - length $digits) . $digits }

# What a signal holds from a clock on.
sub value_at ($vcd, $signal, $clock) {
    my $list = $vcd->{changes}{$signal};
    my ($low, $high) = (0, $#$list);    # the last change that is not after the clock is between them
    while ($low < $high) {
        my $middle = int(($low + $high + 1) / 2);
        ($low, $high) = $list->[$middle][0] <= $clock ? ($middle, $high) : ($low, $middle - 1);
    }
    return $list->[$low][1];
}

# The clocks at which a signal of one bit becomes 1.
sub rises ($vcd, $signal) {
    return map { $_->[1] ? $_->[0] : () } @{ $vcd->{changes}{$signal} };
}

1;
