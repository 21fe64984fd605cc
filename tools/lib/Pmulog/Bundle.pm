# The command `bundle`: one file to send after a run on a board. It is a log like any other for pmulog, because text before a
# log is allowed.
package Pmulog::Bundle;

use v5.36;
use Command ();
use Pmulog::Check qw(boot_line overall status_of survey);

my $HEAD = <<'END';
Please fill in what you know, and send this file with two photographs: the screen at the end of the run, and the processor or
its label.

  Board, and version of its BIOS:
  Processor, with the S-Spec of its lid or box (as SL7PP):
  BIOS settings that you changed:
  Boot medium (stick, CD, network), and how the log was taken:
  Anything odd (resets, hangs, what other runs of this board said):

END

# Prints it and returns the exit status of the verdict of all boots.
sub bundle($, $path) {
    my $survey = survey($path);
    open my $file, '<:raw', $path or die "cannot read $path: $!\n";
    binmode STDOUT;
    print 'pmuproof report, made by pmulog ', Command::version(), "\n\n$HEAD", map({ boot_line($path, @$_) . "\n" } @{ $survey->{boots} }), "\n";
    local $/ = \65_536;
    print while <$file>;
    return status_of(overall($survey));
}

1;
