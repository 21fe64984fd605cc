# Independent jobs on all cores, with a line of progress on a terminal.
package Parallel;

use strict;
use warnings;
use Exporter 'import';
use IO::Handle;

our @EXPORT_OK = qw(cores in_parallel);

# How many cores are there?
sub cores {
    my $online = qx(getconf _NPROCESSORS_ONLN);
    return $online =~ /^(\d+)$/ ? $1 : 1;
}

# Call $work->($number) for the numbers 0 .. $count-1, $jobs at a time in processes of their own. What it returns,
# a list of texts without tabs and newlines, becomes an array in the list of results, in order of the numbers. A
# job that dies has no array.
sub in_parallel {
    my ($jobs, $count, $what, $work) = @_;
    my @from = map { worker($_, $jobs, $count, $work) } 0 .. $jobs - 1;
    my ($done, @results, %rest) = (0);
    while (@from) {
        my $ready = '';
        vec($ready, fileno $_, 1) = 1 for @from;
        select $ready, undef, undef, undef;
        for my $pipe (grep { vec $ready, fileno $_, 1 } @from) {
            my $length = sysread $pipe, my $bytes, 65536;
            @from = grep { $_ != $pipe } @from unless $length;
            $rest{$pipe} .= $bytes // '';
            while ($rest{$pipe} =~ s/^([^\n]*)\n//) {
                my ($number, @texts) = split /\t/, $1;
                $results[$number] = \@texts;
                $done++;
            }
        }
        printf STDERR "\r%d of %d %s", $done, $count, $what if -t STDERR;
    }
    print STDERR "\n" if -t STDERR;
    1 while wait > 0;
    return @results;
}

# A process that does every $jobs-th number from $first on. Returns the pipe that its results come from.
sub worker {
    my ($first, $jobs, $count, $work) = @_;
    pipe my $from, my $to or die "pipe: $!";
    my $child = fork;
    die "cannot fork: $!" unless defined $child;
    if ($child) {
        close $to;
        return $from;
    }
    close $from;
    $to->autoflush(1);
    for (my $number = $first; $number < $count; $number += $jobs) {
        print $to join("\t", $number, $work->($number)), "\n";
    }
    close $to;
    exit 0;
}

1;
