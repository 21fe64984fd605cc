#!/usr/bin/perl
# `make sanitize`: the host tests, a short fuzzing and a full image run under AddressSanitizer and
# UndefinedBehaviorSanitizer.
use strict;
use warnings;
use Test::More;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp document results);

my $USUAL  = 120;                 # seconds
my $FOLDER = 'build/sanitize';

# prove may run under make, whose flags are not meant for the make below.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

my $made = run($USUAL, 'make', 'sanitize');
is $made->{status}, 0, 'make sanitize' or diag $made->{out}, $made->{err};
is_deeply [ $made->{out} =~ /^fuzzing (\S+)\n\d+ seeds, 200(?:00)? runs$/mg ], [qw(boot_line acpi smbios multiboot elf log_file machine)],
    'every fuzz target ran';
my ($parser) = results(document(slurp("$FOLDER/run.log")));
ok $parser->is_good_plan && $parser->tests_run > 100 && !$parser->failed, 'the image ran in full and passed';

for my $program ("$FOLDER/p4sim", "$FOLDER/tests/model/pmi_test", "$FOLDER/fuzz/elf") {
    my $bytes = slurp($program);
    ok $bytes =~ /__asan_init/ && $bytes =~ /__ubsan_handle/, "$program is instrumented";
}

done_testing;
