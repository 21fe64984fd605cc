#!/usr/bin/perl
# make layers: the tree's rooms use only what is below them, and a tree in which one does not is refused.
use lib 'tests/image';
use ImageTest;
use Cwd qw(getcwd);
use File::Path qw(make_path);

my $layers = getcwd() . '/tools/layers';

my $TABLE = <<'END';
chain house  cellar hall attic
header attic/names.h
upward bell
entry  hall/door
END

# A small tree in which all is well: path => text.
my %WELL = (
    'rooms'          => $TABLE,
    'cellar/stove.h' => "int heat(void);\n",
    'cellar/stove.c' => qq(#include "stove.h"\nint bell(void);\nint heat(void) { return bell(); }\n),
    'hall/lamp.c'    =>
        qq(#include "cellar/stove.h"\n#include "attic/names.h"\nint lamp(void) { return heat(); }\n),
    'hall/door.c'   => qq(int bell(void);\nint chest(void);\nint main(void) { return chest(); }\n),
    'attic/names.h' => "enum { NAME };\n",
    'attic/chest.h' => "int chest(void);\n",
    'attic/chest.c' => qq(#include "chest.h"\nint bell(void) { return 1; }\nint chest(void) { return 2; }\n),
    map { ("hall/$_.c" => "int r$_(void) { return 0; }\n") } 1 .. 4,
);

# Write this tree, compile it and let tools/layers judge it. What was compiled before is not compiled again.
sub judged {
    my (%files) = (%WELL, @_);
    state %compiled;
    my $dir = File::Temp->newdir;
    my @objects;
    for my $path (sort keys %files) {
        my ($folder) = $path =~ m{\A(.*)/} ? $1 : '.';
        make_path("$dir/$folder");
        spew("$dir/$path", $files{$path});
    }
    my $home = getcwd();
    chdir $dir or die "cannot enter $dir: $!";
    for my $source (grep { /\.c\z/ } sort keys %files) {
        my $object = "build/kernel/$source" =~ s/c\z/o/r;
        make_path($object =~ s{/[^/]+\z}{}r);
        $compiled{ $files{$source} } //= do {
            my $made = run(1, 'gcc', '-I.', '-c', '-o', $object, $source);
            die $made->{err} if $made->{status};
            slurp($object);
        };
        spew($object, $compiled{ $files{$source} });
        push @objects, $object;
    }
    my $judged = run(1, $layers, 'rooms', @objects);
    chdir $home or die "cannot go back to $home: $!";
    return $judged;
}

# Files of the hall, each of which calls the next one.
sub circle ($files) {
    return map {
        my $next = $_ % $files + 1;
        ("hall/$_.c" => "int r$next(void);\nint r$_(void) { return r$next(); }\n")
    } 1 .. $files;
}

my $well = judged();
is $well->{status}, 0, 'a tree that goes downwards is accepted' or diag $well->{err};
like $well->{out},
    qr/\Alayers: 11 sources and 8 objects, all directed downwards; the largest circle within a room is of 0 files/,
    '... and says what it looked at';

my $three = judged(circle(3));
ends(
    $three, 0,
    'a circle of three files is accepted and counted',
    out => qr/largest circle within a room is of 3 files/
);

my @REFUSED = (
    [
        'an include of a room above',
        qr{^cellar/stove\.c:1: cellar may not include attic/chest\.h}m,
        'cellar/stove.c' => qq(#include "attic/chest.h"\nint heat(void) { return 0; }\n)
    ],
    [
        'a header of the own room by its path',
        qr{^hall/1\.c:1: includes hall/own\.h of its own room by its path}m,
        'hall/own.h' => '',
        'hall/1.c'   => qq(#include "hall/own.h"\n)
    ],
    [
        'a source in a room that the table does not know',
        qr{^sim/shed/rake: room sim/shed is not in rooms}m,
        'sim/shed/rake.c' => "int rake;\n"
    ],
    [
        'an include from such a room',
        qr{^hall/1\.c:1: hall may not include shed/rake\.h: shed is not below it}m,
        'shed/rake.h' => '',
        'hall/1.c'    => qq(#include "shed/rake.h"\n)
    ],
    [
        'a call upwards without an include',
        qr{^cellar/stove: refers to chest of attic/chest, which is not below it}m,
        'cellar/stove.c' => "int chest(void);\nint heat(void) { return chest(); }\n"
    ],
    [ 'a circle of four files', qr{in a circle: hall/1, hall/2, hall/3, hall/4$}m, circle(4) ],
    [
        'an unknown word in the table',
        qr/^rooms:2: unknown word 'floor'; allowed: chain, header, upward, entry/m,
        rooms => "chain house cellar hall attic\nfloor tiles\n"
    ],
);
for my $case (@REFUSED) {
    my ($name, $said, @files) = @$case;
    my $judged = judged(@files);
    isnt $judged->{status}, 0, "refused: $name";
    like $judged->{err}, $said, '... with the place';
}

done_testing;
