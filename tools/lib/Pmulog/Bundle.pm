# The command `bundle`: one file to send after a run on a board, which is text, whatever was captured. It is a
# log like any other for pmulog, because text before a log is allowed.
package Pmulog::Bundle;

use v5.36;
use Command ();
use Pmulog::Capture;
use Pmulog::Check qw(boot_line overall status_of survey);

my $HEAD = <<'END';
Please fill in what you know, and send this file with two photographs: the screen at the end of the run, and the
processor or its label.

  Board, and version of its BIOS:
  Processor, with the S-Spec of its lid or box (as SL7PP):
  BIOS settings that you changed:
  Boot medium (stick, CD, network), and how the log was taken:
  Anything odd (resets, hangs, what other runs of this board said):

END

# Prints it and returns the exit status of the verdict of all boots.
sub bundle ($, $path) {
    my $survey = survey($path);
    binmode STDOUT;
    print 'pmuproof report, made by pmulog ', Command::version(), "\n\n$HEAD",
        map({ boot_line($path, @$_) . "\n" } @{ $survey->{boots} }), "\n";
    Pmulog::Capture->new(on_text => sub ($text, $ends) { print text($text), $ends ? "\n" : '' })
        ->read_file($path);
    return status_of(overall($survey));
}

# A line with each byte that is no text as <HH>, and many of one kind as one. What was damaged stays so: no
# line of a log has such a text in the place of a byte.
sub text ($line) {
    return $line =~
        s/([^\t -~])(\1*)/my $times = 1 + length $2; my $byte = sprintf '%02X', ord $1; $times > 8 ? "<$byte, $times times>" : "<$byte>" x $times/ger;
}

1;
