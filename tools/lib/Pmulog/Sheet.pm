# The command `sheet`: the characterisation sheet of a boot, by question, and the numbers that vectors report.
package Pmulog::Sheet;

use v5.36;
use Pmulog::Check qw(name_of status_of);
use Pmulog::Data qw(bool csv json);
use Pmulog::Rules qw(find_rules read_rules);
use Pmulog::Run;

# Prints the sheet and returns the exit status of the boot's verdict.
sub sheet ($wanted, $format, $path) {
    my $run = Pmulog::Run::load($path, $wanted);
    my @lines = lines($run);
    print $format eq 'json'
        ? json('sheet', { %{ Pmulog::Run::record($run) }, sheet => \@lines, numbers => $run->{numbers} })
        : $format eq 'csv' ? csv(rows($run, @lines))
        :                    text($run, @lines);
    return status_of($run->{verdict});
}

# The lines of the sheet, each with the question of docs/pmu-rules.md that it belongs to, if that is known.
sub lines ($run) {
    my $path = find_rules();
    my $entry = defined $path ? read_rules($path)->{entry} : {};
    return map {
        my ($id, $text, $value) = @$_;
        my ($doubt) = $value =~ s/ \(in doubt: (\S+)\)\z// ? $1 : undef;
        {
            id       => $id,
            question => ($entry->{$id} // {})->{title},
            text     => $text,
            value    => $value,
            doubt    => $doubt,
            probed   => bool($value !~ /\Anot probed: /)
        }
    } @{ $run->{sheet} };
}

sub rows ($run, @lines) {
    return [qw(file boot id question text value doubt)],
        map { [ $run->{path}, $run->{boot}, @{$_}{qw(id question text value doubt)} ] } @lines,
        map { { id => $_->{vector}, text => $_->{name}, value => $_->{number} } } @{ $run->{numbers} };
}

sub text ($run, @lines) {
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    my $text =
          name_of($run->{path})
        . ", boot $run->{boot}: $run->{verdict}"
        . (defined $inventory{processor} ? "; $inventory{processor}" : '') . "\n";
    $text .= "The log is not whole: $run->{why}\n" if !$run->{whole};
    $text .= "\nThis log has no characterisation sheet. A full run prints it at its end.\n" if !@lines;
    my $question = '';
    for my $line (@lines) {
        my $number = $line->{id} =~ s/[a-z]\z//r;
        $text .= "\n$number" . (defined $line->{question} ? " $line->{question}" : '') . "\n"
            if $number ne $question;
        $question = $number;
        $text .= "  $line->{id}  $line->{text}: $line->{value}"
            . (defined $line->{doubt} ? " (in doubt: $line->{doubt})" : '') . "\n";
    }
    my $vector = '';
    $text .= "\nNumbers that vectors report\n" if @{ $run->{numbers} };
    for my $number (@{ $run->{numbers} }) {
        $text .= "  $number->{vector}\n" if $number->{vector} ne $vector;
        $vector = $number->{vector};
        $text .= "    $number->{name}: $number->{number}\n";
    }
    return $text;
}

1;
