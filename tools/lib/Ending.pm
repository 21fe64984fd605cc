# What a program must still do when a signal ends it: end what it has started, and remove its temporary files.
package Ending;

use v5.36;
use Exporter 'import';

our @EXPORT_OK = qw(@ENDING ending not_ending);

our @ENDING = qw(HUP INT TERM);    # the signals that end a program and can be handled
my %NUMBER = (HUP => 1, INT => 2, TERM => 15);

# Handlers for @ENDING, in its order. Each calls $clean and exits with the status that a shell reports for the
# signal; exit() removes temporary files. A signal that is ignored, as nohup demands, stays so. Use: local
# @SIG{@ENDING} = ending(sub {...});
sub ending ($clean) {
    my $handler = sub { my ($name) = @_; $clean->(); exit 128 + $NUMBER{$name} };
    return map { ($SIG{$_} // '') eq 'IGNORE' ? 'IGNORE' : $handler } @ENDING;
}

# Takes the handlers away in a process just forked, which must not end what its parent has started.
sub not_ending {
    $SIG{$_} = 'DEFAULT' for grep { ref $SIG{$_} } @ENDING;
}

1;
