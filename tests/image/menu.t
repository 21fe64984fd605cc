#!/usr/bin/perl
# The boot menu: every entry by its key over the serial line, the keyboard, both serial ports, an edited line, and no key at
# all. The menu starts a kernel that prints how it was started (echo.asm).
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib", $FindBin::Bin;
use Image qw(run p4sim assembled $ELF);
use Machine qw(boot_all cd $MENU);

my $USUAL = 30;                 # seconds for all together
my $WAIT  = 5;                  # seconds the menu waits

my $dir = File::Temp->newdir;
my $made = run(2, qw(iso/build-iso hybrid), assembled("$FindBin::Bin/echo.asm", "$dir/echo.elf"), "$dir/echo.iso");
defined $made->{status} && $made->{status} == 0 or die "$made->{command}: $made->{err}";

# The entries as docs/run-on-a-board.md promises them: key, boot line.
my @entries = (
    [ f => '' ],
    [ q => 'quick' ],
    [ m => 'only=cascade.18-1,cascade.18-2' ],
    [ p => 'only=probe' ],
    [ s => 'loop=forever quiet watchdog' ],
    [ i => 'inventory' ],
    [ l => 'list' ],
);

my @cases = map { { title => "key $_->[0]", line => "multiboot 1: $_->[1]", dialogue => [ [ $MENU => $_->[0] ] ] } } @entries;
push @cases, (
    { title => 'nobody there', line => 'multiboot 1: ' },
    {
        title    => 'the keyboard',
        line     => 'multiboot 1: only=cascade.18-1,cascade.18-2',
        lines    => [qw(com1 monitor)],
        dialogue => [ [ $MENU => "sendkey down\nsendkey down\nsendkey ret\n", 'com1', 'monitor' ] ],
    },
    {
        title    => 'COM2, back, and COM2 again',
        line     => 'multiboot 1: console=ttyS1 quick',
        lines    => [qw(com1 com2)],
        dialogue => [
            [ $MENU               => '2' ],
            [ qr/COM1 again/      => '1', 'com2', 'com2' ],
            [ qr/instead of COM1/ => '2' ],
            [ qr/COM1 again/      => 'q', 'com2', 'com2' ],
        ],
    },
    {
        title    => 'an edited line',
        line     => 'multiboot 1: quick only=state',
        dialogue => [
            [ $MENU                 => "\cN" . 'e' ],                         # the second entry
            [ qr/pmuproof quick/    => "\cN\cN\cE only=state" ],              # the end of its line
            [ qr/quick only=state/  => "\cX" ],
        ],
    },
    {
        title     => 'UEFI',
        firmware  => 'uefi64',
        arguments => [qw(-vga std)],
        line      => 'multiboot 2: quick RSDP framebuffer',
        dialogue  => [ [ $MENU => 'q' ] ],
    },
);

for my $case (@cases) {
    $case->{firmware} ||= 'bios';
    $case->{arguments} = [ cd("$dir/echo.iso"), @{ $case->{arguments} || [] } ];
}
boot_all($USUAL, @cases);

for my $case (@cases) {
    my ($echo) = "$case->{out}$case->{com2}" =~ /ECHO ([^\r\n]*)/;
    is $echo, $case->{line}, "$case->{title}: the boot line"
        or diag "status ", $case->{status} // 'none', ", $case->{unmet} steps unmet, $case->{seconds} s: $case->{err}",
        substr $case->{out}, -300;
}

# Without a key the menu waits five seconds. A slow machine can only make that longer.
my ($alone) = grep { $_->{title} eq 'nobody there' } @cases;
my @counted = $alone->{out} =~ /executed automatically in (\d+)s/g;
is $counted[0], $WAIT, 'it counts from five';
cmp_ok $alone->{seconds}, '>=', $WAIT, 'and waits as long';

# The kernel accepts the boot lines of the menu.
for my $entry (@entries) {
    my ($key, $line) = @$entry;
    my $run = p4sim($ELF, split(' ', $line), $line eq 'list' ? () : 'list');
    unlike $run->{out}, qr/^Bail out!/m, "key $key: the kernel knows the words";
    like $run->{out}, qr/^# END OF TAP: skip/m, 'and ends';
}

done_testing;
