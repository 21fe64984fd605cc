# One boot of a captured log, in memory, for the page and the comparison: the points and their diagnoses as
# TAP::Parser reads them, the comments as Pmulog::Document does.
package Pmulog::Run;

use strict;
use warnings;
use TAP::Parser;
use Pmulog::Tap;

# A soak of weeks has more heartbeats than a page should: at most twice this many are kept, evenly spread, and
# whatever else a soak says.
use constant HEARTBEATS => 200;

# Of a file, boot 'last' or N. Returns a hash:
#   path, boot (number), verdict, why, document; whole (true: nothing of the log is missing)
#   inventory  [key, value] ...        sheet  [id, text, value] ...
#   points     { number, id, ok, skip (reason or undef), title, rules, pairs [key, value] ..., remarks } ...
#   remarks    what was said outside of any vector
#   heartbeats texts, each with what was said of a failure in it
#   last_words (id of the vector that had no point, or undef)
sub load {
    my ($path, $wanted) = @_;
    my $survey = Pmulog::Tap::boot_of($path, $wanted);
    my ($verdict, $why, $document) = Pmulog::Tap::judged($survey);
    my $run = {
        path => $path, boot => $document ? $survey->{boots}[0][0] : 0, verdict => $verdict, why => $why,
        document => $document, whole => scalar($verdict =~ /\A(?:pass|fail|skip)\z/),
        inventory => [], sheet => [], points => [], remarks => [], heartbeats => [],
        last_words => $document ? $document->{announced} : undef,
    };
    my ($tap, @comments) = ('');
    my $step = 1;
    my $seen = 0;
    my $beats = 0;   # of those that are kept
    my $told = 0;    # what follows is the diagnosis of a failure in a later loop
    Pmulog::Tap::clean_lines($survey, sub {
        my ($kind, $line, @fields) = @_;
        return if $kind eq 'verdict' && $line ne '  ...';    # of a block that was cut
        my $kept = $run->{heartbeats};
        if ($kind eq 'heartbeat') {
            $told = !is_beat($fields[0]);
            return if !$told && $seen++ % $step != 0;
            push @$kept, $fields[0] =~ s/\A# soak //r;
            if (!$told && ++$beats == 2 * HEARTBEATS) {
                my $n = 0;
                @$kept = grep { !is_beat($_) || $n++ % 2 == 0 } @$kept;
                $step *= 2;
                $beats = HEARTBEATS;
            }
            return;
        }
        $told = 0 if $kind ne 'remark' || $fields[0] !~ /\A  (?=\w)/;
        return $kept->[-1] .= '; ' . substr $fields[0], 2 if $told;
        push @comments, [ $kind, @fields ] if $line =~ /\A#/;
        $tap .= "$line\n";
    });
    push @{ $run->{heartbeats} }, $document->{heartbeat} =~ s/\A# soak //r
        if $document && defined $document->{heartbeat} && ($seen - 1) % $step != 0;
    read_points($run, $tap, @comments) if $document;
    return $run;
}

# True for a heartbeat in the narrow sense, with the counts of a loop.
sub is_beat {
    my ($text) = @_;
    return $text =~ /\bloop \d+: \d+ points?, /;
}

sub read_points {
    my ($run, $tap, @comments) = @_;
    my $parser = TAP::Parser->new({ tap => $tap });
    my ($title, $rules, $announced, @remarks);    # a family's title is said with its first member alone
    while (my $result = $parser->next) {
        if ($result->is_test) {
            my $id = $result->description =~ s/\A- //r;
            push @{ $run->{points} }, {
                number => $result->number, id => $id, ok => $result->is_actual_ok ? 1 : 0,
                skip => $result->has_skip ? $result->explanation : undef,
                title => $result->has_skip || ($announced // '') ne $id ? undef : $title, rules => $rules, pairs => [], remarks => [@remarks],
            };
            ($rules, @remarks) = ();
        }
        elsif ($result->is_yaml && @{ $run->{points} }) {
            my $data = $result->data;
            my @keys = $result->raw =~ /^\s*([\w -]+): /mg;    # the data has lost the order
            my $point = $run->{points}[-1];
            $point->{pairs} = [ map { [ $_, $data->{$_} ] } @keys ];
            $point->{$_} = $data->{$_} // $point->{$_} for qw(title rules);
        }
        elsif ($result->is_comment) {
            my ($kind, @fields) = @{ shift @comments };
            if    ($kind eq 'inventory') { push @{ $run->{inventory} }, \@fields; }
            elsif ($kind eq 'sheet')     { push @{ $run->{sheet} },     \@fields; }
            elsif ($kind eq 'remark')    { push @remarks, $fields[0]; }
            elsif ($kind eq 'announce') {
                push @{ $run->{remarks} }, splice @remarks;
                ($announced, $rules) = @fields;
                $title = $fields[2] // $title;
            }
        }
    }
    push @{ $run->{remarks} }, @remarks;
    my ($read, $judged) = (scalar @{ $run->{points} }, $run->{document}->points);
    die "TAP::Parser reads $read points where $judged were judged\n" if $read != $judged;
    return;
}

# passed, failed or skipped
sub outcome {
    my ($point) = @_;
    return !$point->{ok} ? 'failed' : defined $point->{skip} ? 'skipped' : 'passed';
}

1;
