#!/usr/bin/perl
# The covering array: counted anew from the rows that the image has, every two levels that can meet do so in each block, every
# three with the rows of `thorough`, and every counter has each level that it can have. A row too few is noticed.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp spew);
use Pairs qw(read_pairs count_pairs);

my $HEADER = 'tests/vectors/netburst/pairs/pairs.h';
my $ROWS   = 'tests/vectors/netburst/pairs/pairs_rows.c';

my $array = read_pairs($HEADER, $ROWS);
is scalar @{ $array->{tables} }, 3, 'three tables of rows';
for my $table (@{ $array->{tables} }) {
    my $found = count_pairs($array, $table, 1);
    for my $kind (qw(singles pairs triples)) {
        cmp_ok $found->{$kind}{possible}, '>', 100, "$table->{name}: $found->{$kind}{possible} $kind are possible";
        is_deeply $found->{$kind}{missing}, [], 'and covered';
    }
    is_deeply $found->{forbidden}, [], 'what never meets does not meet';
}

my $dir = File::Temp->newdir;


sub spoilt {
    my ($text) = @_;
    spew("$dir/rows.c", $text);
    return read_pairs($HEADER, "$dir/rows.c");
}

subtest 'a row is missing' => sub {
    my $less = slurp($ROWS);
    $less =~ s/(MS_FLAME_ROWS\[\] = \{\n(?:[^,]*,){20})[^,]*,/$1/ or die;
    $less =~ s/(PAIRS_MS_FLAME = \{\w+, )(\d+)/$1 . ($2 - 1)/e or die;
    my $array = spoilt($less);
    my $found = count_pairs($array, $array->{tables}[1], 0);
    isnt scalar @{ $found->{pairs}{missing} }, 0, 'and its pairs with it';
};

subtest 'a row that must not be' => sub {
    my $array = read_pairs($HEADER, $ROWS);
    my $table = $array->{tables}[1];
    $_->{levels}[1] = 1 for $table->{rows}[5];
    is_deeply count_pairs($array, $table, 0)->{forbidden}, ['EVENT CLOCKS in MS_FLAME'], 'is noticed';
};

local $ENV{PYTHONHASHSEED} = 7;
is run(60, '/usr/bin/python3', 'tools/pairs', $HEADER)->{out}, slurp($ROWS), 'tools/pairs makes the rows that are in the tree (make pairs)';
my $none = run(60, '/usr/bin/python3', 'tools/pairs', 'build/none.h');
is $none->{status}, 2, 'without a header: an error';
like $none->{err}, qr{\Atools/pairs: .*No such file.*build/none\.h}, 'which names it';

done_testing;
