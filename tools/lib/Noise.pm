# Runs of the image under p4sim's noise, for tools/noise and tools/qualify.
package Noise;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use Image qw(run not_ok_blocks);

our @EXPORT_OK = qw(ended noise_run noise_report @PARTS);

my $USUAL      = 12;                          # seconds for one run
my @PROCESSORS = qw(0F43 0F29 0F12 0F47);     # seeds take turns on them

# Selections of vectors that take about the same time, for runs with many seeds. The last one is everything that the others
# leave out, so every vector is in one. Their number and that of the processors are coprime, so every part meets every
# processor.
my @NAMED = (
    'access', 'state,harness,reach,tag', 'filter', 'overflow', 'qualify', 'pmi', 'count,event,value',
    'cascade.18-1,cascade.18-2,cascade.pmi', 'probe',
);
my %LARGE = (filter => 'filter.each', qualify => 'qualify.ti', 'count,event,value' => 'event');    # these vectors are parts of their own
our @PARTS = (
    (map { [ "only=$_", $LARGE{$_} ? "skip=$LARGE{$_}" : () ] } @NAMED),
    (map { ["only=$_"] } sort values %LARGE),
    [ map { "skip=$_" } @NAMED ],
);

# How a run ended: p4sim's exit status, `late` (it hung) or `signal N`.
sub ended {
    my ($run) = @_;
    return $run->{late} ? 'late' : defined $run->{status} ? $run->{status} : "signal $run->{signal}";
}

# The processor on which a seed is run.
sub processor { return $PROCESSORS[ $_[0] % @PROCESSORS ] }

# Runs the image with this seed: the whole image, or the vectors that the boot words select. Returns how the run ended, how
# many measurements and vectors were disturbed, the length of the log, and what failed. If a fault is named, the run has
# that fault and is on the first processor.
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

# Prints a line for each seed that ended wrong, with what failed, and then the totals. $results is the list of what
# noise_run() returned for the seeds from $first on. Returns the number of seeds that ended wrong.
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
