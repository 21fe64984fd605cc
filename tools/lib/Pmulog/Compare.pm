# The command `compare`: what differs between boards, or between runs of one board, and what disturbed each run.
package Pmulog::Compare;

use v5.36;
use List::Util qw(max);
use Command ();
use Pmulog::Actions qw(intermittent);
use Text::Wrap ();
use Pmulog::Check qw(name_of);
use Pmulog::Data qw(csv json);
use Pmulog::Document;
use Pmulog::Rules qw(family grouped);
use Pmulog::Run;

use constant {
    LABEL       => 32,                # columns for the name of a line
    BESIDE      => 2,                 # boards that have room beside each other
    UNEXERCISED => 'not-exercised',
    SILENT      => 16,                # counts of an event that occurs so often elsewhere cannot all be missed (tests/vectors/netburst/count/reach.c)
};

# Words of a boot line that choose vectors.
my $SELECTS = qr/\A(?:(?:only|skip|course)=.*|quick|thorough|stop-on-fail)\z/;

our $columns = 120;                   # of the output: a table has more than text, but on a terminal

# Prints the comparison. Returns 0 if there is no difference, 1 if there is one, 2 if a log is incomplete or damaged: what can
# be read of it is compared as well.
sub compare ($wanted, $format, @paths) {
    my @runs = map { loaded($_, $wanted) } @paths;
    my $found = comparison(@runs);
    local $columns = -t STDOUT ? Command::columns(*STDOUT) : $columns;
    print $format eq 'json' ? json('compare', $found) : $format eq 'csv' ? csv(rows($found)) : text($found);
    my @torn = grep { !$_->{whole} } @runs;
    print STDERR "pmulog: $_->{path}, boot $_->{boot} is $_->{verdict}: $_->{why}\n" for @torn;
    return @torn ? 2 : @{ $found->{differences} } ? 1 : 0;
}

sub loaded ($path, $wanted) {
    my $run = Pmulog::Run::load($path, $wanted);
    die "there is no log in $path: no line 'TAP version 13'\n" if !$run->{document};
    return $run;
}

# What docs/pmulog-formats.md describes: the boards, by the names A, B, C ...; the differences, { section, name, values }, in
# which a board that has no such line has the value undef; what some boards lack, and why; disturbances and unexpected
# interrupts, which are no difference, because they belong to one run.
sub comparison (@runs) {
    my @names = names(scalar @runs);
    my @boards = map { { name => $names[$_], %{ Pmulog::Run::record($runs[$_]) } } } 0 .. $#runs;
    my @whole = map { $_->{whole} } @runs;
    my @listed = map { $_->{whole} && !brief($_) } @runs;
    my @judged = map { $_->{whole} && scalar @{ $_->{document}{judged} } } @runs;    # only a full run and a soak say what they judged
    my @vectors = beside(map { [ map { [ $_->{id}, said($_) ] } @{ $_->{points} } ] } @runs);
    my @sheet = beside(map { [ sheet($_) ] } @runs);
    my @numbers = numbers(@runs);
    my @absent = map { absent(\@runs, @$_) } [ vector => \&why_no_vector, @vectors ],
        [ sheet  => sub ($run, $other, $) { why_absent($run, $other) }, @sheet ],
        [ number => \&why_no_number, @numbers ];
    return {
        boards      => \@boards,
        differences => [
            differing('verdict', \@whole, beside(map { [ [ '', $_->{verdict} ] ] } @runs)),
            differing('inventory', \@listed, beside(map { [ inventory($_) ] } @runs)),
            differing('vector', \@whole, @vectors),
            differing(
                'judged', \@judged,
                beside(map { [ map { [ $_->{action}, judged($_) ] } @{ $_->{document}{judged} } ] } @runs)
            ),
            differing('sheet', \@whole, @sheet),
            differing('number', \@whole, @numbers),
            differing('soak', \@whole, beside(map { [ soak($_) ] } @runs)),
        ],
        absent                => \@absent,
        disturbances          => [ beside(map { [ disturbances($_) ] } @runs) ],
        unexpected_interrupts => [ map { interrupts($_) } @runs ],
    };
}

# A, B, C ... for so many boards
sub names ($number) {
    my $name = 'A';
    return map { $name++ } 1 .. $number;
}

# A row for each board: what it is, then a column for each difference.
sub rows ($found) {
    my @facts = qw(file boot verdict passed failed skipped);
    my @doubts = qw(intermittent unexplained);
    my @rows = [
        @facts,
        'unexpected interrupts',
        'disturbed vectors',
        @doubts, map { $_->{name} eq '' ? () : "$_->{section} $_->{name}" } @{ $found->{differences} }
    ];
    for my $n (0 .. $#{ $found->{boards} }) {
        my @disturbed = map { defined $_->{values}[$n] ? "$_->{name}: $_->{values}[$n]" : () }
            @{ $found->{disturbances} };
        push @rows,
            [
            @{ $found->{boards}[$n] }{@facts},
            $found->{unexpected_interrupts}[$n],
            join('; ', @disturbed),
            @{ $found->{boards}[$n] }{@doubts},
            map { $_->{name} eq '' ? () : $_->{values}[$n] } @{ $found->{differences} }
            ];
    }
    return @rows;
}

# ---- What is compared: lists of [name, value] ----

# The inventory, with a line of its own for each leaf of CPUID. If a key comes twice, the second is "key (2)".
sub inventory ($run) {
    my %seen;
    my @lines = map {
        $_->[0] eq 'cpuid'
            ? map { /\A([0-9A-F.]+): (.*)\z/ ? [ "cpuid $1", $2 ] : [ 'cpuid', $_ ] } split /; /, $_->[1]
            : $_
    } @{ $run->{inventory} };
    return map { [ $seen{ $_->[0] }++ ? "$_->[0] ($seen{$_->[0]})" : $_->[0], $_->[1] ] } @lines;
}

# True for a run with the boot word `brief`, whose inventory is short.
sub brief ($run) {
    return
        scalar grep { $_->[0] eq 'boot line' && $_->[1] =~ /(?:\A|\s)brief(?:\s|\z)/ } @{ $run->{inventory} };
}

# A vector's outcome; of a skip the reason, of a failure the first expectation that did not hold, and how often if it came now and
# then; of a pass what is unexplained.
sub said ($point) {
    my $text = Pmulog::Run::outcome($point);
    my %value = Pmulog::Run::diagnosis($point);
    $text .= " ($point->{skip})" if defined $point->{skip};
    $text .= ", unexplained: $point->{unexplained}" if defined $point->{unexplained};
    my $now_and_then = intermittent($point);
    $text .= ", intermittent ($now_and_then->{action}: $now_and_then->{said})" if $now_and_then;
    $text .= ": $value{what}" if defined $value{what};
    $text .= ": $value{observed}, not $value{expected}"
        if defined $value{expected} && defined $value{observed};
    return $text;
}

# How often an action was judged, and which rates the run excludes.
sub judged ($of) {
    my $rate = sub ($often, $rate) { $often . (defined $rate ? ", excludes 1 in $rate" : '') };
    return $rate->(@{$of}{qw(judged excludes)})
        . (
        defined $of->{place}
        ? "; least $of->{place}: " . $rate->(@{$of}{qw(judged_here excludes_here)})
        : ''
        );
}

# The sheet, by question and text.
sub sheet ($run) {
    return map { [ "$_->[0] $_->[1]", $_->[2] ] } @{ $run->{sheet} };
}

sub soak ($run) {
    my $document = $run->{document};
    return () if !$document->{loops};
    my %action = %{ $document->{action_of} };
    return [ 'loops', $document->{loops} ], [ 'points in all', $document->{soaked} ],
        [ 'failed in all', $document->{soak_fails} ],
        map({ [ "intermittent: $_", $action{$_} ] } sort keys %action),
        $document->{unexplained} ? [ 'unexplained', $document->{unexplained} ] : ();
}

# The vectors that were disturbed, each with what the log says about the disturbance.
sub disturbances ($run) {
    my @found;
    for my $point (@{ $run->{points} }) {
        my @said = map { /\Adisturbed: (.*)\z/ ? $1 : () } @{ $point->{comments} };
        push @found, [ $point->{id}, join '; ', @said ] if @said;
    }
    return @found;
}

# What the log says about interrupts that nobody asked for, or undef.
sub interrupts ($run) {
    my ($said) = map { /\Aunexpected interrupts: (.*)\z/ ? $1 : () } @{ $run->{comments} },
        map { @{ $_->{comments} } } @{ $run->{points} };
    return $said;
}

# The numbers that vectors report, and what was counted of what was not exercised, beside each other: rows { name, class, values }.
# The name begins with the vector's id, or with UNEXERCISED.
sub numbers (@runs) {
    my %class;
    my @lists = map {
        my @unexercised = $_->{document} ? @{ $_->{document}{not_exercised} } : ();
        [
            map({ [ "$_->{vector} $_->{name}", $_->{number} ] } @{ $_->{numbers} }),
            map { [ UNEXERCISED . " $_->{name}", $_->{counted} ] } @unexercised
        ]
    } @runs;
    $class{"$_->{vector} $_->{name}"} //= $_->{class} for map { @{ $_->{numbers} } } @runs;
    return map { { %$_, class => $class{ $_->{name} } // 'never' } } beside(@lists);
}

# ---- What a log lacks, and why ----

# The first board's value of this key of the inventory, or ''.
sub value_of ($run, $key) {
    return { map { @$_ } reverse @{ $run->{inventory} } }->{$key} // '';
}

# The words of the run's boot line that choose vectors.
sub selection ($run) {
    return join ' ', grep { $_ =~ $SELECTS } split ' ', value_of($run, 'boot line');
}

# Why this run has not what another one has, in words that follow "since", or undef.
sub why_absent ($run, $other) {
    my $selection = selection($run);
    return "its boot line chooses vectors ($selection)"
        if $selection ne '' && $selection ne selection($other);
    return why_different($run, $other);
}

# The same of a vector that both have run.
sub why_different ($run, $other) {
    return 'it has another processor' if value_of($run, 'processor') ne value_of($other, 'processor');
    return 'its image is of another version' if value_of($run, 'build') ne value_of($other, 'build');
    return undef;
}

# The point pmu stands for all vectors of a machine that has no PMU.
sub why_no_vector ($run, $other, $) {
    my ($pmu) = map { $_->{id} eq 'pmu' && defined $_->{skip} ? $_->{skip} : () } @{ $run->{points} };
    return defined $pmu ? "its PMU was not tested: $pmu" : why_absent($run, $other);
}

sub why_no_number ($run, $other, $name) {
    my ($vector) = split ' ', $name;
    $run->{ran} //= { map { $_->{id} => 1 } grep { !defined $_->{skip} } @{ $run->{points} } };
    return why_absent($run, $other) if $vector eq UNEXERCISED;
    return 'it did not run their vectors' if !$run->{ran}{$vector};
    return brief($run) ? 'its log is brief' : why_different($run, $other);
}

# What some of the runs that are whole lack, in one entry for each group of boards and reason: { section, boards, reason, names },
# the reason undef if none is known. If one is, it is no difference that a line is missing. A vector that failed elsewhere or has
# unexplained results there is one all the same.
sub absent ($runs, $section, $why, @rows) {
    my @names = names(scalar @$runs);
    my (@found, %of);
    for my $row (@rows) {
        next
            if $section eq 'vector' && grep { ($_ // '') =~ /\A(?:failed|passed, unexplained)\b/ }
            @{ $row->{values} };
        my $values = $row->{values};
        my ($other) = map { defined $values->[$_] ? $runs->[$_] : () } 0 .. $#$values;
        my @lacking = grep { !defined $values->[$_] && $runs->[$_]{whole} } 0 .. $#$values or next;
        my @reasons = map { $why->($runs->[$_], $other, $row->{name}) } @lacking;
        my ($first) = @reasons;
        my $reason = grep({ ($_ // '') ne ($first // '') } @reasons) ? undef : $first;
        my $group = $of{ join "\n", $reason // '', @lacking } //= do {
            push @found,
                { section => $section, boards => [ @names[@lacking] ], reason => $reason, names => [] };
            $found[-1];
        };
        push @{ $group->{names} }, $row->{name};
        $row->{explained} = 1 if defined $reason;
    }
    return @found;
}

# ---- Comparing ----

# Lists of [name, value] beside each other: { name, values }, in the order of the first list, then what only others have.
sub beside (@lists) {
    my @maps = map { {
        map { @$_ } @$_
    } } @lists;
    my %seen;
    return map {
        my $name = $_;
        { name => $name, values => [ map { $_->{$name} } @maps ] }
    } grep { !$seen{$_}++ } map {
        map { $_->[0] }
            @$_
    } @lists;
}

# The rows that differ. whole: for each board, whether its log is; one that is not may lack any line, and so may a board for whose
# lack there is a reason.
sub differing ($section, $whole, @rows) {
    my $kind = $section eq 'judged' ? 'judged ' : '';
    return map {
        my $row = $_;
        my $may_lack = $row->{explained} ? [ map { 0 } @$whole ] : $whole;
        my $same =
            $section eq 'number'
            ? numbers_alike($row, $may_lack)
            : alike($kind . $row->{name}, $may_lack, @{ $row->{values} });
        $same
            ? ()
            : {
            section => $section,
            name    => $row->{name},
            values  => $row->{values},
            $section eq 'number' ? (class => $row->{class}, silent => silent($row)) : ()
            }
    } @rows;
}

# True if the numbers differ by no more than their class allows (pmu-rules 8.3), and no board is silent.
sub numbers_alike ($row, $whole) {
    my @told = grep { defined } @{ $row->{values} };
    return 0 if grep { !defined $row->{values}[$_] && $whole->[$_] } 0 .. $#$whole;
    return 0 if @{ silent($row) };
    for my $n (1 .. $#told) {
        for my $before (@told[ 0 .. $n - 1 ]) {
            return 0 if !within($row->{class}, $before, $told[$n]);
        }
    }
    return 1;
}

# May two runs differ so? An event of class exact makes the same number in each. Of near-exact and relation the number, or what it
# is related to, is known but for disturbances. Of invariant and never nothing is known but that the event occurs.
sub within ($class, $a, $b) {
    return $a == $b if $class eq 'exact';
    return near_numbers($a, $b) if $class eq 'near-exact' || $class eq 'relation';
    return 1;
}

# The names of the boards that counted nothing of what another board counted often.
sub silent ($row) {
    my @values = @{ $row->{values} };
    return [] if max(0, grep { defined } @values) < SILENT;
    my @names = names(scalar @values);
    return [ map { defined $values[$_] && $values[$_] == 0 ? $names[$_] : () } 0 .. $#values ];
}

sub alike ($name, $whole, @values) {
    my @told = grep { defined } @values;
    return 0 if grep { !defined $values[$_] && $whole->[$_] } 0 .. $#values;
    for my $n (1 .. $#told) {
        for my $old (@told[ 0 .. $n - 1 ]) {
            return 0 if !same($name, $old, $told[$n]);
        }
    }
    return 1;
}

# True if the two values are equal, but for what differs between two measurements of one machine, or between what two runs judged.
sub same ($name, $old, $new) {
    # Which of several places with nearly equal numbers was judged least differs from run to run.
    return near_numbers(map { s/; least [^:]*: /; least: /r } $old, $new) if $name =~ /\Ajudged /;
    s/ over \d+ ticks| \(in doubt: \S+\)\z//g for $old, $new;    # neither the time that a measurement took nor a doubt is a result
    return $old eq $new || near_rates($old, $new) || near_costs($name, $old, $new);
}

# A line of the sheet that holds measured clocks or rates: questions 10.14 to 10.16.
my $MEASURED = qr/\A10\.1[4-6][a-z] /;

# True for two measurements whose numbers are near to each other. Spreads in brackets and
# the longest of many distances belong to one run.
sub near_costs ($name, $old, $new) {
    return 0 if $name !~ $MEASURED;
    s/ \([^)]*\)//, s/, \d+ clocks in all; longest distance \d+ clocks// for $old, $new;
    return near_numbers($old, $new);
}

# True if the texts have the same words, and no number of one differs from that of the other by more than a tenth, or 16.
sub near_numbers ($old, $new) {
    my $number = qr/\d+(?:\.\d+)?/;
    return 0 if $old =~ s/$number/N/gr ne $new =~ s/$number/N/gr;
    my @new = $new =~ /($number)/g;
    for my $before ($old =~ /($number)/g) {
        my $after = shift @new;
        my $apart = abs($before - $after);
        my $larger = $before > $after ? $before : $after;
        return 0 if $apart > $larger / 10 && ($before =~ /\./ || $apart > 16);
    }
    return 1;
}

# True for two measured clock rates that differ by at most a thousandth.
sub near_rates ($old, $new) {
    my ($a, $b) = map { [/(\d+) kHz/g] } $old, $new;
    return 0 if !@$a || $old =~ s/\d+ kHz/kHz/gr ne $new =~ s/\d+ kHz/kHz/gr;
    return !grep { abs($a->[$_] - $b->[$_]) * 1000 > $a->[$_] } 0 .. $#$a;
}

# ---- The text ----

# The headings of the sections, in their order.
my @SECTIONS = (
    [ verdict   => 'Verdict' ],
    [ inventory => 'Inventory' ],
    [ vector    => 'Vectors with different outcomes' ],
    [ judged    => 'What was judged' ],
    [ sheet     => 'Characterisation sheet' ],
    [ number    => 'Numbers' ],
    [ soak      => 'Soak' ]
);

# The text of what comparison() returns: the boards, then a table of what differs, with a column for each board. More boards
# than have room beside each other are listed below each other instead.
sub text ($found) {
    my @boards = @{ $found->{boards} };
    my @names = map { $_->{name} } @boards;
    my @absent = map { $_->{verdict} =~ /\A(?:pass|fail|skip)\z/ ? 'absent' : 'not in the log' } @boards;
    my $text = '';
    for my $board (@boards) {
        $text .= paragraph(
            "$board->{name}  ",
            4,
            "$board->{file}, boot $board->{boot}: $board->{verdict}: "
                . Pmulog::Document::counts($board) . '; '
                . ($board->{processor} // 'processor unknown')
        );
    }
    my @differences = @{ $found->{differences} };
    $text .= "\nNo difference in inventory, vectors, characterisation sheet and numbers.\n" if !@differences;
    for my $section (@SECTIONS) {
        my ($kind, $title) = @$section;
        my @rows = grep { $_->{section} eq $kind && !only_absent($_) } @differences;
        if ($kind eq 'number') {
            $text .= "\n$title\n" . join '', map { paragraph('  ', 4, changed($_, @names)) } @rows if @rows;
            next;
        }
        @rows = vectors(@rows) if $kind eq 'vector';
        @rows = questions(@rows) if $kind eq 'sheet';
        $text .= table($title, \@names, \@absent, @rows);
    }
    my @lacks = @{ $found->{absent} };
    $text .= "\nNot in every log\n" . join '', map { paragraph('  ', 4, lack($_)) } @lacks if @lacks;
    my @disturbed = @{ $found->{disturbances} };
    my @heard = @{ $found->{unexpected_interrupts} };
    my @none = map { 'none' } @boards;
    $text .= table('Disturbed vectors', \@names, \@none, families(@disturbed));
    $text .= table('Unexpected interrupts', \@names, \@none, { name => '', values => \@heard })
        if grep { defined } @heard;
    $text .= "\nNo run was disturbed, and no unexpected interrupts came.\n"
        if !@disturbed && !grep { defined } @heard;
    return $text;
}

# True for a vector, a line of the sheet or a number in which the boards that have it agree: that others lack it is told in one
# sentence for all.
sub only_absent ($row) {
    my @told = grep { defined } @{ $row->{values} };
    return 0 if @told == @{ $row->{values} } || $row->{section} !~ /\A(?:vector|sheet|number)\z/;
    return 0 if grep { /\A(?:failed|passed, unexplained)\b/ } @told;
    my $whole = [ map { 0 } @{ $row->{values} } ];
    return $row->{section} eq 'number'
        ? numbers_alike($row, $whole)
        : alike($row->{name}, $whole, @{ $row->{values} });
}

# "A and B lack 501 vectors, since ..."
sub lack ($absent) {
    my @boards = @{ $absent->{boards} };
    my %what = (vector => 'vector', sheet => 'line of the sheet', number => 'number');
    my $number = @{ $absent->{names} };
    my $things =
        $number == 1
        ? "the $what{ $absent->{section} } $absent->{names}[0]"
        : "$number " . ($what{ $absent->{section} } =~ s/\A(\w+)/$1s/r);
    my $reason = $absent->{reason} // 'no reason is known';
    $reason =~ s/\bits\b/their/, $reason =~ s/\bit (did|has)\b/they @{[ $1 eq 'has' ? 'have' : $1 ]}/
        if @boards > 1;
    return
          list(@boards)
        . (@boards == 1 ? ' lacks ' : ' lack ')
        . $things
        . (defined $absent->{reason} ? ", since $reason." : "; $reason.");
}

# A number that differs: "BSQ_cache_reference of 200 occurrences on counter 0 (reach.both-escrs) went silent on B: 201 on A, 0 on B."
sub changed ($row, @names) {
    my ($vector, $what) = split ' ', $row->{name}, 2;
    my @silent = @{ $row->{silent} };
    my $first = defined $row->{values}[0] && $row->{values}[0] == 0;
    my $how =
        !@silent
        ? 'differs by more than class ' . $row->{class} . ' allows'
        : ($first ? 'is' : 'went') . ' silent on ' . list(@silent);
    return "$what ($vector) $how: "
        . join(', ',
        map { defined $row->{values}[$_] ? "$row->{values}[$_] on $names[$_]" : () } 0 .. $#names)
        . '.';
}

# "A, B and C"
sub list (@items) {
    return @items < 2 ? "@items" : join(', ', @items[ 0 .. $#items - 1 ]) . " and $items[-1]";
}

# Vectors with the same outcomes in one row, which names families with the number of their vectors. How a vector failed is said
# only where it is alone: explain says it of each board.
sub vectors {
    return merged(
        sub { $_[0] =~ s/\A(failed, intermittent|failed|passed, unexplained)\b.*/$1/sr },
        sub {
            join ', ',
                map { my ($family, @same) = @$_; @same == 1 ? $same[0] : "$family (" . @same . ')' }
                grouped(\&family, @_);
        },
        @_
    );
}

# Questions that all boards which probed them answer alike, in one row for each reason of those that did not.
sub questions (@rows) {
    my $silent = sub { defined $_[0] && $_[0] =~ /\Anot probed: / };
    my @alike = map {
        my $row = $_;
        my @told = grep { !$silent->($_) } @{ $row->{values} };
        alike($row->{name}, [ map { 1 } @told ], @told)
    } @rows;
    return @rows[ grep { !$alike[$_] } 0 .. $#rows ], merged(
        sub { $silent->($_[0]) ? $_[0] : $_[0] =~ /\(in doubt: / ? 'in doubt: checks failed' : 'answered' },
        sub {
            join ', ', map { /\A(\S+)/ } @_;
        },
        @rows[ grep { $alike[$_] } 0 .. $#rows ]
    );
}

# Rows in one if their values are the same once they are shortened; name makes its name of theirs.
sub merged ($shorten, $name, @rows) {
    my $short = sub ($row) {
        map { defined ? $shorten->($_) : undef } @{ $row->{values} };
    };
    return map {
        my (undef, @same) = @$_;
        @same == 1
            ? $same[0]
            : { name => $name->(map { $_->{name} } @same), values => [ $short->($same[0]) ] }
    } grouped(
        sub ($row) {
            join "\n", map { $_ // '' } $short->($row);
        },
        @rows
    );
}

# Disturbances in one row for each family. The measurements and runs of a family are added up.
sub families (@rows) {
    return map {
        my ($family, @same) = @$_;
        @same == 1 ? @same : {
            name   => $family,
            values => [
                map {
                    my $n = $_;
                    added(map { $_->{values}[$n] } @same)
                } 0 .. $#{ $same[0]{values} }
            ]
        }
    } grouped(sub ($row) { family($row->{name}) }, @rows);
}

# "3 vectors: 2 by interrupts, 4 by time", of older logs "3 vectors: 4 of 60 measurements, 1 of 3 runs"; or undef if there are none.
sub added {
    my @told = grep { defined } @_ or return undef;
    my (%some, %all);
    for my $text (@told) {
        while ($text =~ /(\d+) of (\d+) (measurements|runs)/g) {
            $some{$3} += $1;
            $all{$3}  += $2;
        }
        while ($text =~ /(\d+) (by (?:interrupts|time))/g) {
            $some{$2} += $1;
        }
    }
    return @told . ' vector' . (@told == 1 ? '' : 's') . ': ' . join ', ',
        map { $some{$_} . (defined $all{$_} ? " of $all{$_}" : '') . " $_" } sort keys %some;
}

# Rows below a title; absent: what to print for each board where a row has no value.
sub table ($title, $names, $absent, @rows) {
    return '' if !@rows;
    my @filled = map {
        my $row = $_;
        { name => $row->{name}, values => [ map { $row->{values}[$_] // $absent->[$_] } 0 .. $#$absent ] }
    } @rows;
    return "\n$title\n"
        . (
        @$names > BESIDE
        ? join '',
        map { listed($names, $_) } @filled
        : columns([ '', @$names ], map { [ $_->{name}, @{ $_->{values} } ] } @filled)
        );
}

# Rows of cells, whose text is broken to the width of its column.
sub columns {
    my @rows = @_;
    my $width = int(($columns - LABEL) / $#{ $rows[0] });
    my $text = '';
    for my $row (@rows) {
        my ($label, @cells) = @$row;
        my @broken = (broken(LABEL - 3, $label), map { broken($width - 2, $_) } @cells);
        for my $n (0 .. max(map { $#$_ } @broken)) {
            my ($first, @others) = map { $_->[$n] // '' } @broken;
            $text .= sprintf('  %-*s', LABEL - 2, $first)
                . join('', map { sprintf '%-*s', $width, $_ } @others) =~ s/\s+\z//r . "\n";
        }
    }
    return $text =~ s/ +$//gmr;
}

# A text as lines of at most so many characters.
sub broken ($width, $text) {
    local $Text::Wrap::columns = $width + 1;
    local $Text::Wrap::unexpand = 0;
    local $Text::Wrap::huge = 'wrap';
    return [ split /\n/, Text::Wrap::wrap('', '', name_of($text)) ];
}

# A row as a line for each value, with the names of the boards that have it.
sub listed ($names, $row) {
    return ($row->{name} eq '' ? '' : paragraph('  ', 4, $row->{name})) . join '', map {
        my ($value, @boards) = @$_;
        paragraph('    ' . join(', ', @{$names}[@boards]) . ': ', 8, $value)
    } grouped(sub ($n) { $row->{values}[$n] }, 0 .. $#$names);
}

sub paragraph ($before, $hang, $text) {
    return Command::wrapped($columns, $before, $hang, name_of($text));
}

1;
