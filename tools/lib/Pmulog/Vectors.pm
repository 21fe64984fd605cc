# The vectors of the image that this tool came with, and the rules of each. `make` writes them to build/vector-rules.txt
# from the image itself (boot word `list`), one check a line: its id, then its rules. A log names the rules of a vector
# that failed; those of the vectors that passed are known from this table alone, unless the log is verbose.
package Pmulog::Vectors;

use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Spec;

our @EXPORT_OK = qw(family find_vectors read_vectors);

my $TABLE = 'vector-rules.txt';

# The family of a vector: the first two parts of an id that has three or more, else the first. So cascade.18-1.iq.14-12
# belongs to cascade.18-1, and state.cccr to state.
sub family {
    my ($id) = @_;
    my ($first, $second, $third) = split /\./, $id;
    return defined $third ? "$first.$second" : $first;
}

# The path of the table: beside the modules or above them when installed, else where `make` writes it; undef: nowhere.
sub find_vectors {
    my $modules = dirname(dirname(File::Spec->rel2abs(__FILE__)));
    my ($found) = grep { -e } map { "$_/$TABLE" } $modules, "$modules/..", "$modules/../../build";
    return $found;
}

# The rules of each check: id => [rules]; dies when the table cannot be read.
sub read_vectors {
    my ($path) = @_;
    open my $file, '<', $path or die "cannot read $path: $!\n";
    my %rules;
    while (my $line = <$file>) {
        my ($id, @named) = split ' ', $line;
        $rules{$id} = \@named if @named;
    }
    close $file;
    return \%rules;
}

1;
