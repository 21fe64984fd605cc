#!/usr/bin/perl
# p4sim executes most code by whole blocks. With --step it executes every instruction by itself, and must do the same to the
# byte: standard output, exit status, --trace, and how many instructions and clocks it was. Compared are parts of the image, and
# kernels of random code (RandomKernel.pm).
#
# STEP_SEEDS=1000 prove tests/image/step.t compares so many random kernels, from STEP_FIRST (1) on. STEP_KEEP=DIR keeps those
# that differ. Without STEP_SEEDS, the kernels are the first ones and those that alone notice certain errors (@TELLING); after
# a change to RandomKernel.pm, others have to be found.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib", $FindBin::Bin;
use Image qw(p4sim assembled spew $ELF);
use RandomKernel qw(random_kernel random_options);

# What they notice:
#   26   blocks are not looked at again after a store to code
#   75   a loop stores to code
#   160  a loop stores next to its code
#   167  the shadow of STI does not end within a block
#   260  the penalty at the end of a loop goes beyond the clocks that the PMU need not see
# The first seed notices if chance is asked about uops of the FLAME block in one of the two ways only.
my @TELLING = (26, 75, 160, 167, 260);
my $FIRST = $ENV{STEP_FIRST} // 1;
my @SEEDS = $ENV{STEP_SEEDS} ? ($FIRST .. $FIRST + $ENV{STEP_SEEDS} - 1) : (1 .. 18, @TELLING);
my $LIMIT = 2;    # million instructions; a random kernel has about one half

# What p4sim wrote and did, as lines. The speed and the memory of --stats are the host's.
sub lines_of {
    my ($run) = @_;
    my $err = $run->{err} =~ s/ \([\d.]+ s simulated\) in [\d.]+ s of processor time[^\n]*//r =~ s/^p4sim: at most \d+ MB of memory[^\n]*\n//mr;
    return ('exit status ' . ($run->{status} // 'none'), split /\n/, "$run->{out}\n$err");
}

# The first difference of two lists of lines, in words; '' if there is none.
sub difference {
    my ($step, $blocks) = @_;
    for my $i (0 .. ($#$step > $#$blocks ? $#$step : $#$blocks)) {
        my ($one, $other) = map { $_->[$i] // 'nothing more' } $step, $blocks;
        return "line $i\n--step:  $one\ndefault: $other" if $one ne $other;
    }
    return '';
}

# Both ways must do the same. Returns the run by blocks.
sub compare {
    my ($title, @words) = @_;
    my ($step, $blocks) = map { p4sim(@$_, '--stats', @words) } ['--step'], [];
    my $wrong = difference([ lines_of($step) ], [ lines_of($blocks) ]);
    is $wrong, '', $title;
    return ($blocks, $wrong);
}

# ---- Parts of the image ----

my @PARTS = (
    [ '0F29', 'cascade.1,pmi.features', qw(--timing 3 --noise 9 --trace) ],
    [ '0F43', 'qualify,event,pmi.both', qw(--timing 5) ],
    [ '0F12', 'filter.edge,lvtpc',      qw(--noise 4 --trace) ],
    [ '0F62', 'tag,count,value',        qw(--timing kind) ],
    [ '0F43', 'lvtpc,reach,overflow',   qw(--fault cccr-bit-11-at-1) ],
    [ '0F0A', 'event,lvtpc,overflow.1', qw(--timing 8 --variant pmi-every-count) ],
);
for my $part (@PARTS) {
    my ($cpu, $only, @options) = @$part;
    my ($run) = compare("only=$only on $cpu with @options", '--cpu', $cpu, @options, $ELF, "only=$only");
    like $run->{out}, qr/^(?:not )?ok /m, 'which are points';
}

# ---- Random code ----

my $dir = File::Temp->newdir;
for my $seed (@SEEDS) {
    my $source  = spew("$dir/random.asm", random_kernel($seed));
    my @options = ('--limit', $LIMIT, random_options($seed));
    my $kernel  = assembled($source, "$dir/random.elf");
    my ($run, $wrong) = compare("seed $seed with @options", @options, '--trace', $kernel);
    like $run->{err}, qr/debug exit value 13H|limit of/, 'comes to its end' or diag $run->{err};
    spew("$ENV{STEP_KEEP}/$seed.asm", random_kernel($seed)) if $wrong && $ENV{STEP_KEEP};
}

done_testing;
