#!/usr/bin/perl
# The boot menu: its entries, and in QEMU an entry by its key over the serial line, the keyboard, both serial
# ports, an edited line, and no key at all. The menu starts a kernel that prints how it was started
# (echo.asm).
use lib 'tests/image';
use ImageTest;
use Machine qw(boot_all cd $MENU);

my $USUAL = 30;          # seconds for one beside another
my $WAIT = 5;            # seconds the menu waits
my $STATUS_SKIP = 39;    # QEMU's (README, "What you see")
my $ASKED = 1;           # seconds that a medium is asked to wait on a machine with a serial line

my $kernel = kernel('echo');

sub medium ($kind, $path) {
    my $made = run(2, 'iso/build-iso', $kind, $kernel, $path);
    defined $made->{status} && $made->{status} == 0 or die "$made->{command}: $made->{err}";
}
delete $ENV{MENU_SECONDS};
medium('bios', "$dir/echo.iso");
{
    local $ENV{MENU_SECONDS} = $ASKED;
    medium('bios', "$dir/asked.iso");
}

# The entries as docs/run-on-a-board.md promises them: key, boot line.
my @entries = (
    [ f => 'watchdog=once' ],
    [ q => 'quick' ],
    [ m => 'only=EX18-1,EX18-2,filter.example' ],
    [ p => 'only=probe' ],
    [ s => 'loop=forever quiet watchdog' ],
    [ i => 'inventory' ],
    [ l => 'list' ],
);

my $grub = run(2, 'iso/menu', 'grub.cfg', $ELF)->{out};
my @in_menu =
    map { [ $_->[0] => $_->[1] // '' ] }
    map { [/^menuentry "([a-z])  [^"]*" --hotkey=\1 \{\n    pmuproof(?: (.*))?\n\}$/m] }
    $grub =~ /^(menuentry "[a-z] .*?^\}$)/msg;
is_deeply \@in_menu, \@entries, 'the entries';

my @cases = (
    { title => 'a key', line => 'only=EX18-1,EX18-2,filter.example', dialogue => [ [ $MENU => 'm' ] ] },
    {
        title     => 'nobody there, a shorter time asked for',
        line      => 'watchdog=once',
        arguments => [ cd("$dir/asked.iso") ]
    },
    {
        title     => 'nobody there, without a serial line',
        arguments => [ cd("$dir/asked.iso") ],
        lines     => ['monitor']
    },
    {
        title    => 'the keyboard',
        line     => 'quick',
        lines    => [qw(com1 monitor)],
        dialogue => [ [ $MENU => "sendkey down\nsendkey ret\n", 'com1', 'monitor' ] ]
    },
    {
        title    => 'COM2, back, and COM2 again',
        line     => 'console=ttyS1 quick',
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
        line     => 'quick only=state',
        dialogue => [
            [ $MENU                => "\cN" . 'e' ],               # the second entry
            [ qr/pmuproof quick/   => "\cN\cN\cE only=state" ],    # the end of its line
            [ qr/quick only=state/ => "\cX" ],
        ],
    },
);

for my $case (@cases) {
    $case->{firmware} = 'bios';
    unshift @{ $case->{arguments} }, cd("$dir/echo.iso") if !grep { $_ eq '-cdrom' } @{ $case->{arguments} };
}
boot_all($USUAL, @cases);

for my $case (grep { defined $_->{line} } @cases) {
    my ($echo) = "$case->{out}$case->{com2}" =~ /ECHO: ([^\r\n]*)/;
    is $echo, $case->{line}, "$case->{title}: the boot line"
        or diag "status ", $case->{status} // 'none',
        ", $case->{unmet} steps unmet, $case->{seconds} s: $case->{err}",
        substr $case->{out}, -300;
}

# The menu names the program, and the version and build that a kernel of ours has in it.
my ($title) = $cases[0]{out} =~ /(This is pmuproof[^\e\r\n]*?) *(?:\e|\r|\n)/;
is $title, 'This is pmuproof', 'the menu names the program';
my %value = p4sim($ELF, 'inventory')->{out} =~ /^# (build|version): (\S+)\r$/mg;
for my $menu (
    [ 'grub.cfg'      => qr/^menuentry "This is (.*)" \{$/m ],
    [ 'pmuproof.ipxe' => qr/^menu (.*) \$\{console\}$/m ]
    )
{
    my ($file, $line) = @$menu;
    my $made = run(1, 'iso/menu', $file, $ELF);
    like $made->{out}, $line, "$file has a line for it";
    my ($name) = $made->{out} =~ $line;
    is $name, "pmuproof $value{version}, build $value{build}", 'with version and build';
}

# Without a key the menu waits five seconds, or as long as it was asked to if there is a serial line. A slow
# machine can only make that longer.
my %of = map { $_->{title} => $_ } @cases;
my ($asked, $silent) = @of{ 'nobody there, a shorter time asked for', 'nobody there, without a serial line' };
my ($first) = $asked->{out} =~ /executed automatically in (\d+)s/;
is $first, $ASKED, "$asked->{title}: it counts from that";
cmp_ok $asked->{seconds}, '>=', $ASKED, 'and waits as long';
is $silent->{out}, '', "$silent->{title}: there is none";
is $silent->{status}, $STATUS_SKIP, 'the kernel is started';
cmp_ok $silent->{seconds}, '>=', $WAIT, 'after the usual time';
# On a busy host the last figure says little, so the menu's text says it, too.
is_deeply [ $grub =~ /set timeout=(.*)/g ], [ $WAIT, '$serial_timeout' ], 'the menu has two times';
like $grub, qr/^if serial [^\n]*; then\n(?: [^\n]*\n)* +set timeout=\$serial_timeout\n(?: [^\n]*\n)*fi$/m,
    'the second is for a serial line';

for my $seconds (qw(0 100 5s), ' ') {
    local $ENV{MENU_SECONDS} = $seconds;
    my $run = run(2, 'iso/menu', 'grub.cfg', $ELF);
    isnt $run->{status}, 0, "MENU_SECONDS='$seconds' is refused";
    like $run->{err}, qr/'\Q$seconds\E'.*1 to 99/, 'the reason is said';
}

# The kernel accepts the boot lines of the menu.
for my $entry (@entries) {
    my ($key, $line) = @$entry;
    my $run = p4sim($ELF, split(' ', $line), $line eq 'list' ? () : 'list');
    unlike $run->{out}, qr/^Bail out!/m, "key $key: the kernel knows the words";
    like $run->{out}, qr/^# END OF TAP: skip/m, 'and ends';
}

done_testing;
