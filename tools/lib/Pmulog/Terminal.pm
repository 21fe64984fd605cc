# What a terminal can show: its width, colours, and a line that is written over.
package Pmulog::Terminal;

use strict;
use warnings;
use POSIX ();

use constant {
    TIOCGWINSZ => 0x5413,    # Linux: the ioctl call that returns rows and columns
    WIDTH      => 80,        # of a terminal that does not say
    LEAST      => 20,        # narrower ones break lines by themselves
};

# The terminal behind a file handle, or undef if there is none, or another program uses it: this one is in the background.
sub new {
    my ($class, $handle) = @_;
    return undef if !-t $handle;
    my $foreground = POSIX::tcgetpgrp(fileno $handle);
    return undef if defined $foreground && $foreground > 0 && $foreground != getpgrp;
    my $dumb = ($ENV{TERM} // '') =~ /\A(?:|dumb|unknown)\z/;
    my $self = bless { handle => $handle, dumb => $dumb, colours => !$dumb && ($ENV{NO_COLOR} // '') eq '', shown => 0 }, $class;
    return $self;
}

# Columns, asked for anew each time because a person may change them.
sub width {
    my ($self) = @_;
    my $size = "\0" x 8;
    my (undef, $columns) = ioctl($self->{handle}, TIOCGWINSZ, $size) ? unpack 'S2', $size : ();
    $columns ||= ($ENV{COLUMNS} // '') =~ /\A[1-9]\d{0,3}\z/ ? $ENV{COLUMNS} : WIDTH;
    return $columns < LEAST ? LEAST : $columns;
}

# Shows a line in place of the one shown before. It is cut to the width, because a line that was broken cannot be written over.
sub show {
    my ($self, $text) = @_;
    my $room = $self->width - 1;
    $text = substr $text, 0, $room if length $text > $room;
    $self->_put("\r$text\e[K");
    $self->{shown} = 1;
    return;
}

# Takes the line away, before anything else is printed.
sub clear {
    my ($self) = @_;
    $self->_put("\r\e[K") if $self->{shown};
    $self->{shown} = 0;
    return;
}

# Prints text below what is there.
sub say {
    my ($self, $text) = @_;
    $self->clear;
    return $self->_put($text);
}

# The text in a colour (green, red, yellow), where there are any.
sub coloured {
    my ($self, $colour, $text) = @_;
    my %code = (red => 31, green => 32, yellow => 33);
    return $self->{colours} ? "\e[1;$code{$colour}m$text\e[0m" : $text;
}

# Returns false if the terminal is gone.
sub _put {
    my ($self, $text) = @_;
    local $SIG{PIPE} = 'IGNORE';
    while ($text ne '') {
        my $done = syswrite $self->{handle}, $text;
        next if !defined $done && $!{EINTR};
        return 0 if !defined $done;
        substr $text, 0, $done, '';
    }
    return 1;
}

1;
