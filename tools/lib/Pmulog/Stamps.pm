# When the lines of a capture came: a file beside the log with one line for each line of the log.
package Pmulog::Stamps;

use strict;
use warnings;
use POSIX qw(strftime);

# Writes to an open file. inside: true if the first bytes continue a line that was stamped before. elapsed and now are subs:
# the seconds since the capture began, and since 1970.
sub new {
    my ($class, %given) = @_;
    return bless {%given}, $class;
}

# Takes the next bytes of the log. A line is stamped when its first byte comes. Returns false if the file cannot be written.
sub feed {
    my ($self, $bytes) = @_;
    my $begun = ($bytes =~ tr/\n//) + (substr($bytes, -1) ne "\n") - ($self->{inside} ? 1 : 0);
    $self->{inside} = substr($bytes, -1) ne "\n";
    return 1 if !$begun;
    my $now   = $self->{now}->();
    my $stamp = sprintf "%.3f %s.%03dZ\n", $self->{elapsed}->(), strftime('%Y-%m-%dT%H:%M:%S', gmtime $now), ($now - int $now) * 1000;
    return print { $self->{file} } $stamp x $begun;
}

1;
