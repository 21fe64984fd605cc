#!/usr/bin/perl
# The programs with AddressSanitizer and UndefinedBehaviorSanitizer: a short fuzzing of each reader of bytes,
# and p4sim, which must behave as the one without. The host tests run so, too. `make sanitize` runs the whole
# image, and `make fuzz` is longer.
use lib 'tests/image';
use ImageTest;

my $USUAL = 10;     # seconds, of a reader of bytes
my $LONG = 30;      # of p4sim
my $FOLDER = 'build/sanitize';
my $RUNS = 5000;    # inputs of a fuzz target; a machine takes longer than a reader of bytes
my %RUNS = (machine => 40);
# One that reaches both logical processors, the interrupt, user mode, and the end of the log. make test-all has all events.
my @EVENTS = $ENV{TEST_ALL} ? 'event' : map { "event.$_" } qw(packed_sp_uop x87_assist resource_stall);
my @WORDS = 'only=' . join ',',
    qw(state harness cascade.18-1 pmi.next-count access.rdpmc tag probe.cascade), @EVENTS;

$ENV{$_} = 'abort_on_error=1' for qw(ASAN_OPTIONS UBSAN_OPTIONS);
$ENV{LSAN_OPTIONS} = 'suppressions=tests/image/leaks.txt:print_suppressions=0';

is run(1, 'tests/fuzz/seeds', $dir)->{status}, 0, 'the seeds are written';
for my $seeds (sort glob "$dir/*") {
    my $target = $seeds =~ s{.*/}{}r;
    my $runs = $RUNS{$target} // $RUNS;
    my $fuzz = run($USUAL, "$FOLDER/fuzz/$target", "-runs=$runs", '-seed=1', $seeds);
    ends($fuzz, 0, "fuzzing $target, all inputs", out => qr/\A[1-9]\d* seeds, $runs runs\n\z/);
}

my $run = run($LONG, "$FOLDER/p4sim", $ELF, @WORDS);
is $run->{status}, 0, 'p4sim passes' or diag $run->{err};
ok $run->{out} eq p4sim($ELF, @WORDS)->{out}, 'with the log of the one without sanitizers';

for my $program ("$FOLDER/p4sim", "$FOLDER/tests/model/by_hand_test", "$FOLDER/fuzz/elf") {
    my $bytes = slurp($program);
    ok $bytes =~ /__asan_init/ && $bytes =~ /__ubsan_handle/, "$program is instrumented";
}

done_testing;
