# What a log says about its run, as data and whole sentences: what may have disturbed the run, what failed, the registers of
# a failure field by field, the rules that explain the failures, and how to repeat the first one. Pmulog::Explain makes
# text of it, Pmulog::Html a page.
package Pmulog::Findings;

use strict;
use warnings;
use feature qw(state);
use Exporter qw(import);
use List::Util qw(min);
use Pmulog::Guess qw(scores);
use Pmulog::Registers;
use Pmulog::Rules qw(family find_rules find_vectors read_rules read_vectors);
use Pmulog::Run;

our @EXPORT_OK = qw(findings count list some);

use constant {
    BEST => 3,      # rules that are quoted
    NEAR => 0.3,    # a rule is quoted if its score is at least this part of the best one
};

# Points of the image itself and of the soak: no boot line repeats one of them alone.
my $OWN = qr/\A(?:boot\..*|kernel\.trap|tap\.plan|harness\.deadline|soak)\z/;

# Words of the boot line that choose what runs or how much is printed: the line that repeats one vector has its own.
my $CHOICE = qr/\A(?:only=|skip=|loop=|timeout=|quick\z|quiet\z|verbose\z|brief\z|list\z|inventory\z|stop-on-fail\z)/;

# The findings of a run of Pmulog::Run:
#   run, inventory { key => the first value }, page (docs/pmu-rules.md as Pmulog::Rules reads it, empty without the page)
#   later     what failed in later loops of a soak: { id, loop, title, rules, values } ...
#   points    those of the run, in which a vector that failed in a later loop has failed; failed: the failed ones of them
#   families  those with a failure, in the order of the run: { name, all (how many of it ran), failed [points] } ...
#   skipped   { reason (with the remedy, if there is one), ids } ..., those with a remedy first
sub findings {
    my ($run) = @_;
    my $found = { run => $run, inventory => { map { @$_ } reverse @{ $run->{inventory} } }, %{ tables() } };
    $found->{single} = ($found->{inventory}{threads} // '') =~ /\A1 per core/;
    $found->{later}  = [ later_failures($run) ];
    $found->{points} = [ with_later($run, @{ $found->{later} }) ];
    $found->{failed} = [ grep { !$_->{ok} } @{ $found->{points} } ];
    my (%skipped, %family, @order);
    push @{ $skipped{ $_->{skip} } }, $_->{id} for grep { defined $_->{skip} } @{ $run->{points} };
    my %remedy = $run->{document} ? map { $_->[1] => $_->[2] } @{ $run->{document}{untested} } : ();
    $found->{skipped} = [ map { { reason => defined $remedy{$_} ? "$_; $remedy{$_}" : $_, ids => $skipped{$_} } }
        sort { defined $remedy{$b} <=> defined $remedy{$a} || $a cmp $b } keys %skipped ];
    for my $point (grep { !defined $_->{skip} } @{ $found->{points} }) {
        my $family = $family{ family($point->{id}) } //= { name => family($point->{id}), all => 0, failed => [] };
        push @order, $family if !$point->{ok} && !@{ $family->{failed} };
        $family->{all}++;
        push @{ $family->{failed} }, $point if !$point->{ok};
    }
    $found->{families} = \@order;
    return $found;
}

# What does not depend on the run, read once: page, maps (of Pmulog::Registers), known (the rules of each vector of the image, or undef).
sub tables {
    return state $tables = do {
        my ($rules, $vectors) = (find_rules(), find_vectors());
        my $known = defined $vectors ? read_vectors($vectors) : undef;
        my $page = defined $rules ? read_rules($rules) : { entry => {}, entries => [], tables => {} };
        { page => $page, maps => Pmulog::Registers::maps($page), known => $known && { map { $_ => $known->{$_}{rules} } keys %$known } };
    };
}

# ---- Sentences ----

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

# ---- What may have disturbed the run ----

# What anybody should know before reading on, a sentence each: a log that is not whole, a board that disturbed the run.
sub read_first {
    my ($found) = @_;
    my ($run, $failed, $inventory) = @{$found}{qw(run failed inventory)};
    my @notes;
    push @notes, "The log is $run->{verdict}. Only the part that is there is explained; later vectors may have failed as well."
        if !$run->{whole} && $run->{document};
    push @notes, $run->{verdict} eq 'damaged' ? "The damage shows in the lines of $run->{last_words}."
        : "The log ends while $run->{last_words} was running: the machine hung, was reset or lost power in it, or the capture was stopped."
        if !$run->{whole} && defined $run->{last_words};
    for my $comment (map { @{ $_->{comments} } } { comments => $run->{comments} }, @{ $run->{points} }) {
        push @notes, "Interrupts that nobody had asked for came during the run: $1. Find out what on the board sends them; the vectors know and "
            . 'discard them, but many of them take time from measurements.'
            if $comment =~ /\Aunexpected interrupts: (.*[1-9].*)\z/;
        push @notes, "$1 kept what the firmware had left in it, and could not be cleared when the run began."
            if $comment =~ /\A(register \S+) would not clear at boot/;
    }
    my %erratum;
    for my $point (@$failed) {
        push @{ $erratum{$_} }, $point->{id} for map { /\Aerratum (.*\S)\z/ ? $1 : () } @{ $point->{comments} };
    }
    push @notes, 'A known erratum of this part was seen in ' . some(4, @{ $erratum{$_} }) . ": $_." for sort keys %erratum;
    my @disturbed = grep { grep { /\Adisturbed: / } @{ $_->{comments} } } @$failed;
    push @notes, disturbed(@disturbed) if @disturbed;
    if (@$failed) {
        push @notes, "The PMU was in use before the kernel started: $inventory->{'pmu at boot'}. The kernel clears it; a failure in a vector state.* or of "
            . 'one of these registers may come from what was left.'
            if ($inventory->{'pmu at boot'} // 'none set') ne 'none set';
        push @notes, map { ucfirst "$_." } grep { $_ ne '' } $run->{document} ? $run->{document}->untested : '';
        push @notes, "Registers were left out because their first access faulted: $inventory->{'left out'}." if defined $inventory->{'left out'};
        push @notes, 'No clock was there to calibrate against, so time limits are guesses.' if ($inventory->{clocks} // '') =~ /assumed/;
    }
    my %seen;
    return grep { !$seen{$_}++ } @notes;
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

# ---- One failure ----

# What a failed point's diagnosis says: { said (what was expected and observed, in a sentence), differ [fields of a
# register that differ], also [further expectations], more (how many further ones the log does not list) }
sub failure {
    my ($found, $point) = @_;
    my %value = Pmulog::Run::diagnosis($point);
    my ($what, $due, $seen) = @value{qw(what expected observed)};
    my $compared = defined $what && defined $due && defined $seen;
    return {
        said => !defined $what ? 'The log says nothing more of it.' : $compared ? "$what: expected $due, observed $seen." : "It ended with: $what.",
        differ => [ $compared && $what =~ /\A(MSR_\w+)/ ? Pmulog::Registers::differences($1, $due, $seen, $found->{single}) : () ],
        also => [ map { $_->[1] } grep { $_->[0] eq 'also' } @{ $point->{values} } ],
        more => ($value{more} // '') =~ /\A(\d{1,9})\z/ ? $1 + 0 : 0,
    };
}

# The registers that were not 0 at a failure, in the order of the log: { name, title, value, fields ["NAME [bits] value" ...],
# named (true: the failed expectations name it) } ...
sub registers {
    my ($found, $point) = @_;
    my $words = join "\n", map { $_->[1] } grep { $_->[0] =~ /\A(?:what|also)\z/ } @{ $point->{values} };
    my %named = map { $_ => 1 } $words =~ /\b(MSR_\w+|(?<=counter )\d+|(?<=[XY] \()\d+)/g;
    my @registers;
    for my $told (grep { $_->[0] =~ /\AMSR_/ } @{ $point->{values} }) {
        my ($name, $value) = @$told;
        my $decoded = Pmulog::Registers::decode($found->{maps}, $name, $value, $found->{single});
        my $named = $named{$name} || $named{ $found->{maps}{counter}{ $name =~ s/\AMSR_//r } // '' };
        push @registers, { name => $name, title => $decoded ? $decoded->{title} : $name, value => $value, fields => $decoded ? $decoded->{fields} : [], named => $named };
    }
    return @registers;
}

# ---- The rules that explain the failures ----

# The likeliest rules: { rules [{ rule, entry (of docs/pmu-rules.md, or undef), title, text, source, share (whole
# sentences about the vectors that failed and passed), failed [ids], passed (how many) } ...], notes [sentences about what was
# not taken into account], unknown (how many passed vectors have no known rules) }
sub likely {
    my ($found) = @_;
    my ($page, $known, $points, $failed) = @{$found}{qw(page known points failed)};
    my %left_out  = map { $_ => 1 } @{ { 1 => ['R12'], 2 => [ 'R11', 'R19' ] }->{ ($found->{inventory}{threads} // '') =~ /\A([12]) per core/ ? $1 : 0 } || [] };
    my %independent = map { lc $_->[0] => 1 } grep { ($_->[5] // '') eq 'TI' } map { @{ $page->{tables}{"4.$_"} || [] } } 1 .. 5;
    my $ranked = ranked($points, $known || {}, \%independent, \%left_out);
    return { rules => [], notes => [], unknown => 0 } if !@$ranked;
    my @best = grep { $_->{score} >= NEAR * $ranked->[0]{score} } @$ranked[ 0 .. min(BEST, scalar @$ranked) - 1 ];
    my @notes;
    push @notes, 'The table of vectors is missing (make writes it), so passed vectors were not taken into account.' if !$known;
    my $unknown = $known ? grep { $_->{ok} && !defined $_->{skip} && $_->{id} !~ /\A(?:probe|$OWN)/ && !defined $_->{rules} && !$known->{ $_->{id} } } @$points : 0;
    push @notes, count($unknown, 'passed vector') . ' of this log ' . ($unknown == 1 ? 'is' : 'are') . ' unknown to this pmulog and '
        . ($unknown == 1 ? 'was' : 'were') . ' not taken into account: the log is of another version.'
        if $unknown;
    return { rules => [ map { rule($found, $_) } @best ], notes => \@notes, unknown => $unknown };
}

# Every rule of a failed vector, the likeliest first: { rule, score, failed [ids], checked (how many vectors that ran check it) } ...
# known: the rules of vectors that passed, by id; left_out: rules that do not concern this machine, as keys.
sub ranked {
    my ($points, $known, $independent, $left_out) = @_;
    my (%named, %failed, %checked);
    my @ran = grep { !defined $_->{skip} } @$points;
    for my $point (@ran) {
        my @named = grep { !$left_out->{$_} } defined $point->{rules} ? split(' ', $point->{rules}) : @{ $known->{ $point->{id} } || [] };
        $named{ $point->{id} } = \@named if @named;
        $checked{$_}++ for @named;
        push @{ $failed{$_} }, $point->{ok} ? () : $point->{id} for @named;
    }
    my $score = scores(\@ran, \%named, $independent);
    return [ map { { rule => $_, score => $score->{$_}, failed => $failed{$_}, checked => $checked{$_} } }
            sort { $score->{$b} <=> $score->{$a} || $a cmp $b } grep { @{ $failed{$_} || [] } } keys %$score ];
}

sub rule {
    my ($found, $rule) = @_;
    my $entry = $found->{page}{entry}{ $rule->{rule} };
    my ($failed, @ids) = (scalar @{ $found->{failed} }, @{ $rule->{failed} });
    my $passed = $rule->{checked} - @ids;
    my $share = $failed == 1 ? 'the failed vector' : (@ids == $failed ? 'all' : @ids . ' of the') . " $failed failed vectors (" . some(4, @ids) . ')';
    return {
        rule => $rule->{rule}, entry => $entry, failed => \@ids, passed => $passed,
        title  => $entry ? $entry->{title} : 'a rule that docs/pmu-rules.md does not have',
        text   => $entry ? $entry->{text} : '',
        source => !$entry ? '' : ($entry->{manual} eq 'none' ? 'The manual does not say it' : "In the manual: $entry->{manual}") . "; certainty: $entry->{certainty}.",
        share  => "It is among the rules of $share. "
            . (!$found->{known} ? '' : $passed ? count($passed, 'other vector') . " that need" . ($passed == 1 ? 's' : '') . ' it passed.' : 'No vector that needs it passed.'),
    };
}

# The words of the boot line that repeats the first failure alone; undef if no boot line does.
sub boot_words {
    my ($found) = @_;
    my ($point) = grep { $_->{id} !~ $OWN } @{ $found->{failed} } or return undef;
    my (undef, @words) = split ' ', $found->{inventory}{'boot line'} // '';
    return join ' ', "only=$point->{id}", (grep { $_->{id} eq $point->{id} } @{ $found->{later} }) ? 'loop=1000' : (), grep { $_ !~ $CHOICE } @words;
}

# ---- Failures in later loops of a soak ----

# Vectors that failed in later loops, from the lines of the soak, each once: { id, loop, title, rules, values }.
sub later_failures {
    my ($run) = @_;
    my (%seen, @found);
    for my $beat (@{ $run->{heartbeats} }) {
        my ($loop, $id, $rest) = $beat =~ /\Aloop (\d+): not ok - (\S+?)(?:; (.*))?\z/ or next;
        next if $seen{$id}++;
        my @values = map { [ $_->[0], $_->[1] =~ s/''/'/gr ] } values_of($rest // '');
        my %value = map { @$_ } @values;
        push @found, { id => $id, loop => $loop, title => $value{title}, rules => $value{rules}, values => \@values };
    }
    return @found;
}

# A sentence about them, which names so many at most; an empty list if nothing failed in later loops alone.
sub in_later_loops {
    my ($found, $most) = @_;
    my ($failed, $later) = @{$found}{qw(failed later)};
    return () if !@$later;
    return 'In the first loop of this soak ' . (@$later == @$failed ? 'none' : 'some') . ' of them failed; in later loops: '
        . some($most, map { "$_->{id} (first in loop $_->{loop})" } @$later) . '. So the cause is intermittent, or depends on what ran before.';
}

sub values_of {
    my ($text) = @_;
    my @values;
    push @values, [ $1, $2 ] while $text =~ /(?:\A|; )([A-Za-z0-9][\w -]*): '((?:[^']|'')*)'/g;
    return @values;
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
        push @points, $failure && $point->{ok} ? { %$point, ok => 0, map { $_ => $failure->{$_} } grep { defined $failure->{$_} } qw(title rules values) } : $point;
    }
    return @points;
}

1;
