# Timing diagrams of the manual's cascade examples, as SVG: what the vector expects and, if it failed, what the log
# says was observed. The page's style sheet sets the colours (classes expected, observed, lane, mark).
package Pmulog::Cascade;

use strict;
use warnings;

use constant { LEFT => 74, WIDTH => 430, LANE => 30, GAP => 9, TOP => 20 };

# The lanes, from top to bottom.
my @LANES = qw(events x ovf_x y ovf_y);

# The scenario that a vector's id stands for, or undef if the vector is none of the examples.
#   x, y: counter numbers; x_count, y_count: events to their overflow (y_count undef: none is expected)
#   y_from: Y's preset; every: counts from one PMI to the next; a, b: names of the events
sub scenario {
    my ($id) = @_;
    if (my ($x, $y) = $id =~ /\Acascade\.(?:18-1|extended)\.[a-z]+\.(\d+)-(\d+)\z/) {
        my $clocks = $id =~ /\.bpu\./;
        return { x => $x, y => $y, x_count => 200, y_count => 400, y_from => -400, example => '18-1',
            a => $clocks ? 'clocks' : 'A', b => $clocks ? 'clocks' : 'B' };
    }
    if (my ($sample, $x, $y) = $id =~ /\Acascade\.18-2\.(sample\.)?[a-z]\.(\d+)-(\d+)\z/) {
        return { x => $x, y => $y, x_count => 4096, y_from => $sample ? -999 : 0, every => $sample ? 1000 : undef,
            example => '18-2', a => 'of LP0', b => 'LP1, which runs all the while' };
    }
    return undef;
}

# What the scenario of a vector is called, without its counters; undef if the vector is none of the examples.
sub name {
    my ($id) = @_;
    my $s = scenario($id) // return undef;
    return "Example $s->{example}" . ($id =~ /\Acascade\.extended/ ? ' through bit 11' : '') . ($s->{every} ? ', sampled' : '')
        . ($s->{a} eq 'clocks' ? ', clocks on both counters' : '');
}

# The scenario of a point in a sentence, or undef.
sub caption {
    my ($point) = @_;
    my $s = scenario($point->{id}) // return undef;
    return name($point->{id}) . ": counter $s->{x} is X, counter $s->{y} is Y.";
}

# The diagram for a point of Pmulog::Run, or undef if its vector is none of the examples. It contains numbers of the
# log, but no text of it. If the point has `any`, the drawing is of its scenario with any counters.
sub svg {
    my ($point) = @_;
    my $s = scenario($point->{id}) // return undef;
    @{$s}{qw(x y)} = () if $point->{any};
    my $end = $s->{y_count} ? 1 + 2 + 0.35 : 3.2;    # in units of X's count to its overflow
    my $at = sub { sprintf '%.1f', LEFT + $_[0] / $end * WIDTH };
    my @lanes    = grep { has_lane($s, $_) } @LANES;
    my $bottom   = TOP + @lanes * (LANE + GAP);
    my $observed = observed($point, $s, $at);
    my $legend   = $observed eq '' ? '' : legend($point, $bottom + 16, $observed =~ /class="ring"/, $observed =~ /class="dot"/);
    my $svg = sprintf '<svg class="cascade" viewBox="0 0 %d %d" role="img"><title>%s</title>', LEFT + WIDTH + 8, $bottom + ($legend eq '' ? 4 : 24),
        $point->{any} ? name($point->{id}) : caption($point);
    return $svg . frame($s, $at, $bottom, @lanes) . expected($s, $at, $end) . "$observed$legend</svg>";
}

sub has_lane {
    my ($s, $lane) = @_;
    return $lane ne 'ovf_y' || $s->{y_count} || $s->{every};
}

# Under the lanes: the expected and the observed value in numbers, each with its sign. ring, dot: that is the sign, and not
# a line.
sub legend {
    my ($point, $y, $ring, $dot) = @_;
    my %pair = map { @$_ } grep { $_->[0] ne 'also' } @{ $point->{pairs} };
    my ($due, $seen) = map { /\A(?:[0-9A-F]+H?|\d+ to \d+|yes|no)\z/ ? " $_" : '' } @pair{qw(expected observed)};
    my $sign = sub {
        my ($x, $round, $circle, $line) = @_;
        return $round ? sprintf('<circle class="%s" cx="%d" cy="%d" r="4"/>', $circle, $x, $y - 4) : path($line, [ $x - 6, $y - 4 ], [ $x + 6, $y - 4 ]);
    };
    my $middle = LEFT + WIDTH / 2;
    return '<g class="legend">' . $sign->(LEFT + 6, $ring, 'ring', 'expected') . text(LEFT + 18, $y, 'blue', "expected$due")
        . $sign->($middle, $dot, 'dot', 'observed') . text($middle + 12, $y, 'red', "observed$seen") . '</g>';
}

# The top and bottom of a lane.
sub lane {
    my ($name) = @_;
    my ($index) = grep { $LANES[$_] eq $name } 0 .. $#LANES;
    my $top = TOP + $index * (LANE + GAP);
    return ($top, $top + LANE);
}

# The height at which a counter's value is drawn: its preset at the bottom of the lane, a positive value near the top.
sub height_of {
    my ($name, $value, $preset) = @_;
    my ($top, $bottom) = lane($name);
    my $scale = $preset < 0 ? -$preset * 1.35 : 4096;
    my $y = $bottom - ($value - ($preset < 0 ? $preset : 0)) / $scale * LANE;
    return sprintf '%.1f', $y < $top - 4 ? $top - 4 : $y > $bottom + 4 ? $bottom + 4 : $y;
}

sub text {
    my ($x, $y, $class, $words) = @_;
    return qq(<text x="$x" y="$y" class="$class">$words</text>);
}

# The names of the lanes, and the moments at which X and Y overflow.
sub frame {
    my ($s, $at, $height, @lanes) = @_;
    my ($x, $y) = map { defined $s->{$_} ? uc($_) . " ($s->{$_})" : uc } qw(x y);
    my %name = (events => 'events', x => $x, ovf_x => 'OVF of X', y => $y, ovf_y => $s->{every} ? 'PMIs of Y' : 'OVF of Y');
    my $svg = '';
    for my $lane (@lanes) {
        my ($top, $bottom) = lane($lane);
        my $preset = $lane eq 'x' ? -$s->{x_count} : $lane eq 'y' ? $s->{y_from} : undef;
        $svg .= text(4, $top + LANE / 2 + (defined $preset ? -1 : 5), 'name', $name{$lane});
        $svg .= text(4, $top + LANE / 2 + 11, 'value', "from $preset") if defined $preset;
        $svg .= sprintf '<line class="lane" x1="%s" y1="%d" x2="%d" y2="%d"/>', $at->(0), $bottom, LEFT + WIDTH, $bottom;
    }
    my @moments = ([ 1, "OVF of X on $s->{x_count} $s->{a}: Y starts" ]);
    push @moments, [ 3, "$s->{y_count} $s->{b} later" ] if $s->{y_count};
    for my $moment (@moments) {
        my ($when, $words) = @$moment;
        $svg .= sprintf '<line class="mark" x1="%1$s" y1="14" x2="%1$s" y2="%2$d"/>', $at->($when), $height;
        $svg .= text($at->($when), 11, $when == 1 ? 'moment' : 'moment last', $words);
    }
    return $svg;
}

sub path {
    my ($class, @points) = @_;
    return qq(<polyline class="$class" points=") . join(' ', map { "$_->[0],$_->[1]" } @points) . '"/>';
}

# A flag that becomes 1 at the given moment.
sub step_at {
    my ($lane, $at, $when, $end) = @_;
    my ($top, $bottom) = lane($lane);
    return path('expected', [ $at->(0), $bottom ], [ $at->($when), $bottom ], [ $at->($when), $top + 8 ], [ $at->($end), $top + 8 ]);
}

sub expected {
    my ($s, $at, $end) = @_;
    my ($top, $bottom) = lane('events');
    my $bar = sub {
        my ($from, $to, $words) = @_;
        return sprintf('<rect class="bar" x="%s" y="%d" width="%.1f" height="16"/>', $at->($from), $bottom - 18, $at->($to) - $at->($from))
            . text($at->(($from + $to) / 2), $bottom - 6, 'inbar', $words);
    };
    my $y_end = $s->{y_count} ? 3 : $end;
    my $svg = $bar->(0, 1, "$s->{x_count} $s->{a}")
        . $bar->(1, $y_end, $s->{y_count} ? "$s->{y_count} $s->{b}" : $s->{b});

    # X goes on counting after its overflow: nothing stops it.
    my $x = sub { height_of('x', $_[0], -$s->{x_count}) };
    $svg .= path('expected', [ $at->(0), $x->(-$s->{x_count}) ], [ $at->(1), $x->(0) ], [ $at->($end), $x->(0.2 * $s->{x_count}) ]);
    $svg .= step_at('ovf_x', $at, 1, $end);

    my $y = sub { height_of('y', $_[0], $s->{y_from}) };
    my @y = ([ $at->(0), $y->($s->{y_from}) ], [ $at->(1), $y->($s->{y_from}) ]);
    if ($s->{every}) {
        my $step = ($end - 1) / 6;    # room for four PMIs and the words after them
        my (undef, $base) = lane('ovf_y');
        for my $n (1 .. 4) {
            my $when = 1 + $n * $step;
            push @y, [ $at->($when), $y->(0) ], [ $at->($when), $y->($s->{y_from}) ];
            $svg .= path('expected', [ $at->($when), $base ], [ $at->($when), $base - 18 ]);
        }
        $svg .= text($at->(1 + 4.2 * $step), $base - 6, 'value', 'one each 1000');
    }
    elsif ($s->{y_count}) {
        push @y, [ $at->(3), $y->(0) ], [ $at->($end), $y->(0.2 * $s->{y_count}) ];
        $svg .= step_at('ovf_y', $at, 3, $end);
    }
    else {
        push @y, [ $at->($end), $y->(3600) ];
    }
    return $svg . path('expected', @y);
}

# A value of the log as a number: decimal, the middle of 'A to B', or a register of 40 bits with bit 39 as its sign.
# undef if it is no number.
sub number {
    my ($text) = @_;
    return ($1 + $2) / 2 if $text =~ /\A(\d{1,12}) to (\d{1,12})\z/;
    return $text if $text =~ /\A\d{1,12}\z/;
    my ($hex) = $text =~ /\A0*([0-9A-F]{1,10})H\z/ or return undef;
    my $value = 0;
    $value = $value * 16 + hex $_ for split //, $hex;
    return $value >= 2**39 ? $value - 2**40 : $value;
}

# Draws what a failure's diagnosis says: the expected value as a ring, the observed one as a dot or a line.
sub observed {
    my ($point, $s, $at) = @_;
    my %pair = map { @$_ } @{ $point->{pairs} };
    my ($what, $due, $seen) = @pair{qw(what expected observed)};
    return '' if !defined $what || !defined $due || !defined $seen;

    if ($what =~ /\Aclocks between X/ && defined(my $late = number($seen))) {
        my $start = 1 + ($late - 400) / 200;
        $start = $start < 0 ? 0 : $start > 3 ? 3 : $start;
        return path('observed', [ $at->($start), height_of('y', -400, -400) ], [ $at->(3), height_of('y', -400 + 200 * (3 - $start), -400) ]);
    }
    # Events or clocks that Y has counted from its preset on.
    if ($what =~ /\A(?:B's counted by|clocks of) Y \(\d+\) (once|while)/) {
        my $when = $1 eq 'once' ? 3 : 0.95;
        return marks($s, $at, 'y', $when, map { defined $_ ? $_ + $s->{y_from} : undef } number($due), number($seen));
    }
    my ($ovf, $counter, $rest) = $what =~ /\A(OVF of )?([XY]) \(\d+\)(.*)\z/ or return '';
    # 'yes' means that the flag is as it should be.
    my %flag = $rest =~ / stays 0 / ? (yes => 0, no => 1) : (yes => 1, no => 0);
    $_ = $flag{$_} // $_ for $ovf ? ($due, $seen) : ();
    my $when = 3.2;
    if    ($rest =~ /after (\d+) B/)                               { $when = 1 + $1 / $s->{x_count}; }
    elsif ($rest =~ /B beyond its overflow/)                       { $when = 3; }
    elsif ($rest =~ /one A short|with the last A/)                 { $when = 1; }
    elsif ($rest =~ /after (\d+)\b/)                               { $when = $1 / $s->{x_count}; }
    elsif ($rest =~ /before the 4096th/) { $when = 0.95; }
    return marks($s, $at, ($ovf ? 'ovf_' : '') . lc $counter, $when, number($due), number($seen));
}

# A ring at the expected value and a dot at the observed one; either value may be undef.
sub marks {
    my ($s, $at, $lane, $when, @values) = @_;
    my ($top, $bottom) = lane($lane);
    my $svg = '';
    for my $class (qw(ring dot)) {
        my $value = shift @values // next;
        my $y = $lane =~ /ovf/ ? ($value ? $top + 8 : $bottom) : height_of($lane, $value, $lane eq 'x' ? -$s->{x_count} : $s->{y_from});
        $svg .= sprintf '<circle class="%s" cx="%s" cy="%s" r="4"/>', $class, $at->($when), $y;
    }
    return $svg;
}

1;
