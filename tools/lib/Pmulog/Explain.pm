# The command `explain`: what a log says, in plain sentences. First what may have disturbed the run, then what failed, the
# first failure with its registers field by field, the rules that explain the failures, and how to repeat the first one.
package Pmulog::Explain;

use strict;
use warnings;
use List::Util qw(min);
use Text::Wrap ();
use Pmulog::Check qw(status_of);
use Pmulog::Ranking qw(rank);
use Pmulog::Registers;
use Pmulog::Rules qw(find_rules read_rules);
use Pmulog::Run;
use Pmulog::Vectors qw(family find_vectors read_vectors);

use constant {
    WIDTH    => 100,    # columns of the output
    MEMBERS  => 8,      # vectors of a family that are named
    FAMILIES => 25,     # families that are listed
    REGISTERS => 6,     # registers that are decoded, if the failed expectations name none
    ALSO     => 3,      # further expectations of the first failure that are quoted
    BEST     => 3,      # rules that are quoted
    NEAR     => 0.3,    # a rule is quoted if its score is at least this part of the best one
};

# Points of the image itself and of the soak: no boot line repeats one of them alone.
my $OWN = qr/\A(?:boot\..*|kernel\.trap|tap\.plan|harness\.deadline|soak)\z/;

# Words of the boot line that choose what runs or how much is printed: the line that repeats one vector has its own.
my $CHOICE = qr/\A(?:only=|skip=|loop=|timeout=|quick\z|quiet\z|verbose\z|list\z|inventory\z|stop-on-fail\z)/;

# Prints the explanation and returns the exit status of the boot's verdict.
sub explain {
    my ($wanted, $path) = @_;
    my $run = Pmulog::Run::load($path, $wanted);
    print explained($run);
    return status_of($run->{verdict});
}

# The explanation of a run as text.
sub explained {
    my ($run) = @_;
    my $page = { entry => {}, tables => {} };
    if (defined(my $path = find_rules())) { $page = read_rules($path); }
    my $known = defined find_vectors() ? read_vectors(find_vectors()) : undef;
    my @later = later_failures($run);
    my @points = with_later($run, @later);
    my @failed = grep { !$_->{ok} } @points;
    my @parts  = (head($run), first($run, \@failed));
    push @parts, nothing_failed($run) if !@failed && $run->{document};
    push @parts, failed($run, \@points, \@failed, \@later), first_failure($run, $page, $failed[0]),
        likely($run, $page, $known, \@points, \@failed), repeat($run, \@later, @failed)
        if @failed;
    return join '', map { "$_\n" } grep { $_ ne '' } @parts;
}

# ---- Sentences ----

# Text as a paragraph, indented by so many blanks, its later lines by more.
sub paragraph {
    my ($indent, $hang, $text) = @_;
    local $Text::Wrap::columns  = WIDTH + 1;
    local $Text::Wrap::huge     = 'overflow';
    local $Text::Wrap::unexpand = 0;
    return Text::Wrap::wrap(' ' x $indent, ' ' x ($indent + $hang), $text =~ s/[^\0 -~]/?/gr) =~ tr/\0/ /r . "\n";
}

sub count {
    my ($number, $noun) = @_;
    return "$number $noun" . ($number == 1 ? '' : 's');
}

# "a, b and c"
sub list {
    my @items = @_;
    my $last = pop @items;
    return @items ? join(', ', @items) . " and $last" : $last;
}

# The first items of a list, and how many more there are.
sub some {
    my ($most, @items) = @_;
    my $more = @items - $most;
    return $more > 0 ? join(', ', @items[ 0 .. $most - 1 ]) . " and $more more" : list(@items);
}

# ---- The parts ----

sub head {
    my ($run) = @_;
    my $document = $run->{document} or return paragraph(0, 2, "$run->{path}: incomplete: $run->{why}.");
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    my $text = paragraph(0, 2, "$run->{path}, boot $run->{boot}: $run->{verdict}: " . $document->counts . '.');
    $text .= paragraph(2, 2, 'Why: ' . $run->{why} . '.') if !$run->{whole} || $run->{verdict} eq 'skip';
    $text .= paragraph(2, 2, "The processor: $inventory{processor}.") if defined $inventory{processor};
    return $text;
}

# What anybody should know before reading on: a log that is not whole, a board that disturbed the run.
sub first {
    my ($run, $failed) = @_;
    my @notes;
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    push @notes, "The log is $run->{verdict}. Only the part that is there is explained; later vectors may have failed as well."
        if !$run->{whole} && $run->{document};
    push @notes, "The log ends while $run->{last_words} was running: the machine hung, was reset or lost power in it, or the capture was stopped."
        if !$run->{whole} && defined $run->{last_words};
    for my $comment (map { @{ $_->{comments} } } { comments => $run->{comments} }, @{ $run->{points} }) {
        push @notes, "Interrupts that nobody had asked for came during the run: $1. Find out what on the board sends them; the vectors know and "
            . 'discard them, but many of them take time from measurements.'
            if $comment =~ /\Aunexpected interrupts: (.*[1-9].*)\z/;
        push @notes, "$1 kept what the firmware had left in it, and could not be cleared when the run began."
            if $comment =~ /\A(register \S+) would not clear at boot/;
    }
    for my $point (@$failed) {
        push @notes, "A known erratum of this part was seen in $point->{id}: $_." for map { /\Aerratum (.*\S)\z/ ? $1 : () } @{ $point->{comments} };
    }
    my @disturbed = grep { grep { /\Adisturbed: / } @{ $_->{comments} } } @$failed;
    push @notes, disturbed(@disturbed) if @disturbed;
    if (@$failed) {
        push @notes, "The PMU was in use before the kernel started: $inventory{'pmu at boot'}. The kernel clears it; a failure in a vector state.* or of "
            . 'one of these registers may come from what was left.'
            if ($inventory{'pmu at boot'} // 'none set') ne 'none set';
        push @notes, "Registers were left out because their first access faulted: $inventory{'left out'}." if defined $inventory{'left out'};
        push @notes, 'The second logical processor does not answer, so the vectors that need it were skipped.'
            if ($inventory{threads} // '') =~ /sibling does not answer/;
        push @notes, 'No clock was there to calibrate against, so time limits are guesses.' if ($inventory{clocks} // '') =~ /assumed/;
    }
    my %seen;
    @notes = grep { !$seen{$_}++ } @notes;
    return @notes ? "Read this first:\n" . join '', map { paragraph(2, 2, "- $_") } @notes : '';
}

# Repetitions that differed: it decides whether a failure is of every time.
sub disturbed {
    my (@points) = @_;
    my @all = map { /\Adisturbed: (\d+) of (\d+) runs/ ? [ $1, $2 ] : () } map { @{ $_->{comments} } } @points;
    my @not = grep { $_->[0] < $_->[1] } @all;
    return 'Some measurements of ' . count(scalar @points, 'failed vector') . ' differed from one repetition to the next ('
        . some(4, map { $_->{id} } @points) . '). ' . (@not ? 'What failed there did not fail every time, so look for an intermittent cause too.'
        : 'The majority of the repetitions decided.');
}

sub nothing_failed {
    my ($run) = @_;
    return paragraph(0, 0, 'Nothing was tested, so there is nothing to explain.') if !@{ $run->{points} };
    my %skipped;
    push @{ $skipped{ $_->{skip} } }, $_->{id} for grep { defined $_->{skip} } @{ $run->{points} };
    my $text = paragraph(0, 0, $run->{whole} ? 'No vector failed. There is nothing to explain.' : 'No vector failed in the part of the log that is there.');
    $text .= "These did not run:\n" . join '', map { paragraph(2, 2, some(4, @{ $skipped{$_} }) . ": $_") } sort keys %skipped if %skipped;
    return $text;
}

# Failures by family, in the order of the run.
sub failed {
    my ($run, $points, $failed, $later) = @_;
    my (%family, @order);
    for my $point (grep { !defined $_->{skip} } @$points) {
        my $name = family($point->{id});
        push @order, $name if !$point->{ok} && !$family{$name}{failed};
        $family{$name}{all}++;
        push @{ $family{$name}{failed} }, $point->{id} if !$point->{ok};
    }
    my $text = 'What failed: ' . count(scalar @$failed, 'vector') . ' in ' . (@order == 1 ? 'one family' : @order . ' families') . ", in the order of the run.\n";
    for my $name (@order[ 0 .. min(FAMILIES, scalar @order) - 1 ]) {
        my ($all, @ids) = ($family{$name}{all}, @{ $family{$name}{failed} });
        my $which = @ids == $all && $all > 1 ? '' : ': ' . some(MEMBERS, map { $_ eq $name ? $_ : substr $_, 1 + length $name } @ids);
        $which = '' if "@ids" eq $name;
        $text .= paragraph(2, 4, "$name: " . @ids . " of $all$which");
    }
    $text .= paragraph(2, 4, 'and ' . (@order - FAMILIES) . ' more families') if @order > FAMILIES;
    $text .= paragraph(2, 2, 'In the first loop of this soak ' . (@$later == @$failed ? 'none' : 'some') . ' of them failed; in later loops: '
        . some(MEMBERS, map { "$_->{id} (first in loop $_->{loop})" } @$later) . '. So the cause is intermittent, or depends on what ran before.')
        if @$later;
    return $text;
}

# The first failure: what was expected and observed, and the registers.
sub first_failure {
    my ($run, $page, $point) = @_;
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    my $single = ($inventory{threads} // '') =~ /\A1 per core/;
    my $maps   = Pmulog::Registers::maps($page);
    my $text   = paragraph(0, 2, "The first failure is $point->{id}" . (defined $point->{title} ? ": $point->{title}." : '.'));
    my %pair   = map { @$_ } grep { $_->[0] ne 'also' } @{ $point->{pairs} };
    my ($what, $due, $seen) = @pair{qw(what expected observed)};
    $text .= paragraph(2, 2, !defined $what ? 'The log says nothing more of it.'
        : defined $due && defined $seen ? "$what: expected $due, observed $seen." : "It ended with: $what.");
    if (defined $what && defined $due && defined $seen && $what =~ /\A(MSR_\w+)/) {
        my @differ = Pmulog::Registers::differences($1, $due, $seen, $single);
        $text .= paragraph(2, 2, 'What differs: ' . join('; ', @differ) . '.') if @differ;
    }
    my @also = map { $_->[1] } grep { $_->[0] eq 'also' } @{ $point->{pairs} };
    my $more = @also + ($pair{more} // 0) - min(ALSO, scalar @also);
    $text .= paragraph(2, 2, 'In the same run also: ' . join('; ', @also[ 0 .. min(ALSO, scalar @also) - 1 ]) . ($more ? "; and $more more" : '') . '.') if @also;
    return $text . registers($maps, $single, $point);
}

# The registers that were not 0, field by field: all if they are few, else those that the failed expectations name.
sub registers {
    my ($maps, $single, $point) = @_;
    my @all = grep { $_->[0] =~ /\AMSR_/ } @{ $point->{pairs} } or return '';
    my $words = join "\n", map { $_->[1] } grep { $_->[0] =~ /\A(?:what|also)\z/ } @{ $point->{pairs} };
    my %named = map { $_ => 1 } $words =~ /\b(MSR_\w+|(?<=counter )\d+|(?<=[XY] \()\d+)/g;
    my @shown = grep { $named{ $_->[0] } || $named{ $maps->{counter}{ $_->[0] =~ s/\AMSR_//r } // '' } } @all;
    @shown = @all if @all <= REGISTERS;
    @shown = @all[ 0 .. REGISTERS - 1 ] if !@shown;
    my $text = "  The registers that were not 0 then:\n";
    for my $pair (@shown) {
        my $decoded = Pmulog::Registers::decode($maps, @$pair, $single);
        my @fields  = $decoded ? map { s/ /\0/gr } @{ $decoded->{fields} } : ();    # no field is broken over two lines
        $text .= paragraph(4, 4, $decoded ? "$decoded->{title} = $pair->[1]: " . join ', ', @fields : "$pair->[0] = $pair->[1]");
    }
    my $more = @all - @shown;
    return $text . ($more ? paragraph(4, 4, 'and ' . count($more, 'more register') . ', which the log has.') : '');
}

# The rules that explain the failures.
sub likely {
    my ($run, $page, $known, $points, $failed) = @_;
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    my %left_out  = map { $_ => 1 } @{ { 1 => ['R12'], 2 => [ 'R11', 'R19' ] }->{ ($inventory{threads} // '') =~ /\A([12]) per core/ ? $1 : 0 } || [] };
    my %independent = map { lc $_->[0] => 1 } grep { ($_->[5] // '') eq 'TI' } map { @{ $page->{tables}{"4.$_"} || [] } } 1 .. 5;
    my $ranked = rank($points, $known || {}, { independent => \%independent }, \%left_out);
    return paragraph(0, 0, 'What failed tests no rule of the manual; docs/read-a-log.md, "A log that fails", says what it means.') if !@$ranked;
    my @best = grep { $_->{score} >= NEAR * $ranked->[0]{score} } @$ranked[ 0 .. min(BEST, scalar @$ranked) - 1 ];
    my $text = @best == 1 ? "The rule that explains the failures best:\n" : "The rules that explain the failures best, the likeliest first:\n";
    for my $n (0 .. $#best) {
        my $rule  = $best[$n];
        my $entry = $page->{entry}{ $rule->{rule} };
        my @ids   = @{ $rule->{failed} };
        $text .= paragraph(2, 3, $n + 1 . ". $rule->{rule}: " . ($entry ? "$entry->{title}." : 'a rule that docs/pmu-rules.md does not have.'));
        $text .= paragraph(5, 0, $entry->{text}) if $entry && $entry->{text} ne '';
        $text .= paragraph(5, 0, ($entry->{manual} eq 'none' ? 'The manual does not say it' : "In the manual: $entry->{manual}") . "; certainty: $entry->{certainty}.") if $entry;
        my $passed = $rule->{checked} - @ids;
        my $share = @$failed == 1 ? 'the failed vector' : (@ids == @$failed ? 'all' : @ids . ' of the') . ' ' . @$failed . ' failed vectors (' . some(4, @ids) . ')';
        $text .= paragraph(5, 0, "It is among the rules of $share. "
            . (!$known ? '' : $passed ? count($passed, 'other vector') . " that need" . ($passed == 1 ? 's' : '') . ' it passed.' : 'No vector that needs it passed.'));
    }
    $text .= paragraph(2, 2, 'The table of vectors is missing (make writes it), so passed vectors were not taken into account.') if !$known;
    my $unknown = $known ? grep { $_->{ok} && !defined $_->{skip} && $_->{id} !~ /\A(?:probe|$OWN)/ && !defined $_->{rules} && !$known->{ $_->{id} } } @$points : 0;
    $text .= paragraph(2, 2, count($unknown, 'passed vector') . ' of this log ' . ($unknown == 1 ? 'is' : 'are') . ' unknown to this pmulog and '
        . ($unknown == 1 ? 'was' : 'were') . ' not taken into account: the log is of another version.') if $unknown;
    return $text;
}

# The boot line that repeats the first failure.
sub repeat {
    my ($run, $later, @failed) = @_;
    my ($point) = grep { $_->{id} !~ $OWN } @failed
        or return paragraph(0, 0, 'No boot line repeats this alone: it is no vector. Repeat the run as it was.');
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    my (undef, @words) = split ' ', $inventory{'boot line'} // '';
    my $line = join ' ', "only=$point->{id}", (grep { $_->{id} eq $point->{id} } @$later) ? 'loop=1000' : (), grep { $_ !~ $CHOICE } @words;
    return "To repeat the first failure alone, boot with these words:\n  $line\n";
}

# ---- Failures in later loops of a soak ----

# Vectors that failed in later loops, from the lines of the soak, each once: { id, loop, title, rules, pairs }.
sub later_failures {
    my ($run) = @_;
    my (%seen, @found);
    for my $beat (@{ $run->{heartbeats} }) {
        my ($loop, $id, $rest) = $beat =~ /\Aloop (\d+): not ok - (\S+?)(?:; (.*))?\z/ or next;
        next if $seen{$id}++;
        my @pairs = map { [ $_->[0], $_->[1] =~ s/''/'/gr ] } pairs_of($rest // '');
        my %pair = map { @$_ } @pairs;
        push @found, { id => $id, loop => $loop, title => $pair{title}, rules => $pair{rules}, pairs => \@pairs };
    }
    return @found;
}

sub pairs_of {
    my ($text) = @_;
    my @pairs;
    push @pairs, [ $1, $2 ] while $text =~ /(?:\A|; )([A-Za-z0-9][\w -]*): '((?:[^']|'')*)'/g;
    return @pairs;
}

# The points of the run, in which a vector that failed in a later loop has failed, and the soak itself is left out if such
# vectors are known.
sub with_later {
    my ($run, @later) = @_;
    my %later = map { $_->{id} => $_ } @later;
    my @points;
    for my $point (@{ $run->{points} }) {
        next if @later && $point->{id} eq 'soak';
        my $failure = $later{ $point->{id} };
        push @points, $failure && $point->{ok} ? { %$point, ok => 0, map { $_ => $failure->{$_} } grep { defined $failure->{$_} } qw(title rules pairs) } : $point;
    }
    return @points;
}

1;
