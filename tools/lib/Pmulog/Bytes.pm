# What the bytes of a capture are, besides text: packed, or no log at all.
package Pmulog::Bytes;

use v5.36;
use Exporter qw(import);
use IO::Uncompress::Bunzip2;
use IO::Uncompress::Gunzip;
use IO::Uncompress::Unzip;

our @EXPORT_OK = qw(reader what_is);

use constant PIECE => 262_144;

# What is unpacked: the first bytes, the name, the module.
my @PACKED = ([ "\x1F\x8B" => 'gzip', 'IO::Uncompress::Gunzip' ], [ 'BZh' => 'bzip2', 'IO::Uncompress::Bunzip2' ], [ "PK\x03\x04" => 'zip', 'IO::Uncompress::Unzip' ]);

# What is not: how it begins, what it is, what to do.
my @KNOWN = (
    [ qr/\A\xFD7zXZ\0/         => 'xz', 'unpack it first: xz -d' ],
    [ qr/\A\x28\xB5\x2F\xFD/   => 'zstd', 'unpack it first: zstd -d' ],
    [ qr/\A\x04\x22\x4D\x18/   => 'lz4', 'unpack it first: lz4 -d' ],
    [ qr/\A\x1F\x9D/           => 'compress', 'unpack it first: uncompress' ],
    [ qr/\A7z\xBC\xAF/         => '7-Zip', 'unpack it first: 7z x' ],
    [ qr/\A%PDF-/              => 'PDF', 'ask for the log as text' ],
    [ qr/\A\{\\rtf/            => 'RTF', 'save it as text' ],
    [ qr/\A(?:\x89PNG|\xFF\xD8\xFF|GIF8)/ => 'a picture', 'a picture of the screen is no log: read the verdict on it' ],
    [ qr/\A\x7FELF/            => 'a program, perhaps the kernel itself', 'name the log' ],
    [ qr/\A\s*<(?:!DOCTYPE|html|\?xml)/i => 'a web page, XML, or a document of an office program', 'ask for the log as text' ],
    [ qr/\A(?:[0-9a-fA-F]{6,}:? +(?:[0-9a-fA-F]{2,4} +){4})/ => 'a dump in hexadecimal', 'turn it back into bytes: xxd -r, or xxd -r -p' ],
    [ qr/\A(?:[A-Za-z0-9+\/]{60,76}\r?\n){2}/ => 'base64', 'decode it first: base64 -d' ],
    [ qr/\Abegin(?:-base64)? \d{3,4} /   => 'uuencoded', 'decode it first: uudecode' ],
);

# What bytes without a log are, with what to do, in words; '' if that is not known.
sub what_is($bytes) {
    my ($known) = grep { $bytes =~ $_->[0] } @KNOWN;
    return $known ? "its bytes are $known->[1]; $known->[2]" : '';
}

# A function that returns the next bytes of a file, unpacked, and undef at its end. remarks: gets a sentence about what it unpacks.
# The function dies with a message that names the file if it cannot be read.
sub reader($path, $file, $remarks) {
    my $next = sub {
        my $got = sysread $file, my $bytes, PIECE;
        die "cannot read $path: $!\n" if !defined $got;
        return $got ? $bytes : undef;
    };
    my $first = $next->();
    my ($packed) = defined $first ? grep { index($first, $_->[0]) == 0 } @PACKED : ();
    return sub { my $bytes = $first; $first = undef; return $bytes // $next->() } if !$packed;
    my (undef, $name, $module) = @$packed;
    my $unpack = $module->new($file, Prime => $first, MultiStream => 1) or return sub { return undef };
    $remarks->{packed} = "it was packed with $name; read unpacked";
    return sub {
        my $got = $unpack->read(my $bytes, PIECE);
        $remarks->{packed} = "it was packed with $name, and cannot be unpacked to its end" if $got < 0;
        return $got > 0 ? $bytes : undef;
    };
}

1;
