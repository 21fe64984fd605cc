#!/usr/bin/perl
# make install: into a folder of its own, and everything runs from there. The manual's Example 18-1 and a
# driver on the installed library (docs/*.c), the names that the library defines, the programs; make
# uninstall.
use strict;
use warnings;
use Test::More;
use Cwd qw(getcwd);
use File::Find qw(find);
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp spew);

# prove may run under make, whose flags are not meant for the make below.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES DESTDIR PREFIX SHEETS)};

my $dir = File::Temp->newdir;
my $PREFIX = '/opt/pmu';
my $at = "$dir$PREFIX";

# A command that must succeed; returns what it printed.
sub output {
    my ($seconds, @command) = @_;
    my $run = run($seconds, @command);
    is $run->{status}, 0, "$command[0] succeeds" or diag $run->{command}, $run->{out}, $run->{err};
    return $run->{out};
}

# In make test with the sheets that make has built for it (TESTED_SHEETS in install.mk).
my @processors = $ENV{TEST_ALL} ? output(5, qw(build/p4sim --cpu list)) =~ /^(\S+)/mg : qw(0F12 0F43);
my @make = (
    'make', '--no-print-directory',
    "DESTDIR=$dir", "PREFIX=$PREFIX", $ENV{TEST_ALL} ? () : "SHEETS=@processors"
);
my $usual = 60;    # seconds, of a make that has to build something first

# The files below a folder, by their paths from there.
sub files {
    my ($folder) = @_;
    my @found;
    find(sub { push @found, $File::Find::name =~ s{^\Q$folder\E/}{}r if !-d }, $folder);
    return sort @found;
}

output($usual, @make, 'install');

subtest 'what is installed' => sub {
    my @pages = map { s{.*/}{}r } glob('docs/*.*'), qw(coverage.md manual.md);
    my @modules = map { s{.*/}{}r } glob 'tools/lib/Pmulog/*.pm';
    is_deeply [ files($at) ], [
        sort qw(bin/capture bin/p4sim bin/pmulog bin/write-stick include/nbpmu.h include/nbpmu_fault.h
            lib/libnetburstpmu.a lib/libnetburstpmu-faults.a lib/pkgconfig/netburstpmu.pc
            lib/pkgconfig/netburstpmu-faults.pc lib/pmuproof/capture lib/pmuproof/pmulog lib/pmuproof/pmu-rules.md
            lib/pmuproof/vector-rules.txt lib/pmuproof/version lib/pmuproof/lib/Command.pm
            lib/pmuproof/lib/command.sh lib/pmuproof/write-stick
            share/pmuproof/pmuproof.elf share/pmuproof/pmuproof.iso share/pmuproof/pmuproof-bios.iso
            share/doc/pmuproof/README.md share/doc/pmuproof/CHANGELOG.md share/doc/pmuproof/SECURITY.md share/doc/pmuproof/LICENSE),
        map({ ("share/man/man1/$_.1", "share/bash-completion/completions/$_") }
            qw(capture p4sim pmulog write-stick)),
        map({ "lib/pmuproof/reference/$_.log" } @processors),
        map({ s{.*/}{share/pmuproof/netboot/}r } glob 'build/netboot/*'),
        map({ "share/doc/pmuproof/docs/$_" } @pages),
        map { "lib/pmuproof/lib/Pmulog/$_" } @modules
        ],
        'the files';
    for my $file (grep { -f "$at/$_" && !-B "$at/$_" } files($at)) {
        unlike slurp("$at/$file"), qr/\Q$dir\E|\Q${\getcwd()}\E/,
            "$file names neither DESTDIR nor the source tree";
        my ($folder) = $file =~ m{\A(share/doc/.*/)[^/]+\.md\z} or next;
        my @links = (slurp("$at/$file") =~ s/^    .*//gmr) =~ /\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g;
        is_deeply [ grep { !-e "$at/$folder$_" } @links ], [], "the links in $file lead somewhere";
    }
};

# SDM volume 3, section "Cascading Counters": X, preset for a count of -200, overflows on the 200th A; at this
# point Y is enabled and, preset for -400, overflows on the 400th B that it counts, the 600th of all. Both go
# on from 0 after their overflow ("wraparound"). The interrupt comes with the count after the overflow
# (section "Generating an Interrupt on Overflow").
my %EXPECTED = ('example-18-1' => <<'END');
A and B 199 times: X FFFFFFFFFF OVF 0, Y FFFFFFFE70 OVF 0
A and B 200 times: X 0000000000 OVF 1, Y FFFFFFFE70 OVF 0
A and B 201 times: X 0000000001 OVF 1, Y FFFFFFFE71 OVF 0
A and B 599 times: X 000000018F OVF 1, Y FFFFFFFFFF OVF 0
A and B 600 times: X 0000000190 OVF 1, Y 0000000000 OVF 1
A and B 601 times: X 0000000191 OVF 1, Y 0000000001 OVF 1, PMI
END

# Periods of 1000 instructions, one in a clock, and the interrupt one count after each.
$EXPECTED{driver} = join '', map { "interrupt in clock ${_}001, counter 1\n" } 1 .. 4;

subtest 'the examples with the library alone' => sub {
    local @ENV{qw(PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR)} = ("$at/lib/pkgconfig", "$dir");
    my @flags = split ' ', output(5, qw(pkg-config --cflags --libs netburstpmu));
    chomp(my $version = output(5, qw(pkg-config --modversion netburstpmu)));
    chomp(my $of_tree = slurp('build/version'));
    is $version, $of_tree, 'its version is that of the tree';
    for my $example (sort keys %EXPECTED) {
        output(
            20,
            qw(cc -std=c11 -Wall -Wextra -Wpedantic -Werror),
            "$at/share/doc/pmuproof/docs/$example.c",
            @flags, '-o', "$dir/example"
        );
        is output(5, "$dir/example"), $EXPECTED{$example}, "$example counts what the manual says";
    }
};

# The global names that a library defines, or needs and does not define.
sub names {
    my ($library) = @_;
    my @lines = split /\n/, output(5, 'nm', '-g', "$at/lib/lib$library.a");
    my %defined = map { /^[0-9a-f]+ [A-Z] (\S+)/ ? ($1 => 1) : () } @lines;
    my %needed = map { /^ +U (nbpmu_\S+)/ ? ($1 => 1) : () } @lines;
    return ([ sort keys %defined ], [ grep { !$defined{$_} } sort keys %needed ]);
}

# A count of FAULT's counter is not added.
my $FAULTY = <<'END';
#include <stdio.h>
#include <nbpmu.h>
#include <nbpmu_fault.h>
int main(void)
{
    struct nbpmu_part part;
    struct nbpmu_fault fault;
    uint64_t value[2];
    nbpmu_part_of_signature(0x0F43, 1, &part);
    for (int faulty = 0; faulty < 2; faulty++) {
        struct nbpmu *pmu = nbpmu_new(&part, NULL);
        if (faulty && !(nbpmu_fault_find("counter-dead-12", &fault) && nbpmu_set_fault(pmu, &fault)))
            return 1;
        nbpmu_wrmsr(pmu, 0, 0x3B8, 0x0400020C);
        nbpmu_wrmsr(pmu, 0, 0x36C, 0x00039000);
        nbpmu_event(pmu, 0, NBPMU_INSTR_RETIRED, 1u << 0, 1);
        nbpmu_advance(pmu, 1);
        nbpmu_rdmsr(pmu, 0, 0x30C, &value[faulty]);
        nbpmu_free(pmu);
    }
    printf("%d %d\n", (int)value[0], (int)value[1]);
    return 0;
}
END

subtest 'names of the libraries; the model without faults, and with one' => sub {
    local @ENV{qw(PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR)} = ("$at/lib/pkgconfig", "$dir");
    my ($sound, $missing) = names('netburstpmu');
    my ($faults) = names('netburstpmu-faults');
    cmp_ok scalar @$_, '>', 20, 'it defines names' for $sound, $faults;
    is_deeply [ grep { !/^nbpmu_/ } @$sound, @$faults ], [], 'all begin with nbpmu_';
    is_deeply $missing, [], 'the model needs nothing of the faults';
    is_deeply [ grep { /fault/ && !/_faults\z/ } @$sound ], [], 'and has none';
    spew("$dir/faulty.c", $FAULTY);
    my @flags = split ' ', output(5, qw(pkg-config --cflags --libs netburstpmu-faults));
    output(20, qw(cc -std=c11 -Wall -Wextra -Werror), "$dir/faulty.c", @flags, '-o', "$dir/faulty");
    is output(5, "$dir/faulty"), "1 0\n", 'a counter counts, and a dead one does not';

    for my $header (qw(nbpmu nbpmu_fault)) {
        spew("$dir/$header.c", "#include <$header.h>\nint main(void) { return 0; }\n");
        output(20, qw(cc -std=c11 -Wall -Wextra -Werror),
            "-I$at/include", "$dir/$header.c", '-o', "$dir/header");
    }
};

# In an empty folder, and only what is installed.
subtest 'programs' => sub {
    my $tree = getcwd();
    mkdir "$dir/empty" or die "cannot make $dir/empty: $!";
    chdir "$dir/empty" or die "cannot go to $dir/empty: $!";
    local $ENV{PATH} = "$at/bin:/usr/bin:/bin";
    my $kernel = "$at/share/pmuproof/pmuproof.elf";
    chomp(my $version = slurp("$tree/build/version"));
    like output(5, $_, '--version'), qr/\A$_ \(pmuproof\) \Q$version\E[,\n]/, "$_ --version"
        for qw(p4sim pmulog capture write-stick);
    like output(5, $_, '--help'), qr/\Ausage: $_/, "$_ --help" for qw(p4sim pmulog capture write-stick);
    my $run = run(1, 'p4sim', $kernel, 'only=cascade.18-1');
    spew('run.log', $run->{out});
    like output(5, qw(pmulog check run.log)), qr/pass/, 'pmulog check';
    like output(5, qw(pmulog html run.log)), qr/cascade/, 'pmulog html, with the texts of the rules';
    spew('bad.log', run(1, 'p4sim', '--fault', 'cascade-late', $kernel, 'only=cascade.18-1.iq')->{out});
    like run(5, qw(pmulog explain bad.log))->{out},
        qr/^  1\. R\d+: .*In the manual: .*(?:No other vector tests it|no such expectation that failed)/ms,
        'pmulog explain, with its tables';
    like output(5, qw(pmulog junit run.log)), qr/<testcase/, 'pmulog junit';
    is run(5, 'capture', '--timeout', '5', 'run.log', 'copy.log')->{status}, 0, 'capture, of a file';
    is slurp('copy.log'), slurp('run.log'), 'all of it';
    is run(5, 'write-stick', $kernel, 'run.log')->{status}, 2, 'write-stick refuses a file';
    chdir $tree or die "cannot go back to $tree: $!";
};

output($usual, @make, 'uninstall');
is_deeply [ files($at) ], [], 'uninstall removes every file';

done_testing;
