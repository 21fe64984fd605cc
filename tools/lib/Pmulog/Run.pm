# One boot of a captured log in memory, for `html` and `diff`. TAP::Parser reads the points and their diagnoses,
# Pmulog::Document the comments.
package Pmulog::Run;

use strict;
use warnings;
use TAP::Parser;
use Pmulog::Tap;

# A soak of weeks has too many heartbeats for a page. At most twice this many are kept, evenly spread. All other lines
# of a soak are kept.
use constant HEARTBEATS => 200;

# Loads boot 'last' or boot N of a file. Returns a hash:
#   path, boot (number), verdict, why, document; whole (true: the log is complete and undamaged)
#   inventory  [key, value] ...        sheet  [id, text, value] ...
#   points     { number, id, ok, skip (reason or undef), title, rules, pairs [key, value] ..., comments } ...
#              a list in the diagnosis is one pair for each item
#   comments   those that do not belong to a vector
#   heartbeats texts of the soak lines; a failure's text includes its diagnosis
#   last_words id of the vector that was announced and has no point, or undef
sub load {
    my ($path, $wanted) = @_;
    my $survey = Pmulog::Tap::boot_of($path, $wanted);
    my ($verdict, $why, $document) = Pmulog::Tap::judged($survey);
    my $run = {
        path => $path, boot => $document ? $survey->{boots}[0][0] : 0, verdict => $verdict, why => $why,
        document => $document, whole => scalar($verdict =~ /\A(?:pass|fail|skip)\z/),
        inventory => [], sheet => [], points => [], comments => [], heartbeats => [],
        last_words => $document ? $document->{announced} : undef,
    };
    my ($tap, @comments) = ('');
    my $step = 1;
    my $seen = 0;
    my $beats = 0;           # heartbeats that are kept
    my $in_diagnosis = 0;    # the next comments are the diagnosis of a failure in a later loop
    Pmulog::Tap::clean_lines($survey, sub {
        my ($kind, $line, @fields) = @_;
        return if $kind eq 'verdict' && $line ne '  ...';    # the end of a block that was cut off
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
        push @comments, [ $kind, @fields ] if $line =~ /\A#/;
        $tap .= "$line\n";
    });
    push @{ $run->{heartbeats} }, $document->{heartbeat} =~ s/\A# soak //r
        if $document && defined $document->{heartbeat} && ($seen - 1) % $step != 0;
    read_points($run, $tap, @comments) if $document;
    return $run;
}

# True for a heartbeat with the counts of a loop, false for any other line of a soak.
sub is_beat {
    my ($text) = @_;
    return $text =~ /\bloop \d+: \d+ points?, /;
}

sub read_points {
    my ($run, $tap, @comments) = @_;
    my $parser = TAP::Parser->new({ tap => $tap });
    my ($title, $rules, $announced, @comments_before);    # a family's title is printed with its first member only
    while (my $result = $parser->next) {
        if ($result->is_test) {
            my $id = $result->description =~ s/\A- //r;
            push @{ $run->{points} }, {
                number => $result->number, id => $id, ok => $result->is_actual_ok ? 1 : 0,
                skip => $result->has_skip ? $result->explanation : undef,
                title => $result->has_skip || ($announced // '') ne $id ? undef : $title, rules => $rules, pairs => [], comments => [@comments_before],
            };
            ($rules, @comments_before) = ();
        }
        elsif ($result->is_yaml && @{ $run->{points} }) {
            my $data = $result->data;
            my @keys = $result->raw =~ /^  (\w[\w -]*):/mg;    # in the order of the log, which data() does not keep
            my $point = $run->{points}[-1];
            $point->{pairs} = [ map { my $key = $_; map { [ $key, $_ ] } values_of($data->{$key}) } @keys ];
            $point->{$_} = $data->{$_} // $point->{$_} for qw(title rules);
        }
        elsif ($result->is_comment) {
            my ($kind, @fields) = @{ shift @comments };
            if    ($kind eq 'inventory') { push @{ $run->{inventory} }, \@fields; }
            elsif ($kind eq 'sheet')     { push @{ $run->{sheet} },     \@fields; }
            elsif ($kind eq 'comment')    { push @comments_before, $fields[0]; }
            elsif ($kind eq 'announce') {
                push @{ $run->{comments} }, splice @comments_before;
                ($announced, $rules) = @fields;
                $title = $fields[2] // $title;
            }
        }
    }
    push @{ $run->{comments} }, @comments_before;
    my ($read, $judged) = (scalar @{ $run->{points} }, $run->{document}->points);
    die "TAP::Parser reads $read points where $judged were judged\n" if $read != $judged;
    return;
}

# The values of a key of a diagnosis: of a list, its items. What a damaged line leaves of a value is ''.
sub values_of {
    my ($value) = @_;
    return map { defined && !ref ? $_ : '' } ref $value eq 'ARRAY' ? @$value : $value;
}

# passed, failed or skipped
sub outcome {
    my ($point) = @_;
    return !$point->{ok} ? 'failed' : defined $point->{skip} ? 'skipped' : 'passed';
}

1;
