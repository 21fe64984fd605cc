#!/usr/bin/perl
# The signature of a release (tools/sign, docs/release.md): what the page says to check ends with status 0 for
# the release as it is, and with another status for one of which a byte has changed. The key is made for the
# test.
use lib 'tests/image';
use ImageTest;

plan skip_all => 'no gpg here' if !grep { -x "$_/gpg" } split /:/, $ENV{PATH};

mkdir "$dir/keys", 0700 or die "cannot make a folder: $!";
mkdir "$dir/release"    or die "cannot make a folder: $!";
$ENV{GNUPGHOME} = "$dir/keys";
my $KEY = 'releaser@example.net';
my $made =
    run(5, 'gpg', '--batch', '--passphrase', '', '--quick-generate-key', $KEY, 'ed25519', 'sign', 'never');
is $made->{status}, 0, 'a key' or diag $made->{err};

file('release/pmuproof.elf', "a kernel\n");
run(1, 'sh', '-c', "cd '$dir/release' && sha256sum pmuproof.elf > SHA256SUMS");
my ($commands) = slurp('docs/release.md') =~ /((?:^       \S.*\n)+)/m;
like $commands, qr/gpg --verify.*sha256sum --check/s, 'the page has the commands';
sub checked { return run(2, 'sh', '-e', '-c', "cd '$dir/release'\n$commands")->{status} }

isnt checked(), 0, 'without a signature';
is run(2, 'tools/sign', '--check', $KEY)->{status}, 0, 'the key is there';
ends(
    run(2, 'tools/sign', '--check', 'nobody@example.net'),
    1,
    'and another one is not',
    err => qr/no secret key 'nobody\@example\.net'/
);
ends(run(2, 'tools/sign', $KEY, "$dir/keys"), 1, 'nothing to sign', err => qr/no .*SHA256SUMS to sign/);
is run(2, 'tools/sign', $KEY, "$dir/release")->{status}, 0, 'signed';
is checked(), 0, 'the release as it is';

for my $change ([ 'pmuproof.elf', "a kerne1\n", 'a file has changed' ],
    [ 'SHA256SUMS', slurp("$dir/release/SHA256SUMS") . "\n", 'the list has changed' ])
{
    my ($name, $bytes, $title) = @$change;
    my $before = slurp("$dir/release/$name");
    file("release/$name", $bytes);
    isnt checked(), 0, $title;
    file("release/$name", $before);
}
is checked(), 0, 'and as it was again';
run(1, 'gpgconf', '--kill', 'gpg-agent');

done_testing;
