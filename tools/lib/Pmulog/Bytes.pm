# What the bytes of a capture are, besides text: packed, or no log at all.
package Pmulog::Bytes;

use v5.36;
use Exporter qw(import);

our @EXPORT_OK = qw(reader what_is);

use constant PIECE => 262_144;

# What is unpacked: the first bytes, the name, the module. Most files need none of these modules, and loading
# them takes as long as judging a log.
my @PACKED = (
    [ "\x1F\x8B"   => 'gzip', 'IO::Uncompress::Gunzip' ],
    [ 'BZh'        => 'bzip2', 'IO::Uncompress::Bunzip2' ],
    [ "PK\x03\x04" => 'zip', 'IO::Uncompress::Unzip' ]
);

# What is not: how it begins, what it is, what to do.
my @KNOWN = (
    [ qr/\A\xFD7zXZ\0/       => 'xz', 'unpack it first: xz -d' ],
    [ qr/\A\x28\xB5\x2F\xFD/ => 'zstd', 'unpack it first: zstd -d' ],
    [ qr/\A\x04\x22\x4D\x18/ => 'lz4', 'unpack it first: lz4 -d' ],
    [ qr/\A\x1F\x9D/         => 'compress', 'unpack it first: uncompress' ],
    [ qr/\A7z\xBC\xAF/       => '7-Zip', 'unpack it first: 7z x' ],
    [ qr/\A%PDF-/            => 'PDF', 'ask for the log as text' ],
    [ qr/\A\{\\rtf/          => 'RTF', 'save it as text' ],
    [
        qr/\A(?:\x89PNG|\xFF\xD8\xFF|GIF8)/ => 'a picture',
        'a picture of the screen is no log: read the verdict on it'
    ],
    [ qr/\A\x7FELF/ => 'a program, perhaps the kernel itself', 'name the log' ],
    [
        qr/\A\s*<(?:!DOCTYPE|html|\?xml)/i => 'a web page, XML, or a document of an office program',
        'ask for the log as text'
    ],
    [
        qr/\A(?:[0-9a-fA-F]{6,}:? +(?:[0-9a-fA-F]{2,4} +){4})/ => 'a dump in hexadecimal',
        'turn it back into bytes: xxd -r, or xxd -r -p'
    ],
    [ qr/\A(?:[A-Za-z0-9+\/]{60,76}\r?\n){2}/ => 'base64', 'decode it first: base64 -d' ],
    [ qr/\Abegin(?:-base64)? \d{3,4} /        => 'uuencoded', 'decode it first: uudecode' ],
);

# What bytes without a log are, with what to do, in words; '' if that is not known.
sub what_is ($bytes) {
    my ($known) = grep { $bytes =~ $_->[0] } @KNOWN;
    return $known ? "its bytes are $known->[1]; $known->[2]" : '';
}

# ttyrec writes before each piece of text the seconds since 1970, the microseconds and the length, four bytes each.
use constant { TTYREC_HEAD => 12, TTYREC_TIMES => 3 };

# Do the bytes begin with such a head, and does another one follow its text, not earlier, and then a third one?
sub is_ttyrec ($bytes) {
    my ($at, $before) = (0, 1_000_000_000);    # the year 2001
    for (1 .. TTYREC_TIMES) {
        return 0 if length $bytes < $at + TTYREC_HEAD;
        my ($seconds, $microseconds, $length) = unpack 'V3', substr $bytes, $at, TTYREC_HEAD;
        return 0 if $seconds < $before || $microseconds >= 1_000_000 || $length == 0;
        ($before, $at) = ($seconds, $at + TTYREC_HEAD + $length);
    }
    return 1;
}

sub without_times ($bytes, $next) {
    my $text_left = 0;                         # of the piece that has begun
    return sub {
        my $out = '';
        while ($out eq '') {
            if (length $bytes < ($text_left || TTYREC_HEAD)) {
                my $more = $next->();
                if (!defined $more) {
                    return undef if $bytes eq '' || !$text_left;
                    ($out, $bytes) = ($bytes, '');
                    return $out;
                }
                $bytes .= $more;
                next;
            }
            while (length $bytes >= ($text_left || TTYREC_HEAD)) {
                my $taken = substr $bytes, 0, $text_left || TTYREC_HEAD, '';
                $out .= $taken if $text_left;
                $text_left = $text_left ? 0 : unpack 'x8V', $taken;
            }
        }
        return $out;
    };
}

# A function that returns the next bytes of a file, unpacked, and undef at its end. remarks: gets a sentence
# about what it unpacks. The function dies with a message that names the file if it cannot be read.
sub reader ($path, $file, $remarks) {
    my $next = sub {
        my $got = sysread $file, my $bytes, PIECE;
        die "cannot read $path: $!\n" if !defined $got;
        return $got ? $bytes : undef;
    };
    my $first = $next->();
    if (defined $first && is_ttyrec($first)) {
        $remarks->{packed} = 'it is a recording of ttyrec; its times are left out';
        return without_times($first, $next);
    }
    my ($packed) = defined $first ? grep { index($first, $_->[0]) == 0 } @PACKED : ();
    return sub { my $bytes = $first; $first = undef; return $bytes // $next->() }
        if !$packed;
    my (undef, $name, $module) = @$packed;
    eval "require $module"                                              or die $@;
    my $unpack = $module->new($file, Prime => $first, MultiStream => 1) or return sub { return undef };
    $remarks->{packed} = "it was packed with $name; read unpacked";
    return sub {
        my $got = $unpack->read(my $bytes, PIECE);
        $remarks->{packed} = "it was packed with $name, and cannot be unpacked to its end" if $got < 0;
        return $got > 0 ? $bytes : undef;
    };
}

1;
