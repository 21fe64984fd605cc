# Ways to read a capture in which another program has changed every line or broken long ones: mail, a page, a
# terminal, a log in JSON. Pmulog::Check tries them on a capture whose logs are not whole. The CRC-32 of a log
# says which one is right: only the right one makes a log whole.
package Pmulog::Reading;

use v5.36;
use Exporter qw(import);
use JSON::PP ();
use Pmulog::Document qw(begins_like);

our @EXPORT_OK = qw(hints readings);

# In the order in which they are tried: name, what hints at it in a line, what is said of it.
my @READINGS = (
    [ 'json', qr/\A\s*(?:- )?\{\s*["\w]/, 'each line is a text in a JSON object; the object is left out' ],
    [ 'cast', qr/\A\[\s*[\d.]+,\s*"[io]",\s*"/, 'it is a recording of asciinema; its times are left out' ],
    [ 'quoted', qr/=(?:[0-9A-F]{2}|\z)/, 'it is quoted-printable, as mail programs send it; decoded' ],
    [
        'page',
        qr/&(?:gt|lt|amp|quot|apos|nbsp|#\d+|#x[0-9A-Fa-f]+);/,
        'its characters are those of a web page (&gt; for >); decoded'
    ],
    [
        'framed',
        qr/TAP version 13.*\S/,
        'every line ends with what another program put there, as ^M$ of cat -A; left out'
    ],
    [
        'flowed',
        qr/\A   (?:---|[A-Za-z]).*|\S \z/,
        'it is format=flowed, as mail programs send it: a line that ends in a blank goes on; joined'
    ],
    [
        'broken', undef,
        'long lines are broken, or other programs have written into the middle of lines; joined'
    ],
    [ 'wrapped', undef, 'long lines are broken between words; joined' ],
);

my %ENTITY = (lt => '<', gt => '>', amp => '&', quot => '"', apos => "'", nbsp => ' ');

# The names of the readings that a line hints at.
sub hints ($text) {
    return () if $text !~ tr/=&{[T// && substr($text, -1) ne ' ' && substr($text, 0, 3) ne '   ';
    return map { defined $_->[1] && $text =~ $_->[1] ? $_->[0] : () } @READINGS;
}

# All readings that these hints allow, in order; the hint `odd`: a line was none of a document. width:
# characters of the longest line.
sub readings ($hints, $width) {
    return map {
        $hints->{ defined $_->[1] ? $_->[0] : 'odd' }
            ? bless { name => $_->[0], says => $_->[2], width => $width, soft => '', flows => 0 }
            : ()
    } @READINGS;
}

sub remark ($self) { return $self->{says} }

# The lines that a line of the capture stands for.
sub lines ($self, $text) {
    my $name = $self->{name};
    if ($name eq 'json') {
        return $1 =~ s/''/'/gr if $text =~ /\bmsg: '((?:[^']|'')*)'/;    # YAML, as LAVA writes it, too
        my ($string) =
            $text =~ /"(?:log|message|MESSAGE|short_message|msg|line|text|data)"\s*:\s*("(?:[^"\\]|\\.)*")/
            or return $text;
        my $value = eval { JSON::PP->new->allow_nonref->decode($string) } // return $text;
        return $value =~ s/[\r\n]+\z//r;
    }
    if ($name eq 'cast') {
        my ($string) = $text =~ /\A\[\s*[\d.]+,\s*"o",\s*("(?:[^"\\]|\\.)*")\s*\]\s*\z/ or return ();    # its head, and what was typed
        $self->{soft} .= eval { JSON::PP->new->allow_nonref->decode($string) } // return $text;
        my @lines = split /\r*\n/, $self->{soft}, -1;
        $self->{soft} = pop @lines;
        return @lines;
    }
    if ($name eq 'quoted') {
        $text =~ s/[ \t]+\z//;
        $text .= "\n" if $text !~ s/=\z//;
        $self->{soft} .= $text =~ s/=([0-9A-F]{2})/chr hex $1/ger;
        my @lines = split /\r*\n/, $self->{soft}, -1;
        $self->{soft} = pop @lines;
        return @lines;
    }
    $text =~ s/\A // if $name eq 'flowed';    # which puts a blank before some lines
    $text =~
        s/&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,3})|#x([0-9A-Fa-f]{1,2}));/defined $1 ? $ENTITY{$1} : chr(defined $2 ? $2 : hex $3)/ge
        if $name eq 'page';
    if ($name eq 'framed') {
        $self->{frame} = $1 if $text =~ /TAP version 13\s*(\S.*)\z/;
        $text =~ s/\s*\Q$self->{frame}\E\z// if defined $self->{frame};
        $text =~ s/""/"/g if ($self->{frame} // '') eq '"';
    }
    return $text;
}

# The lines that are left at the end of the capture.
sub rest ($self) { return $self->{soft} eq '' ? () : $self->{soft} }

# True if lines may go on with the next one.
sub joins ($self) { return $self->{name} =~ /\A(?:flowed|broken|wrapped)\z/ }

# True if this line goes on with the one before. Called for each line.
sub continues ($self, $text) {
    if ($self->{name} eq 'flowed') {
        my $flows = $self->{flows};
        $self->{flows} = $text =~ / \z/;
        return $flows;
    }
    # a value, whose end may come in the next line
    return 0 if $text =~ /\A  (?:  -|[A-Za-z0-9][\w -]*:) '/;
    return !begins_like($text) || $text =~ /\A# (?:SKIP|unexplained:)/;
}

# The line that these pieces are.
sub joined ($self, @pieces) {
    my $last = pop @pieces;
    return join('', @pieces) . $last if $self->{name} eq 'flowed';
    return join(' ', map({ s/ +\z//r } @pieces), $last) if $self->{name} eq 'wrapped';
    # Some programs mark that a line goes on, at its end or before the rest. Otherwise a blank at the end of a
    # full line may have been stripped.
    return join('', map({ s/\\\z//r } @pieces), $last) if @pieces && !grep { !/\\\z/ } @pieces;
    my ($first, @rest) = (@pieces, $last);
    return join '', $first, map { substr $_, 1 } @rest if @rest && !grep { !/\A>/ } @rest;
    return join '', map({ length $_ == $self->{width} - 1 ? "$_ " : $_ } @pieces), $last;
}

1;
