# The vectors of the manual's cascade examples: what each expects, moment by moment, and a timing diagram of
# it as SVG. The page's style sheet sets the colours (classes expected, lane, mark).
package Pmulog::Cascade;

use v5.36;
use Exporter qw(import);

our @EXPORT_OK = qw(scenario);

use constant { LEFT => 74, WIDTH => 430, LANE => 30, GAP => 9, TOP => 20 };

# ---- Scenarios ----

# The scenario that a vector's id stands for, or undef if the vector is none of the examples. Times are in
# units of X's count to its overflow.
#   name; x, y: counter numbers; from { x, y }: presets
#   span { x, y }: the counts that fill the height of a lane
#   lanes, end (time); bars [from, to, words]: the events; moments [time, words]
#   paths { x, y, ovf_x, ovf_y => [[time, value] ...] }; pmis [times]
sub scenario ($id) {
    if (my ($kind, $x, $y) = $id =~ /\Acascade\.(18-1|pmi|extended|extended\.pmi)\.[a-z]+\.(\d+)-(\d+)\z/) {
        my $extended = $kind =~ /extended/;
        my $s = {
            x    => $x,
            y    => $y,
            name => 'Example 18-1' . ($extended ? ' through bit 11' : ''),
            from => { x => -200, y => -400 }
        };
        return $kind =~ /pmi/ ? pmi($s) : counted($s);
    }
    if (my ($sample, $x, $y) = $id =~ /\Acascade\.18-2\.(sample\.)?[a-z]\.(\d+)-(\d+)\z/) {
        my $s = {
            x    => $x,
            y    => $y,
            name => 'Example 18-2' . ($sample ? ', sampled' : ''),
            from => { x => -4096, y => $sample ? -999 : 0 }
        };
        return processors($s, $sample);
    }
    return undef;
}

# Example 18-1: 200 of A on X, then 400 of B on Y.
sub counted ($s) {
    return completed(
        $s,
        end     => 3.35,
        bars    => [ [ 0, 1, '200 A' ], [ 1, 3, '400 B' ] ],
        moments => [ [ 3, '400 B later' ] ],
        y       => [ [ 1, -400 ], [ 3, 0 ], [ 3.35, 80 ] ],
        ovf_y   => 3
    );
}

# The vectors cascade.pmi: 200 of B, and the PMI with one B more.
sub pmi ($s) {
    $s->{name} .= ', Y interrupts';
    $s->{from}{y} = -200;
    return completed(
        $s,
        end     => 2.6,
        bars    => [ [ 0, 1, '200 A' ], [ 1, 2, '200 B' ], [ 2.15, 2.35, '1 B' ] ],
        moments => [ [ 2, '200 B later' ] ],
        y       => [ [ 1, -200 ], [ 2, 0 ], [ 2.15, 0 ], [ 2.35, 1 ], [ 2.6, 1 ] ],
        ovf_y   => 2,
        pmis    => [2.35]
    );
}

# Example 18-2: 4096 events of LP0 on X, then instructions of LP1 on Y, with a PMI each 1000 of them if
# sampled.
sub processors ($s, $sample) {
    my $y = [ [ 1, 0 ], [ 3.2, 3600 ] ];
    my @pmis = map { 1 + $_ * 2.2 / 6 } 1 .. 4;    # room for four PMIs and the words after them
    $y = [ [ 1, -999 ], map { ([ $_, 0 ], [ $_, -999 ]) } @pmis ] if $sample;
    return completed(
        $s,
        end     => 3.2,
        bars    => [ [ 0, 1, '4096 of LP0' ], [ 1, 3.2, 'LP1, which runs all the while' ] ],
        moments => [],
        y       => $y,
        span    => { y => $sample ? 999 * 1.35 : 4096 },
        $sample ? (pmis => \@pmis, pmi_words => 'one each 1000') : ()
    );
}

# The parts that all scenarios share: X overflows at time 1 and counts on.
sub completed ($s, %own) {
    my ($end, $from) = ($own{end}, $s->{from});
    $s->{$_} = $own{$_} for qw(end bars pmi_words);
    $s->{moments} = [ [ 1, 'Y starts' ], @{ $own{moments} } ];
    $s->{pmis} = $own{pmis} || [];
    $s->{span} = { x => -1.35 * $from->{x}, y => -1.35 * $from->{y}, %{ $own{span} || {} } };
    $s->{paths} = {
        x     => [ [ 0, $from->{x} ], [ 1, 0 ], [ $end, -0.2 * $from->{x} ] ],
        y     => [ [ 0, $from->{y} ], @{ $own{y} } ],
        ovf_x => [ [ 0, 0 ], [ 1, 0 ], [ 1, 1 ], [ $end, 1 ] ],
        $own{ovf_y} ? (ovf_y => [ [ 0, 0 ], [ $own{ovf_y}, 0 ], [ $own{ovf_y}, 1 ], [ $end, 1 ] ]) : (),
    };
    $s->{lanes} = [ 'events', 'x', 'ovf_x', 'y', $own{ovf_y} ? 'ovf_y' : (), @{ $s->{pmis} } ? 'pmi' : () ];
    return $s;
}

# The scenario of a vector in a sentence.
sub caption ($s) { return "$s->{name}: counter $s->{x} is X, counter $s->{y} is Y." }

# ---- Diagrams ----

# The diagram for a point of Pmulog::Run, or undef if its vector is none of the examples. It contains
# no text of the log. If the point has `any`, the drawing is of its scenario with any counters.
sub svg ($point) {
    my $s = scenario($point->{id}) // return undef;
    my $title = $point->{any} ? $s->{name} : caption($s);
    @{$s}{qw(x y)} = () if $point->{any};
    $s->{bottom} = TOP + @{ $s->{lanes} } * (LANE + GAP);
    my $svg = sprintf '<svg class="cascade" viewBox="0 0 %d %d" role="img"><title>%s</title>',
        LEFT + WIDTH + 8, $s->{bottom} + 4, $title;
    return $svg . frame($s) . expected($s) . '</svg>';
}

# The place of a time.
sub at ($s, $time) { return sprintf '%.1f', LEFT + $time / $s->{end} * WIDTH }

# The top and bottom of a lane.
sub lane ($s, $name) {
    my ($index) = grep { $s->{lanes}[$_] eq $name } 0 .. $#{ $s->{lanes} };
    my $top = TOP + $index * (LANE + GAP);
    return ($top, $top + LANE);
}

# The height at which a value is drawn: a counter's preset at the bottom of its lane; a flag, or the number of
# PMIs, as 0 or more than 0.
sub height_of ($s, $name, $value) {
    my ($top, $bottom) = lane($s, $name);
    return $value ? $top + 8 : $bottom if $name =~ /\A(?:ovf_[xy]|pmi)\z/;
    my $y = $bottom - ($value - $s->{from}{$name}) / $s->{span}{$name} * LANE;
    return sprintf '%.1f', $y < $top - 4 ? $top - 4 : $y > $bottom + 4 ? $bottom + 4 : $y;
}

sub text ($x, $y, $class, $words) { return qq(<text x="$x" y="$y" class="$class">$words</text>) }

sub path ($class, @points) {
    return qq(<polyline class="$class" points=") . join(' ', map { "$_->[0],$_->[1]" } @points) . '"/>';
}

# The names of the lanes, the events, and the moments at which something happens.
sub frame ($s) {
    my %name = (
        events => 'events',
        (map { ($_ => uc . (defined $s->{$_} ? " ($s->{$_})" : '')) } qw(x y)),
        ovf_x => 'OVF of X',
        ovf_y => 'OVF of Y',
        pmi   => 'PMIs of Y'
    );
    my $svg = '';
    for my $lane (@{ $s->{lanes} }) {
        my ($top, $bottom) = lane($s, $lane);
        my $preset = $s->{from}{$lane};
        $svg .= text(4, $top + LANE / 2 + (defined $preset ? -1 : 5), 'name', $name{$lane});
        $svg .= text(4, $top + LANE / 2 + 11, 'value', "from $preset") if defined $preset;
        $svg .= sprintf '<line class="lane" x1="%s" y1="%d" x2="%d" y2="%d"/>', at($s, 0), $bottom,
            LEFT + WIDTH, $bottom;
    }
    my (undef, $bottom) = lane($s, 'events');
    for my $bar (@{ $s->{bars} }) {
        my ($from, $to, $words) = @$bar;
        $svg .= sprintf(
            '<rect class="bar" x="%s" y="%d" width="%.1f" height="16"/>',
            at($s, $from),
            $bottom - 18,
            at($s, $to) - at($s, $from)
        ) . text(at($s, ($from + $to) / 2), $bottom - 6, 'inbar', $words);
    }
    for my $moment (@{ $s->{moments} }) {
        my ($time, $words) = @$moment;
        $svg .= sprintf '<line class="mark" x1="%1$s" y1="14" x2="%1$s" y2="%2$d"/>', at($s, $time),
            $s->{bottom};
        $svg .= text(at($s, $time), 11, $time == 1 ? 'moment' : 'moment last', $words);
    }
    return $svg;
}

sub expected ($s) {
    my $svg = join '', map {
        my $lane = $_;
        path('expected', map { [ at($s, $_->[0]), height_of($s, $lane, $_->[1]) ] } @{ $s->{paths}{$lane} })
        }
        grep { $s->{paths}{$_} } @{ $s->{lanes} };
    $svg .= path('expected', [ at($s, $_), height_of($s, 'pmi', 0) ], [ at($s, $_), height_of($s, 'pmi', 1) ])
        for @{ $s->{pmis} };
    $svg .= text(at($s, $s->{pmis}[-1] + 0.08), height_of($s, 'pmi', 0) - 6, 'value', $s->{pmi_words})
        if defined $s->{pmi_words};
    return $svg;
}

1;
