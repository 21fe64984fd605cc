# Timing diagrams of the manual's cascade examples (Pmulog::Scenario), as SVG: what the vector expects and, if it failed, what
# the log says was observed. The page's style sheet sets the colours (classes expected, observed, lane, mark).
package Pmulog::Cascade;

use strict;
use warnings;
use Pmulog::Run;
use Pmulog::Scenario qw(scenario placed);

use constant { LEFT => 74, WIDTH => 430, LANE => 30, GAP => 9, TOP => 20 };

# The diagram for a point of Pmulog::Run, or undef if its vector is none of the examples. It contains numbers of the
# log, but no text of it. If the point has `any`, the drawing is of its scenario with any counters.
sub svg {
    my ($point) = @_;
    my $s = scenario($point->{id}) // return undef;
    my $title = $point->{any} ? $s->{name} : Pmulog::Scenario::caption($s);
    @{$s}{qw(x y)} = () if $point->{any};
    $s->{bottom} = TOP + @{ $s->{lanes} } * (LANE + GAP);
    my $place = $point->{any} ? undef : placed($s, $point);
    my $svg = sprintf '<svg class="cascade" viewBox="0 0 %d %d" role="img"><title>%s</title>', LEFT + WIDTH + 8, $s->{bottom} + ($place ? 24 : 4), $title;
    return $svg . frame($s) . expected($s) . ($place ? observed($s, $place) . legend($point, $s->{bottom} + 16, $place) : '') . '</svg>';
}

# The place of a time.
sub at {
    my ($s, $time) = @_;
    return sprintf '%.1f', LEFT + $time / $s->{end} * WIDTH;
}

# The top and bottom of a lane.
sub lane {
    my ($s, $name) = @_;
    my ($index) = grep { $s->{lanes}[$_] eq $name } 0 .. $#{ $s->{lanes} };
    my $top = TOP + $index * (LANE + GAP);
    return ($top, $top + LANE);
}

# The height at which a value is drawn: a counter's preset at the bottom of its lane; a flag, or the number of PMIs, as 0 or
# more than 0.
sub height_of {
    my ($s, $name, $value) = @_;
    my ($top, $bottom) = lane($s, $name);
    return $value ? $top + 8 : $bottom if $name =~ /\A(?:ovf_[xy]|pmi)\z/;
    my $y = $bottom - ($value - $s->{from}{$name}) / $s->{span}{$name} * LANE;
    return sprintf '%.1f', $y < $top - 4 ? $top - 4 : $y > $bottom + 4 ? $bottom + 4 : $y;
}

sub text {
    my ($x, $y, $class, $words) = @_;
    return qq(<text x="$x" y="$y" class="$class">$words</text>);
}

sub path {
    my ($class, @points) = @_;
    return qq(<polyline class="$class" points=") . join(' ', map { "$_->[0],$_->[1]" } @points) . '"/>';
}

sub circle {
    my ($class, $x, $y) = @_;
    return qq(<circle class="$class" cx="$x" cy="$y" r="4"/>);
}

# The names of the lanes, the events, and the moments at which something happens.
sub frame {
    my ($s) = @_;
    my %name = (events => 'events', (map { ($_ => uc . (defined $s->{$_} ? " ($s->{$_})" : '')) } qw(x y)), ovf_x => 'OVF of X', ovf_y => 'OVF of Y', pmi => 'PMIs of Y');
    my $svg = '';
    for my $lane (@{ $s->{lanes} }) {
        my ($top, $bottom) = lane($s, $lane);
        my $preset = $s->{from}{$lane};
        $svg .= text(4, $top + LANE / 2 + (defined $preset ? -1 : 5), 'name', $name{$lane});
        $svg .= text(4, $top + LANE / 2 + 11, 'value', "from $preset") if defined $preset;
        $svg .= sprintf '<line class="lane" x1="%s" y1="%d" x2="%d" y2="%d"/>', at($s, 0), $bottom, LEFT + WIDTH, $bottom;
    }
    my (undef, $bottom) = lane($s, 'events');
    for my $bar (@{ $s->{bars} }) {
        my ($from, $to, $words) = @$bar;
        $svg .= sprintf('<rect class="bar" x="%s" y="%d" width="%.1f" height="16"/>', at($s, $from), $bottom - 18, at($s, $to) - at($s, $from))
            . text(at($s, ($from + $to) / 2), $bottom - 6, 'inbar', $words);
    }
    for my $moment (@{ $s->{moments} }) {
        my ($time, $words) = @$moment;
        $svg .= sprintf '<line class="mark" x1="%1$s" y1="14" x2="%1$s" y2="%2$d"/>', at($s, $time), $s->{bottom};
        $svg .= text(at($s, $time), 11, $time == 1 ? 'moment' : 'moment last', $words);
    }
    return $svg;
}

sub expected {
    my ($s) = @_;
    my $svg = join '', map { my $lane = $_; path('expected', map { [ at($s, $_->[0]), height_of($s, $lane, $_->[1]) ] } @{ $s->{paths}{$lane} }) }
        grep { $s->{paths}{$_} } @{ $s->{lanes} };
    $svg .= path('expected', [ at($s, $_), height_of($s, 'pmi', 0) ], [ at($s, $_), height_of($s, 'pmi', 1) ]) for @{ $s->{pmis} };
    $svg .= text(at($s, $s->{pmis}[-1] + 0.08), height_of($s, 'pmi', 0) - 6, 'value', $s->{pmi_words}) if defined $s->{pmi_words};
    return $svg;
}

# The expected value as a ring, the observed one as a dot; a late start of Y as a line.
sub observed {
    my ($s, $place) = @_;
    if (defined $place->{late}) {
        my $start = 1 + ($place->{late} - 400) / 200;
        $start = $start < 0 ? 0 : $start > $s->{end} ? $s->{end} : $start;
        my @points = ([ $start < 1 ? $start : 1, -400 ], [ $start, -400 ], [ $s->{end}, -400 + 200 * ($s->{end} - $start) ]);
        return path('observed', map { [ at($s, $_->[0]), height_of($s, 'y', $_->[1]) ] } @points);
    }
    my ($due, $seen) = @{ $place->{values} };
    return join '', map { my ($class, $value) = @$_; defined $value ? circle($class, at($s, $place->{time}), height_of($s, $place->{lane}, $value)) : '' }
        [ ring => $due ], [ dot => $seen ];
}

# Under the lanes: the expected and the observed value in numbers, each with its sign.
sub legend {
    my ($point, $y, $place) = @_;
    my %pair = Pmulog::Run::diagnosis($point);
    my ($due, $seen) = map { /\A(?:[0-9A-F]+H?|\d+ to \d+|yes|no)\z/ ? " $_" : '' } @pair{qw(expected observed)};
    my $middle = LEFT + WIDTH / 2;
    my $sign = sub {
        my ($x, $round, $line) = @_;
        return defined $place->{late} ? path($line, [ $x - 6, $y - 4 ], [ $x + 6, $y - 4 ]) : circle($round, $x, $y - 4);
    };
    return '<g class="legend">' . $sign->(LEFT + 6, 'ring', 'expected') . text(LEFT + 18, $y, 'blue', "expected$due")
        . $sign->($middle, 'dot', 'observed') . text($middle + 12, $y, 'red', "observed$seen") . '</g>';
}

1;
