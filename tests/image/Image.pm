# What the image tests share: run a command under a time limit, and take a serial log apart.
package Image;

use strict;
use warnings;
use Compress::Raw::Zlib qw(crc32);
use Exporter 'import';
use File::Temp;
use POSIX ();
use TAP::Parser;
use Time::HiRes ();

our @EXPORT_OK = qw(run run_qemu p4sim slurp spew assembled document results not_ok_blocks end_line log_faults one_line $ELF $ISO $BIOS_ISO $P4SIM);

our ($ELF, $ISO, $BIOS_ISO, $P4SIM) = qw(build/pmuproof.elf build/pmuproof.iso build/pmuproof-bios.iso build/p4sim);

# The file's bytes.
sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "cannot read $path: $!";
    local $/;
    my $bytes = <$file>;
    return defined $bytes ? $bytes : '';
}

# A file with these bytes; returns its path.
sub spew {
    my ($path, $bytes) = @_;
    open my $file, '>:raw', $path or die "cannot write $path: $!";
    print {$file} $bytes or die "cannot write $path: $!";
    close $file or die "cannot write $path: $!";
    return $path;
}

# Run a command (a list, no shell), at most $seconds long, standard input empty. Returns a hash: status (the
# exit status, or undef), signal, late (the limit was reached), seconds, out, err. A command that is late is
# killed with its whole process group.
sub run {
    my ($seconds, @command) = @_;
    my ($out, $err) = (File::Temp->new, File::Temp->new);
    my $started = Time::HiRes::time();
    my $child = fork;
    die "cannot fork: $!" unless defined $child;
    if (!$child) {
        setpgrp;
        open STDIN,  '<',  '/dev/null'     or POSIX::_exit(126);
        open STDOUT, '>&', $out->fileno    or POSIX::_exit(126);
        open STDERR, '>&', $err->fileno    or POSIX::_exit(126);
        exec { $command[0] } @command or print STDERR "cannot run $command[0]: $!\n";
        POSIX::_exit(127);
    }
    my $late = 0;
    while (!waitpid $child, POSIX::WNOHANG()) {
        if (!$late && Time::HiRes::time() - $started > $seconds) {
            $late = 1;
            kill 'KILL', -$child;
        }
        Time::HiRes::sleep(0.005);
    }
    my $signal = $? & 127;
    return {
        command => "@command",
        status  => $signal ? undef : $? >> 8,
        signal  => $signal,
        late    => $late,
        seconds => Time::HiRes::time() - $started,
        out     => slurp($out->filename),
        err     => slurp($err->filename),
    };
}

# p4sim with these arguments, at most a minute long.
sub p4sim {
    return run(60, $P4SIM, @_);
}

# The multiboot kernel that nasm and ld make of this source, with these symbols defined: its path.
sub assembled {
    my ($source, $path, @defines) = @_;
    for my $command (
        [ qw(nasm -f elf32 -Wall -Werror), (map { "-D$_" } @defines), '-o', "$path.o", $source ],
        [ qw(ld -m elf_i386 -N -Ttext=0x100000 --no-warn-rwx-segments -o), $path, "$path.o" ],
    ) {
        my $made = run(60, @$command);
        die "$made->{command}: $made->{err}" unless defined $made->{status} && $made->{status} == 0;
    }
    return $path;
}

# A QEMU machine with 32 MB, one serial line (the result's out), isa-debug-exit at F4H, and these arguments,
# at most 20 seconds long.
sub run_qemu {
    my @machine = qw(-accel tcg -m 32 -nodefaults -display none -no-reboot -serial stdio);
    return run(20, 'qemu-system-i386', @machine, '-device', 'isa-debug-exit,iobase=0xf4,iosize=4', @_);
}

# The TAP document in a serial capture: from its version line to the end marker, without what firmware and
# loader wrote before. Empty when there is none.
sub document {
    my ($capture) = @_;
    my $start = index $capture, 'TAP version 13';
    return '' if $start < 0;
    my $log = substr $capture, $start;
    $log =~ s/(^\# END OF TAP[^\n]*\n).*/$1/ms;
    return $log;
}

# Parse a TAP document (an empty one has no plan). Returns the finished TAP::Parser and the list of its test
# results.
sub results {
    my ($log) = @_;
    my $parser = TAP::Parser->new({ tap => $log eq '' ? "\n" : $log });
    my @tests;
    while (my $result = $parser->next) {
        push @tests, $result if $result->is_test;
    }
    return ($parser, @tests);
}

# The failed points of a log with their YAML blocks: id => text of the block ('' when there is none).
sub not_ok_blocks {
    my ($log) = @_;
    my %block;
    while ($log =~ /^not ok \d+ - (\S+)[^\n]*\n((?:  ---\r?\n(?:  [^\n]*\n)*?  \.\.\.\r?\n)?)/mg) {
        $block{$1} = $2;
    }
    return %block;
}

# The end line of a log with this verdict, for the end of a capture.
sub end_line {
    my ($verdict) = @_;
    return qr/\r\n# END OF TAP: $verdict, \d+ lines, CRC-32 [0-9A-F]{8}\r\n\z/;
}

# What is wrong with a document, in words; nothing when it is whole and its end line has this verdict.
sub log_faults {
    my ($log, $verdict) = @_;
    my ($crc, $lines, $points, $planned, $end, @faults) = (crc32(''), 0, 0);
    for my $line (split /\r\n/, $log) {
        push @faults, "something follows the end line: $line" if defined $end;
        $lines++;
        $planned = $1 if $lines == 2 && $line =~ /\A1\.\.(\d+)/;
        if ($line =~ /\A(?:not )?ok |\A# soak /) {
            my ($text, $seal) = $line =~ /\A(.*) #([0-9A-F]{4})\z/ or push(@faults, "no seal: $line"), next;
            push @faults, "wrong seal: $line" if hex $seal != (crc32($text, $crc) & 0xFFFF);
            my ($number) = $text =~ /ok (\d+) - /;
            push @faults, "wrong number: $line" if $text !~ /\A# soak / && $number != ++$points;
        }
        elsif ($line =~ /\A# END OF TAP: ((\w+), (\d+) lines), CRC-32 ([0-9A-F]{8})\z/) {
            $end = $2;
            push @faults, "$3 lines, not $lines" if $3 != $lines;
            push @faults, 'wrong CRC-32' if hex $4 != crc32("# END OF TAP: $1", $crc);
        }
        $crc = crc32("$line\n", $crc);
    }
    push @faults, "$points points of " . ($planned // 'no plan') if $points != ($planned // -1) && defined $verdict;
    push @faults, 'end line says ' . ($end // 'nothing') if ($end // '') ne ($verdict // '');
    return @faults;
}

# True when text is exactly one line, ended.
sub one_line {
    my ($text) = @_;
    return $text =~ /\A[^\n]+\n\z/;
}

1;
