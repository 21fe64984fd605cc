#!/usr/bin/perl
# Code that the other logical processor changes after it has run (modified.asm): p4sim executes what is there now, although the
# engine of the one that runs it has translated what was there before.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(p4sim assembled);

my $dir = File::Temp->newdir;
my $run = p4sim('--limit', 1, assembled("$FindBin::Bin/modified.asm", "$dir/modified.elf"));
like $run->{err}, qr/debug exit value 13H/, 'it comes to its end';
is $run->{out}, 'ABCD', 'and executed what was there: the letter is one further in each round';

done_testing;
