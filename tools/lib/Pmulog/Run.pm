# One boot of a captured log in memory, for `explain`, `sheet`, `compare`, `junit` and `html`: what Pmulog::Document reads, line by line.
package Pmulog::Run;

use strict;
use warnings;
use Pmulog::Check;
use Pmulog::Tap;

# A soak of weeks has too many heartbeats for a page. At most twice this many are kept, evenly spread. All other lines
# of a soak are kept.
use constant HEARTBEATS => 200;

# Loads boot 'last' or boot N of a file. Returns a hash:
#   path, boot (number), verdict, why, document; whole (true: the log is complete and undamaged)
#   inventory  [key, value] ...        sheet  [id, text, value] ...
#   points     { number, id, ok, skip (reason or undef), title, rules, pairs [key, value] ..., comments, block } ...
#              a list in the diagnosis is one pair for each item; block is the diagnosis as the log has it, without its
#              indentation
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
    my $step = 1;
    my $seen = 0;
    my $beats = 0;           # heartbeats that are kept
    my $in_diagnosis = 0;    # the next comments are the diagnosis of a failure in a later loop
    my %state = (before => []);
    Pmulog::Tap::clean_lines($survey, sub {
        my ($kind, $line, @fields) = @_;
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
    });
    push @{ $run->{heartbeats} }, $document->{heartbeat} =~ s/\A# soak //r
        if $document && defined $document->{heartbeat} && ($seen - 1) % $step != 0;
    push @{ $run->{comments} }, @{ $state{before} };
    return $run;
}

# True for a heartbeat with the counts of a loop, false for any other line of a soak.
sub is_beat {
    my ($text) = @_;
    return $text =~ /\bloop \d+: \d+ points?, /;
}

# Adds a line to the run. state: what was announced, and the comments since.
sub take_line {
    my ($run, $state, $kind, $line, @fields) = @_;
    my $point = $run->{points}[-1];
    if    ($kind eq 'inventory') { push @{ $run->{inventory} }, [@fields]; }
    elsif ($kind eq 'sheet')     { push @{ $run->{sheet} }, [@fields]; }
    elsif ($kind eq 'comment')   { push @{ $state->{before} }, $fields[0]; }
    elsif ($kind eq 'announce') {
        push @{ $run->{comments} }, splice @{ $state->{before} };
        @{$state}{qw(announced rules)} = @fields;
        $state->{title} = $fields[2] // $state->{title};    # a family's title is printed with its first member only
    }
    elsif ($kind eq 'point') {
        my ($number, $ok, $id, $reason) = @fields;
        my $titled = !defined $reason && ($state->{announced} // '') eq $id;
        push @{ $run->{points} }, {
            number => $number, id => $id, ok => $ok, skip => $reason, title => $titled ? $state->{title} : undef,
            rules => $state->{rules}, pairs => [], block => '', comments => [ splice @{ $state->{before} } ],
        };
        $state->{rules} = undef;
    }
    elsif ($kind =~ /\A(?:pair|list|item)\z/) {
        $point->{block} .= substr($line, 2) . "\n";
        return $state->{list} = $fields[0] if $kind eq 'list';
        my ($key, $value) = $kind eq 'item' ? ($state->{list}, @fields) : @fields;
        push @{ $point->{pairs} }, [ $key, $value ];
        $point->{$key} = $value if $key eq 'title' || $key eq 'rules';
    }
    return;
}

# What each output for programs says of a boot (docs/pmulog-formats.md).
sub record {
    my ($run) = @_;
    return Pmulog::Check::boot_record(@{$run}{qw(path boot document verdict why)});
}

# The diagnosis of a point, key => value, without the further expectations (also), which may be several.
sub diagnosis {
    my ($point) = @_;
    return map { @$_ } grep { $_->[0] ne 'also' } @{ $point->{pairs} };
}

# passed, failed or skipped
sub outcome {
    my ($point) = @_;
    return !$point->{ok} ? 'failed' : defined $point->{skip} ? 'skipped' : 'passed';
}

1;
