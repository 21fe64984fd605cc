#!/usr/bin/perl
# Linux's own driver of the NetBurst PMU, on the PMU model: driver_test.c, compiled with the driver of each
# Linux whose sources are installed (tools/deps linux), or that LINUX_SOURCES names (paths of tarballs). Some
# faults of the model must make it fail. make test-linux builds what it uses.
use strict;
use warnings;
use Test::More;
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run spew);

my @TARBALLS = (glob('/usr/src/linux-source-*.tar.xz'), split ' ', $ENV{LINUX_SOURCES} // '');
plan skip_all => 'Linux is not installed in source; ./tools/deps linux installs it' if !@TARBALLS;

my @PROCESSORS = ([ '0F29', 1 ], [ '0F29', 2 ], [ '0F43', 1 ], [ '0F43', 2 ]);
my @LIBRARIES = map { "build/lib$_.a" } qw(netburstpmu-faults netburstpmu);
my $EVENTS = 'arch/x86/events';
my $INCLUDE = 'arch/x86/include';
my @TAKEN = ("$EVENTS/intel/p4.c", map { "$INCLUDE/asm/$_" } qw(perf_event_p4.h msr-index.h));
# What the driver includes besides: kernel.h has it all, and these are empty.
my @EMPTY = (
    "$EVENTS/perf_event.h",
    map { "$INCLUDE/$_" } qw(linux/cpu.h linux/bitops.h linux/bits.h asm/hardirq.h asm/apic.h)
);

# Faults, and the test that the driver fails with each.
my %FAULTS = (
    'ovf-cannot-be-cleared' => 'every_overflow_is_found_once',
    'enable-cannot-stop'    => 'a_throttled_event_stands_still',
    'complement-ignored'    => 'the_watchdog_and_its_alias',
    'pmi-t1-dead'           => 'an_event_moves_between_logical_processors',
    'counter-sign-extended' => 'every_overflow_is_found_once',
);

# A command that must succeed.
sub succeeds {
    my ($usual, @command) = @_;
    my $run = run($usual, @command);
    is $run->{status}, 0, $command[0] or BAIL_OUT("$command[0] failed: $run->{err}");
    return;
}

# Unpacks from a tarball what is taken, and returns the folder; nothing of it is ours to pass on.
sub unpacked {
    my ($tarball) = @_;
    my ($name) = $tarball =~ m{([^/]+)\.tar\.xz\z} or die "$tarball is not a tarball of Linux\n";
    my $folder = "build/linux/$name";
    return $folder if -e "$folder/$EMPTY[-1]" && -M "$folder/$EMPTY[-1]" < -M $tarball;
    make_path('build/linux');
    succeeds(30, qw(tar -C build/linux --touch --occurrence=1 -xf), $tarball, map { "$name/$_" } @TAKEN);
    make_path("$folder/$INCLUDE/linux");
    spew("$folder/$_", '') for @EMPTY;
    return $folder;
}

# Runs the program with these settings (kernel_new_core()).
sub drive {
    my ($program, %settings) = @_;
    local @ENV{ 'CMOCKA_MESSAGE_OUTPUT', keys %settings } = ('TAP', values %settings);
    return run(1, $program);
}

sub passes {
    my ($program, $name, %settings) = @_;
    my $run = drive($program, %settings);
    return ok($run->{status} == 0, $name) || diag $run->{out}, $run->{err};
}

for my $tarball (@TARBALLS) {
    my $folder = unpacked($tarball);
    my $program = "$folder/driver_test";
    subtest $folder =~ s{.*/}{}r => sub {
        succeeds(
            10, qw(cc -std=gnu11 -D_GNU_SOURCE -g -O1 -fno-lto -fsanitize=address -fsanitize=undefined
                -fno-sanitize-recover -Wall -Wextra -Werror),
            qw(-I. -Ibuild), map({ ('-isystem', "$folder/$_") } $INCLUDE, "$EVENTS/intel"),
            glob('tests/linux/*.c'), 'tests/host/support/host_main.c', @LIBRARIES, '-lcmocka', '-o', $program
        );
        for (@PROCESSORS) {
            my %settings = (PROCESSOR => $_->[0], LPS => $_->[1]);
            passes($program, "@$_", %settings);
            passes($program, "@$_, PMIs without OVF", %settings, VARIANT => 'e9-unflagged');
        }
        my %settings = (PROCESSOR => '0F43', LPS => 2);
        for my $fault (sort keys %FAULTS) {
            like drive($program, %settings, FAULT => $fault)->{out}, qr/^not ok \d+ - $FAULTS{$fault}$/m,
                "$fault: $FAULTS{$fault}";
        }
    TODO: {
            local $TODO =
                'the driver presets a counter by its former period, and refuses events by another mask';
            is drive($program, %settings, AS_IT_IS => 1)->{status}, 0, 'the driver as it is';
        }
    };
}

done_testing;
