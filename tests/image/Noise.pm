# The image under p4sim's noise: what tools/noise and tools/qualify share.
package Noise;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use Image qw(run not_ok_blocks);

our @EXPORT_OK = qw(ended noise_run noise_report);

my $SECONDS    = 60;                          # longest run
my @PROCESSORS = qw(0F43 0F29 0F12 0F47);     # seed by seed

# How a run ended, in a word: p4sim's exit status, `late` or `signal N`.
sub ended {
    my ($run) = @_;
    return $run->{late} ? 'late' : defined $run->{status} ? $run->{status} : "signal $run->{signal}";
}

# The processor that a seed runs on.
sub processor { return $PROCESSORS[ $_[0] % @PROCESSORS ] }

# One whole run of the image under this seed. Returns how it ended, how many measurements and vectors were disturbed,
# the bytes of the log, and what failed. With the name of a fault it is the first processor's, with that fault.
sub noise_run {
    my ($p4sim, $kernel, $seed, $fault) = @_;
    my @options = defined $fault ? ('--cpu', $PROCESSORS[0], '--fault', $fault) : ('--cpu', processor($seed));
    my $run = run($SECONDS, $p4sim, @options, '--noise', $seed, $kernel, 'quiet');
    my %block = not_ok_blocks($run->{out});
    my @disturbed = $run->{out} =~ /^# disturbed: /mg;
    my @said = map { "$_: " . join ', ', $block{$_} =~ /^  (?:what|expected|observed): ([^\r\n]*)/mg } sort keys %block;
    @said = $run->{err} =~ /([^\n]*)\n?\z/ if ended($run) ne '0' && !@said;
    return (ended($run), scalar @disturbed, length $run->{out}, @said);
}

# Print a line for each of these seeds that did not end as it should, with what failed, then the totals. $results
# holds what noise_run returned for the seeds from $first on. Returns how many ended wrong.
sub noise_report {
    my ($first, $results, $fault) = @_;
    my ($wrong, $disturbed, $longest) = (0, 0, 0);
    my $right = defined $fault ? '1' : '0';
    for my $i (0 .. $#$results) {
        my ($status, $count, $length, @said) = @{ $results->[$i] || [ 'died', 0, 0 ] };
        $disturbed += $count;
        $longest = $length if $length > $longest;
        next if $status eq $right;
        $wrong++;
        printf "seed %u on %s ended with %s\n", $first + $i,
            defined $fault ? $PROCESSORS[0] : processor($first + $i), $status;
        print "    $_\n" for @said;
    }
    printf "%u seeds: %u right, %u wrong; %u measurements and vectors were disturbed; longest log %u bytes\n",
        scalar @$results, @$results - $wrong, $wrong, $disturbed, $longest;
    return $wrong;
}

1;
