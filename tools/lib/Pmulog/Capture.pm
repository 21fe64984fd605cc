# Finds the documents in the bytes of a captured serial line and has each judged by Pmulog::Document. Text outside of
# documents is allowed, unless it looks like a line of a document: such a line is a sign of damage.
package Pmulog::Capture;

use v5.36;
use Pmulog::Document qw($HEADER $SAVED_EARLY is_end looks_like);

use constant {
    LONGEST_NOISE => 65_536,    # text without a line end is processed in pieces of this many bytes
    OVERLAP       => 32,        # the last bytes of a piece are kept for the next one: longer than a header
    OUTSIDE_KEPT  => 20,        # lines outside of any document that are kept between two documents
};

# What console servers and ts put before a line: [2026-11-25 22:10:11] or the like, seconds, or a time by itself.
my @STAMPS = (qr/\[[^\]]*\d\d:\d\d:\d\d[^\]]*\]:? ?/, qr/\[? *\d+\.\d+\]? /,
    qr/(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d\S* /);

# Options: sink => sub that takes the number of a boot and returns the sink of its document, or undef;
# on_boot => sub that is called with the number of a boot and its Pmulog::Document when the document is over.
sub new($class, %options) {
    return bless {
        %options,
        rest    => '',
        line    => 0,        # lines so far
        boots   => 0,
        open    => undef,    # the document that has begun and has not ended
        outside => [],       # lines of a log outside of any document: [line, what, text, boot before it]
        here    => 0,        # number of outside lines since the last boot, kept or not
        stamp   => undef,    # the form of the time stamps that a console server put before the lines of the open document
        early   => 0,        # the last line was the state line of a log file whose run has not ended
    }, $class;
}

# Takes the next bytes, any number of them.
sub feed($self, $bytes) {
    $self->{rest} .= $bytes;
    return if index($bytes, "\n") < 0 && length $self->{rest} < LONGEST_NOISE;
    my @lines = split /\n/, $self->{rest}, -1;
    $self->{rest} = pop @lines;
    for my $line (@lines) {
        $line =~ s/\r+\z//;
        $self->_line($line);
    }
    while (length $self->{rest} >= LONGEST_NOISE) {
        # The rest of this line is still to come, so this is no header, whatever it ends in.
        $self->_take(substr($self->{rest}, 0, LONGEST_NOISE - OVERLAP, ''), $self->{line} + 1);
    }
}

# Call this when no more bytes will come.
sub finish($self) {
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
}

sub _close($self) {
    my $document = delete $self->{open};
    $self->{on_boot}->($self->{boots}, $document) if $self->{on_boot};
}

sub _line($self, $text) {
    my $number = ++$self->{line};
    my $open   = $self->{open};

    if (substr($text, -length $HEADER) eq $HEADER) {
        my $before = substr $text, 0, -length $HEADER;
        my ($stamp) = grep { $before =~ /\A$_\z/ } @STAMPS;
        $before = '' if $stamp;
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
        $self->{open}{stamped} = defined($self->{stamp} = $stamp);
        $self->{early} = 0;
        return;
    }
    # The previous document may still be open, if its run hung. Empty lines, as an editor may leave, are ignored.
    $self->{early} = $text =~ $SAVED_EARLY ? 1 : 0 if $text =~ /\S/;
    return $self->_take($text, $number);
}

# Takes a line, or a piece of one, that is no header.
sub _take($self, $text, $number) {
    my $open = $self->{open} or return $self->_outside($text, $number);
    $text =~ s/\A$self->{stamp}// if defined $self->{stamp};
    $open->line($text, $number);
    $self->_close if $open->closed;
}

sub _outside($self, $text, $number) {
    my $what = looks_like($text) or return;
    push @{ $self->{outside} }, [ $number, $what, $text, $self->{boots} ] if $self->{here}++ < OUTSIDE_KEPT;
}

# Reads a file ('-': standard input) to its end. Dies with a message that names the file if it cannot be read.
sub read_file($self, $path) {
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
