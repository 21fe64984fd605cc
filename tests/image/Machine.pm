# Runs QEMU machines, as many at the same time as there are cores, with a dialogue on their serial lines: a
# test says what is typed after which output. QEMU's processor has no NetBurst PMU.
package Machine;

use v5.36;
use Exporter 'import';
use Fcntl;
use File::Temp;
use IO::Select;
use Image qw(guard report_hung);
use Parallel qw(cores);
use POSIX qw(mkfifo);
use Time::HiRes ();

our @EXPORT_OK = qw(boot_all cd stick firmware pentium4 press_enter choose_inventory $MENU);

# What the boot menu prints while it waits.
our $MENU = qr/executed automatically in \d+s/;

# The arguments for every machine: enough memory for UEFI, isa-debug-exit at F4H.
my @MACHINE = (
    qw(-accel tcg -m 128 -nodefaults -display none -no-reboot),
    '-device', 'isa-debug-exit,iobase=0xf4,iosize=4',
);

# A BIOS that finds nothing to boot resets the machine after so many milliseconds; with -no-reboot that ends
# QEMU.
my $NO_MEDIUM = 1;

# The emulator for each firmware, and where Debian installs that firmware. 32-bit UEFI is built for the Q35
# board only.
my %FIRMWARE = (
    bios   => [ 'qemu-system-i386', '-boot', "reboot-timeout=$NO_MEDIUM" ],
    bios64 => [ 'qemu-system-x86_64', '-boot', "reboot-timeout=$NO_MEDIUM" ],
    uefi64 => [ 'qemu-system-x86_64', pflash('OVMF_CODE_4M.fd', 'OVMF_VARS_4M.fd') ],
    uefi32 =>
        [ 'qemu-system-i386', '-machine', 'q35', pflash('OVMF32_CODE_4M.secboot.fd', 'OVMF32_VARS_4M.fd') ],
);

# The emulator and its arguments for this firmware.
sub firmware ($name) { return @{ $FIRMWARE{$name} } }

sub pflash ($code, $variables) {
    return (
        '-drive', "if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/$code",
        '-drive', "if=pflash,format=raw,snapshot=on,file=/usr/share/OVMF/$variables",
    );
}

# QEMU's arguments for an image as a CD, and as a USB stick.
sub cd ($image) { return ('-cdrom', $image) }

sub stick ($image) {
    return (
        '-drive', "if=none,id=stick,format=raw,file=$image,snapshot=on",
        '-device', 'qemu-xhci',
        '-device', 'usb-storage,drive=stick',
    );
}

# QEMU's arguments for a processor whose CPUID claims a Pentium 4 with two threads and no hypervisor. Only
# QEMU's MISC_ENABLE shows that it has no PMU: the bit for performance monitoring is clear.
sub pentium4 ($bits) {
    my $model = $bits == 64 ? 'qemu64' : 'pentium3';
    return (
        '-cpu', "$model,vendor=GenuineIntel,family=15,model=4,stepping=1,level=5,-hypervisor",
        '-smp', '2,sockets=1,cores=1,threads=2',
    );
}

# The step of a dialogue that starts the first entry of the boot menu at once.
sub press_enter { return [ $MENU => "\r" ] }

# The step that starts the menu's entry "Inventory": without a PMU to test, only then more than the processor
# is looked at, and the log is written to the boot medium.
sub choose_inventory { return [ $MENU => 'i' ] }

# The lines through which a test can talk to a machine, and the arguments that connect each to the pipes of
# its name.
my %LINE = (
    com1    => [ '-serial', 'chardev:com1' ],
    com2    => [ '-serial', 'chardev:com2' ],
    monitor => [ '-mon', 'chardev=monitor' ],    # the monitor: QEMU's own command line
);

# Boots machines, each as soon as a core is free for it: a machine that gets too little of a core misses the
# time limits of its firmware. $usual is how many seconds a machine usually takes beside another one, from its
# own start; one that seems to hang is killed and reported (Image::guard). A machine is a hash:
#   title, for messages; firmware: bios, bios64, uefi64 or uefi32; arguments: a list for QEMU
#   lines: those of %LINE that it has; com1 alone by default
#   dialogue: a list of steps [pattern => text, seen, typed]: when the pattern has appeared on the line `seen`
#       since the step before, the text is typed on the line `typed`; both are com1 by default
#   tries: how often it may be booted until the kernel starts; once by default. On a busy host QEMU's USB
#       transfers may end too late: then the BIOS finds no stick, or the loader waits for ever. So a try that
#       is not the last one is ended after twice the usual time if the kernel has not started by then.
# Adds to each hash: status (exit status, or undef), late (it was killed), seconds, out (the output on com1),
# com2, err (QEMU's own messages), unmet (how many steps were left), tried (how often it was booted).
sub boot_all ($usual, @machines) {
    local $SIG{PIPE} = 'IGNORE';
    my $dir = File::Temp->newdir;
    my $select = IO::Select->new;
    my $together = cores();
    $_->{tried} = 0 for @machines;
    my @to_start = @machines;
    while (my @running = running(@machines) or @to_start) {
        while (@running < $together && @to_start) {
            push @running, shift @to_start;
            start($running[-1], $dir, $select);
        }
        my %ready = map { $_ => 1 } $select->can_read(0.1);
        for my $machine (@running) {
            hear($machine, $_, $select)
                for grep { $ready{ $machine->{handles}{$_} } } keys %{ $machine->{handles} };
            $machine->{seconds} = Time::HiRes::time() - $machine->{started};
            if (!exists $machine->{handles}{err}) {
                ended($machine);
                start($machine, $dir, $select) if may_try_again($machine);
            } elsif (!$machine->{late} && $machine->{seconds} >= patience($machine, $usual)) {
                $machine->{late} = 1;
                kill 'KILL', $machine->{process};
                report_machine_hung($machine) if !may_try_again($machine);
            }
        }
    }
}

# The machines that have been started and have not ended.
sub running (@machines) {
    return grep { exists $_->{handles}{err} } @machines;
}

# After how many seconds a machine is killed: after twice the usual time if the kernel has not started and the
# machine may be tried again, otherwise when it seems to hang.
sub patience ($machine, $usual) { return may_try_again($machine) ? 2 * $usual : guard($usual) }

# True if the kernel has not started, as far as com1 shows, and the machine has tries left.
sub may_try_again ($machine) {
    return $machine->{tried} < ($machine->{tries} // 1)
        && ($machine->{heard}{com1} // '') !~ /^\r?TAP version/m;
}

sub report_machine_hung ($machine) {
    report_hung("$machine->{title}, with " . @{ $machine->{steps} } . ' steps of its dialogue to come',
        $machine->{seconds}, map { $_ => $machine->{heard}{$_} // '' } qw(com1 com2 err));
}

sub ended ($machine) {
    waitpid $machine->{process}, 0;
    $machine->{status} = $? & 127 ? undef : $? >> 8;
    @$machine{qw(out com2 err)} = map { $_ // '' } @{ $machine->{heard} }{qw(com1 com2 err)};
    $machine->{unmet} = @{ $machine->{steps} };
}

# Each line is two named pipes. A socket would not do: if nobody reads it, a few hundred single characters
# fill its buffer, and the kernel sees a UART that no longer takes bytes.
sub start ($machine, $dir, $select) {
    state $started = 0;
    my $path = "$dir/" . $started++;
    my @command = (@{ $FIRMWARE{ $machine->{firmware} } }, @MACHINE, @{ $machine->{arguments} });
    my (%handles, %to);
    for my $line (@{ $machine->{lines} || ['com1'] }) {
        mkfifo("$path.$line.$_", 0600)                            or die "$path.$line.$_: $!" for qw(in out);
        sysopen $to{$line}, "$path.$line.in", O_RDWR | O_NONBLOCK or die "$path.$line.in: $!";
        sysopen $handles{$line}, "$path.$line.out", O_RDWR | O_NONBLOCK or die "$path.$line.out: $!";
        push @command, '-chardev', "pipe,id=$line,path=$path.$line", @{ $LINE{$line} };
    }
    pipe $handles{err}, my $theirs or die "pipe: $!";
    my $child = fork;
    die "cannot fork: $!" unless defined $child;
    if (!$child) {
        open STDIN, '<', '/dev/null'  or POSIX::_exit(126);
        open STDOUT, '>&', $theirs    or POSIX::_exit(126);
        open STDERR, '>&', $theirs    or POSIX::_exit(126);
        exec { $command[0] } @command or print STDERR "cannot run $command[0]: $!\n";
        POSIX::_exit(127);
    }
    %$machine = (
        %$machine,
        tried   => $machine->{tried} + 1,
        process => $child,
        started => Time::HiRes::time(),
        late    => 0,
        handles => \%handles,
        to      => \%to,
        heard   => {},
        read_to => {},
        steps   => [ @{ $machine->{dialogue} || [] } ],
    );
    $select->add(values %handles);
}

# Reads what a line has sent. If QEMU has ended, reads the rest of all lines.
sub hear ($machine, $line, $select) {
    my $handle = $machine->{handles}{$line} or return;    # the line before was the last one
    if (sysread $handle, my $bytes, 65536) {
        $machine->{heard}{$line} .= $bytes;
        talk($machine);
    } elsif ($line eq 'err') {
        for my $rest (grep { $_ ne 'err' } keys %{ $machine->{handles} }) {
            $machine->{heard}{$rest} .= $bytes while sysread $machine->{handles}{$rest}, $bytes, 65536;
        }
        $select->remove(values %{ $machine->{handles} });
        $machine->{handles} = {};
    }
}

# Does the steps whose patterns have appeared.
sub talk ($machine) {
    while (my $step = $machine->{steps}[0]) {
        my ($pattern, $text, $seen, $typed) = @$step;
        $seen ||= 'com1';
        my $heard = substr $machine->{heard}{$seen} // '', $machine->{read_to}{$seen} // 0;
        return unless $heard =~ $pattern;
        $machine->{read_to}{$seen} += $+[0];
        shift @{ $machine->{steps} };
        syswrite $machine->{to}{ $typed || 'com1' }, $text;
    }
}

1;
