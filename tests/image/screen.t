#!/usr/bin/perl
# The screen at the end of a run in QEMU: the text screen of a BIOS; a linear framebuffer where UEFI of 64
# bits starts the ISO from a CD, and none where UEFI of 32 bits starts it from a stick. The test takes
# pictures through QEMU's monitor and reads them cell by cell. The kernel copes with the state that UEFI
# leaves, and says what it found. On p4sim, the text screen is a file.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(log_faults);
use Compress::Zlib qw(uncompress);
use Fcntl qw(SEEK_SET);
use IO::Socket::UNIX;
use Time::HiRes qw(sleep time);
use Machine qw(boot_all cd stick firmware choose_inventory);
use Parallel qw(cores in_parallel);

my $USUAL = 30;    # seconds for UEFI under emulation beside another machine, up to the end of a run
my $HANGS = guard($USUAL);

# The VGA's colours that the kernel uses. Only the upper four bits of each component count: QEMU's VGA has six
# bits and makes up the others.
my %COLOUR = (
    black  => "\0\0\0",
    grey   => "\xA0\xA0\xA0",
    white  => "\xF0\xF0\xF0",
    red    => "\xA0\0\0",
    yellow => "\xA0\x50\0"
);

# The kernel's font: character => rows, each a string of 8 characters '#' or ' '.
my %glyph;
{
    my $character = ord ' ';
    for my $line (slurp('build/font.c') =~ /^    \{(.*?)\},/mg) {
        $glyph{ chr $character++ } = [ map { sprintf('%08b', hex) =~ tr/01/ #/r } split /, /, $line ];
    }
}
my ($CAPITAL_TOP, $CAPITAL_ROWS) = (1, 10);    # of the glyph's 13 rows

# ---- Pictures ----

# Reads a binary PPM with 8 bits for each colour.
sub picture ($path) {
    my ($width, $height, $pixels) = slurp($path) =~ /\AP6\s+(\d+)\s+(\d+)\s+255\s(.*)\z/s or return;
    return { width => $width, height => $height, pixels => $pixels &. "\xF0" x length $pixels };
}

# The first and the last pixel of such a file, which are all that is read of it.
sub corners ($path) {
    my $size = -s $path           or return;
    open my $file, '<:raw', $path or die "cannot read $path: $!";
    read $file, my $begin, 32;
    my ($header) = $begin =~ /\A(P6\s+\d+\s+\d+\s+255\s)/ or return;
    seek $file, $size - 3, SEEK_SET;
    read $file, my $last, 3;
    return map { $_ &. "\xF0\xF0\xF0" } substr($begin, length $header, 3), $last;
}

sub pixel ($picture, $x, $y) { return substr $picture->{pixels}, 3 * ($y * $picture->{width} + $x), 3 }

# Between two lines of the picture: the share of pixels that have one of the colours.
sub share ($picture, $from, $to, @colours) {
    my %wanted = map { $COLOUR{$_} => 1 } @colours;
    my $part = substr $picture->{pixels}, 3 * $picture->{width} * $from,
        3 * $picture->{width} * ($to - $from);
    my $count = grep { $wanted{$_} } unpack '(a3)*', $part;
    return $count / ($picture->{width} * ($to - $from));
}

# The rows of cells that the large letters fill, read in the middle of each cell: a string for each row, with
# '#' for white, ' ' for the colour, '?' for anything else.
sub letters ($picture, $columns, $rows, $colour, $cell_width) {
    my @lines;
    for my $row (1 .. $rows) {
        push @lines, join '', map {
            my $found = pixel($picture, int(($_ + 0.5) * $cell_width), 16 * $row + 8);
            $found eq $COLOUR{white} ? '#' : $found eq $COLOUR{$colour} ? ' ' : '?';
        } 0 .. $columns - 1;
    }
    return @lines;
}

# The expected rows: the word in the middle, each pixel of the font so many cells wide and high.
sub word_letters ($word, $columns, $wide, $high) {
    my @lines;
    for my $row ($CAPITAL_TOP .. $CAPITAL_TOP + $CAPITAL_ROWS - 1) {
        my $line = join '', map { $_ x $wide } split //, join '', map { $glyph{$_}[$row] } split //, $word;
        my $left = int(($columns - length $line) / 2);
        push @lines, (' ' x $left . $line . ' ' x ($columns - $left - length $line)) x $high;
    }
    return @lines;
}

# Reads a row of text from a framebuffer by its glyphs, which are grey or white.
my %character;
$character{ join '', @{ $glyph{$_} } } = $_ for keys %glyph;

sub text ($picture, $row) {
    my $text = '';
    for my $column (0 .. $picture->{width} / 8 - 1) {
        my $ink = '';
        for my $y (16 * $row + 1 .. 16 * $row + 13) {
            my $line = substr $picture->{pixels}, 3 * ($y * $picture->{width} + 8 * $column), 24;
            $ink .= $_ eq $COLOUR{grey} || $_ eq $COLOUR{white} ? '#' : ' ' for unpack '(a3)*', $line;
        }
        $text .= $character{$ink} // "\x7F";
    }
    return $text =~ s/ +\z//r;
}

# ---- Machines ----

# Reads the answer of QEMU's monitor up to its prompt.
sub answer ($monitor) {
    my $got = '';
    local $SIG{ALRM} =
        sub { report_hung("QEMU's monitor", $HANGS, answer => $got); die "the monitor does not answer\n" };
    alarm $HANGS;
    sysread $monitor, $got, 4096, length $got or last until $got =~ /\(qemu\) \z/;
    alarm 0;
    return $got;
}

# Boots a machine, waits for the last line of the log, and takes pictures until one has the colour in its
# corners and equals the one before, because the verdict is drawn last. Writes $name.log and $name.ppm. The
# picture alone shows the end if there is no serial line; after a key $name.page.ppm shows the first page of
# the log.
sub shoot ($name, $colour, @machine) {
    my $mute = grep { $_ eq '-serial' } @machine;
    my $child = fork // die "cannot fork: $!";
    if (!$child) {
        open STDOUT, '>', "$dir/$name.out";
        open STDERR, '>&', \*STDOUT;
        exec @machine, qw(-accel tcg -nodefaults -display none -no-reboot),
            $mute ? () : ('-serial', "file:$dir/$name.log"), '-monitor',
            "unix:$dir/$name.monitor,server,nowait";
    }
    my $log = sub { -e "$dir/$name.log" ? slurp("$dir/$name.log") : '' };
    my ($monitor, $gone);
    local $SIG{PIPE} = 'IGNORE';
    my $ended = sub { $gone ||= waitpid $child, POSIX::WNOHANG() };
# Waits until this is true. Returns false if QEMU has ended before, or if it took too long, which is reported.
    my $comes = sub ($what, $apart, $true) {
        my $end = time + $HANGS;
        until ($true->()) {
            return 0 if $ended->();
            sleep $apart;
            next if time <= $end;
            report_hung(
                "$what: @machine", $HANGS,
                'serial line' => $log->(),
                QEMU          => slurp("$dir/$name.out")
            );
            return 0;
        }
        return 1;
    };
    my $tell = sub ($command) {
        syswrite $monitor, "$command\n";
        return answer($monitor);
    };
    my $connected = sub { $monitor = IO::Socket::UNIX->new(Peer => "$dir/$name.monitor") };
    my $over = sub { $mute || $log->() =~ /^(?:# END OF TAP|Bail out!)[^\n]*\n/m };
    my $before = '';
    my $verdict = sub {
        $tell->(qq(screendump "$dir/$name.ppm"));
        return 0 if (grep { $_ eq $COLOUR{$colour} } corners("$dir/$name.ppm")) != 2;
        my $now = slurp("$dir/$name.ppm");
        my $same = $now eq $before;
        $before = $now;
        return $same;
    };
    # The pages follow one another, and the verdict comes again after the last one.
    my $first_page = sub {
        $tell->(qq(screendump "$dir/$name.page.ppm"));
        my $page = picture("$dir/$name.page.ppm");
        return $page && text($page, int($page->{height} / 16) - 1) =~ /^ page 1 of /;
    };
    if ($comes->("QEMU's monitor", 0.05, $connected)) {
        answer($monitor);
        $comes->('the end of a run', 0.05, $over) && $comes->('the verdict on the screen', 0.5, $verdict);
        $tell->('sendkey spc') && $comes->('the first page of the log', 0.5, $first_page) if $mute;
        syswrite $monitor, "quit\n";
    }
    return if $comes->('QEMU after quit', 0.05, $ended);
    kill 'KILL', $child;
    waitpid $child, 0;
}

my @bios = ('qemu-system-i386', '-m', '32', '-vga', 'std', '-kernel', $ELF);
# Name, word, its colour, columns, rows, width of a cell, cells for each pixel of the letters (x, y),
# framebuffer?, command.
my @shots = (
    [
        'UEFI of 64 bits, CD, no serial line',
        'SKIPPED', 'yellow', 128, 48, 8, 2, 1, 1, firmware('uefi64'), qw(-m 128 -vga std -serial none),
        cd($ISO)
    ],
    [ 'BIOS, skip', 'SKIPPED', 'yellow', 80, 25, 9, 1, 1, 0, @bios ],
    [ 'BIOS, broken', 'BROKEN', 'red', 80, 25, 9, 1, 1, 0, @bios, '-append', 'bogus' ],
);
# Without a screen; Machine.pm says why a stick has several tries.
my $blind = {
    title     => 'UEFI of 32 bits, stick, no framebuffer',
    firmware  => 'uefi32',
    arguments => [ stick($ISO) ],
    tries     => 5,
    dialogue  => [ choose_inventory() ],
};
in_parallel(
    cores(),
    @shots + 1,
    'boots',
    sub ($number) {
        if ($number == 0) {
            boot_all($USUAL, $blind);
            file('blind.log', $blind->{out});
            return 'done';
        }
        my $shot = $number - 1;
        my ($name, $word, $colour, @rest) = @{ $shots[$shot] };
        shoot($shot, $colour, @rest[ 6 .. $#rest ]);
        return 'done';
    }
);

subtest $blind->{title} => sub {
    my $log = slurp("$dir/blind.log");    # multiboot 2 brings the firmware's tables
    like $log, qr/Boot\d{4} "UEFI [^\r\n]*(?:DVD|USB)/, 'UEFI started it';
    like $log, $_, "the log has $_"
        for qr/TAP version 13\r\n1\.\.0 # SKIP \S/, qr/^# loader: GRUB [^\r\n]*, multiboot 2\r$/m,
        qr/^# apic ids: 0 \(ACPI MADT\)\r$/m,
        qr/^# board: QEMU, Standard PC [^\r\n]*\r\n# bios: \w/m, qr/^# log file: none: UEFI /m;
    is_deeply [ log_faults(document($log), 'skip') ], [], 'and it is whole';
    like $log, qr/^# END OF TAP: skip/m, 'the run comes to its end without a screen';
};

for my $number (0 .. $#shots) {
    my ($name, $word, $colour, $columns, $rows, $cell_width, $wide, $high, $framebuffer) =
        @{ $shots[$number] };
    subtest $name => sub {
        my $log = -e "$dir/$number.log" ? slurp("$dir/$number.log") : '';
        my $picture = -e "$dir/$number.ppm" ? picture("$dir/$number.ppm") : undef;
        my $page = -e "$dir/$number.page.ppm" ? picture("$dir/$number.page.ppm") : undef;
        like $log, $framebuffer ? qr/\A\z/ : $word eq 'BROKEN' ? qr/^Bail out!/m : qr/^# END OF TAP: skip/m,
            'the run comes to its end';
        ok $picture, 'there is a picture' or return;
        is $picture->{width}, $columns * $cell_width, 'its width';
        is int($picture->{height} / 16), $rows, 'and its rows';
        my $letters = $CAPITAL_ROWS * $high;
        is_deeply [ letters($picture, $columns, $letters, $colour, $cell_width) ],
            [ word_letters($word, $columns, $wide, $high) ], "$word in large letters";
        cmp_ok share($picture, 0, 16, 'white'), '>', 0.02, 'a name above it';
        my $below = 16 * ($letters + 2);
        my $text = 0;    # rows below the letters
        $text++ while share($picture, $below + 16 * $text, $below + 16 * ($text + 1), $colour, 'white') == 1;
        cmp_ok $text, $word eq 'BROKEN' ? '>' : '==', 1, 'why, below it, on the same colour';
        cmp_ok share($picture, $below, $below + 16, 'white'), '>', 0.005, 'in white';
        $below += 16 * $text;
        is share($picture, $below, 16 * ($rows - 1), qw(black grey)), 1, 'the log in grey';
        # pages may have taken its place
        cmp_ok share($picture, $below, $below + 4 * 16, 'grey'), '>', 0.01, 'and not empty' if !$framebuffer;
        cmp_ok share($picture, 16 * ($rows - 1), 16 * $rows, $colour), '>', 0.8,
            'the bottom line has the colour too';
        return unless $framebuffer;
        my @text = map { text($picture, $_) } 0 .. $rows - 1;
        like $text[-1], qr/^ SKIPPED: /, 'the bottom line can be read';
        like $text[0], qr/^ pmuproof \S+, build \S+\z/, 'and the name, version and build';
        ok $page, 'there is a page' or return;
        @text = map { text($page, $_) } 0 .. $rows - 1;
        like $text[0], qr/^ TAP version 13\z/, 'a key shows the log from its beginning';
        ok((grep { /^ # board: QEMU/ } @text), 'with the inventory') or diag join "\n", @text;
        like $text[-1], qr/^ page 1 of \d of the log: a key turns it, or 10 seconds/,
            'and says how it goes on';
    };
}
# p4sim writes the text screen as text, with the verdicts that QEMU's processor cannot reach. The screen may
# be all there is of a run: a photograph of it says what failed, and nothing of the sheet is left.
my @texts = (
    [ 'a pass', 'PASS', [], 'only=cascade.18-1' ],
    [ 'a pass that tested little', 'PASS', [qw(--board apic-off)], 'only=pmi' ],
    [ 'many failures', 'FAIL', [qw(--board counter-dead:12)], 'only=access,cascade,probe.cascade' ],
    [ 'an exception', 'FAIL', [], 'selftest=many', 'only=probe.cascade' ],
    [ 'a later loop', 'FAIL', [], qw(selftest=late only=state.cccr loop=2) ],
    [ 'a dead PMU', 'FAIL', [qw(--board msr-fault)] ],
    [ 'the time is over', 'BROKEN', [], qw(selftest=slow timeout=1 only=state) ],
);
for my $case (@texts) {
    my ($title, $word, $options, @words) = @$case;
    subtest "$title: the screen of p4sim" => sub {
        unlink "$dir/screen.txt";
        my $log = p4sim(@$options, '--screen', "$dir/screen.txt", $ELF, @words)->{out} =~ s/\r//gr;
        my @screen = split /\n/, slurp("$dir/screen.txt"), -1;
        my %value = $log =~ /^# (build|version): (.*)$/mg;
        is shift @screen, " pmuproof $value{version}, build $value{build}", 'the name';
        my ($wide) = $word eq 'BROKEN' ? 1 : 2;
        is_deeply [ @screen[ 0 .. $CAPITAL_ROWS - 1 ] ],
            [ map { s/ +\z//r } word_letters($word, 80, $wide, 1) ], $word;
        my @text = @screen[ $CAPITAL_ROWS + 1 .. 22 ];

        if (my ($reason) = $log =~ /^Bail out! (.*)$/m) {
            is shift @text, " $reason", 'why';
        } else {
            my ($totals) = $log =~ /^# (\d+ passed, .* of \d+.*)$/m;
            is shift @text, " $totals", 'the totals';
            my ($untested) = $log =~ /^# (not tested: .*)$/m;
            is shift(@text) . shift(@text) =~ s/\A  //r, " $untested", 'what was not tested'
                if defined $untested;
        }
        return like join("\n", @text), qr/^# END OF TAP: pass/m, 'then the log' if $word eq 'PASS';
        shift @text if $word eq 'BROKEN';    # the totals so far

        # The failed families, each with its number; those of later loops, too.
        my (%failed, @order);
        for my $id ($log =~ /^(?:not ok \d+ - |# soak loop \d+: not ok - )(\S+)/mg) {
            my @parts = split /\./, $id;
            my $family = join '.', @parts[ 0 .. (@parts > 2 ? 1 : 0) ];
            push @order, $family if !$failed{$family}++;
        }
        my $families = shift @text;
        $families .= ' ' . shift(@text) =~ s/\A +//r while $text[0] =~ /^   /;
        my $named = join ', ', map { "$_ ($failed{$_})" } @order;
        my ($shown) = $families =~ /\A failed: (.*?)(?:, \d+ in other families)?\z/;
        ok index($named, $shown) == 0, 'the families, whole words' or diag $families, $named;

        my ($first) = $log =~ /^(?:not ok \d+ - |# soak loop \d+: not ok - )(\S+)/m;
        is shift @text, " first failure: $first", 'the first failure';
        my ($block) = $log =~ /^(?:# soak loop \d+: )?not ok [^\n]*\n((?:(?:# )?  [^\n]*\n)+)/m;
        my $told = join ' ', grep { $_ ne '' } @text;
        my $due = join ' ', map { s/''/'/gr }
            map { $block =~ /^(?:# )?  $_: '(.*)'$/m ? "$_: $1" : () } qw(what expected observed);
        is $told =~ s/\s+/ /gr, " $due", 'what was expected and observed, and nothing else';
    };
}

# The picture in README.md is of a pass. Its letters, the colours and the last row are those of any pass; what is between them differs.
subtest 'docs/screen.png' => sub {
    my ($shown, $now) = map { rows_of_png($_) } slurp('docs/screen.png'),
        run(10, qw(tools/picture build only=state.cccr))->{out};
    is scalar @$shown, 25 * 16, 'as many lines of pixels as a text screen has';
    my %rows = ('version and letters' => [ 0 .. 11 ], 'the last row' => [24]);
    for my $what (sort keys %rows) {
        my @lines = map {
            my $row = $_;
            map { 16 * $row + $_ } 0 .. 15
        } @{ $rows{$what} };
        ok join('', @$shown[@lines]) eq join('', @$now[@lines]), "$what: `make figures` draws the picture";
    }
};

# The lines of pixels of a PNG as tools/picture writes it.
sub rows_of_png ($png) {
    my ($length) = $png =~ /(....)IDAT/s or return [];
    my $pixels = uncompress(substr $png, $+[0], unpack 'N', $length);
    return [ unpack '(a321)*', $pixels ];    # a filter, and 640 pixels of four bits
}

is run(1, 'tools/font', '/usr/share/fonts/X11/misc/8x13B-ISO8859-1.pcf.gz')->{out}, slurp('build/font.c'),
    'tools/font makes the font';

done_testing;
