#!/usr/bin/perl
# Code that is changed or displaced after it has run (modified.asm): p4sim executes what is there now, in every engine that has translated
# what was there before.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(p4sim assembled);

my $dir = File::Temp->newdir;

# For each way: what is on COM1. As in modified.asm, the letter is one further in each round, and the loop adds up the second
# operand, 5 and 1 more, in each of its 10,000 laps: EA60H. As many laps with six instructions that are built are the same.
for my $way ([ OTHER => 'ABCD' ], [ LOOP => '0000EA60' ], [ AWAY => '0000EA60' ]) {
    my ($name, $says) = @$way;
    my $kernel = assembled("$FindBin::Bin/modified.asm", "$dir/$name.elf", "WAY=$name");
    for my $options ([], ['--step']) {
        my $run = p4sim('--limit', 1, @$options, $kernel);
        like $run->{err}, qr/debug exit value 13H/, "$name: it comes to its end with '@$options'";
        is $run->{out}, $says, 'and executed what was there';
    }
}

done_testing;
