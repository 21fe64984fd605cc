# What a test of this folder begins with: strict, warnings, Test::More, all functions of tools/lib/Image.pm, a temporary folder
# $dir, and the functions below. prove runs tests from the top of the tree.
package ImageTest;

use strict;
use warnings;
use Exporter ();
use File::Temp;
use lib 'tools/lib', 'tests/image';
use Image qw(run spew);
use Test::More ();

our $dir = File::Temp->newdir;

sub import {
    strict->import;
    warnings->import;
    Test::More->export_to_level(1);
    local $Exporter::ExportLevel = 1;
    Image->import(@Image::EXPORT_OK);
    our @EXPORT = qw($dir file kernel);
    ImageTest->Exporter::import;
    return;
}

# Writes a file with these bytes in the temporary folder; returns its path.
sub file {
    my ($name, $bytes) = @_;
    return spew("$dir/$name", $bytes);
}

# Builds the multiboot kernel tests/image/NAME.asm with these symbols defined. Returns its path.
sub kernel {
    my ($name, @defines) = @_;
    my $path = join '-', "$dir/$name", @defines;
    for my $command (
        [ qw(nasm -f elf32 -Werror -Itests/image/), (map { "-D$_" } @defines), '-o', "$path.o", "tests/image/$name.asm" ],
        [ qw(ld -m elf_i386 -N -Ttext=0x100000 --no-warn-rwx-segments -o), $path, "$path.o" ],
    ) {
        my $made = run(1, @$command);
        die "$made->{command}: $made->{err}" unless defined $made->{status} && $made->{status} == 0;
    }
    return $path;
}

1;
