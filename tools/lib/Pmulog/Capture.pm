# Finds the documents in the bytes of a captured serial line and has each judged by Pmulog::Document. Text
# outside of documents is allowed, unless it looks like a line of a document: such a line is a sign of damage.
package Pmulog::Capture;

use v5.36;
use Pmulog::Bytes qw(reader);
use Pmulog::Document qw($HEADER $SAVED_EARLY begins_like is_end is_own looks_like);
use Pmulog::Prefix qw(prefix_of prefix_with_time);
use Pmulog::Reading qw(hints);

use constant {
    LONGEST_NOISE => 65_536,    # text without a line end is processed in pieces of this many bytes
    OVERLAP       => 32,        # the last bytes of a piece are kept for the next one: longer than a header
    MOST_PREFIXES => 8,         # forms of what stands before the lines of a document
    OUTSIDE_KEPT  => 20,        # lines outside of any document that are kept between two documents
};

# A line of conserver in the middle of another line: [-- MARK -- date], [-- user@host attached -- date].
my $MARK = qr/\[-- [^\[\]]* -- ?[^\[\]]*\]/;

# The header as it arrives with a parity bit in bit 7, and how the line was then set.
my %PARITY = map {
    my ($name, $ones) = @$_;
    (join('', map { parity($ones, $_) } split //, $HEADER) => $name)
} [ '7E1', 0 ], [ '7O1', 1 ], [ '7M1', undef ];

# The bytes of a character with a parity bit that makes the number of ones even (0) or odd (1), or is always 1
# (undef).
sub parity ($odd, $character) {
    my $ones = unpack '%8b*', $character;
    return defined $odd && $ones % 2 == $odd ? $character : $character |. "\x80";
}

# Options: sink => sub that takes the number of a boot and returns the sink of its document, or undef; on_boot
# => sub that is called with the number of a boot and its Pmulog::Document when the document is over; on_text
# => sub that is called with each line as text, without what terminals and line ends are; reading => a
# Pmulog::Reading.
sub new ($class, %options) {
    return bless {
        %options,
        rest    => '',
        line    => 0,        # lines so far: LFs, or CRs as long as there is no LF
        lf      => 0,        # LFs so far
        boots   => 0,
        open    => undef,    # the document that has begun and has not ended
        outside => [],       # lines of a log outside of any document: [line, what, text, boot before it]
        here    => 0,        # number of outside lines since the last boot, kept or not
        before  => '',       # the text before the header of the open document, on its line
        # what stands before lines of the open document: a list of Pmulog::Prefix; undef: not known yet
        prefixes => undef,
        half     => '',       # the beginning of a line that conserver has broken
        hints    => {},       # readings (Pmulog::Reading) that may help if this one does not
        widest   => 0,        # characters of the longest line of a document
        parity   => undef,    # how the line was set, if bit 7 is a parity bit
        remarks  => {},       # sentences about the capture: those about all of it
        early    => 0,        # the last line was the state line of a log file whose run has not ended
    }, $class;
}

# Takes the next bytes, any number of them.
sub feed ($self, $bytes) {
    $self->{rest} .= $bytes;
    $self->_find_parity if !defined $self->{parity} && $self->{rest} =~ /[\x80-\xFF]/;
    $self->{rest} =~ tr/\x80-\xFF/\x00-\x7F/ if defined $self->{parity};
    my $end = rindex $self->{rest}, "\n";
    # Some line ends are a CR alone. What follows the last one decides whether an LF belongs to it.
    $end = $+[0] - 1 if $end < 0 && $self->{rest} =~ /\A.*\r\0*(?=[^\r\n\0])/s;
    if ($end < 0) {
        $self->_take_noise if length $self->{rest} >= LONGEST_NOISE;
        return;
    }
    for my $line (split /(?<=\n)/, substr $self->{rest}, 0, $end + 1, '') {
        my $lf = chomp $line;
        $self->{lf} += $lf;
        $line =~ s/\A\r+|(?<![\r\0])[\r\0]++\z//g;    # CR LF, CR CR LF, CR NUL LF, LF CR
        for my $part (index($line, "\r") < 0 ? $line : split /\r\0*/, $line) {
            $self->{remarks}{cr} //= 'its lines end in CR alone: set the program that captures to CR LF or LF'
                if $self->{open} && !$self->{lf};
            $self->_text($part, $self->{lf} ? $self->{lf} : ++$self->{line});
        }
        $self->{line} = $self->{lf} if $lf;
    }
    $self->_take_noise if length $self->{rest} >= LONGEST_NOISE;
}

# Takes pieces of a line that is very long. The rest of it is still to come, so a piece is no header, whatever
# it ends in.
sub _take_noise ($self) {
    while (length $self->{rest} >= LONGEST_NOISE) {
        my $piece = substr $self->{rest}, 0, LONGEST_NOISE - OVERLAP, '';
        $self->{on_text}->($self->_cleaned($piece), 0) if $self->{on_text};
        $self->_take($piece, $self->{line} + 1);
    }
}

# Looks for a header with parity bits.
sub _find_parity ($self) {
    for my $header (grep { index($self->{rest}, $_) >= 0 } keys %PARITY) {
        $self->{parity} = $PARITY{$header};
        $self->{remarks}{parity} =
              "its bytes have a parity bit: the capturing line was set to 8N1 and the board's to "
            . "$self->{parity}, or the other way round. Set both to 8N1";
    }
}

# Call this when no more bytes will come.
sub finish ($self) {
    my $text = $self->{rest} =~ s/\A\r+|(?<![\r\0])[\r\0]++\z//gr;
    $self->{rest} = '';
    for my $part (split /\r\0*/, $text) {
        my $open = $self->{open};
        my $number = $self->{line} + 1;
        if (   !$open
            || is_end(($self->_bare($self->_cleaned($part)))[0] =~ s/ +\z//r)
            || $part =~ /Bail out! |$HEADER\z/
            || $self->{lf} == 0)
        {
            $self->_text($part, $number);
        } else {
            $self->{on_text}->($self->_cleaned($part), 0) if $self->{on_text};
            $self->_flush;
            $open->cut($part, $number);
        }
        $self->{line}++ if !$self->{lf};
    }
    if ($self->{reading}) {
        $self->_line($_, $self->{line}) for $self->{reading}->rest;
    }
    $self->_close if $self->{open};
}

sub _close ($self) {
    $self->_flush;
    my $document = delete $self->{open} or return;
    my ($prefix) = @{ $self->{prefixes} // [] };
    push @{ $document->{remarks} }, $self->{reading}->remark if $self->{reading};
    push @{ $document->{remarks} },
        ($self->{every} ? 'every line begins' : 'lines begin')
        . " with '$prefix->{text}' or the like, which another program put there"
        if $prefix;
    push @{ $document->{remarks} }, map { $self->{remarks}{$_} } sort keys %{ $self->{remarks} };
    $self->{on_boot}->($self->{boots}, $document) if $self->{on_boot};
}

# What is left of a line without what cannot be text of a document: telnet commands, escape sequences of
# terminals, fill characters, flow control and other control characters. A blank that no line is broken at is
# a blank.
sub _cleaned ($self, $text) {
    return $text if $text !~ /[^ -~]/;
    if (   $text =~ s/(?:\xFF\xFE(?=[^\0]\0)|\xFE\xFF(?=\0[^\0]))//g
        || $text =~ /\A(?:(?:[^\0]\0){8}|(?:\0[^\0]){8})/)
    {
        $self->{remarks}{utf16} = "its characters have two bytes (UTF-16, which Windows PowerShell writes); "
            . "read without the second one";
    }
    $self->{remarks}{utf16} = 'its characters have four bytes (UTF-32); read without the other three'
        if $text =~ /\A\0{0,3}(?:[^\0]\0{3}){4}/;
    $text =~ s/\xFF(?:\xFA.*?\xFF\xF0|[\xFB-\xFE].?|[\xF0-\xF9])//gs;
    $text =~ s/\e(?:\[[0-?]*[ -\/]*[@-~]|\][^\a\e]*(?:\a|\e\\)|[ -\/]*[0-~])//g;
    $text =~ s/\xC2\xA0|\xA0(?=\0)|(?<=\0)\xA0/ /g;
    $text =~ tr/\x00-\x08\x0A-\x1F\x7F//d;
    return $text;
}

# A line of a document without what stands before it. True as the second value: the line goes on with the one
# before.
sub _bare ($self, $text) {
    my @prefixes =
          $self->{prefixes}     ? @{ $self->{prefixes} }
        : $self->{before} ne '' ? Pmulog::Prefix->new($self->{before})
        :                         ();
    my @bare = grep { $_->[0] ne $text } map { [ $_->without($text) ] } @prefixes;
    my ($best) = grep { $_->[0] eq '' || begins_like($_->[0]) } @bare;
    return @{ $best // $bare[0] // [ $text, 0 ] };
}

# Takes a line of the capture.
sub _text ($self, $text, $number) {
    $text = $self->_cleaned($text);
    $self->{on_text}->($text, 1) if $self->{on_text};
    return $self->_line($text, $number) if !$self->{reading};
    $self->_line($_, $number) for $self->{reading}->lines($text);
}

sub _line ($self, $text, $number) {
    my $open = $self->{open};
    my $bare = $text =~ /[ \t]\z/ ? $text =~ s/(?<![ \t])[ \t]++\z//r : $text;

    if (substr($bare, -length $HEADER) eq $HEADER) {
        my $before = substr $bare, 0, -length $HEADER;
        if ($open) {
            $self->_flush;
            $open->cut(($self->_bare($before))[0], $number);
            $self->_close;
        } else {
            $self->_outside($before, $number);
        }
        my $boot = ++$self->{boots};
        @$self{qw(here before prefixes half every split blanks)} = (0, $before, undef, '', 1, 0, '');
        $self->{open} =
            Pmulog::Document->new($number, $self->{sink} && $self->{sink}->($boot), $self->{early});
        $self->{early} = 0;
        return;
    }
    # The previous document may still be open, if its run hung. Empty lines, as an editor may leave, are
    # ignored.
    $self->{early} = $text =~ $SAVED_EARLY ? 1 : 0 if $text =~ /\S/;
    return $self->_take($text, $number);
}

# Takes a line, or a piece of one, that is no header.
sub _take ($self, $text, $number) {
    $self->{hints}{$_} = 1 for hints($text);
    my $open = $self->{open} or return $self->_outside(($self->_bare($text))[0], $number);
    if ($text !~ /\S/) {
        $self->{blanks} = $text if $text ne '';
        return;
    }
    $self->{widest} = length $text if $self->{widest} < length $text;
    my $goes_on = 0;
    # most lines of most captures are as they were sent
    if (!$self->{prefixes} || @{ $self->{prefixes} } || !begins_like($text)) {
        $self->_learn_prefix($text);
        ($text, $goes_on) = $self->_bare($text);
        $self->{hints}{odd} = 1 if $text =~ /\S/ && !begins_like($text);
    }
    if ($text =~ s/(?<=.)$MARK\z//) {
        $open->foreign($number);
        $self->{half} .= $text;
        return;
    }
    $text = $self->{half} . $text;
    $self->{half} = '';
    return $self->_document_line($text, $number) if !$self->{reading} || !$self->{reading}->joins;
    return $self->_join($text, $number, $goes_on);
}

# Takes a line in a reading in which lines may go on with the next one. held: what one line may be made of,
# and its number. goes_on: the line goes on with the piece before it, and so it does after a line that another
# program wrote into the middle.
sub _join ($self, $text, $number, $goes_on) {
    my $reading = $self->{reading};
    if (is_own($text)) {
        $self->{split} = 1;
        # another program has written behind the blanks that a line begins with
        if ($self->{blanks} ne '') {
            $self->_flush;
            $self->{held} = { pieces => [ $self->{blanks} ], number => $number };
            $self->{blanks} = '';
        }
        return $self->{open}->foreign($number);
    }
    if ($self->{held} && ($goes_on || $self->{split} && !begins_like($text))) {
        my $whole = pop(@{ $self->{held}{pieces} }) . $text;
        push @{ $self->{held}{pieces} }, $whole if !begins_like($whole);
        $text = begins_like($whole) ? $whole : undef;
    }
    @$self{qw(split blanks)} = (0, '');
    return if !defined $text;
    if ($self->{held} && @{ $self->{held}{pieces} } && $reading->continues($text)) {
        push @{ $self->{held}{pieces} }, $text;
        return;
    }
    $self->_flush;
    return $self->_document_line($text, $number) if is_end($text);
    $self->{held} = { pieces => [$text], number => $number };
}

sub _document_line ($self, $text, $number) {
    my $open = $self->{open} or return;
    $open->line($text, $number);
    $self->_close if $open->closed;
}

# Passes on the line that was held back, because the next one might have gone on with it.
sub _flush ($self) {
    my $held = delete $self->{held} or return;
    return if !@{ $held->{pieces} };
    return $self->_document_line($self->{reading}->joined(@{ $held->{pieces} }), $held->{number});
}

# The prefix shows in the second line of a document. Some programs write it only before some lines, or change
# its form: a prefix with a time is known by what follows it.
sub _learn_prefix ($self, $text) {
    if (!defined $self->{prefixes}) {
        my $prefix = prefix_of($self->{before}, $text) // return;
        @$self{qw(before prefixes)} = ('', $prefix ? [$prefix] : []);
        return;
    }
    my ($bare, $goes_on) = $self->_bare($text);
    if (@{ $self->{prefixes} } < MOST_PREFIXES && !$goes_on && !begins_like($bare) && prefix_with_time($bare))
    {
        push @{ $self->{prefixes} }, prefix_with_time($text);
        ($bare) = $self->_bare($text);
    }
    $self->{every} = 0 if $bare eq $text && begins_like($text);
}

sub _outside ($self, $text, $number) {
    my $what = looks_like($text) or return;
    push @{ $self->{outside} }, [ $number, $what, $text, $self->{boots} ] if $self->{here}++ < OUTSIDE_KEPT;
}

# Reads a file ('-': standard input) to its end. Dies with a message that names the file if it cannot be read.
sub read_file ($self, $path) {
    my $file;
    if ($path eq '-') {
        binmode STDIN;
        $file = *STDIN;
    } else {
        open $file, '<:raw', $path or die "cannot read $path: $!\n";
    }
    die "cannot read $path: it is a folder\n" if -d $file;
    my $read = reader($path, $file, $self->{remarks});
    while (defined(my $bytes = $read->())) {
        $self->{first} //= substr $bytes, 0, 4096;
        $self->feed($bytes);
    }
    $self->finish;
    return $self;
}

1;
