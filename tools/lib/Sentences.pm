# Reads docs/manual-sentences.txt, the manual's sentences with the faults that break each and the vectors that
# catch them. The head of that file explains its form.
package Sentences;

use v5.36;
use Exporter qw(import);

our @EXPORT_OK = qw(read_sentences);

my $ON = '0F43';    # the processor of a fault that names none

# Returns { entries => LIST, errors => LIST }. An entry is a section, { part }, or a sentence:
#   at      the place of its line
#   where   the place of the sentence in its section
#   what    what it says
#   faults  what breaks it: { name, cpu } each
#   reason  why no fault does, instead of faults
#   ids     ids of vectors, or ids cut off at a dot
sub read_sentences ($path) {
    my (@entries, @errors);
    open my $file, '<', $path or die "cannot read $path: $!\n";
    while (my $line = <$file>) {
        $line =~ s/\s+\z//;
        next if $line =~ /\A(?:#|\z)/;
        if ($line =~ /\A== (\S.*)\z/) {
            push @entries, { part => $1 };
            next;
        }
        my ($where, $what, $faults, $ids, @more) = split / \| /, $line, -1;
        my ($reason) = ($faults // '') =~ /\Anone: (\S.*)\z/;
        my @faults = defined $reason ? () : map { fault($_) } split ' ', $faults // '';
        my @ids = split ' ', $ids // '';
        if (@more || !(@faults && @ids || defined $reason) || grep { !$_ } @faults) {
            push @errors, "$path:$.: not a sentence: WHERE | what it says | FAULT[\@CPU] ... or none: "
                . "reason | VECTOR ...";
            next;
        }
        push @entries,
            {
            at     => "$path:$.",
            where  => $where,
            what   => $what,
            faults => \@faults,
            reason => $reason,
            ids    => \@ids
            };
    }
    close $file;
    return { entries => \@entries, errors => \@errors };
}

sub fault ($word) {
    my ($name, $cpu) = $word =~ /\A([\w.,\@=-]+?)(?:@([0-9A-F]{4}))?\z/ or return undef;
    return { name => $name, cpu => $cpu // $ON };
}

1;
