# The verdicts of captured logs: one for each boot, and one for all of them. The command `check` prints them.
package Pmulog::Check;

use v5.36;
use Encode qw(decode FB_CROAK);
use Exporter qw(import);
use List::Util qw(sum0);
use Pmulog::Actions qw(results);
use Pmulog::Bytes qw(what_is);
use Pmulog::Capture;
use Pmulog::Data qw(csv json);
use Pmulog::Reading qw(readings);

our @EXPORT_OK = qw(no_log read_as survey chosen overall refused status_of boot_line name_of outside_line);

# The failed vectors that a line names at most.
use constant NAMED => 20;

our $strict;    # a boot that passed with something not tested, unexplained or not exercised counts as skipped

# Verdicts from best to worst. A file has the worst verdict of its boots, so it is skipped only if all boots
# skipped. But a boot that the boot word strict or --strict does not accept, because something was not tested,
# is unexplained or was not exercised, is worse than a pass.
my %RANK = (skip => 0, pass => 1, partial => 2, fail => 3, incomplete => 4, damaged => 5);
my %STATUS = (pass => 0, fail => 1, skip => 77);

sub status_of ($verdict) { return $STATUS{$verdict} // 2 }

# Captured text, shortened and made safe to print on a terminal.
sub plain ($text) {
    $text = substr($text, 0, 80) . '...' if length $text > 80;
    return $text =~ s/[^ -~]/?/gr;
}

# A text with the name of a file, made safe to print: without control characters, which may be the bytes C2H
# 80H to 9FH in UTF-8, too, and without bytes that are no UTF-8. A line feed in it would let it say a verdict
# of its own.
sub name_of ($text) {
    $text =~ s/[^ -~]/?/g if !eval { decode('UTF-8', my $copy = $text, FB_CROAK); 1 };
    return $text =~ s/[\x00-\x1F\x7F]|\xC2[\x80-\x9F]/?/gr;
}

# Reads a file. Returns { boots => [ [number, Pmulog::Document], ... ], outside => [...], reading => a
# Pmulog::Reading or undef, what => what the bytes are if they are no log }; dies if the file cannot be read.
# If not all logs are whole, other ways to read the file are tried, and one by which more of them are whole is
# taken.
sub survey ($path) {
    my ($survey, $capture) = read_as($path, undef, undef);
    return $survey if $path eq '-' || status_of(overall($survey)) != 2 || !-f $path;
    for my $reading (readings($capture->{hints}, $capture->{widest})) {
        my ($other) = read_as($path, $reading, undef);
        return $other if whole($other) > whole($survey);
    }
    return $survey;
}

# Reads a file in one way. sink: see Pmulog::Capture->new.
sub read_as ($path, $reading, $sink) {
    my @boots;
    my $capture =
        Pmulog::Capture->new(sink => $sink, reading => $reading, on_boot => sub { push @boots, [@_] });
    $capture->read_file($path);
    my $survey = {
        path    => $path,
        boots   => \@boots,
        outside => $capture->{outside},
        reading => $reading,
        what    => @boots ? '' : what_is($capture->{first} // '')
    };
    return ($survey, $capture);
}

# How many logs of a survey are whole.
sub whole ($survey) {
    return scalar grep { status_of($_->[1]->verdict) != 2 } @{ $survey->{boots} };
}

# What is said of a file without a log.
sub no_log ($survey) {
    return "no log in it: no line 'TAP version 13'" . ($survey->{what} ne '' ? "; $survey->{what}" : '');
}

# The part of a survey that belongs to boot 'last' or boot N: its document, and the lines outside of any
# document directly before and after it. Dies if there is no such boot.
sub chosen ($survey, $wanted) {
    my $boots = $survey->{boots};
    my $number = $wanted eq 'last' ? scalar @$boots : $wanted;
    die "there is no boot $wanted in $survey->{path}: it holds " . @$boots . "\n"
        if $number < 1 || $number > @$boots;
    my @near = grep { $_->[3] == $number || $_->[3] == $number - 1 } @{ $survey->{outside} };
    return { %$survey, boots => [ $boots->[ $number - 1 ] ], outside => \@near };
}

# The worst verdict of these surveys; a file without any boot is incomplete.
sub overall (@surveys) {
    my @verdicts;
    for my $survey (@surveys) {
        push @verdicts, map { partial($_->[1]) ? 'partial' : $_->[1]->verdict } @{ $survey->{boots} };
        push @verdicts, 'incomplete' if !@{ $survey->{boots} };
        push @verdicts, 'damaged' if @{ $survey->{outside} };
    }
    my ($worst) = sort { $RANK{$b} <=> $RANK{$a} } @verdicts;
    return $worst eq 'partial' ? 'skip' : $worst;
}

sub partial ($document) {
    return $document->doubts ne ''
        && ($document->verdict eq 'skip' || $strict && $document->verdict eq 'pass');
}

# What --strict does not accept of these surveys' boots that passed, in words; '' if there is nothing or
# --strict is not given.
sub refused (@surveys) {
    return join '; ', map {
        $strict && $_->[1]->verdict eq 'pass'
            ? grep { $_ ne '' } $_->[1]->doubts
            : ()
    } map { @{ $_->{boots} } } @surveys;
}

# What each output for programs says of a boot. A file without a boot has a boot 0 and no document.
sub boot_record ($path, $number, $document, $verdict, $why) {
    my %said = map { $_ => $document ? $document->{$_} : undef } qw(build processor planned);
    return {
        file      => $path,
        boot      => $number,
        verdict   => $verdict,
        why       => $why,
        build     => $said{build},
        processor => $said{processor},
        planned   => defined $said{planned} ? $said{planned} + 0 : undef,
        map({ $_ => $document ? $document->{$_} : 0 } qw(passed failed skipped)),
        intermittent         => $document ? $document->{intermittent} : 0,
        unexplained          => $document ? $document->{unexplained}  : 0,
        intermittent_vectors => [
            $document ? map { { vector => $_, action => $document->{action_of}{$_} } }
                sort keys %{ $document->{action_of} } : ()
        ],
        judged               => $document ? $document->{judged} : [],
        remarks              => [ $document ? $document->remarks : () ],
        points_behind_damage => $document ? scalar keys %{ $document->{behind} } : 0,
        not_exercised        => $document ? $document->{not_exercised}           : [],
        not_tested           => [
            map { { points => $_->[0] + 0, reason => $_->[1], remedy => $_->[2] } }
                $document ? @{ $document->{untested} } : ()
        ],
    };
}

sub boot_line ($path, $number, $document) {
    my $build = $document->{build} // 'unknown';
    my $processor = $document->{processor} // 'unknown';
    return
          name_of($path)
        . ": boot $number (line $document->{first_line}): "
        . $document->verdict . ': '
        . $document->counts . '; '
        . $document->why
        . "; build $build; processor $processor"
        . join '', map { "; $_" } $document->remarks;
}

# The vectors of a boot that failed, or '' if there are none.
sub failed_line ($path, $number, $document) {
    my $action = $document->{action_of};
    my $line = ($document->{damage} // [])->[0];
    my ($first, $later) = map {
        named(
            map {
                      $document->{behind}{$_} ? "$_ (behind damage in line $line)"
                    : defined $action->{$_}   ? "$_ (intermittent: $action->{$_})"
                    : $_
            } @$_
        )
    } @{$document}{qw(failed_ids later_ids)};
    my $failed = join '; in later loops: ', grep { $_ ne '' } $first, $later;
    $failed = "in later loops: $failed" if $first eq '' && $later ne '';
    return $failed eq '' ? '' : name_of($path) . ": boot $number: failed: $failed\n";
}

sub named {
    my @ids = map { plain($_) } @_;
    my $more = @ids - NAMED;
    return $more > 0 ? join(', ', @ids[ 0 .. NAMED - 1 ]) . " and $more more" : join ', ', @ids;
}

sub outside_line ($path, $outside) {
    my ($line, $what, $text) = @$outside;
    return name_of($path) . ": line $line: damaged: $what outside of any document: " . plain($text);
}

# ---- The command ----

# Prints the verdicts and returns the exit status of the verdict of all. wanted: undef for each boot, 'last',
# or a number.
sub check ($wanted, $format, @files) {
    my @surveys = map {
        my $survey = survey($_);
        defined $wanted && @{ $survey->{boots} } ? chosen($survey, $wanted) : $survey
    } @files;
    my $verdict = overall(@surveys);
    print $format eq 'json'
        ? json('check', { verdict => $verdict, boots => [ map { records($_) } @surveys ] })
        : $format eq 'csv' ? csv(rows(map { records($_) } @surveys))
        :                    text($verdict, @surveys);
    return status_of($verdict);
}

sub text ($verdict, @surveys) {
    my ($text, $boots) = ('', 0);
    for my $survey (@surveys) {
        my $file = $survey->{path};
        $text .= boot_line($file, @$_) . "\n" . failed_line($file, @$_) for @{ $survey->{boots} };
        $text .= outside_line($file, $_) . "\n"                         for @{ $survey->{outside} };
        $text .= name_of($file) . ": incomplete: " . no_log($survey) . "\n" if !@{ $survey->{boots} };
        $boots += @{ $survey->{boots} };
    }
    my @documents = map { $_->[1] } map { @{ $_->{boots} } } @surveys;
    my $partly = grep { @{ $_->{untested} } } @documents;
    my $unexplained = sum0(map { $_->{unexplained} } @documents);
    my $refused = $verdict eq 'skip' && refused(@surveys) ne '';
    return
          "$text$verdict: $boots boot"
        . ($boots == 1 ? '' : 's') . ' in '
        . @surveys . ' file'
        . (@surveys == 1 ? ''                                            : 's')
        . ($partly       ? '; not everything that could be was tested'   : '')
        . ($unexplained  ? '; ' . results($unexplained) . ' unexplained' : '')
        . ($refused      ? '; so it is no pass for --strict'             : '') . "\n";
}

# What the outputs for programs say of a file: its boots, then each line of a log outside of any document,
# which is damage of no boot. Boot 0 stands for a file without any, and for such a line.
sub records ($survey) {
    my $file = $survey->{path};
    my @records = map {
        my ($number, $document) = @$_;
        +{
            %{ boot_record($file, $number, $document, $document->verdict, $document->why) },
            line                  => $document->{first_line},
            failed_vectors        => $document->{failed_ids},
            failed_in_later_loops => $document->{later_ids}
        }
    } @{ $survey->{boots} };
    my $nothing = sub {
        return {
            %{ boot_record($file, 0, undef, @_[ 0, 1 ]) },
            line                  => $_[2],
            failed_vectors        => [],
            failed_in_later_loops => []
        };
    };
    push @records, $nothing->('incomplete', no_log($survey), undef) if !@records;
    push @records,
        map { $nothing->('damaged', "$_->[1] outside of any document", $_->[0] + 0) } @{ $survey->{outside} };
    return @records;
}

# A heading and a row for each record.
sub rows (@records) {
    my @columns =
        qw(file boot line verdict passed failed skipped planned why failed_vectors failed_in_later_loops
        build processor not_tested intermittent unexplained intermittent_vectors not_exercised);
    my $cell = sub ($item) {
        !ref $item ? $item : $item->{points} // $item->{name} // "$item->{vector} ($item->{action})";
    };
    return [@columns], map {
        my $record = $_;
        [
            map {
                ref $record->{$_}
                    ? join /\A(?:intermittent_vectors|not_exercised)\z/ ? '; ' : ' ',
                    map { $cell->($_) } @{ $record->{$_} }
                    : $record->{$_}
            } @columns
        ]
    } @records;
}

1;
