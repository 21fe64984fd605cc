# The courses of logs before 2026-12, whose steps are letters: tests/suite/course_old.c has that notation.
package Pmulog::OldCourse;

use v5.36;
use List::Util qw(min);
use Pmulog::Registers;
use Pmulog::Run;

# What a step does, by its first letters; %s: the counters that it is about.
my @STEPS = (
    [ qr/e\w+?/ => '%s: events' ],
    [ qr/k\w/   => '%s: the CCCR selects another ESCR' ],
    [ qr/w\w=/  => '%s: the CCCR is written' ],
    [ qr/r/     => '%s: the registers are read' ],
    [ qr/v\wN/  => '%s is written, near its overflow' ],
    [ qr/v\wZ/  => '%s is written, so that these events end at 0' ],
    [ qr/v\wP/  => '%s is written 0' ],
    [ qr/v\wC/  => '%s is written, near a carry into bit 32' ],
    [ qr/v\wF/  => '%s is written, far from an overflow' ],
    [ qr/lF/    => 'LVTPC is unmasked' ],
    [ qr/lM/    => 'LVTPC is masked' ],
    [ qr/lU/    => 'LVTPC is unmasked just before the next events' ],
    [ qr/lI/    => 'another interrupt is pending' ],
    [ qr/o/     => 'OVF of all other counters is set' ],
    [ qr/h/     => 'the processor halts' ],
    [ qr/i/     => 'INIT of the sibling' ],
    [ qr/sR/    => 'the sibling runs a loop at CPL 3' ],
    [ qr/sH/    => 'the sibling is halted' ],
);
my %FLAGS = (
    O => 'OS alone',
    U => 'USR alone',
    N => 'no flag',
    X => 'the flags of the other processor',
    S => 'OS of the other processor alone',
    A => 'all four flags',
    E => 'event select 0',
    M => 'no mask bit',
    F => 'another event before',
    W => 'a halt in between',
    R => 'INIT of the sibling in between',
    B => 'then at CPL 0'
);

my %NEEDS = (k => 'ESCR-select', w => 'CCCR-write', v => 'counter-write', r => 'RDPMC');

# As Pmulog::Course::courses() has them: the course of the first failure, from what its text and the comments say; else an empty list.
sub courses ($maps, $point) {
    my $what = { Pmulog::Run::diagnosis($point) }->{what} // '';
    my ($failed, $text) = $what =~ m{, step (\d{1,3}) of (\d[\da-f:,]*/\S+)} or return ();
    my %course = map { /\A(shortest|nearest) course that \w+: course=(\S+)/ ? ($1 => $2) : () }
        @{ $point->{comments} || [] };
    my ($head, $steps) = split m{/}, $text, 2;
    my @actors = map { [ split /:/ ] } split /,/, $head;
    my @steps = split /-/, $steps;
    @steps = @steps[ 0 .. min($failed, scalar @steps) - 1 ];
    my $of = {
        failure  => 1,
        text     => $course{shortest} // $text,
        counters => [ map { $_->[0] } @actors ],
        first    => [],
        steps    => [ map { [ $_ + 1, in_words($maps, \@actors, $steps[$_]) ] } 0 .. $#steps ],
        needs    => [ map { /\A'?([kwvr])/ ? $NEEDS{$1} : () } @steps ]
    };
    @{$of}{qw(passes differ)} = ($course{nearest}, [ between($maps, @course{qw(shortest nearest)}) ])
        if keys %course == 2;
    $of->{twin} = twin($maps, $point, $of->{counters}) if $what =~ /: counts of its twin\z/;
    return $of;
}

# What one course has otherwise than another one: fields of its CCCRs, and the first step that differs.
sub between ($maps, $fails, $passes) {
    my ($ours, $theirs) = map {
        my ($head, $steps) = split m{/}, $_, 2;
        { actors => [ map { [ split /:/ ] } split /,/, $head ], steps => [ split /-/, $steps ] }
    } $fails, $passes;
    my @differ;
    for my $n (0 .. $#{ $ours->{actors} }) {
        my @of = map { $_->{actors}[$n] // [] } $ours, $theirs;
        push @differ,
            map { "counter $of[0][0] has $_" }
            Pmulog::Registers::differences($maps, 'CCCR0', map { uc(($_->[2] // 0) . 'h') } @of);
    }
    my ($longer, $shorter) = map { $_->{steps} } $ours, $theirs;
    my ($at) = grep { ($longer->[$_] // '') ne ($shorter->[$_] // '') } 0 .. $#$longer;
    push @differ,
          'step '
        . ($at + 1)
        . (@$longer > @$shorter ? ", $longer->[$at], is left out" : " is $shorter->[$at], not $longer->[$at]")
        if defined $at;
    return @differ ? @differ : 'it is the same';
}

sub in_words ($maps, $actors, $text) {
    my ($sibling, $step) = $text =~ /\A('?)(.*)/;
    my ($does) = map { $_->[1] } grep { $step =~ /\A$_->[0]/ } @STEPS
        or return "$text, which this pmulog does not know";
    my ($who, $level, $flags, $more) = $step =~ /\A[ekwvr]([a-f]+)(\d?)([OUNXSAEMBFWR]?)(?:=(\w+))?/;
    my @counters = map { ($actors->[ ord($_) - ord 'a' ] || ['?'])->[0] } split //, $who // '';
    my @how =
        $step !~ /\Ae/
        ? ()
        : (
        map({ "at CPL $_" } $level       || ()),
        map({ "with $FLAGS{$_}" } $flags || ()),
        map { hex($_) . ' of them' } $more || ()
        );
    push @how,
        map { $_ eq 'OVF' ? 'OVF cleared' : "$_ inverted" } Pmulog::Registers::named_bits($maps, hex $more)
        if $step =~ /\Aw/;
    push @how, 'by the sibling' if $sibling;
    my $last = pop @counters;
    my $list = @counters ? 'counters ' . join(', ', @counters) . " and $last" : 'counter ' . ($last // '');
    return $does =~ s/%s/$list/r . (@how ? ' (' . join(', ', @how) . ')' : '');
}

# The twin of the counter that failed: the first of its ESCR set that is no actor and no twin of an actor before.
sub twin ($maps, $point, $actors) {
    my $set = $maps->{set} || {};
    my %taken = map { $_ => 1 } @$actors;
    my %twin;
    for my $n (@$actors) {
        ($twin{$n}) = grep { !$taken{$_} && ($set->{$_} // '') eq ($set->{$n} // 'none') } 0 .. 17;
        $taken{ $twin{$n} // '' } = 1;
    }
    my ($counter) = map { $_->[0] eq 'counters' ? split(' ', $_->[1]) : () } @{ $point->{values} };
    return $twin{ $counter // '' };
}

1;
