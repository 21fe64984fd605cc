#!/usr/bin/perl
# The manual pages, which are made out of --help, and the completion for bash.
use strict;
use warnings;
use Test::More;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp);

# prove may run under make, whose flags are not meant for the make below.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};

my %PROGRAM = (p4sim => 'build/p4sim', map { $_ => "tools/$_" } qw(pmulog capture write-stick));
my $made = run(60, qw(make -s man));
is $made->{status}, 0, 'make man' or diag $made->{err};

for my $name (sort keys %PROGRAM) {
    my $page = "build/man/$name.1";
    my $text = slurp($page);
    my $help = run(5, $PROGRAM{$name}, '--help')->{out};
    is_deeply [ $text =~ /^\.SH "?([A-Z ]+?)"?$/mg ], [qw(NAME SYNOPSIS DESCRIPTION), 'EXIT STATUS'], "the sections of $page";
    like $text, qr/^\.SH NAME\n\Q$name\E \\- [a-z][^\n]+[^.\n]\n/m, 'its line for apropos';
    my $plain = $text =~ s/\\f[BIPR]|\\(?=-)//gr;
    is_deeply [ grep { $plain !~ /(?<![\w-])\Q$_\E(?![\w-])/ } $help =~ /(?<![\w-])(--[a-z][a-z-]*)/g ], [], 'it has all options of --help';
    is_deeply [ $plain =~ /^(\d+) /mg ], [ 0, 1, 2, 77 ], 'a line for each exit status' if $name eq 'p4sim';
    my $groff = run(5, 'groff', '-man', '-ww', '-z', $page);
    is $groff->{status}, 0, 'groff reads it';
    is $groff->{err}, '', 'without a warning';
}

# What bash offers for the last of these words.
sub offered {
    my @words = @_;
    my $run = run(10, 'bash', '-c', '. tools/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pmuproof "$1" || exit 9; '
            . 'printf "%s\n" "${COMPREPLY[@]}"', 'bash', @words);
    is $run->{err}, '', "@words: no complaint";
    return [ grep { $_ ne '' } split /\n/, $run->{out} ];
}

sub all { return [ (run(5, 'build/p4sim', $_[0], 'list')->{out} =~ /^(\S+)/mg), 'list' ] }

subtest 'completion' => sub {
    my $p4sim = 'build/p4sim';
    is_deeply offered($p4sim, '--cpu', ''), all('--cpu'), 'all processors';
    is_deeply offered($p4sim, '--variant', ''), all('--variant'), 'all variants';
    is_deeply offered($p4sim, '--board', ''), all('--board'), 'all boards';
    is_deeply offered($p4sim, '--fault', ''), [ grep { !/-while-/ } @{ all('--fault') } ], 'all faults, without double faults';
    is_deeply offered($p4sim, '--fault', 'cascade-late-while-th'), ['cascade-late-while-threshold'], 'but those when they are meant';
    is_deeply offered($p4sim, '--fault', '=', 'cascade-lat'), ['cascade-late'], '--fault=NAME';
    is_deeply offered($p4sim, '--fault', '='), offered($p4sim, '--fault', ''), '--fault= and nothing yet';
    is_deeply offered($p4sim, '--cpu', '0F29', '--h'), [qw(--ht --help)], 'options';
    is_deeply offered($p4sim, '--ht', ''), [qw(on off)], '--ht';
    is_deeply offered($p4sim, $_, ''), [], "$_: nothing but names of files" for qw(--screen --limit --cpux);
    is_deeply offered($p4sim, '--cpu', '0F29', 'bu'), [], 'the kernel: names of files';
    my @commands = run(5, 'tools/pmulog', '--help')->{out} =~ /^  ([a-z]+) /mg;
    cmp_ok scalar @commands, '>', 5, 'pmulog has commands';
    is_deeply offered('tools/pmulog', ''), \@commands, 'which are offered';
    is_deeply offered('tools/pmulog', 'check', '--l'), ['--last'], 'then its options';
    is_deeply offered('tools/pmulog', 'check', ''), [], 'and names of files';
    is_deeply offered('tools/capture', '--baud', '19'), ['19200'], 'speeds';
    is_deeply offered('tools/capture', '--e'), ['--echo'], 'the second name of an option';
    is_deeply offered('tools/write-stick', '--f'), ['--force-fixed'], 'write-stick';
    for my $name (sort keys %PROGRAM) {
        my %listed = map { $_ => 1 } run(5, $PROGRAM{$name}, '--help')->{out} =~ /^ +(--[a-z][a-z-]*)/mg;
        my %offered = map { $_ => 1 } @{ offered($PROGRAM{$name}, '--') };
        is_deeply [ grep { !$offered{$_} } sort keys %listed ], [], "all options of $name";
    }
    like run(10, 'bash', '-c', '. build/completions/p4sim; complete -p')->{out}, qr/^complete -o default -F _pmuproof capture$/m, 'bash knows whose it is';
};

done_testing;
