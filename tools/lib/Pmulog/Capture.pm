# A captured serial line, byte by byte as it came: finds the documents in it and has each judged
# (Pmulog::Document). Whatever stands outside of documents is forgiven, unless it looks like a line of one.
package Pmulog::Capture;

use strict;
use warnings;
use Pmulog::Document;
use Pmulog::Line qw($HEADER $SAVED_EARLY is_end looks_like);

use constant {
    LONGEST_NOISE => 65_536,    # bytes without a line end are taken in pieces of this size
    OVERLAP       => 32,        # of which so many stay for the next piece: longer than any header
    STRAYS_KEPT   => 20,        # of each stretch between two documents
};

# Options: sink => sub that is given the number of a boot and returns the sink of its document or undef;
# on_boot => sub called with the number of a boot and its Pmulog::Document when it is over.
sub new {
    my ($class, %options) = @_;
    return bless {
        %options,
        rest   => '',
        line   => 0,        # lines so far
        boots  => 0,
        open   => undef,    # the document that has begun and not ended
        strays => [],       # [line, what, text, boot before it]
        here   => 0,        # strays behind the last boot, kept or not
        early  => 0,        # a line said just now that the log file was saved before its run had ended
    }, $class;
}

# The next bytes, as many as there are.
sub feed {
    my ($self, $bytes) = @_;
    $self->{rest} .= $bytes;
    return if index($bytes, "\n") < 0 && length $self->{rest} < LONGEST_NOISE;
    my @lines = split /\n/, $self->{rest}, -1;
    $self->{rest} = pop @lines;
    for my $line (@lines) {
        $line =~ s/\r+\z//;
        $self->_line($line);
    }
    while (length $self->{rest} >= LONGEST_NOISE) {
        # The rest of the same line follows: this is no header, whatever it ends in.
        $self->_take(substr($self->{rest}, 0, LONGEST_NOISE - OVERLAP, ''), $self->{line} + 1);
    }
    return;
}

# No more bytes will come.
sub finish {
    my ($self) = @_;
    my $text = $self->{rest} =~ s/\r+\z//r;
    $self->{rest} = '';
    if ($text ne '') {
        my $open = $self->{open};
        if (!$open || is_end($text) || $text =~ /\ABail out! |$HEADER\z/) {
            $self->_line($text);
        }
        else {
            $open->cut($text, ++$self->{line});
        }
    }
    $self->_close if $self->{open};
    return;
}

sub _close {
    my ($self) = @_;
    my $document = delete $self->{open};
    $self->{on_boot}->($self->{boots}, $document) if $self->{on_boot};
    return;
}

sub _line {
    my ($self, $text) = @_;
    my $number = ++$self->{line};
    my $open   = $self->{open};

    if (substr($text, -length $HEADER) eq $HEADER) {
        my $before = substr $text, 0, -length $HEADER;
        if ($open) {
            $open->cut($before, $number);
            $self->_close;
        }
        else {
            $self->_outside($before, $number);
        }
        my $boot = ++$self->{boots};
        $self->{here} = 0;
        $self->{open} = Pmulog::Document->new($number, $self->{sink} && $self->{sink}->($boot), $self->{early});
        $self->{early} = 0;
        return;
    }
    # The document before may be open still, when its run hung; and who edits the file may leave an empty line.
    $self->{early} = $text =~ $SAVED_EARLY ? 1 : 0 if $text =~ /\S/;
    return $self->_take($text, $number);
}

# A line, or a piece of one, that is no header.
sub _take {
    my ($self, $text, $number) = @_;
    my $open = $self->{open} or return $self->_outside($text, $number);
    $open->line($text, $number);
    $self->_close if $open->closed;
    return;
}

sub _outside {
    my ($self, $text, $number) = @_;
    my $what = looks_like($text) or return;
    push @{ $self->{strays} }, [ $number, $what, $text, $self->{boots} ] if $self->{here}++ < STRAYS_KEPT;
    return;
}

# Reads a file ('-': standard input) to its end through the given capture. Dies with a message that names the file
# when it cannot.
sub read_file {
    my ($self, $path) = @_;
    my $file;
    if ($path eq '-') {
        binmode STDIN;
        $file = *STDIN;
    }
    else {
        open $file, '<:raw', $path or die "cannot read $path: $!\n";
    }
    die "cannot read $path: it is a folder\n" if -d $file;
    while (1) {
        my $got = sysread $file, my $bytes, 262_144;
        die "cannot read $path: $!\n" if !defined $got;
        last if !$got;
        $self->feed($bytes);
    }
    $self->finish;
    return $self;
}

1;
