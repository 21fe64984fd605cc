# Pseudo-terminals for the tests: one that stands for a serial line, and programs that run on one as a person
# starts them.
package Pty;

use v5.36;
use Exporter 'import';
use POSIX ();
use Time::HiRes qw(sleep time);
use Image qw(guard report_hung);

our @EXPORT_OK = qw(terminal on_terminal);

# Linux's numbers of the ioctl calls that unlock a pseudo-terminal, return its number, and set its size.
use constant { TIOCSPTLCK => 0x40045431, TIOCGPTN => 0x80045430, TIOCSWINSZ => 0x5414 };

# Opens a pseudo-terminal. Returns the end of who sits at it (or of the board), and the name of the end for a
# program.
sub terminal {
    open my $person, '+<:raw', '/dev/ptmx'              or die "cannot open /dev/ptmx: $!";
    ioctl $person, TIOCSPTLCK, my $unlock = pack 'i', 0 or die "cannot unlock the pseudo-terminal: $!";
    ioctl $person, TIOCGPTN, my $number = pack 'I', 0   or die "cannot name the pseudo-terminal: $!";
    return ($person, '/dev/pts/' . unpack 'I', $number);
}

# Runs a command with a terminal as its input and output, at most so many seconds. Options: columns (80); env,
# variables beside TERM=xterm; type, a sub that is called with what was printed so far, until it returns the
# text to type ("\x03": Ctrl-C), or undef to hang up, or an array of such subs, of which each begins after the
# one before. Returns { out (what was printed, with a line feed for each line end), status, signal }.
sub on_terminal ($seconds, $given, @command) {
    my ($person, $name) = terminal();
    ioctl $person, TIOCSWINSZ, my $size = pack 'S4', 40, $given->{columns} // 80, 0, 0
        or die "cannot set the size: $!";
    my $child = fork // die "cannot fork: $!";
    if (!$child) {
        POSIX::setsid();
        # the first terminal that is opened controls the session
        open my $own, '+<', $name or POSIX::_exit(126);
        close $person;
        for my $stream (\*STDIN, \*STDOUT, \*STDERR) { open $stream, '+<&', $own or POSIX::_exit(126) }
        delete @ENV{qw(NO_COLOR COLUMNS)};
        %ENV = (%ENV, TERM => 'xterm', %{ $given->{env} // {} });
        $SIG{$_} = 'DEFAULT' for qw(INT HUP TERM);
        exec { $command[0] } @command or POSIX::_exit(127);
    }
    my ($out, $end) = ('', time + guard($seconds));
    my @type = ref $given->{type} eq 'ARRAY' ? @{ $given->{type} } : $given->{type} // ();
    my $late = 0;
    while (1) {
        my $ready = '';
        vec($ready, fileno $person, 1) = 1 if $person;
        if ($person && select $ready, undef, undef, 0.05) {
            my $got = sysread $person, my $bytes, 65_536;
            last if !$got;    # an error: nobody has the terminal open any more
            $out .= $bytes;
        }
        if (@type && $out ne '') {
            my @typed = $type[0]->($out);
            if (@typed) {
                shift @type;
                if   (defined $typed[0]) { syswrite $person, $typed[0]; }
                else                     { close $person; $person = undef; }
            }
        }
        last if !$person && waitpid $child, POSIX::WNOHANG();
        sleep 0.05 if !$person;
        if (time > $end) {
            $late = kill 'KILL', $child;
            last;
        }
    }
    my $status = $?;
    if ($person || $late) { waitpid $child, 0; $status = $?; }
    report_hung("@command", guard($seconds), out => $out) if $late;
    return { out => $out =~ s/\r+\n/\n/gr, status => $status >> 8, signal => $status & 127 };
}

1;
