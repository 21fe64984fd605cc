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

# Call $work->($number) for the numbers 0 .. $count-1, $jobs at a time in processes of their own, each of which takes
# the next number when it is done with one. What it returns, a list of texts without tabs and newlines, becomes an
# array in the list of results, in order of the numbers. A job that dies has undef, and its process takes no more.
# $note, if given, is called with each number and its texts as they come; what it returns stands in the progress.
sub in_parallel {
    my ($jobs, $count, $what, $work, $note) = @_;
    my $progress = { count => $count, what => $what, done => 0, note => '', started => time };
    my $next = 0;
    my @results = (undef) x $count;
    my @workers = map { worker($work) } 1 .. ($jobs < $count ? $jobs : $count);
    hand_out($_, \$next, $count) for @workers;
    while (@workers) {
        my $ready = '';
        vec($ready, fileno $_->{from}, 1) = 1 for @workers;
        select $ready, undef, undef, undef;
        my @ready = grep { vec $ready, fileno $_->{from}, 1 } @workers;
        for my $worker (@ready) {
            my $line = readline $worker->{from};    # one whole line is all that stands in the pipe
            if (!defined $line) {
                @workers = grep { $_ != $worker } @workers;
                next;
            }
            chomp $line;
            my ($number, @texts) = split /\t/, $line;
            $results[$number] = \@texts;
            hand_out($worker, \$next, $count);
            $progress->{done}++;
            $progress->{note} = $note->($number, @texts) if $note;
            show($progress);
        }
    }
    print STDERR "\n" if -t STDERR;
    1 while wait > 0;
    return @results;
}

# A process that does the numbers it reads until there are no more. Returns the pipes to and from it.
sub worker {
    my ($work) = @_;
    pipe my $orders, my $to      or die "pipe: $!";
    pipe my $from,   my $results or die "pipe: $!";
    my $child = fork;
    die "cannot fork: $!" unless defined $child;
    if ($child) {
        $to->autoflush(1);
        return { to => $to, from => $from };
    }
    close $_ for $to, $from;
    $results->autoflush(1);
    while (defined(my $number = readline $orders)) {
        chomp $number;
        print $results join("\t", $number, $work->($number)), "\n";
    }
    exit 0;
}

# Give the worker its next number, or the end.
sub hand_out {
    my ($worker, $next, $count) = @_;
    return close $worker->{to} if $$next >= $count;
    local $SIG{PIPE} = 'IGNORE';    # it may have died
    print { $worker->{to} } $$next++, "\n";
}

# How far it is, what there is to note, and how long it will still take if it goes on as before.
sub show {
    my ($progress) = @_;
    return unless -t STDERR;
    my ($done, $left) = ($progress->{done}, $progress->{count} - $progress->{done});
    my $seconds = (time - $progress->{started}) * $left / $done;
    my $note = $progress->{note} eq '' ? '' : ", $progress->{note}";
    printf STDERR "\r\e[K%d of %d %s%s, %d:%02d left", $done, $progress->{count}, $progress->{what}, $note,
        int($seconds / 60), $seconds % 60;
}

1;
