# What a test of this folder begins with: strict, warnings, Test::More, all functions of tools/lib/Image.pm,
# Runs.pm and Tool.pm, a temporary folder $dir, and the functions below. prove runs tests from the top of the tree.
package ImageTest;

use v5.36;
use Exporter ();
use feature ();
use File::Temp;
use lib 'tools/lib', 'tests/image';
use Image qw(assembled spew);
use Runs ();
use Test::More;
use Tool ();

our $dir = File::Temp->newdir;

sub import {
    strict->import;
    warnings->import;
    feature->import(':5.36');
    Test::More->export_to_level(1);
    local $Exporter::ExportLevel = 1;
    Image->import(@Image::EXPORT_OK);
    Runs->import(@Runs::EXPORT_OK);
    Tool->import(@Tool::EXPORT_OK);
    our @EXPORT = qw($dir ends file in_test_all kernel);
    ImageTest->Exporter::import;
}

# These values, if `make test-all` runs: the checks of `make test` on a further processor, board or machine of
# QEMU, or with a further file that is made in the same way.
sub in_test_all (@values) { return $ENV{TEST_ALL} ? @values : () }

# Checks that a run ended with this status, and that what it printed has these words: out => PATTERN, err =>
# PATTERN.
sub ends ($run, $status, $title, %says) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;    # a failure is the caller's
    is $run->{status}, $status, "$title: status $status" or diag $run->{err};
    like $run->{$_}, $says{$_}, $title for sort keys %says;
}

# Writes a file with these bytes in the temporary folder; returns its path.
sub file ($name, $bytes) { return spew("$dir/$name", $bytes) }

# Builds the multiboot kernel tests/image/NAME.asm with these symbols defined. Returns its path.
sub kernel ($name, @defines) {
    return assembled("tests/image/$name.asm", join('-', "$dir/$name", @defines), @defines);
}

1;
