#!/usr/bin/perl
# The checks catch faults: p4sim's option --fault, and a sample of the catalogue, judged by tools/qualify.
use strict;
use warnings;
use Test::More;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run p4sim one_line not_ok_blocks $ELF);

my $SAMPLE = 256;   # every 256th fault without noise,
my $PAIRS  = 512;   # every 512th of those in pairs,
my $NOISY  = 400;   # every 400th under it
my $USUAL  = 90;    # seconds for the longest part

subtest 'the list names each fault once, with rule and description' => sub {
    my $list = p4sim('--fault', 'list');
    is $list->{status}, 0, 'exit status';
    my @lines = split /\n/, $list->{out};
    cmp_ok scalar @lines, '>=', 200, 'number of faults';
    is_deeply [ grep { !/\A[a-z0-9A-Z_-]+ +R\d+ +\S.*\S\z/ } @lines ], [], 'form of the lines';
    my %seen;
    is_deeply [ grep { $seen{$_}++ } map { /^(\S+)/ } @lines ], [], 'names are unique';
};

subtest 'a fault makes the image fail, in a vector of its rule' => sub {
    my $run = p4sim('--fault', 'cascade-broken-12-14', $ELF, 'only=cascade.18-1');
    is $run->{status}, 1, 'exit status of a failed check';
    is_deeply [ keys %{ { not_ok_blocks($run->{out}) } } ], ['cascade.18-1.iq.12-14'], 'the one that failed';
};

subtest 'names that mean nothing here are refused' => sub {
    for my $bad ([qw(--fault no-such-fault)], [qw(--cpu 0F12 --fault cascnt-early)]) {
        my $run = p4sim(@$bad, $ELF);
        is $run->{status}, 2, "exit status of @$bad";
        ok one_line($run->{err}), 'one line says why' or diag $run->{err};
    }
};

subtest "every ${SAMPLE}th fault is caught" => sub {
    my $qualify = run($USUAL, 'tools/qualify', '--quiet', '--sample', $SAMPLE, '--pairs', $PAIRS);
    is $qualify->{status}, 0, 'exit status of tools/qualify' or diag $qualify->{err}, $qualify->{out};
    like $qualify->{out}, qr/^\d+ faults: [1-9]\d* caught, 0 marginal, 0 survived/m, 'totals';
};

subtest "every ${NOISY}th fault is caught under noise" => sub {
    my $qualify = run($USUAL, 'tools/qualify', '--noise-faults', '--each', 1, '--sample', $NOISY, '--pairs', 0);
    is $qualify->{status}, 0, 'exit status of tools/qualify' or diag $qualify->{err}, $qualify->{out};
    my ($hit, $tried) = $qualify->{out} =~ /^under noise: caught in (\d+) of (\d+) runs$/m;
    cmp_ok $tried, '>=', 5, 'runs under noise';
    is $hit, $tried, 'a check failed in each';
};

subtest 'seeds without a fault' => sub {
    my $qualify = run($USUAL, 'tools/qualify', '--seeds', 2);
    is $qualify->{status}, 0, 'exit status of two seeds' or diag $qualify->{err}, $qualify->{out};
    like $qualify->{out}, qr/\A2 seeds: 2 right, 0 wrong/, 'and the totals';
};

done_testing;
