# Functions for the tests, and for the tools that run the image: running a command that may hang, and reading
# a serial log.
package Image;

use v5.36;
use Ending qw(@ENDING ending not_ending);
use Exporter 'import';
use File::Temp;
use List::Util qw(min);
use POSIX ();
use TAP::Parser;
use Time::HiRes ();

our @EXPORT_OK = qw(run run_until guard report_hung run_qemu slurp spew assembled document results
    diagnoses catchers end_line one_line within_budget $LOG_BUDGET $ELF $ISO $BIOS_ISO $P4SIM);

our ($ELF, $ISO, $BIOS_ISO, $P4SIM) =
    qw(build/pmuproof.elf build/pmuproof.iso build/pmuproof-bios.iso build/p4sim);

# The byte budget of the log: the log of a full run, with or without noise, must be shorter than this, so that
# a serial line of 115200 baud transmits it in little more than five seconds. A new vector whose lines exceed
# the budget must save them elsewhere.
our $LOG_BUDGET = 60_000;

# Returns '' if the log keeps to the budget, otherwise what is wrong, in words.
sub within_budget ($log) {
    my $over = length($log) - $LOG_BUDGET;
    return $over < 0
        ? ''
        : sprintf 'the log has %d bytes, %d more than its budget allows (tools/lib/Image.pm)', length $log,
        $over + 1;
}

# Returns the bytes of a file.
sub slurp ($path) {
    open my $file, '<:raw', $path or die "cannot read $path: $!";
    local $/;
    my $bytes = <$file>;
    return defined $bytes ? $bytes : '';
}

# Writes a file with these bytes; returns its path.
sub spew ($path, $bytes) {
    open my $file, '>:raw', $path or die "cannot write $path: $!";
    print {$file} $bytes          or die "cannot write $path: $!";
    close $file                   or die "cannot write $path: $!";
    return $path;
}

# No test judges speed. For each command the caller says how long it usually takes on two idle cores. A
# command that takes ten times as long, and at least 90 s, is assumed to hang and is killed. Tests and tools
# have no other time limits.
my ($TIMES, $LEAST) = (10, 90);
my $SHOWN = 3000;    # bytes of each output that are shown of a command that hangs
my $GRACE = 10;      # seconds in which a command that is ended may end what it has started

# After how many seconds a command that usually takes $usual seconds is assumed to hang.
sub guard ($usual) { return $TIMES * $usual > $LEAST ? $TIMES * $usual : $LEAST }

# Reports on standard error that a command was killed because it seemed to hang: after how many seconds, and
# what it had printed (pairs of a name and bytes).
sub report_hung ($command, $seconds, @printed) {
    my $text = sprintf "Killed because it seems to hang, after %.0f s: %s\n", $seconds, $command;
    while (my ($name, $bytes) = splice @printed, 0, 2) {
        my $all = length $bytes;
        $bytes = "... " . substr $bytes, -$SHOWN if $all > $SHOWN;
        $text .= "$name until then, $all bytes"
            . ($all ? ":\n" . $bytes =~ s/^/  /gmr =~ s/\r|\n\z//gr : '') . "\n";
    }
    print STDERR $text =~ s/^/# /gmr;
}

# Runs a command (a list, no shell) that usually takes $usual seconds, with empty standard input. Returns a
# hash: status (the exit status, or undef), signal, late (true if it seemed to hang; it and its process group
# were then killed, and that was reported), seconds, out, err. A signal that ends this program ends the
# command, too.
sub run ($usual, @command) { return supervise({ usual => $usual }, @command) }

# Like run, for a command that does not end by itself: it is killed one second after its output matched the
# pattern, unless it has ended by then. `stopped` in the result is true if it was killed.
sub run_until ($usual, $pattern, @command) {
    return supervise({ usual => $usual, pattern => $pattern }, @command);
}

# How: `usual` and `pattern` as above, and `start`: a sub that becomes the command in place of exec, and does
# not return.
sub supervise ($how, @command) {
    my ($out, $err) = (File::Temp->new, File::Temp->new);
    my $started = Time::HiRes::time();
    my $child;
    local @SIG{@ENDING} = ending(sub { end_group($child) if $child });
    $child = fork;
    die "cannot fork: $!" unless defined $child;
    if (!$child) {
        not_ending();
        setpgrp;
        open STDIN, '<', '/dev/null'    or POSIX::_exit(126);
        open STDOUT, '>&', $out->fileno or POSIX::_exit(126);
        open STDERR, '>&', $err->fileno or POSIX::_exit(126);
        $how->{start}->(@command) if $how->{start};
        exec { $command[0] } @command or print STDERR "cannot run $command[0]: $!\n";
        POSIX::_exit(127);
    }
    my ($late, $matched, $stopped) = (0, undef, 0);
    my $looked = $started;
    while (!waitpid $child, POSIX::WNOHANG()) {
        my $now = Time::HiRes::time();
        if (!$stopped) {
            if (defined $how->{pattern} && !defined $matched && $now - $looked > 0.1) {
                $looked = $now;
                $matched = $now if slurp($out->filename) =~ $how->{pattern};
            }
            $stopped = defined $matched && $now - $matched > 1;
            $late = !$stopped && $now - $started > guard($how->{usual});
            kill 'KILL', -$child if $stopped;
            if ($late) {
                end_group($child);
                last;
            }
        }
        Time::HiRes::sleep(min(0.05, 0.002 + ($now - $started) / 20));    # 5 % of its time at most
    }
    my $signal = $? & 127;
    my $run = {
        command => "@command",
        status  => $signal || $late ? undef : $? >> 8,
        signal  => $signal,
        late    => $late,
        stopped => $stopped,
        seconds => Time::HiRes::time() - $started,
        out     => slurp($out->filename),
        err     => slurp($err->filename),
    };
    report_hung(
        $run->{command}, $run->{seconds},
        'standard output' => $run->{out},
        'standard error'  => $run->{err}
    ) if $late;
    return $run;
}

# Ends the process group of a child. A command in the group may have started other groups with run(). SIGTERM
# lets the command end them. Leaves the status of the child in $?, as waitpid does.
sub end_group ($child) {
    my ($status, $reaped);
    my $end = Time::HiRes::time() + $GRACE;
    kill 'TERM', -$child or kill 'TERM', $child;    # it may not have its group yet
    while (Time::HiRes::time() < $end) {
        ($status, $reaped) = ($?, 1) if !$reaped && waitpid $child, POSIX::WNOHANG();
        last if $reaped && !kill 0, -$child;
        Time::HiRes::sleep(0.02);
    }
    kill 'KILL', -$child;
    if   ($reaped) { $? = $status }
    else           { waitpid $child, 0 }
}

# Builds a multiboot kernel from an assembly source, with these symbols defined. Returns its path.
sub assembled ($source, $path, @defines) {
    for my $command (
        [ qw(nasm -f elf32 -Werror -Itests/image/), (map { "-D$_" } @defines), '-o', "$path.o", $source ],
        [ qw(ld -m elf_i386 -N -Ttext=0x100000 --no-warn-rwx-segments -o), $path, "$path.o" ],
        )
    {
        my $made = run(1, @$command);
        die "$made->{command}: $made->{err}" unless defined $made->{status} && $made->{status} == 0;
    }
    return $path;
}

# Runs QEMU with 32 MB, one serial line (`out` of the result), isa-debug-exit at F4H, and these arguments. It
# takes 2 s, or 8 s if a boot menu waits for a key.
sub run_qemu {
    my @machine = qw(-accel tcg -m 32 -nodefaults -display none -no-reboot -serial stdio);
    return run(10, 'qemu-system-i386', @machine, '-device', 'isa-debug-exit,iobase=0xf4,iosize=4', @_);
}

# Returns the TAP document in a serial capture, from its version line to the end line, without what firmware
# and loader printed before it; '' if there is none.
sub document ($capture) {
    my $start = index $capture, 'TAP version 13';
    return '' if $start < 0;
    my $log = substr $capture, $start;
    $log =~ s/(^\# END OF TAP[^\n]*\n).*/$1/ms;
    return $log;
}

# Parses a TAP document. Returns the finished TAP::Parser and the list of its test results. '' is a document
# without plan.
sub results ($log) {
    my $parser = TAP::Parser->new({ tap => $log eq '' ? "\n" : $log });
    my @tests;
    while (my $result = $parser->next) {
        push @tests, $result if $result->is_test;
    }
    return ($parser, @tests);
}

# Returns the failed points of a log as a hash: id => text of the diagnosis in YAML ('' if there is none).
sub diagnoses ($log) {
    my %diagnosis;
    while ($log =~ /^not ok \d+ - (\S+)[^\n]*\n((?:  ---\r?\n(?:  [^\n]*\n)*?  \.\.\.\r?\n)?)/mg) {
        $diagnosis{$1} = $2;
    }
    return %diagnosis;
}

# Returns the failed checks of a log that catch a fault of this rule: they name the rule, and say what they
# expected.
sub catchers ($log, $rule) {
    my %diagnosis = diagnoses($log);
    return grep {
               $diagnosis{$_} =~ /^  rules: '(?:[^']* )?\Q$rule\E[ ']/m
            && $diagnosis{$_} =~ /^  expected: /m
    } sort keys %diagnosis;
}

# Returns a pattern that matches the end of a capture whose end line has this verdict.
sub end_line ($verdict) { return qr/\r\n# END OF TAP: $verdict, \d+ lines, CRC-32 [0-9A-F]{8}\r\n\z/ }

# True if the text is exactly one line, with its line end.
sub one_line ($text) { return $text =~ /\A[^\n]+\n\z/ }

1;
