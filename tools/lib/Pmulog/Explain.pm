# The command `explain`: what a log says (Pmulog::Findings), in plain sentences. First what everything else
# follows from, and what may have disturbed the run, then what failed, the first failure with its registers field by field, the rules that explain the
# failures, and how to repeat the first one.
package Pmulog::Explain;

use v5.36;
use Exporter qw(import);
use List::Util qw(min);
use Command ();
use Pmulog::Actions qw(intermittent unexplained);
use Pmulog::Check qw(name_of status_of);
use Pmulog::Course ();
use Pmulog::Data qw(bool csv json);
use Pmulog::Findings qw(findings count list some);
use Pmulog::Run;

use constant {
    MEMBERS   => 8,     # vectors of a family that are named
    FAMILIES  => 25,    # families that are listed
    REGISTERS => 6,     # registers that are decoded, if the failure names none
    ALSO      => 3,     # further expectations of the first failure that are quoted
    COURSES   => 20,    # courses of the other failures that are told
};

our @EXPORT_OK = qw(paragraph);
our $columns = 80;      # of the output
our $all;               # each failed family is told in full, not the first failure alone

# Prints the explanation and returns the exit status of the boot's verdict.
sub explain ($wanted, $format, $path) {
    my $run = Pmulog::Run::load($path, $wanted);
    my $found = findings($run);
    local $columns = Command::columns(*STDOUT);
    print $format eq 'json' ? json('explain', members($found))
        : $format eq 'csv'  ? csv(rows(members($found)))
        :                     text($found);
    return status_of($run->{verdict});
}

# The explanation as text.
sub text ($found) {
    my @parts = (
        head($found), join('', map { paragraph(0, 2, $_) } Pmulog::Findings::follows($found->{run})),
        read_first($found)
    );
    push @parts, nothing_failed($found) if !@{ $found->{failed} } && $found->{run}{document};
    push @parts, failed($found), likely($found), common($found), first_failures($found),
        other_courses($found), repeat($found)
        if @{ $found->{failed} };
    return join '', map { "$_\n" } grep { $_ ne '' } @parts;
}

# Text as a paragraph, indented by so many blanks, its later lines by more.
sub paragraph ($indent, $hang, $text) {
    return Command::wrapped(
        $columns,
        ' ' x $indent,
        $indent + $hang,
        join "\0", map { name_of($_) } split /\0/, $text
    );
}

# ---- The parts ----

sub head ($found) {
    my $run = $found->{run};
    my $document = $run->{document} or return paragraph(0, 2, "$run->{path}: incomplete: $run->{why}.");
    my $text =
        paragraph(0, 2, "$run->{path}, boot $run->{boot}: $run->{verdict}: " . $document->counts . '.');
    $text .= paragraph(2, 2, 'Why: ' . $run->{why} . '.') if !$run->{whole} || $run->{verdict} eq 'skip';
    $text .= paragraph(2, 2, "The processor: $found->{inventory}{processor}.")
        if defined $found->{inventory}{processor};
    return $text;
}

sub read_first ($found) {
    my @notes = Pmulog::Findings::read_first($found);
    return @notes ? "Read this first:\n" . join '', map { paragraph(2, 2, "- $_") } @notes : '';
}

sub nothing_failed ($found) {
    my $run = $found->{run};
    return paragraph(0, 0, 'Nothing was tested, so there is nothing to explain.') if !@{ $run->{points} };
    # what is too disturbed was said first
    my @skipped = grep { $_->{reason} !~ $Pmulog::Findings::DISTURBED } @{ $found->{skipped} };
    my $text = paragraph(0, 0,
         !$run->{whole}                 ? 'No vector failed in the part of the log that is there.'
        : $run->{document}{unexplained} ? 'No vector failed. What is unexplained is said above.'
        :                                 'No vector failed. There is nothing to explain.');
    my @names = @{ $run->{document}{not_exercised} };
    $text .= "These were not exercised, so the run says nothing about them:\n" . join '',
        map { paragraph(2, 2, "$_->{name}: $_->{reason}; counted $_->{counted}") } @names
        if @names;
    $text .= "These did not run:\n" . join '',
        map { paragraph(2, 2, some(4, @{ $_->{ids} }) . ": $_->{reason}") } @skipped
        if @skipped;
    return $text;
}

# Failures by family, in the order of the run.
sub failed ($found) {
    my ($failed, $later) = @{$found}{qw(failed later)};
    my @families = @{ $found->{families} };
    my $text =
          'What failed: '
        . count(scalar @$failed, 'vector') . ' in '
        . (@families == 1 ? 'one family' : @families . ' families')
        . ", in the order of the run.\n";
    for my $family (@families[ 0 .. min(FAMILIES, scalar @families) - 1 ]) {
        my ($name, $all, @ids) = ($family->{name}, $family->{all}, map { $_->{id} } @{ $family->{failed} });
        my $which =
            @ids == $all && $all > 1
            ? ''
            : ': ' . some(MEMBERS, map { $_ eq $name ? $_ : substr $_, 1 + length $name } @ids);
        $which = '' if "@ids" eq $name;
        my @behind = grep { defined $_->{behind} } @{ $family->{failed} };
        $which .= ' ('
            . (@behind == @ids ? '' : @behind . ' of them ')
            . "behind damage in line $behind[0]{behind})"
            if @behind;
        $text .= paragraph(2, 4, "$name: " . @ids . " of $all$which");
    }
    $text .= paragraph(2, 4, 'and ' . (@families - FAMILIES) . ' more families') if @families > FAMILIES;
    $text .= paragraph(2, 2, $_)
        for Pmulog::Findings::now_and_then($found), Pmulog::Findings::in_later_loops($found, MEMBERS);
    return $text;
}

# The first failure, or that of each family.
sub first_failures ($found) {
    my ($first, @others) = map { $_->{failed}[0] } @{ $found->{families} };
    return (first_failure($found, $first, 'The first failure'),
        map { first_failure($found, $_, 'Another failure') } $all ? @others : ());
}

# The courses of the failures that are not told in full, step by step: with --all all, else the first of them.
sub other_courses ($found) {
    my %told = map { $_->{failed}[0]{id} => 1 } $all ? @{ $found->{families} } : $found->{families}[0];
    my @said;
    for my $point (grep { !$told{ $_->{id} } } @{ $found->{failed} }) {
        push @said,
            map { "$point->{id}: " . join ' ', Pmulog::Findings::of_course($_) }
            Pmulog::Course::courses($found->{maps}, $point);
    }
    return () if !@said;
    my $more = $all ? 0 : @said - min(COURSES, scalar @said);
    return
          "The other courses that failed:\n"
        . join('', map { paragraph(2, 2, "- $_") } @said[ 0 .. $#said - $more ])
        . ($more ? paragraph(2, 2, '- ' . count($more, 'more course') . ', which --all prints') : '');
}

# A failure: what was expected and observed, and the registers.
sub first_failure ($found, $point, $called) {
    my $failure = Pmulog::Findings::failure($found, $point);
    my @also = @{ $failure->{also} };
    my $text = paragraph(0, 2,
        "$called is " . Pmulog::Run::marked($point) . (defined $point->{title} ? ": $point->{title}." : '.'))
        . join '', map { paragraph(2, 2, $_) } @{ $failure->{now_and_then} }, $failure->{said};
    $text .= paragraph(2, 2, $_) for @{ $failure->{nearest} };
    $text .= paragraph(2, 2, 'What differs: ' . join('; ', @{ $failure->{differ} }) . '.')
        if @{ $failure->{differ} };
    my $more = @also + $failure->{more} - min(ALSO, scalar @also);
    $text .= paragraph(2, 2,
              'In the same run also: '
            . join('; ', @also[ 0 .. min(ALSO, scalar @also) - 1 ])
            . ($more ? "; and $more more" : '') . '.')
        if @also;
    return $text . registers(Pmulog::Findings::registers($found, $point));
}

# The registers that were not 0, field by field: with --all all, else those of the counters that the failure
# is about.
sub registers {
    my @all = @_ or return '';
    my @shown = grep { $all || $_->{named} } @all;
    @shown = @all[ 0 .. min(REGISTERS, scalar @all) - 1 ] if !@shown;
    my $text = "  The registers that were not 0 then:\n";
    for my $register (@shown) {
        my @fields = map { s/ /\0/gr } @{ $register->{fields} };    # no field is broken over two lines
        $text .= paragraph(4, 4,
            "$register->{title} = $register->{value}" . (@fields ? ': ' . join ', ', @fields : ''));
    }
    my $more = @all - @shown;
    return $text
        . ($more ? paragraph(4, 4, 'and ' . count($more, 'more register') . ', which --all prints.') : '');
}

# The rules that explain the failures.
sub likely ($found) {
    my $likely = Pmulog::Findings::likely($found);
    my @best = @{ $likely->{rules} }
        or return paragraph(0, 0,
              'What failed tests no rule of the manual; docs/read-a-log.md, "What a failure says", '
            . 'says how to go on.');
    my $text =
        @best == 1
        ? "The rule that explains the failures best:\n"
        : "The rules that explain the failures best, the likeliest first:\n";
    for my $n (0 .. $#best) {
        my $rule = $best[$n];
        $text .= paragraph(2, 3, $n + 1 . ". $rule->{rule}: $rule->{title}.");
        $text .= paragraph(5, 0, $_) for grep { $_ ne '' } @{$rule}{qw(text source share)};
    }
    $text .= paragraph(2, 2, $_) for @{ $likely->{notes} };
    return $text;
}

# What the failures have in common.
sub common ($found) {
    my @said = Pmulog::Findings::common($found) or return '';
    return "What the failures have in common:\n" . join '', map { paragraph(2, 2, "- $_") } @said;
}

# The boot line that repeats the first failure.
sub repeat ($found) {
    my $words = Pmulog::Findings::boot_words($found)
        // return paragraph(0, 0,
        'No boot line repeats this alone: it is no vector. Repeat the run as it was.');
    my $how =
        intermittent(Pmulog::Findings::repeated($found))
        ? 'see the first failure again'
        : 'repeat the first failure alone';
    return "To $how, boot with these words:\n  $words\n";
}

# ---- For programs (docs/pmulog-formats.md) ----

# The members of the JSON object.
sub members ($found) {
    my $run = $found->{run};
    my ($first) = @{ $found->{failed} };
    my $likely = $first ? Pmulog::Findings::likely($found) : { rules => [], unknown => 0 };
    return {
        %{ Pmulog::Run::record($run) },
        points              => scalar @{ $run->{points} },
        unexplained_vectors => [
            map {
                my $point = $_;
                map { { vector => $point->{id}, %$_ } } unexplained($point->{unexplained})
            } grep { defined $_->{unexplained} } @{ $run->{points} }
        ],
        follows  => [ Pmulog::Findings::follows($run) ],
        notes    => [ Pmulog::Findings::read_first($found) ],
        not_run  => [ map { { reason => $_->{reason}, vectors => $_->{ids} } } @{ $found->{skipped} } ],
        families => [
            map { {
                family         => $_->{name},
                ran            => $_->{all},
                failed_vectors => [ map { $_->{id} } @{ $_->{failed} } ]
            } } @{ $found->{families} }
        ],
        failed_in_later_loops =>
            [ map { { vector => $_->{id}, first_loop => $_->{loop} + 0 } } @{ $found->{later} } ],
        first_failure        => $first ? failure($found, $first) : undef,
        rules                => [ map { rule($_) } @{ $likely->{rules} } ],
        in_common            => [ $first ? Pmulog::Findings::common($found) : () ],
        passed_vectors_known => bool($found->{known}),
        unknown_vectors      => $likely->{unknown},
        repeat               => Pmulog::Findings::boot_words($found),
    };
}

sub failure ($found, $point) {
    my $failure = Pmulog::Findings::failure($found, $point);
    my %value = Pmulog::Run::diagnosis($point);
    my $now_and_then = intermittent($point);
    return {
        vector       => $point->{id},
        intermittent => $now_and_then
            && { map { $_ => $now_and_then->{$_} } grep { $_ ne 'said' } keys %$now_and_then },
        title => $point->{title},
        map({ $_ => $value{$_} } qw(what expected observed)),
        fields_that_differ => $failure->{differ},
        also               => $failure->{also},
        more               => $failure->{more},
        registers          => [
            map { {
                register => $_->{name},
                value    => $_->{value},
                title    => $_->{title},
                fields   => $_->{fields}
            } } Pmulog::Findings::registers($found, $point)
        ],
    };
}

sub rule ($rule) {
    return {
        rule => $rule->{rule},
        map({ $_ => $rule->{entry} ? $rule->{entry}{$_} : undef } qw(title text manual certainty)),
        failed_vectors => $rule->{failed},
        passed_vectors => $rule->{passed}
    };
}

# A row of CSV for each rule, with what all rows share, below the heading.
sub rows ($members) {
    my @shared = (
        @{$members}{qw(file boot verdict)},
        ($members->{first_failure} // {})->{vector},
        $members->{repeat}
    );
    my $rank = 0;
    return [ qw(file boot verdict first_failure repeat rank rule title manual certainty failed_vectors
        passed_vectors) ],
        map { [
        @shared, ++$rank,
        @{$_}{qw(rule title manual certainty)}, scalar @{ $_->{failed_vectors} },
        $_->{passed_vectors}
        ] } @{ $members->{rules} };
}

1;
