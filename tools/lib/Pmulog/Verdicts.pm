# The command `check`: the verdict of each boot in captured files, the vectors that failed, and the verdict of all of them.
package Pmulog::Verdicts;

use strict;
use warnings;
use Pmulog::Check qw(survey chosen overall status_of boot_line boot_record failed_line name_of outside_line);
use Pmulog::Data qw(csv json);

# Prints the verdicts and returns the exit status of the verdict of all. wanted: undef for each boot, 'last', or a number.
sub check {
    my ($wanted, $format, @files) = @_;
    my @surveys = map { survey_of($_, $wanted) } @files;
    my $verdict = overall(@surveys);
    print $format eq 'json' ? json('check', { verdict => $verdict, boots => [ map { records($_) } @surveys ] })
        : $format eq 'csv' ? csv(rows(map { records($_) } @surveys)) : text($verdict, @surveys);
    return status_of($verdict);
}

sub survey_of {
    my ($file, $wanted) = @_;
    my $survey = survey($file);
    return $survey if !defined $wanted || !@{ $survey->{boots} };
    return chosen($survey, $wanted) // die "there is no boot $wanted in $file: it holds " . @{ $survey->{boots} } . "\n";
}

sub text {
    my ($verdict, @surveys) = @_;
    my ($text, $boots) = ('', 0);
    for my $survey (@surveys) {
        my $file = $survey->{path};
        $text .= boot_line($file, @$_) . "\n" . failed_line($file, @$_) for @{ $survey->{boots} };
        $text .= outside_line($file, $_) . "\n" for @{ $survey->{outside} };
        $text .= name_of($file) . ": incomplete: no log in it: no line 'TAP version 13'\n" if !@{ $survey->{boots} };
        $boots += @{ $survey->{boots} };
    }
    return "$text$verdict: $boots boot" . ($boots == 1 ? '' : 's') . ' in ' . @surveys . ' file' . (@surveys == 1 ? '' : 's') . "\n";
}

# What the outputs for programs say of a file: its boots, then each line of a log outside of any document, which is damage of
# no boot. Boot 0 stands for a file without any, and for such a line.
sub records {
    my ($survey) = @_;
    my $file    = $survey->{path};
    my @records = map {
        my ($number, $document) = @$_;
        +{ %{ boot_record($file, $number, $document, $document->verdict, $document->why) }, line => $document->{first_line},
            failed_vectors => $document->{failed_ids}, failed_in_later_loops => $document->{later_ids} }
    } @{ $survey->{boots} };
    my $nothing = sub { return { %{ boot_record($file, 0, undef, @_[ 0, 1 ]) }, line => $_[2], failed_vectors => [], failed_in_later_loops => [] } };
    push @records, $nothing->('incomplete', "no log in it: no line 'TAP version 13'", undef) if !@records;
    push @records, map { $nothing->('damaged', "$_->[1] outside of any document", $_->[0] + 0) } @{ $survey->{outside} };
    return @records;
}

# A heading and a row for each record.
sub rows {
    my (@records) = @_;
    my @columns = qw(file boot line verdict passed failed skipped planned why failed_vectors failed_in_later_loops build processor);
    return [@columns], map { my $record = $_; [ map { ref $record->{$_} ? join ' ', @{ $record->{$_} } : $record->{$_} } @columns ] } @records;
}

1;
