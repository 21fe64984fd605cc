# What a person reads about a run that has just ended: what failed and why, in groups; what its sheet says differently from a
# reference; what disturbed it; the verdict.
package Pmulog::Summary;

use strict;
use warnings;
use Command qw(wrong_usage);
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Spec;
use List::Util qw(min);
use Pmulog::Compare;
use Pmulog::Explain;
use Pmulog::Findings qw(some);
use Pmulog::Run;

our @EXPORT_OK = qw(check_reference summary find_reference);

use constant DISTURBED => 4;    # disturbed vectors that are named

# How a verdict is coloured; others are red.
my %COLOUR = (pass => 'green', skip => 'yellow');

# The summary of a run (Pmulog::Run), for a terminal. reference: the path of the log to compare its sheet with, '' for none;
# else that of the typical p4sim of this processor, if there is one. said: what to say after the verdict.
sub summary {
    my ($run, $terminal, %given) = @_;
    local $Pmulog::Explain::columns = min($Pmulog::Explain::columns, $terminal->width);
    my $text = Pmulog::Explain::explained($run);
    if ($run->{document}) {
        my $reference = $given{reference} // find_reference($run);
        $text .= sheet($run, $reference) if defined $reference && $reference ne '';
        $text .= disturbed($run);
    }
    return $text . $terminal->coloured($COLOUR{ $run->{verdict} } // 'red', $run->{verdict}) . ". $given{said}\n";
}

# Refuses the value of the option --reference, a path, '' or undef, if the file cannot be read. Called before a run, so that
# no run is lost.
sub check_reference {
    my ($path) = @_;
    return if !defined $path || $path eq '';
    my $why = -d $path ? 'it is a folder' : -r $path ? undef : "$!";
    wrong_usage("--reference: cannot read $path: $why") if defined $why;
    return;
}

# The log of the typical p4sim with the processor of this run: beside the modules when installed, else where `make` writes it.
sub find_reference {
    my ($run) = @_;
    my ($signature) = ($run->{document}{processor} // '') =~ /\b([0-9A-F]{4})H/ or return undef;
    my $modules = dirname(dirname(File::Spec->rel2abs(__FILE__)));
    my ($found) = grep { -e } map { "$_/reference/$signature.log" } "$modules/..", "$modules/../../build";
    return defined $found ? abs_path($found) : undef;
}

# The questions that both runs answer, differently.
sub sheet {
    my ($run, $path) = @_;
    my $reference = Pmulog::Run::load($path, 'last');
    my $short = File::Spec->abs2rel(abs_path($path) // $path);
    $short = $path if $short =~ /\A\.\./;
    return "The reference $path has no log, so the sheet is compared with nothing.\n\n" if !$reference->{document};
    my @told = grep { !grep { !defined || /\Anot probed: not selected/ } @{ $_->{values} } } rows($reference, $run);
    my @differ = grep { !Pmulog::Compare::alike($_->{name}, [ 1, 1 ], @{ $_->{values} }) } @told;
    return '' if !@told;
    return "The sheet is that of the reference, $short.\n\n" if !@differ;
    my $text = Pmulog::Explain::paragraph(0, 2, "The sheet differs from that of the reference, $short, in " . @differ . ' of ' . @told . ' lines:');
    for my $line (@differ) {
        my ($old, $new) = @{ $line->{values} };
        $text .= join '', Pmulog::Explain::paragraph(2, 2, $line->{name}), Pmulog::Explain::paragraph(6, 2, "reference: $old"),
            Pmulog::Explain::paragraph(6, 2, "this run: $new");
    }
    return "$text\n";
}

sub rows {
    my @runs = @_;
    return Pmulog::Compare::beside(map { [ Pmulog::Compare::sheet($_) ] } @runs);
}

# Vectors that were repeated because something disturbed them.
sub disturbed {
    my ($run) = @_;
    my @ids = map { $_->[0] } Pmulog::Compare::disturbances($run) or return '';
    return Pmulog::Explain::paragraph(0, 2, 'Disturbed, and decided by repetition: ' . some(DISTURBED, @ids) . '.') . "\n";
}

1;
