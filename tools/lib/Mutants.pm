# The list of mutants, tests/mutants/*.mut: small errors in the sources, each of which some check must notice. The format is
# described in docs/mutants.md.
package Mutants;

use strict;
use warnings;
use Exporter 'import';
use Image qw(slurp spew);

our @EXPORT_OK = qw(read_mutants wrong_texts mutate restore);

my $WORD = qr/file|why|notice|equivalent/;
my %KINDS = map { $_ => 1 } qw(host image fails fault test);

# Reads the files of a folder, or one file. Returns a list of hashes: name, file, from, to, why, equivalent (the reason, or
# undef), notices (a list of hashes: kind, text, words). Dies with the file and line of a mistake in the list.
sub read_mutants {
    my ($path) = @_;
    -r $path or die "$path: $!\n";
    my @files = -d $path ? sort glob "$path/*.mut" : $path;
    my @mutants = map { read_file($_) } @files;
    @mutants or die "$path lists no mutants\n";
    my %seen;
    $seen{ $_->{name} }++ and die "$_->{at}: there are two mutants $_->{name}\n" for @mutants;
    $_->{at} = "$_->{at} ($_->{name})" for @mutants;
    complete($_) for @mutants;
    return @mutants;
}

sub read_file {
    my ($path) = @_;
    my (@mutants, $number);
    for my $line (split /\n/, slurp($path)) {
        my $at = "$path:" . ++$number;
        next if $line =~ /^\s*(?:#.*)?\z/;
        if ($line =~ /^mutant +(\S+)\z/) {
            push @mutants, { name => $1, at => $at, from => [], to => [], notices => [] };
            next;
        }
        my $mutant = $mutants[-1] or die "$at: a mutant begins with: mutant NAME\n";
        if    ($line =~ /^-(?: (.*))?\z/) { push @{ $mutant->{from} }, $1 // '' }
        elsif ($line =~ /^\+(?: (.*))?\z/) { push @{ $mutant->{to} }, $1 // '' }
        elsif ($line =~ /^notice +((\w+) +(\S.*))\z/ && $KINDS{$2}) {
            push @{ $mutant->{notices} }, { kind => $2, text => $1, words => [ split ' ', $3 ] };
        }
        elsif ($line =~ /^($WORD) +(\S.*)\z/ && $1 ne 'notice' && !defined $mutant->{$1}) { $mutant->{$1} = $2 }
        else { die "$at: not understood: $line\n" }
    }
    return @mutants;
}

# Joins the lines of the texts, and demands what every mutant needs.
sub complete {
    my ($mutant) = @_;
    $_ = join "\n", @$_ for @$mutant{qw(from to)};
    defined $mutant->{$_} or die "$mutant->{at}: '$_' is missing\n" for qw(file why);
    $mutant->{from} ne '' && $mutant->{from} ne $mutant->{to} or die "$mutant->{at}: nothing is replaced\n";
    @{ $mutant->{notices} } || defined $mutant->{equivalent} or die "$mutant->{at}: nothing is to notice it\n";
}

# Returns what is wrong, in words, for each mutant whose text is not in its file exactly once.
sub wrong_texts {
    my ($tree, @mutants) = @_;
    my %source;
    return map {
        my $path = "$tree/$_->{file}";
        my $source = $source{$path} //= -e $path ? slurp($path) : '';
        my $times = () = $source =~ /\Q$_->{from}\E/g;
        $times == 1 ? () : "$_->{at}: its text is in $_->{file} $times times, not once";
    } @mutants;
}

# Puts the mutant into the tree. Returns what restore() needs.
sub mutate {
    my ($tree, $mutant) = @_;
    my $path = "$tree/$mutant->{file}";
    my $source = slurp($path);
    my $mutated = $source;
    substr $mutated, index($mutated, $mutant->{from}), length $mutant->{from}, $mutant->{to};
    spew($path, $mutated);
    return [ $path, $source ];
}

# The file is new for make, because what was built of the mutant must be built again.
sub restore {
    my ($saved) = @_;
    spew(@$saved);
}

1;
