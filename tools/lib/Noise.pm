# The image under p4sim's noise: what tools/noise and tools/qualify share.
package Noise;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use Image qw(run not_ok_blocks);

our @EXPORT_OK = qw(ended noise_run noise_report @PARTS);

my $USUAL      = 12;                          # seconds for one run
my @PROCESSORS = qw(0F43 0F29 0F12 0F47);     # seed by seed

# The image in parts of about the same time, for runs of many seeds; the last is what is left over, so that no vector
# is in none. There are as many as is coprime to the processors: every part comes to be on every processor.
my @NAMED = (
    'access', 'state,harness,reach,tag', 'filter', 'overflow', 'qualify', 'pmi', 'count,event,value',
    'cascade.18-1,cascade.18-2,cascade.pmi', 'probe',
);
my %LARGE = (filter => 'filter.each', qualify => 'qualify.ti', 'count,event,value' => 'event');    # parts of their own
our @PARTS = (
    (map { [ "only=$_", $LARGE{$_} ? "skip=$LARGE{$_}" : () ] } @NAMED),
    (map { ["only=$_"] } sort values %LARGE),
    [ map { "skip=$_" } @NAMED ],
);

# How a run ended, in a word: p4sim's exit status, `late` or `signal N`.
sub ended {
    my ($run) = @_;
    return $run->{late} ? 'late' : defined $run->{status} ? $run->{status} : "signal $run->{signal}";
}

# The processor that a seed runs on.
sub processor { return $PROCESSORS[ $_[0] % @PROCESSORS ] }

# One run of the image under this seed, of the whole image or of the vectors that @words select. Returns how it ended,
# how many measurements and vectors were disturbed, the bytes of the log, and what failed. With the name of a fault it is
# the first processor's, with that fault.
sub noise_run {
    my ($p4sim, $kernel, $seed, $fault, @words) = @_;
    my @options = defined $fault ? ('--cpu', $PROCESSORS[0], '--fault', $fault) : ('--cpu', processor($seed));
    my $run = run($USUAL, $p4sim, @options, '--noise', $seed, $kernel, 'quiet', @words);
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
