# One boot of a captured log: its clean lines, which the command `tap` prints, and the boot in memory, for
# `explain`, `sheet`, `compare`, `junit` and `html`.
package Pmulog::Run;

use v5.36;
use Pmulog::Check qw(chosen no_log outside_line read_as status_of survey);

# A soak of weeks has too many heartbeats for a page. At most twice this many are kept, evenly spread. All
# other lines of a soak are kept.
use constant HEARTBEATS => 200;

# ---- The lines ----

# The survey of boot 'last' or boot N only. Dies if the file cannot be read or has no such boot. For a file
# without boots, 'last' gives a survey without boots.
sub boot_of ($path, $wanted) {
    # The file is read twice: the first time to find the boot and its verdict.
    die "cannot read $path: this command needs a file, not a pipe or a device\n"
        if -e $path && !-f _ && !-d _;
    my $survey = survey($path);
    return $survey if $wanted eq 'last' && !@{ $survey->{boots} };
    return chosen($survey, $wanted);
}

# Verdict, reason and document (undef if there is none) of a survey that has at most one boot.
sub judged ($survey) {
    my ($boot) = @{ $survey->{boots} };
    my $document = $boot ? $boot->[1] : undef;
    my $verdict = $document ? $document->verdict : 'incomplete';
    my $why = $document ? $document->why : no_log($survey);
    if (my $outside = $survey->{outside}[0]) {
        $why = outside_line($survey->{path}, $outside) =~ s/\A.*?: (line)/$1/r if $verdict ne 'damaged';
        $verdict = 'damaged';
    }
    return ($verdict, $why, $document);
}

# Calls $take->($kind, $line, @fields) for each clean line of the survey's boot; Pmulog::Document has the
# kinds. After an incomplete or damaged log, lines of kind 'verdict' follow, which make the TAP fail.
sub clean_lines ($survey, $take) {
    my ($verdict, $why, $document) = judged($survey);
    my ($boot) = @{ $survey->{boots} };
    my ($in_diagnosis, $planned, $bailed);
    if ($boot) {
        read_as(
            $survey->{path},
            $survey->{reading},
            sub {
                return undef if $_[0] != $boot->[0];
                return sub ($kind, $line, @fields) {
                    return $take->($kind, $line, @fields) if $kind eq 'resumed';
                    $in_diagnosis = $kind =~ /\A(?:open|value|list|item)\z/;
                    $planned = 1 if $kind eq 'plan';
                    return $bailed = $line if $kind eq 'bail';
                    $take->($kind, $line, @fields);
                };
            }
        );
    }
    return if status_of($verdict) != 2;
    $why =~ s/[^ -~]/?/g;
    my $number = $document ? ($document->damage // [ 0, 0, $document->points + 1 ])->[2] : 1;
    $take->('verdict', $_)
        for ($boot ? () : 'TAP version 13'), ($planned ? () : '1..1'), ($in_diagnosis ? '  ...' : ()),
        "not ok $number - pmulog.$verdict", '  ---', "  what: " . quoted($why), '  ...';
    $take->('verdict', $bailed // "Bail out! the log is $verdict");
}

our $strict;    # a skip fails in the TAP, and so does a pass with something not tested or unexplained

# The command `tap`: prints the boot as TAP that every TAP tool judges correctly, and returns the exit status
# of its verdict. A list of a diagnosis becomes one value, because tap-out 2 stops reading at a list, and
# TAP::Parser at an item whose first word ends in a colon.
sub tap ($wanted, $path) {
    my $survey = boot_of($path, $wanted);
    my ($verdict, $why, $document) = judged($survey);
    my $refused = !$strict || status_of($verdict) == 2 ? '' : $verdict eq 'skip' ? $why : $document->doubts;
    my ($behind, $plan, $list, @items) = (0);
    clean_lines(
        $survey,
        sub ($kind, $line, @fields) {
            $behind = 1 if $kind eq 'resumed';
            return if $behind && $kind ne 'verdict';    # the numbers of later points have a gap
            return $list = $fields[0] if $kind eq 'list';
            return push @items, $fields[0] if $kind eq 'item';
            print "  $list: ", quoted(join '; ', splice @items), "\n" if @items;
            if ($kind eq 'plan' && $refused ne '') {    # one point more, at the end
                ($plan) = $line =~ /\A1\.\.(\d+)/;
                $line = '1..' . ($plan + 1);
            }
            print "not ok ", $plan + 1, " - pmulog.skip\n  ---\n  what: ", quoted($refused =~ s/[^ -~]/?/gr),
                "\n  ...\n"
                if $kind eq 'end' && $refused ne '';
            print "$line\n";
        }
    );
    return $refused eq '' ? status_of($verdict) : status_of('skip');
}

# Text as a value of YAML.
sub quoted ($text) { return "'" . $text =~ s/'/''/gr . "'" }

# ---- The boot in memory ----

# Loads boot 'last' or boot N of a file. Returns a hash:
#   path, boot (number), verdict, why, document; whole (true: the log is complete and undamaged)
#   inventory  [key, value] ...        sheet  [id, text, value] ...
#   points     { number, id, behind (the line of the damage that it comes after, or undef), ok, skip (reason
#              or undef), unexplained (results that are wrong without a witness, or undef), title, rules,
#              values [key, value] ..., comments, diagnosis, lines } ...
#              lines: two numbers of lines in the file. In the first the point was announced (if it was not,
#              this is the line before the point), the second is the point itself. A list in the diagnosis is
#              one value for each item; diagnosis is the text as the log has it, without its indentation
#   numbers    { vector, name, number, class } ..., in the order of the log
#   comments   those that do not belong to a vector
#   heartbeats texts of the soak lines; a failure's text includes its diagnosis
#   last_words id of the vector that was announced and has no point, or undef
sub load ($path, $wanted) {
    my $survey = boot_of($path, $wanted);
    my ($verdict, $why, $document) = judged($survey);
    my $run = {
        path       => $path,
        boot       => $document ? $survey->{boots}[0][0] : 0,
        verdict    => $verdict,
        why        => $why,
        document   => $document,
        whole      => scalar($verdict =~ /\A(?:pass|fail|skip)\z/),
        inventory  => [],
        sheet      => [],
        numbers    => [],
        points     => [],
        comments   => [],
        heartbeats => [],
        last_words => $document ? $document->{ $document->damage ? 'damaged_in' : 'announced' } : undef,
    };
    my $step = 1;
    my $seen = 0;
    my $beats = 0;           # heartbeats that are kept
    my $in_diagnosis = 0;    # the next comments are the diagnosis of a failure in a later loop
    my %state = (before => [], line => $document ? $document->{first_line} - 1 : 0);
    clean_lines(
        $survey,
        sub ($kind, $line, @fields) {
            $state{line} = $Pmulog::Document::number_in_file;
            if ($kind eq 'resumed') {
                @state{qw(behind announced before)} = ($fields[0], undef, []);
                return $in_diagnosis = 0;
            }
            my $kept = $run->{heartbeats};
            if ($kind eq 'heartbeat') {
                $in_diagnosis = !is_beat($fields[0]);
                return if !$in_diagnosis && $seen++ % $step != 0;
                push @$kept, $fields[0] =~ s/\A# soak //r;
                if (!$in_diagnosis && ++$beats == 2 * HEARTBEATS) {
                    my $n = 0;
                    @$kept = grep { !is_beat($_) || $n++ % 2 == 0 } @$kept;
                    $step *= 2;
                    $beats = HEARTBEATS;
                }
                return;
            }
            $in_diagnosis = 0 if $kind ne 'comment' || $fields[0] !~ /\A  (?:\w|  - )/;
            return $kept->[-1] .= '; ' . substr $fields[0], 2 if $in_diagnosis;
            take_line($run, \%state, $kind, $line, @fields);
        }
    );
    push @{ $run->{heartbeats} }, $document->{heartbeat} =~ s/\A# soak //r
        if $document && defined $document->{heartbeat} && ($seen - 1) % $step != 0;
    push @{ $run->{comments} }, @{ $state{before} };
    $_->{vector} //= $run->{last_words} // '' for @{ $run->{numbers} };
    return $run;
}

# True for a heartbeat with the counts of a loop, false for any other line of a soak.
sub is_beat ($text) { return $text =~ /\bloop \d+: \d+ points?, / }

# Adds a line to the run. state: what was announced, and the comments since.
sub take_line ($run, $state, $kind, $line, @fields) {
    my $point = $run->{points}[-1];
    if    ($kind eq 'inventory') { push @{ $run->{inventory} }, [@fields]; }
    elsif ($kind eq 'sheet')     { push @{ $run->{sheet} }, [@fields]; }
    elsif ($kind eq 'number') {
        push @{ $run->{numbers} },
            { vector => undef, name => $fields[0], number => $fields[1], class => $fields[2] };
    } elsif ($kind eq 'comment') {
        push @{ $state->{before} }, $fields[0];
    } elsif ($kind eq 'announce') {
        push @{ $run->{comments} }, splice @{ $state->{before} };
        @{$state}{qw(announced rules)} = @fields;
        $state->{began} = $state->{line};
        # a family's title is printed with its first member only
        $state->{title} = $fields[2] // $state->{title};
    } elsif ($kind eq 'point') {
        my ($number, $ok, $id, $reason, $unexplained) = @fields;
        my $titled = !defined $reason && ($state->{announced} // '') eq $id;
        push @{ $run->{points} },
            {
            number      => $number,
            id          => $id,
            behind      => $state->{behind},
            ok          => $ok,
            skip        => $reason,
            unexplained => $unexplained,
            title       => $titled ? $state->{title} : undef,
            rules       => $state->{rules},
            values      => [],
            diagnosis   => '',
            comments    => [ splice @{ $state->{before} } ],
            lines       => [ $state->{began} // $state->{line} - 1, $state->{line} ],
            };
        $_->{vector} //= $id for @{ $run->{numbers} };
        $state->{began} = undef;
        $state->{rules} = undef;
    } elsif ($kind =~ /\A(?:value|list|item)\z/) {
        $point->{diagnosis} .= substr($line, 2) . "\n";
        return $state->{list} = $fields[0] if $kind eq 'list';
        my ($key, $value) = $kind eq 'item' ? ($state->{list}, @fields) : @fields;
        push @{ $point->{values} }, [ $key, $value ];
        $point->{$key} = $value if $key eq 'title' || $key eq 'rules';
    }
}

# What each output for programs says of a boot (docs/pmulog-formats.md).
sub record ($run) { return Pmulog::Check::boot_record(@{$run}{qw(path boot document verdict why)}) }

# The diagnosis of a point, key => value, without the further expectations (also) and the courses, which may be several.
sub diagnosis ($point) {
    return map { @$_ } grep { $_->[0] !~ /\A(?:also|courses)\z/ } @{ $point->{values} };
}

# The id, with a mark if the point comes after damage.
sub marked ($point) {
    return $point->{id} . (defined $point->{behind} ? " (behind damage in line $point->{behind})" : '');
}

# passed, failed or skipped
sub outcome ($point) { return !$point->{ok} ? 'failed' : defined $point->{skip} ? 'skipped' : 'passed' }

1;
