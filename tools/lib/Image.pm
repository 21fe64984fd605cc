# What the tests and the tools that run the image share: run a command that may hang, and take a serial log apart.
package Image;

use strict;
use warnings;
use Compress::Raw::Zlib qw(crc32);
use Exporter 'import';
use File::Temp;
use POSIX ();
use TAP::Parser;
use Time::HiRes ();

our @EXPORT_OK = qw(run run_until guard tell_hung run_qemu p4sim slurp spew assembled document results not_ok_blocks end_line log_faults one_line within_budget $LOG_BUDGET $ELF $ISO $BIOS_ISO $P4SIM);

our ($ELF, $ISO, $BIOS_ISO, $P4SIM) = qw(build/pmuproof.elf build/pmuproof.iso build/pmuproof-bios.iso build/p4sim);

# The log's byte budget: a full run's log, without noise and under it, is shorter than this, so that it is through a serial
# line of 115200 baud in less than four seconds. Who adds a vector pays for its lines with others.
our $LOG_BUDGET = 45_000;

# What is wrong with the length of a log, in words; '' when it keeps to the budget.
sub within_budget {
    my ($log) = @_;
    my $over = length($log) - $LOG_BUDGET;
    return $over < 0 ? '' : sprintf 'the log has %d bytes, %d more than its budget allows (tools/lib/Image.pm)', length $log, $over + 1;
}

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

# No test judges speed. A command is given the time that it usually takes on two idle cores; one that takes ten times as
# long, and a minute and a half at least, is taken to hang. These are the only time limits of the tests and of tools/.
my ($TIMES, $LEAST) = (10, 90);
my $TOLD = 3000;    # bytes of each output that are shown of a command that hangs

# After how many seconds a command hangs that usually takes this long.
sub guard {
    my ($usual) = @_;
    return $TIMES * $usual > $LEAST ? $TIMES * $usual : $LEAST;
}

# Tell on standard error that a command was killed because it hung: after how many seconds, and what it had printed until
# then (pairs of a name and the bytes).
sub tell_hung {
    my ($command, $seconds, @printed) = @_;
    my $text = sprintf "Killed because it seems to hang, after %.0f s: %s\n", $seconds, $command;
    while (my ($name, $bytes) = splice @printed, 0, 2) {
        my $all = length $bytes;
        $bytes = "... " . substr $bytes, -$TOLD if $all > $TOLD;
        $text .= "$name until then, $all bytes" . ($all ? ":\n" . $bytes =~ s/^/  /gmr =~ s/\r|\n\z//gr : '') . "\n";
    }
    print STDERR $text =~ s/^/# /gmr;
    return;
}

# Run a command (a list, no shell) that usually takes $usual seconds, standard input empty. Returns a hash: status (the
# exit status, or undef), signal, late (it was killed because it hung, and this was told), seconds, out, err. What is
# killed is its whole process group.
sub run {
    my ($usual, @command) = @_;
    return supervise({ usual => $usual }, @command);
}

# Like run, for a command that has no end of its own: it is killed one second after its output has matched the pattern
# (`stopped` in the result is true then), unless it ends before.
sub run_until {
    my ($usual, $pattern, @command) = @_;
    return supervise({ usual => $usual, pattern => $pattern }, @command);
}

sub supervise {
    my ($how, @command) = @_;
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
    my ($late, $matched, $stopped) = (0, undef, 0);
    my $looked = $started;
    while (!waitpid $child, POSIX::WNOHANG()) {
        my $now = Time::HiRes::time();
        if (!$late && !$stopped) {
            if (defined $how->{pattern} && !defined $matched && $now - $looked > 0.1) {
                $looked = $now;
                $matched = $now if slurp($out->filename) =~ $how->{pattern};
            }
            $stopped = defined $matched && $now - $matched > 1;
            $late = !$stopped && $now - $started > guard($how->{usual});
            kill 'KILL', -$child if $stopped || $late;
        }
        Time::HiRes::sleep(0.005);
    }
    my $signal = $? & 127;
    my $run = {
        command => "@command",
        status  => $signal ? undef : $? >> 8,
        signal  => $signal,
        late    => $late,
        stopped => $stopped,
        seconds => Time::HiRes::time() - $started,
        out     => slurp($out->filename),
        err     => slurp($err->filename),
    };
    tell_hung($run->{command}, $run->{seconds}, 'standard output' => $run->{out}, 'standard error' => $run->{err}) if $late;
    return $run;
}

# p4sim with these arguments. A full run takes 2 s, the longest soak of the tests 12 s.
sub p4sim {
    return run(12, $P4SIM, @_);
}

# The multiboot kernel that nasm and ld make of this source, with these symbols defined: its path.
sub assembled {
    my ($source, $path, @defines) = @_;
    for my $command (
        [ qw(nasm -f elf32 -Wall -Werror), (map { "-D$_" } @defines), '-o', "$path.o", $source ],
        [ qw(ld -m elf_i386 -N -Ttext=0x100000 --no-warn-rwx-segments -o), $path, "$path.o" ],
    ) {
        my $made = run(1, @$command);
        die "$made->{command}: $made->{err}" unless defined $made->{status} && $made->{status} == 0;
    }
    return $path;
}

# A QEMU machine with 32 MB, one serial line (the result's out), isa-debug-exit at F4H, and these arguments. It takes 2 s,
# with a boot menu that nobody uses 8 s.
sub run_qemu {
    my @machine = qw(-accel tcg -m 32 -nodefaults -display none -no-reboot -serial stdio);
    return run(10, 'qemu-system-i386', @machine, '-device', 'isa-debug-exit,iobase=0xf4,iosize=4', @_);
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
