# Runs independent jobs on all cores, and shows the progress if standard error is a terminal.
package Parallel;

use v5.36;
use Ending qw(@ENDING ending not_ending);
use Exporter 'import';
use IO::Handle;

our @EXPORT_OK = qw(cores in_parallel);

# The number of cores.
sub cores {
    my $online = qx(getconf _NPROCESSORS_ONLN);
    return $online =~ /^(\d+)$/ ? $1 : 1;
}

# Calls $work->($number) for the numbers 0 .. $count-1 in $jobs processes; each process takes the next number
# when it has finished one. $work returns a list of texts without tabs and newlines. in_parallel() returns
# these lists as arrays, in the order of the numbers; undef for a job that died, whose process then takes no
# more numbers. $note, if given, is called with each number and its texts as they arrive; the text that it
# returns is shown in the progress line. A signal that ends this process ends the others, too.
sub in_parallel ($jobs, $count, $what, $work, $note = undef) {
    my $progress = { count => $count, what => $what, done => 0, note => '', started => time };
    my $next = 0;
    my @results = (undef) x $count;
    my @workers;
    local @SIG{@ENDING} = ending(sub {
        kill 'TERM', map { $_->{process} } @workers;
        1 while wait > 0;
    });
    push @workers, worker($work) for 1 .. ($jobs < $count ? $jobs : $count);
    hand_out($_, \$next, $count) for @workers;
    while (@workers) {
        my $ready = '';
        vec($ready, fileno $_->{from}, 1) = 1 for @workers;
        select $ready, undef, undef, undef;
        my @ready = grep { vec $ready, fileno $_->{from}, 1 } @workers;
        for my $worker (@ready) {
            my $line = readline $worker->{from};    # the pipe never holds more than one line
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

# Starts a process that works on the numbers that it reads. Returns its id, and the pipes to and from it.
sub worker ($work) {
    pipe my $orders, my $to    or die "pipe: $!";
    pipe my $from, my $results or die "pipe: $!";
    my $child = fork;
    die "cannot fork: $!" unless defined $child;
    if ($child) {
        $to->autoflush(1);
        return { process => $child, to => $to, from => $from };
    }
    not_ending();
    close $_ for $to, $from;
    $results->autoflush(1);
    while (defined(my $number = readline $orders)) {
        chomp $number;
        print $results join("\t", $number, $work->($number)), "\n";
    }
    exit 0;
}

# Sends the worker its next number; closes its pipe if there is none.
sub hand_out ($worker, $next, $count) {
    return close $worker->{to} if $$next >= $count;
    local $SIG{PIPE} = 'IGNORE';    # it may have died
    print { $worker->{to} } $$next++, "\n";
}

# Shows the progress: how many are done, the note, and the estimated time left.
sub show ($progress) {
    return unless -t STDERR;
    my ($done, $left) = ($progress->{done}, $progress->{count} - $progress->{done});
    my $seconds = (time - $progress->{started}) * $left / $done;
    my $note = $progress->{note} eq '' ? '' : ", $progress->{note}";
    printf STDERR "\r\e[K%d of %d %s%s, %d:%02d left", $done, $progress->{count}, $progress->{what}, $note,
        int($seconds / 60), $seconds % 60;
}

1;
