# The courses of a failed point (docs/add-a-vector.md has their notation), as the list `courses` of its diagnosis has them. That list
# spells each step out, so nothing here knows what a step is.
package Pmulog::Course;

use v5.36;
use Exporter qw(import);
use Pmulog::OldCourse ();
use Pmulog::Run;

our @EXPORT_OK = qw(courses made_it_fail);

use constant WORK => 0.5;    # the weight of an act that is in the work itself

# The courses that failed, in their order, each as far as the step that went wrong:
#   failure   the number of the failure: 1 is the first one, 2 the first of `also`
#   text      the course, as the boot word course= takes it, or '' if it is too long for that; passes: the nearest one that
#             passes, or undef; differ: [what that one has otherwise, a sentence each], or undef if one of the two is unknown
#   long      sentences about those that are too long
#   counters  the numbers of its counters
#   first     what each counter is programmed to, in words; steps: [number, what is done, in words] ...
#   twin      the twin that went wrong, or undef
#   needs     words of `setting` that a log of an older version does not have there
#   unknown   a sentence with what the list says and this pmulog does not know, or undef
sub courses ($maps, $point) {
    my @items = map { $_->[0] eq 'courses' ? $_->[1] : () } @{ $point->{values} }
        or return Pmulog::OldCourse::courses($maps, $point);
    my (%course, @unknown);
    for my $item (@items) {
        my ($number, $said) = $item =~ /\Afailure (\d{1,3})(?:,)? (.*)\z/ or push(@unknown, $item), next;
        my $course = $course{$number} //= {
            failure  => $number + 0,
            text     => '',
            counters => [],
            first    => [],
            steps    => [],
            needs    => [],
            long     => []
        };
        if ($said =~ /\Ais in the last step of course=(\S+)\z/) {
            @{$course}{qw(text counters)} = ($1, [ numbers($1) ]);
        } elsif ($said =~ /\Adoes not come in course=(\S+)\z/) {
            $course->{passes} = $1;
        } elsif ($said =~ /\Ais in the last step of (a course of more than \d+ characters)\z/) {
            push @{ $course->{long} }, "It is $1, so that the boot line does not take it.";
        } elsif ($said =~ /\Adoes not come in (a course of more than \d+ characters)\z/) {
            push @{ $course->{long} }, "The nearest course that passes is $1.";
        } elsif ($said =~ /\Afirst: (.+)\z/) {
            push @{ $course->{first} }, $1;
        } elsif ($said =~ /\Astep (\d+): (.+)\z/) {
            push @{ $course->{steps} }, [ $1, $2 ];
        } else {
            push @unknown, $item;
        }
    }
    my @courses = map { $course{$_} } sort { $a <=> $b } keys %course;
    $_->{differ} = [ between(@{$_}{qw(text passes)}) ]
        for grep { $_->{text} ne '' && defined $_->{passes} } @courses;
    $courses[0]{unknown} = "The log also says of its courses: @unknown." if @courses && @unknown;
    $courses[0]{twin} = $1
        if @courses
        && ({ Pmulog::Run::diagnosis($point) }->{what} // '') =~ /: counts\b.* its twin, counter (\d+)\z/;
    return @courses;
}

# The numbers of the counters of a course.
sub numbers ($text) {
    return map { /\A(\d+):/ ? $1 : () } split /\+/, $text =~ s{/.*}{}r;
}

# The acts that made this course fail, of those that should change nothing in a counter: HLT, CPL (a change of the
# privilege level), INIT, read. Such an act is the step that went wrong. An act before it may be what something else needs to
# go wrong, such as a halted logical processor. Each with its weight: { act => number }. Where one of the
# two courses is unknown, nothing is known; and a log that is damaged may have a course without steps.
sub made_it_fail ($course) {
    return {} if !defined $course->{differ};
    my (undef, @ours) = split m{/}, $course->{text};
    my (undef, @theirs) = split m{/}, $course->{passes};
    return {} if !@ours;
    my ($at) = grep { ($ours[$_] // '') ne ($theirs[$_] // '') } 0 .. $#ours;
    my ($differs, $last) = map { $_ // '' } defined $at ? $ours[$at] : '', $ours[-1];
    my $other = defined $at ? $theirs[$at] // '' : '';
    my %act;
    # Work at CPL 3 that does no harm at CPL 0 may go wrong by itself.
    $act{CPL} = WORK if $differs eq "$other,CPL=3";
    $act{CPL} = 1 if $last =~ /:loop\z/;
    $act{HLT} = 1 if $last =~ /:HLT\b/;
    $act{INIT} = 1 if $last =~ /:INIT\b/;
    $act{read} = 1 if $last =~ /:(?:read|rdpmc)/i;
    # The second logical processor, which is halted between its steps, does what the first one may do.
    $act{HLT} = 1 if $last =~ /\ALP\d:LVTPC=/ && $differs =~ /\ALP1:(.*)/ && $other =~ /\A(?:LP0:)?\Q$1\E\z/;
    return \%act;
}

# What one course has otherwise than another one: the fields of its counters, and the first step that differs.
sub between ($fails, $passes) {
    my ($ours, @ours) = split m{/}, $fails;
    my ($theirs, @theirs) = split m{/}, $passes;
    my ($of, $other) = map {
        +{
            map {
                /\A(\d+):(.*)/
                    ? ($1 => { map { /\A(\w+)=(.*)/ ? ($1 => $2) : (event => $_) } split /,/, $2 })
                    : ()
            } split /\+/
        }
    } $ours, $theirs;
    my @differ;
    for my $n (sort { $a <=> $b } keys %$of) {
        my ($here, $there) = ($of->{$n}, $other->{$n} || {});
        push @differ, map {
            my ($is, $was) = map { $_ // 0 } $there->{$_}, $here->{$_};
            $is eq $was ? () : "counter $n has $_ $is, not $was"
            }
            sort keys %{ { %$here, %$there } };
    }
    my ($at) = grep { ($ours[$_] // '') ne ($theirs[$_] // '') } 0 .. $#ours;
    push @differ,
          'step '
        . ($at + 1)
        . (@ours > @theirs ? ", $ours[$at], is left out" : " is $theirs[$at], not $ours[$at]")
        if defined $at;
    return @differ ? @differ : 'it is the same';
}

1;
