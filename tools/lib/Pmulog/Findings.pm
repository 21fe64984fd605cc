# What a log says about its run, as data and whole sentences: what may have disturbed the run, what failed, the registers of
# a failure field by field, the rules that explain the failures, and how to repeat the first one. Pmulog::Explain makes
# text of it, Pmulog::Html a page.
package Pmulog::Findings;

use v5.36;
use Exporter qw(import);
use List::Util qw(min sum0);
use Pmulog::Course qw(courses made_it_fail);
use Pmulog::Actions qw(by_action intermittent place_in_words results unexplained);
use Pmulog::Ranking qw(broken scores);
use Pmulog::Registers;
use Pmulog::Rules qw(family find_rules find_vectors grouped read_rules read_vectors);
use Pmulog::Run;

our @EXPORT_OK = qw(findings count list some);

use constant {
    BEST         => 3,       # rules that are quoted
    RULE_OF_ESCR => 'R7',    # what an ESCR selects
    NEAR         => 0.05,    # a rule is quoted if its score is at least this part of the best one
    MOST         => 0.9,     # what is said of the failed vectors holds for at least this part of them
    NEEDED       => 0.6,     # and what is said of failed courses, which say themselves what they need
};

# The reason of a SKIP whose vector ran, and had too few measurements that nothing disturbed. What follows the colon belongs to one vector.
our $DISTURBED = qr/\A(too disturbed to judge)(?::|\z)/;

# Points of the image itself and of the soak: no boot line repeats one of them alone.
my $OWN = qr/\A(?:boot\..*|kernel\.trap|tap\.plan|harness\.deadline|soak)\z/;

# The rules of PMIs and of LVTPC (docs/pmu-rules.md, 5.6).
my $OF_PMI = qr/\AR(?:4[5-9]|5[0-6])\z/;

# The rules by which these acts change nothing in a counter.
my %OF_ACT = (HLT => 'R42', CPL => 'R12', INIT => 'R1', read => 'R57');

# Words of the boot line that choose what runs or how much is printed. The line that repeats one vector does not keep them.
my $CHOICE =
    qr/\A(?:only=|skip=|loop=|timeout=|quick\z|quiet\z|verbose\z|brief\z|list\z|inventory\z|bringup\z|stop-on-fail\z)/;

# The findings of a run of Pmulog::Run:
#   run, inventory { key => the first value }, page (docs/pmu-rules.md as Pmulog::Rules reads it, empty without the page)
#   later     what failed in later loops of a soak: { id, loop, title, rules, values } ...
#   points    the points of the run; a vector that failed in a later loop counts as failed. failed: those that failed
#   families  the families that have a failure, in the order of the run: { name, all (how many of it ran), failed [points] } ...
#   skipped   { reason (with the remedy, if there is one), ids } ..., those with a remedy first
sub findings ($run) {
    my $found = { run => $run, inventory => { map { @$_ } reverse @{ $run->{inventory} } }, %{ tables() } };
    $found->{single} = ($found->{inventory}{threads} // '') =~ /\A1 per core/;
    $found->{later} = [ later_failures($run) ];
    $found->{points} = [ with_later($run, @{ $found->{later} }) ];
    $found->{failed} = [ grep { !$_->{ok} } @{ $found->{points} } ];
    my %remedy = $run->{document} ? map { $_->[1] => $_->[2] } @{ $run->{document}{untested} } : ();
    $found->{skipped} = [
        map {
            my ($why, @points) = @$_;
            {
                reason => defined $remedy{$why} ? "$why; $remedy{$why}" : $why,
                ids    => [ map { $_->{id} } @points ]
            }
            }
            sort { defined $remedy{ $b->[0] } <=> defined $remedy{ $a->[0] } || $a->[0] cmp $b->[0] }
            grouped(
            sub ($point) { $point->{skip} =~ $DISTURBED ? $1 : $point->{skip} },
            grep { defined $_->{skip} } @{ $run->{points} }
            )
    ];
    $found->{families} = [
        sort { $a->{failed}[0]{number} <=> $b->{failed}[0]{number} } grep { @{ $_->{failed} } }
            map {
            my ($name, @ran) = @$_;
            { name => $name, all => scalar @ran, failed => [ grep { !$_->{ok} } @ran ] }
            } grouped(
            sub ($point) { family($point->{id}) }, grep { !defined $_->{skip} } @{ $found->{points} }
            )
    ];
    return $found;
}

# What does not depend on the run, read once: page, maps (of Pmulog::Registers), known (the table of vectors, or undef).
sub tables {
    return state $tables = do {
        my ($rules, $vectors) = (find_rules(), find_vectors());
        my $known = defined $vectors ? read_vectors($vectors) : undef;
        my $page =
            defined $rules
            ? read_rules($rules)
            : { entry => {}, entries => [], tables => {}, layers => {}, rests => {} };
        { page => $page, maps => Pmulog::Registers::maps($page), known => $known };
    };
}

# ---- Sentences ----

sub count ($number, $noun) { return "$number $noun" . ($number == 1 ? '' : 's') }

# "a, b and c"
sub list (@items) {
    my $last = pop @items;
    return @items ? join(', ', @items) . " and $last" : $last;
}

# The first items of a list, and how many more there are.
sub some ($most, @items) {
    my $more = @items - $most;
    return $more > 0 ? join(', ', @items[ 0 .. $most - 1 ]) . " and $more more" : list(@items);
}

# ---- What everything else follows from ----

# A sentence for each stage of the PMU that is gone, or at which bringup stopped; in the order of the stages.
sub follows ($run) {
    my @said;
    for my $comment (map { @{ $_->{comments} } } @{ $run->{points} }, { comments => $run->{comments} }) {
        push @said,
              "Above all: $2. "
            . "$3 failed, and so did "
            . ($4 == $5 ? "each of the $5 counters" : "$4 of the $5 counters")
            . ", tried alone. "
            . count($6, 'vector')
            . ($6 == 1 ? ' rests on this, and was' : ' rest on this, and were')
            . " not run; what else failed may follow from it. Boot with the word bringup, which stops at the first stage that is wrong"
            . ' (docs/build-a-pmu.md).'
            if $comment =~
            /\Astage (\S+) is gone: (.+): (\S+) failed, and so did (\d+) of (\d+) counters, each tried alone; (\d+) vectors not run\z/;
        push @said,
              "Begin with the stage '$1', the first that is not there: $3. Its rules are "
            . list(split ' ', $2)
            . ' (docs/build-a-pmu.md).'
            if $comment =~ /\Abringup stops at stage (\S+) \(([A-Z0-9 ]+)\): (.+)\z/;
    }
    return @said;
}

# ---- What may have disturbed the run ----

# What a reader should know first, a sentence each: that the log is not whole, that the board disturbed the run.
sub read_first ($found) {
    my ($run, $failed, $inventory) = @{$found}{qw(run failed inventory)};
    my @notes;
    push @notes, not_whole($run) if !$run->{whole} && $run->{document};
    push @notes, $run->{verdict} eq 'damaged'
        ? "The damage shows in the lines of $run->{last_words}."
        : "The log ends while $run->{last_words} was running: the machine hung, was reset or lost power in it, or the capture was stopped."
        if !$run->{whole} && defined $run->{last_words};
    for my $comment (map { @{ $_->{comments} } } { comments => $run->{comments} }, @{ $run->{points} }) {
        push @notes,
            "Interrupts that nobody had asked for came during the run: $1. Find out what on the board sends them; the vectors know and "
            . 'discard them, but many of them take time from measurements.'
            if $comment =~ /\Aunexpected interrupts: (.*[1-9].*)\z/;
        push @notes, "$1 kept what the firmware had left in it, and could not be cleared when the run began."
            if $comment =~ /\A(register \S+) would not clear at boot/;
    }
    my %erratum;
    for my $point (@$failed) {
        push @{ $erratum{$_} }, $point->{id}
            for map { /\Aerratum (.*\S)\z/ ? $1 : () } @{ $point->{comments} };
    }
    push @notes, 'A known erratum of this part was seen in ' . some(4, @{ $erratum{$_} }) . ": $_."
        for sort keys %erratum;
    my @disturbed = grep {
        grep { /\Adisturbed: / }
            @{ $_->{comments} }
    } @$failed;
    push @notes, disturbed(@disturbed) if @disturbed;
    push @notes, unexplained_results($run), too_disturbed($run);
    my $below = sub ($point) { +{ Pmulog::Run::diagnosis($point) }->{rests_on} };
    push @notes, map {
        my ($what, @on) = @$_;
        some(4, map { $_->{id} } @on)
            . (@on == 1 ? ' rests' : ' rest')
            . " on $what. Mend that before you believe the rules."
    } grouped($below, grep { defined $below->($_) } @$failed);
    push @notes,
        'No failure of this log says which counters and features were in use, so what the failures have in common is not known.'
        if grep({ defined $_->{rules} } @$failed)
        && !grep { data($_, qr/\A(?:register|counters|escrs|setting)\z/) } @$failed;
    if (@$failed) {
        push @notes,
            "The PMU was in use before the kernel started: $inventory->{'pmu at boot'}. The kernel clears it; a failure in a vector state.* or of "
            . 'one of these registers may come from what was left.'
            if ($inventory->{'pmu at boot'} // 'none set') ne 'none set';
        push @notes,
            map { ucfirst "$_." } grep { $_ ne '' } $run->{document} ? $run->{document}->untested : '';
        push @notes, "Registers were left out because their first access faulted: $inventory->{'left out'}."
            if defined $inventory->{'left out'};
        push @notes, 'No clock was there to calibrate against, so time limits are guesses.'
            if ($inventory->{clocks} // '') =~ /assumed/;
    }
    my %seen;
    return grep { !$seen{$_}++ } @notes;
}

# What is there of a log that is not whole.
sub not_whole ($run) {
    my ($damage, $unsure) = ($run->{document}->damage, $run->{document}{unsure});
    my @behind = grep { defined $_->{behind} } @{ $run->{points} };
    my $bad = grep { !$_->{ok} } @behind;
    return
          "The log is $run->{verdict}"
        . ($damage ? " in line $damage->[0]" : '') . '. '
        . (
        @behind
        ? count(scalar @behind, 'point')
            . ' behind the damage '
            . (@behind == 1 ? 'is' : 'are')
            . " whole, and $bad of them failed. What is missing may have failed as well."
        : 'Only the part that is there is explained; later vectors may have failed as well.'
        )
        . (
        defined $unsure
        ? " The damaged record ends with '"
            . $unsure
            . "', which may itself be what is damaged, so it is not counted."
        : ''
        );
}

# Results that were wrong without a witness, in vectors that passed: too few to call, and of a PMU that works there is none.
sub unexplained_results ($run) {
    my @points = grep { defined $_->{unexplained} } @{ $run->{points} };
    my $all = $run->{document} ? $run->{document}{unexplained} : 0 or return ();
    my $here = sum0(map { $_->{wrong} } map { unexplained($_->{unexplained}) } @points);
    my @told = map { "$_->{id} ($_->{unexplained})" } @points;
    my $called = grep { intermittent($_) } @{ $run->{points} };
    return
          results($all)
        . ' in points that are ok '
        . ($all == 1 ? 'is' : 'are')
        . ' unexplained: wrong, though nothing was seen that could have disturbed the measurement'
        . ($called ? ''                    : ', and too few of one action to call a failure')
        . (@told   ? ': ' . some(4, @told) : '')
        . (
        $all > $here
        ? '; '
            . ($here ? $all - $here . ' of them' : ($all == 1 ? 'it was' : 'they were'))
            . ' in later loops of the soak'
        : ''
        )
        . '. '
        . (
        $called
        ? 'A failure that is intermittent names those that belong to it.'
        : 'A PMU that is right hardly ever has one. Repeat these vectors in a soak (loop=100), and look for what is marginal: voltage, heat, age.'
        );
}

# Vectors that ran and could not be judged.
sub too_disturbed ($run) {
    my @ids = map { defined $_->{skip} && $_->{skip} =~ $DISTURBED ? $_->{id} : () } @{ $run->{points} }
        or return ();
    return
          count(scalar @ids, 'vector')
        . (@ids == 1 ? ' was' : ' were')
        . ' too disturbed to judge: '
        . some(4, @ids)
        . '. Too many of the measurements met an interrupt or took too long. '
        . 'Find out what on the board does that (SMIs, throttling), and repeat the run without it.';
}

# What the failed vectors are that failed now and then: a sentence, or an empty list.
sub now_and_then ($found) {
    my @actions = map { $_->{action} } grep { defined } map { intermittent($_) } @{ $found->{failed} }
        or return ();
    return
          count(scalar @actions, 'failed vector')
        . (@actions == 1 ? ' is' : ' are')
        . ' intermittent: wrong now and then, without anything that disturbed it. By action: '
        . by_action(@actions) . '.';
}

# Of a vector that failed now and then: which action, how often, where, what went before, and how to see it again. An empty list for
# any other one.
sub now_and_then_said ($point) {
    my $of = intermittent($point) or return ();
    my $where = $of->{place} eq '' ? '' : ' at ' . place_in_words($of->{place});
    my $often = sub ($wrong, $judged) { defined $wrong && defined $judged ? "$wrong of $judged" : () };
    my ($all, $here) =
        ([ $often->($of->{wrong}, $of->{judged}) ], [ $often->($of->{wrong_here}, $of->{judged_here}) ]);
    return (
        "Intermittent: the action '$of->{action}' went wrong now and then"
            . (@$all                  ? ", $all->[0] times in this run" : '')
            . (@$here && $where ne '' ? ", $here->[0] times$where"      : $where)
            . '. Nothing that could have disturbed it was seen.',
        @{ $of->{earlier} }
        ? 'It had gone wrong before in '
            . some(4, @{ $of->{earlier} })
            . ', too few times to call; '
            . (@{ $of->{earlier} } == 1 ? 'that point is' : 'those points are')
            . ' ok with # unexplained.'
        : (),
        defined $of->{boot} ? "To see it again, boot with $of->{boot}." : ()
    );
}

# Says that measurements of these vectors were disturbed. Of an older log, in which repetitions voted, it says whether a failure came in
# every repetition.
sub disturbed (@points) {
    my @votes = grep {
        grep { /\Adisturbed: \d+ of \d+ / }
            @{ $_->{comments} }
    } @points;
    return
          'Measurements of '
        . count(scalar @points, 'failed vector')
        . ' were disturbed and taken again ('
        . some(4, map { $_->{id} } @points)
        . '). What failed there was not disturbed.'
        if !@votes;
    my @all =
        map { /\Adisturbed: (\d+) of (\d+) runs/ ? [ $1, $2 ] : () } map { @{ $_->{comments} } } @points;
    my @not = grep { $_->[0] < $_->[1] } @all;
    return
          'Some measurements of '
        . count(scalar @points, 'failed vector')
        . ' differed from one repetition to the next ('
        . some(4, map { $_->{id} } @points) . '). '
        . (
        @not
        ? 'What failed there did not fail every time, so look for an intermittent cause too.'
        : 'The majority of the repetitions decided.'
        );
}

# ---- One failure ----

# What a failed point's diagnosis says: { said (what was expected and observed, in a sentence), now_and_then [sentences about a failure
# that came now and then], nearest [sentences about what passes,
# and about errata that predict the failure], differ [fields of a register that differ], also [further expectations], more (how many further ones the log does not list) }
sub failure ($found, $point) {
    my %value = Pmulog::Run::diagnosis($point);
    my ($what, $due, $seen) = @value{qw(what expected observed)};
    my $compared = defined $what && defined $due && defined $seen;
    my $rests = defined $value{rests_on} ? " It rests on $value{rests_on}." : '';
    $what  .= ", although $value{although}" if defined $what && defined $value{although};
    $rests .= " $value{register} was written $value{written}."
        if defined $value{register} && defined $value{written};
    return {
        said => (
            !defined $what
            ? 'The log says nothing more of it.'
            : $compared ? "$what: expected $due, observed $seen"
                . (
                       $seen =~ /\A\d+\z/
                    && $due  =~ /\A-\d+ to (\d+)\z/
                    && $seen <= $1 ? ': what it is compared with has hardly counted.' : '.'
                )
            : "It ended with: $what."
            )
            . $rests,
        now_and_then => [ now_and_then_said($point) ],
        nearest      => [
            map({ /\Adisturbed: (\d+ of \d+ runs)\b/ ? "It failed in $1." : () } @{ $point->{comments} }),
            nearest($found, $point),
            errata($found, $point)
        ],
        differ => [
            $compared && defined $value{register}
            ? Pmulog::Registers::differences($found->{maps}, $value{register}, $due, $seen, $found->{single})
            : ()
        ],
        also => [ map { $_->[1] } grep { $_->[0] eq 'also' } @{ $point->{values} } ],
        more => ($value{more} // '') =~ /\A(\d{1,9})\z/ ? $1 + 0 : 0,
    };
}

# Of a failed point: each of its courses step by step, what the nearest course that passes has otherwise, and both of them; or the
# nearest vector that passes. Twin: the counter that failed beside the one that the failure names.
sub nearest ($found, $point) {
    my @courses = courses($found->{maps}, $point) or return nearest_vector($found, $point);
    my @said = map { of_course($_) } @courses;
    my @passed = grep { defined $_->{passes} } @courses;
    return (@said, @passed ? () : nearest_vector($found, $point));
}

# The sentences about one course.
sub of_course ($course) {
    my $of = $course->{failure} == 1 ? '' : "Failure $course->{failure} of this vector: ";
    my @steps = map { "$_->[0]. $_->[1]" } @{ $course->{steps} };
    my @said = $of . 'Step by step: ' . join('; ', @{ $course->{first} }, @steps) . '.';
    push @said, $of . "The twin is counter $course->{twin}." if defined $course->{twin};
    push @said, map { "$of$_" } @{ $course->{long} || [] };
    push @said, "$of$course->{unknown}" if defined $course->{unknown};
    return @said if !defined $course->{passes};
    return (@said, $of . "The nearest course that passes is course=$course->{passes}.")
        if !defined $course->{differ};
    return (
        @said,
        $of . 'The nearest course that passes: ' . join('; ', @{ $course->{differ} }) . '.',
        "To see both, boot with course=$course->{text}, then with course=$course->{passes}."
    );
}

# Of any other failed vector: the vector that passes and is most like it, of its own family or else one that tests the rule that it
# names first.
sub nearest_vector ($found, $point) {
    my $rule = ((broken($point))[0] // [])->[0] // return ();
    my @passed = grep {
               $_->{ok}
            && !defined $_->{skip}
            && !defined $_->{unexplained}
            && $_->{id} !~ $OWN
            && $_->{id} !~ /\Aprobe\./
    } @{ $found->{points} };
    my $known = $found->{known} || {};
    my @alike = grep { family($_->{id}) eq family($point->{id}) } @passed;
    @alike = grep {
        my $of = $known->{ $_->{id} };
        $of && grep { $_ eq $rule } map { $_->[0][0] } @{ $of->{held} }
    } @passed if !@alike;
    my ($nearest) = sort { $b->[1] <=> $a->[1] || $a->[2] <=> $b->[2] }
        map { [ $_->{id}, alike($_->{id}, $point->{id}), abs $_->{number} - $point->{number} ] } @alike;
    return () if !$nearest;
    my ($title) = map {
        $_->{id} eq $nearest->[0] && defined $_->{title} && $_->{title} ne ($point->{title} // '')
            ? " ($_->{title})"
            : ()
    } @passed;
    return (
        "The nearest vector that passes: $nearest->[0]"
            . ($title // '')
            . (
            family($nearest->[0]) eq family($point->{id})
            ? '.'
            : ", which tests $rule, too; none of this family does."
            ),
        "To see both, boot with only=$point->{id},$nearest->[0]."
    );
}

# How many parts two ids share, place by place.
sub alike ($one, $other) {
    my ($ours, $theirs) = map { [ split /[.-]/ ] } $one, $other;
    return scalar grep { ($theirs->[$_] // '') eq $ours->[$_] } 0 .. $#$ours;
}

# Errata that predict a failure: what must be in use, of each list one word, and the rules that fail then.
my @PREDICTED = (
    [ E14 => ['FORCE_OVF'], [qw(CASCADE bit-11 started)], [qw(R33 R34 R35 R36 R37)] ],
    [ E3  => [qw(OVF_PMI_T0 OVF_PMI_T1)], [qw(CASCADE bit-11 started)], [qw(R45 R46 R55)] ],
    [ E5  => ['OVF_PMI_T1'], ['OVF_PMI_T1'], [qw(R45 R46)] ],
);

sub errata ($found, $point) {
    my %has = map { $_ => 1 } data($point, 'setting'), map { @$_ } (broken($point))[0] // [];
    my @predicted = grep {
        my (undef, @lists) = @$_;
        !grep {
            !grep { $has{$_} }
                @$_
        } @lists
    } @PREDICTED;
    return map {
        "Erratum $_->[0] predicts such a failure: "
            . ($found->{page}{entry}{ $_->[0] } || { title => 'see docs/pmu-rules.md' })->{title} . '.'
    } @predicted;
}

# The words of a field of the diagnosis: counters, escrs, setting (docs/log.md).
sub data ($point, $field) {
    return map { split ' ', $_->[1] } grep { $_->[0] =~ /\A$field\z/ } @{ $point->{values} };
}

# The counters that a failure is about: that of the register which it compares, the twin that failed, or those that the log names.
sub counters ($found, $point) {
    my ($course) = courses($found->{maps}, $point);
    my @of = grep { defined } (map { $found->{maps}{counter}{s/\AMSR_//r} } data($point, 'register')),
        $course ? $course->{twin} : ();
    return @of ? $of[0] : grep { /\A\d+\z/ } data($point, 'counters');    # a damaged log may have other words
}

# The ESCRs.
sub escrs ($point) {
    return data($point, 'escrs'), map { /\AMSR_(\w+_ESCR\d)\z/ } data($point, 'register');
}

# The registers that were not 0 at a failure, those that it is about first: { name, title, value, fields ["NAME [bits] value" ...],
# named (true: of the counters that failed, of what starts them, or of the actors of their course) } ...
sub registers ($found, $point) {
    my ($counter, $partner) = @{ $found->{maps} }{qw(counter partner)};
    my ($course) = courses($found->{maps}, $point);
    my @about = (counters($found, $point), data($point, 'counters'), $course ? @{ $course->{counters} } : ());
    my %named = map { $_ => 1 } data($point, 'register'), map({ "MSR_$_" } escrs($point)), @about,
        grep { defined } map { $partner->{$_} } @about;
    my @registers;
    for my $told (grep { $_->[0] =~ /\AMSR_/ } @{ $point->{values} }) {
        my ($name, $value) = @$told;
        my $decoded = Pmulog::Registers::decode($found->{maps}, $name, $value, $found->{single});
        my $named = $named{$name} || $named{ $counter->{ $name =~ s/\AMSR_//r } // '' };
        push @registers,
            {
            name   => $name,
            title  => $decoded ? $decoded->{title} : $name,
            value  => $value,
            fields => $decoded ? $decoded->{fields} : [],
            named  => $named
            };
    }
    return sort { !$a->{named} <=> !$b->{named} } @registers;
}

# ---- What the failures have in common ----

# The words of the field `setting` that are no bit of a CCCR, as sentences name them (docs/log.md has all words).
my %IN_USE = (
    'OS-alone'      => 'OS without USR',
    'USR-alone'     => 'USR without OS',
    'T1-alone'      => 'the T1 flags alone',
    'no-flags'      => 'no flag of ESCR[3:0]',
    'shared-ESCR'   => 'an ESCR that several counters select',
    'CPL-1-to-3'    => 'a privilege level above 0',
    'LP1'           => 'the other logical processor',
    'HLT'           => 'a halted processor',
    'OVF'           => 'an OVF of the counter that is set',
    'started'       => 'a counter that a cascade has started',
    'awaited'       => 'a counter whose overflow another one waits for',
    'negative'      => 'a counter whose bit 39 is 1',
    'positive'      => 'a counter whose bit 39 is 0',
    'PMI'           => 'PMIs',
    'bit-11'        => 'bit 11 of the CCCR',
    'ESCR-select'   => 'another ESCR select in a CCCR',
    'CCCR-write'    => 'a write of a CCCR',
    'counter-write' => 'a write of a counter',
    'RDPMC'         => 'a read of the registers',
    'OVF-in-block'  => 'OVF of another counter of the block',
    'OVF-elsewhere' => 'OVF of a counter of another block',
);

# Sentences about what the failed vectors share, the most telling first: the counters, their block, the ESCRs, features that few
# of the passed vectors have, and whether too much or too little was observed.
sub common ($found) {
    my @failed = grep { $_->{id} !~ $OWN } @{ $found->{failed} } or return ();
    return (
        shared_counters($found, map { [ counters($found, $_) ] } @failed),
        stands_out('ESCR', map { [ escrs($_) ] } @failed),
        in_use($found, @failed),
        direction(@failed)
    );
}

# What is in use in most of the failed vectors that say what is; of courses, what they need to fail: a course has passed without it.
sub in_use ($found, @failed) {
    my @courses = grep { $_->{id} =~ /\Acourse\./ } @failed;
    my @with =
        grep { @{ $_->[1] } }
        map  { [ $_, [ keys %{ { map { $_ => 1 } data($_, 'setting'), steps($found, $_) } } ] ] }
        @courses ? @courses : @failed;
    my %times;
    $times{$_}++ for map { @{ $_->[1] } } @with;
    my ($all, $kind) = (scalar @with, @courses ? 'failed course' : 'failed vector');
    return () if !$all;
    my @most = grep { $times{$_} >= (@courses ? NEEDED : MOST) * $all }
        sort { $times{$b} <=> $times{$a} || $a cmp $b } keys %times;
    my $verb = @courses ? 'need' : 'use';
    return map {
        (
            $all == 1
            ? "The $kind ${verb}s "
            : ($times{$_} == $all ? "All $all" : "$times{$_} of the $all") . " ${kind}s $verb "
            )
            . ($IN_USE{$_} // $_) . '.'
    } @most;
}

# Of a log of a version whose `setting` does not say what courses write and read: what their steps up to the one that went wrong do.
sub steps ($found, $point) {
    my ($course) = courses($found->{maps}, $point);
    return $course ? @{ $course->{needs} } : ();
}

# The items that each list has, if no list is empty.
sub in_each (@lists) {
    my %lists;
    for my $list (@lists) {
        $lists{$_}++ for keys %{ { map { $_ => 1 } @$list } };
    }
    return grep { $lists{$_} == @lists } sort { $a <=> $b } keys %lists;
}

sub shared_counters ($found, @lists) {
    my @said = stands_out('counter', @lists);
    return @said if @said;
    my %all = map { $_ => 1 } map { @$_ } @lists;
    my @all = sort { $a <=> $b } keys %all;
    my @each = grep({ !@$_ } @lists) ? () : in_each(@lists);
    return
          (@lists == 1 ? 'The failure is' : 'Every failed vector is')
        . ' about counters '
        . list(@each) . '.'
        if @each && @each <= 4;
    return @all == 1
        ? "Counter $all[0] is the only one that failures name."
        : 'Every counter that the failures name is one of ' . list(@all) . '.'
        if @all && @all <= 4;
    return 'The failures name all 18 counters.' if @all == 18 && !grep { !@$_ } @lists;
    return stands_out('block',
        map { [ map { $_ < 4 ? 'BPU' : $_ < 8 ? 'MS' : $_ < 12 ? 'FLAME' : 'IQ' } @$_ ] } @lists);
}

# The one counter, block or ESCR that most failed vectors name, and at least three times as many as name any other one: what is
# broken is named by nearly all, what it is tested with by some of them.
sub stands_out ($kind, @lists) {
    my @naming = grep { @$_ } @lists or return ();
    my %by;
    for my $list (@naming) {
        $by{$_}++ for keys %{ { map { $_ => 1 } @$list } };
    }
    my ($most, $next) = sort { $by{$b} <=> $by{$a} } keys %by;
    my $name = $kind eq 'ESCR' ? $most : $kind eq 'block' ? "a counter of the block $most" : "counter $most";
    return ()
        if @naming * 2 <= @lists || $by{$most} * 2 <= @naming || defined $next && $by{$next} * 3 > $by{$most};
    return
          (@lists == 1 ? 'The failure is' : 'Every failed vector is')
        . " about $name"
        . (defined $next ? ', beside others.' : '.')
        if $by{$most} == @lists;
    return
          ucfirst "$name is in $by{$most} of the "
        . count(scalar @naming, 'failed vector')
        . ' that name '
        . ($kind eq 'ESCR' ? 'an ESCR'                                 : 'a counter')
        . (defined $next   ? ", no other one in more than $by{$next}." : '; no other one is.');
}

# Do several vectors fail, and all of them with one ESCR?
sub one_escr ($found) {
    my @failed = grep { $_->{id} !~ $OWN } @{ $found->{failed} };
    return @failed > 1 && grep { /\AEvery failed vector is about \w+\.\z/ }
        stands_out('ESCR', map { [ escrs($_) ] } @failed);
}

# Is what was observed always too much, or always too little?
sub direction (@failed) {
    my %seen;
    for my $point (@failed) {
        my %pair = Pmulog::Run::diagnosis($point);
        my ($due, $seen) = @pair{qw(expected observed)};
        my ($low) = ($due // '') =~ /\A(?:at least )?(-?\d+)(?: to -?\d+)?\z/ or next;
        $seen{ $seen eq '0' ? 'nothing' : $seen < $low ? 'too little' : 'too much' }++
            if ($seen // '') =~ /\A-?\d+\z/;
    }
    my @kinds = keys %seen;
    return @failed > 1 && @kinds == 1 ? "Wherever a number was expected, $kinds[0] was observed." : ();
}

# ---- The rules that explain the failures ----

# The likeliest rules: { rules [{ rule, entry (of docs/pmu-rules.md, or undef), title, text, source, share (whole
# sentences about the vectors that failed and passed), failed [ids], passed (how many) } ...], notes [sentences about what was
# not taken into account], unknown (how many passed vectors have no known rules) }
sub likely ($found) {
    my ($page, $known, $points, $failed) = @{$found}{qw(page known points failed)};
    my %left_out =
        map { $_ => 1 }
        @{ { 1 => ['R12'], 2 => [ 'R11', 'R19' ] }
        ->{ ($found->{inventory}{threads} // '') =~ /\A([12]) per core/ ? $1 : 0 } || [] };
    my $ranked = ranked($points, $known || {}, \%left_out, $page, of_acts($found));
    return { rules => [], notes => [], unknown => 0 } if !@$ranked;
    my @best =
        grep { $_->{score} >= NEAR * $ranked->[0]{score} } @$ranked[ 0 .. min(BEST, scalar @$ranked) - 1 ];
 # An ESCR that all failures name is likely to be what is broken, although most of what names its rule passes.
    my ($of_escr) = grep { $_->{rule} eq RULE_OF_ESCR } @$ranked;
    if ($of_escr && one_escr($found) && !grep { $_ == $of_escr } @best) {
        pop @best if @best == BEST;
        push @best, $of_escr;
    }
    my @notes;
    push @notes,
        'The table of vectors is missing (make writes it), so passed vectors were not taken into account.'
        if !$known;
    my $unknown = $known
        ? grep {
               $_->{ok}
            && !defined $_->{skip}
            && $_->{id} !~ /\A(?:probe|$OWN)/
            && !defined $_->{rules}
            && !$known->{ $_->{id} }
        } @$points
        : 0;
    push @notes,
          count($unknown, 'passed vector')
        . ' of this log '
        . ($unknown == 1 ? 'is' : 'are')
        . ' unknown to this pmulog and '
        . ($unknown == 1 ? 'was' : 'were')
        . ' not taken into account: the log is of another version.'
        if $unknown;
    return { rules => [ map { rule($found, $_) } @best ], notes => \@notes, unknown => $unknown };
}

# The rules of the acts that should change nothing (made_it_fail() of Pmulog::Course), each with the part of the failed courses that do not
# go wrong without the act: { rule => number }. A course in which a PMI is wrong does not count: what a PMI needs is no act that should
# change nothing. And if an expectation is about what was read, the read is wrong itself.
sub of_acts ($found) {
    my ($all, %part) = (0);
    for my $point (@{ $found->{failed} }) {
        my @broken = broken($point);
        for my $course (courses($found->{maps}, $point)) {
            my @named = @{ $broken[ $course->{failure} - 1 ] || [] };
            my $is_of_read = grep { $_ eq $OF_ACT{read} } @named;
            $all++;
            next if ($named[0] // '') =~ $OF_PMI;
            my $acts = made_it_fail($course);
            $part{ $OF_ACT{$_} } += $acts->{$_} for grep { $_ ne 'read' || !$is_of_read } keys %$acts;
        }
    }
    return { map { $_ => $part{$_} / $all } keys %part };
}

# The rules that failed expectations name, the likeliest first: { rule, score, failed [ids], checked (how many vectors that ran
# check it) } ... They are followed by rules that those rest on, whose `failed` may be empty. known: the table of vectors;
# left_out: rules that do not concern this machine, as keys; page: docs/pmu-rules.md.
sub ranked ($points, $known, $left_out, $page, $of_acts) {
    my (%failed, %checked);
    # A point with unexplained results speaks neither for a rule nor against it.
    my @ran = grep { !defined $_->{skip} && !defined $_->{unexplained} && $_->{id} !~ /\Aprobe\./ } @$points;
    for my $point (@ran) {
        my %named =
            map { $_ => 1 } defined $point->{rules}
            ? split(' ', $point->{rules})
            : @{ ($known->{ $point->{id} } || {})->{rules} || [] };
        my %broken = map { $_ => 1 } $point->{ok} ? () : map { @$_ } broken($point);
        $checked{$_}++ for keys %{ { %named, %broken } };
        push @{ $failed{$_} }, $point->{id} for sort keys %broken;
    }
    my %held = map {
        my $vector = $known->{$_};
        $_ => @{ $vector->{held} }
            ? [ map { $_->[0] } @{ $vector->{held} } ]
            : [ map { [$_] } @{ $vector->{rules} } ]
    } keys %$known;
    my $score = scores(\@ran, \%held, \&family, $left_out, $page, $of_acts);
    return [
        map { {
            rule    => $_,
            score   => $score->{$_},
            failed  => $failed{$_}  // [],
            checked => $checked{$_} // 0
        } }
            sort { $score->{$b} <=> $score->{$a} || $a cmp $b } keys %$score
    ];
}

sub rule ($found, $rule) {
    my $entry = $found->{page}{entry}{ $rule->{rule} };
    my ($failed, @ids) = (scalar @{ $found->{failed} }, @{ $rule->{failed} });
    my $passed = $rule->{checked} - @ids;
    my $share =
         !@ids         ? 'No failed expectation names it, but it would explain what failed. '
        : $failed == 1 ? 'Failed expectations of the failed vector name it. '
        : 'Failed expectations of '
        . (@ids == $failed ? 'all' : @ids . ' of the')
        . " $failed failed vectors ("
        . some(4, @ids)
        . ') name it. ';
    return {
        rule   => $rule->{rule},
        entry  => $entry,
        failed => \@ids,
        passed => $passed,
        title  => $entry  ? $entry->{title} : 'a rule that docs/pmu-rules.md does not have',
        text   => $entry  ? $entry->{text}  : '',
        source => !$entry ? ''
        : ($entry->{manual} eq 'none' ? 'The manual does not say it' : "In the manual: $entry->{manual}")
            . "; certainty: $entry->{certainty}.",
        share => $share
            . (
              !$found->{known} ? ''
            : !$passed         ? 'No other vector tests it.'
            : count($passed, @ids ? 'other vector' : 'vector')
                . ' with this rule '
                . ($passed == 1 ? 'has'                               : 'have')
                . (@ids         ? ' no such expectation that failed.' : ' no expectation of it that failed.')
            ),
    };
}

# The failed vector that a boot line can repeat, or undef.
sub repeated ($found) {
    return (grep { $_->{id} !~ $OWN } @{ $found->{failed} })[0];
}

# The words of the boot line that repeats the first failure, alone or, if it came now and then, as the log says; undef if no boot line does.
sub boot_words ($found) {
    my $point = repeated($found) // return undef;
    my (undef, @words) = split ' ', $found->{inventory}{'boot line'} // '';
    my $again = (intermittent($point) // {})->{boot};
    my @chosen =
          defined $again                ? split ' ', $again
        : $point->{id} =~ /\Abringup\./ ? 'bringup'
        : ("only=$point->{id}", (grep { $_->{id} eq $point->{id} } @{ $found->{later} }) ? 'loop=1000' : ());
    my %chosen = map { $_ => 1 } @chosen;
    return join ' ', @chosen, grep { $_ !~ $CHOICE && !$chosen{$_} } @words;
}

# ---- Failures in later loops of a soak ----

# Vectors that failed in later loops, from the lines of the soak, each once: { id, loop, title, rules, values }.
sub later_failures ($run) {
    my (%seen, @found);
    for my $beat (@{ $run->{heartbeats} }) {
        my ($loop, $id, $rest) = $beat =~ /\Aloop (\d+): not ok - (\S+?)(?:; (.*))?\z/ or next;
        next if $seen{$id}++;
        my @values = map { [ $_->[0], $_->[1] =~ s/''/'/gr ] } values_of($rest // '');
        my %value = map { @$_ } @values;
        push @found,
            { id => $id, loop => $loop, title => $value{title}, rules => $value{rules}, values => \@values };
    }
    return @found;
}

# A sentence about these vectors, which names at most so many of them; an empty list if nothing failed in later loops alone.
sub in_later_loops ($found, $most) {
    my ($failed, $later) = @{$found}{qw(failed later)};
    return () if !@$later;
    return
          'In the first loop of this soak '
        . (@$later == @$failed ? 'none' : 'some')
        . ' of them failed; in later loops: '
        . some($most, map { "$_->{id} (first in loop $_->{loop})" } @$later)
        . '. So the cause is intermittent, or depends on what ran before.';
}

sub values_of ($text) {
    my @values;
    push @values, [ $1, $2 ] while $text =~ /(?:\A|; )([A-Za-z0-9][\w -]*): '((?:[^']|'')*)'/g;
    return @values;
}

# The points of the run. A vector that failed in a later loop counts as failed, and if there are such vectors, the point of the
# soak itself is left out.
sub with_later ($run, @later) {
    my %later = map { $_->{id} => $_ } @later;
    my @points;
    for my $point (@{ $run->{points} }) {
        next if @later && $point->{id} eq 'soak';
        my $failure = $later{ $point->{id} };
        push @points,
            $failure && $point->{ok}
            ? {
            %$point,
            ok          => 0,
            unexplained => undef,
            map { $_ => $failure->{$_} } grep { defined $failure->{$_} } qw(title rules values)
            }
            : $point;
    }
    return @points;
}

1;
