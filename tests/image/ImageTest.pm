# What a test of this folder begins with: strict, warnings, Test::More, all functions of tools/lib/Image.pm, a temporary folder
# $dir, and the functions below. prove runs tests from the top of the tree.
package ImageTest;

use strict;
use warnings;
use Exporter ();
use File::Temp;
use lib 'tools/lib', 'tests/image';
use Image qw(assembled spew);
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
    return assembled("tests/image/$name.asm", join('-', "$dir/$name", @defines), @defines);
}

1;
