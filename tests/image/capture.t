#!/usr/bin/perl
# tools/capture on a pseudo-terminal instead of a serial line: it keeps every byte, sets the line as its
# options say, and ends at the right time with the status of the log.
use lib 'tests/image';
use ImageTest;
use IO::Socket::IP;
use POSIX ();
use Time::HiRes qw(sleep time);
use CheckedLog qw(checked $SEVERAL);
use Pty qw(terminal on_terminal);

use constant PATIENCE => guard(5);

my $totals = '# 1 passed, 0 failed, 0 skipped of 1';
my $pass = checked('1..1', '#> a.b title', 'ok 1 - a.b', $totals, 'END pass');
my $fail = checked(@$SEVERAL);
my $skip = checked('1..0 # SKIP no NetBurst PMU', 'END skip');
my $noise = join('', map { chr } 0 .. 255) . "\r\n";

plan skip_all => 'no pseudo-terminals here (/dev/ptmx)' if !-w '/dev/ptmx';

# Waits until this is true; at most as long as a hanging command may take, which is reported then.
sub wait_for ($what, $true) {
    my $end = time + PATIENCE;
    until ($true->()) {
        return report_hung("waiting for $what", PATIENCE) if time > $end;
        sleep 0.02;
    }
}

# Waits until a program has set the line whose board's end this is: it no longer collects lines, and sends
# nothing back. Both ends have the same settings.
sub wait_for_setting ($board) {
    my $settings = POSIX::Termios->new;
    wait_for(
        'the setting of the line',
        sub {
            $settings->getattr(fileno $board);
            return !($settings->getlflag & (POSIX::ICANON | POSIX::ECHO));
        }
    );
}

# A piece for capture(): waits until OUT has so many bytes.
sub arrived ($bytes) {
    return sub (@) {
        wait_for("$bytes bytes in OUT", sub { (-s "$dir/out" // 0) >= $bytes });
    };
}

# Runs tools/capture with these options while the board sends the pieces, 50 ms apart. A piece that is a
# reference is code; it is called with the process id of tools/capture, the board's end and the name of the
# other end. Returns a hash: status, seconds, said (the part of these seconds during which the board was
# sending), err.
sub capture ($options, $out, @pieces) {
    unlink $out if !grep { /\A--(?:append|force)\z/ } @$options;
    my ($board, $name) = terminal();
    my $child = fork // die "cannot fork: $!";
    if (!$child) {
        close $board;
        open STDOUT, '>', "$dir/stdout"              or POSIX::_exit(126);
        open STDERR, '>', "$dir/stderr"              or POSIX::_exit(126);
        exec 'tools/capture', @$options, $name, $out or POSIX::_exit(127);
    }
    wait_for_setting($board);
    my $started = time;
    for my $piece (@pieces) {
        if   (ref $piece) { $piece->($child, $board, $name) }
        else              { syswrite $board, $piece; }
        sleep 0.05;
    }
    my ($late, $said) = (0, time - $started);
    while (!waitpid $child, POSIX::WNOHANG()) {
        sleep 0.02;
        kill 'KILL', $child if !$late && ($late = time - $started > 2 * PATIENCE);
    }
    report_hung("tools/capture @$options", 2 * PATIENCE, map { $_ => slurp("$dir/$_") } qw(stdout stderr))
        if $late;
    return {
        status  => $? & 127 ? "signal $?" : $? >> 8,
        seconds => time - $started,
        said    => $said,
        err     => slurp("$dir/stderr")
    };
}

subtest 'a log, its bytes and its status' => sub {
    for my $log ([ 0, $pass ], [ 1, $fail ], [ 77, $skip ], [ 2, $pass =~ s/ok 1 - a/ok 1 - c/r ]) {
        my ($status, $bytes) = @$log;
        my $all = $noise . $bytes;
        my $run = capture([ '--timeout', PATIENCE ], "$dir/out", unpack '(a40)*', $all);
        is $run->{status}, $status, "status $status" or diag $run->{err};
        is unpack('H*', slurp("$dir/out")), unpack('H*', $all), 'every byte, unchanged';
        is tool(1, 'tools/pmulog', 'check', '--last', "$dir/out")->{status}, $status, 'as pmulog says';
        like $run->{err}, qr/^capture: end of the log$/m, 'and why it ended';
    }
};

subtest 'the line' => sub {
    my $settings;
    my $stty = sub ($, $, $name) { $settings = run(1, 'stty', '-F', $name, '-a')->{out} };
    capture([], "$dir/out", $stty, $skip);
    like $settings, qr/speed 115200 .*cs8.*-ixon -ixoff/s, '115200 8n1, no flow control';
    capture([ '--baud', 9600 ], "$dir/out", $stty, $skip);
    like $settings, qr/speed 9600 /, '--baud';
    like $settings, qr/-parenb/, 'no parity';
    like $settings, qr/-crtscts/, 'no hardware flow control';
};

subtest 'options' => sub {
    capture([], "$dir/out", $pass);
    is capture(['--append'], "$dir/out", $fail)->{status}, 1, '--append';
    is slurp("$dir/out"), $pass . $fail, 'keeps what was there';
    is capture(['--force'], "$dir/out", $skip)->{status}, 77, '--force';
    is slurp("$dir/out"), $skip, 'overwrites it';
    my $partly = checked(
        '1..2', 'ok 1 - a.b',
        'ok 2 - a.c # SKIP no APIC',
        '# not tested: 1 of 2: no APIC; BIOS: turn it on',
        '# 1 passed, 0 failed, 1 skipped of 2',
        'END pass'
    );
    is capture($_, "$dir/out", $partly)->{status}, @$_ ? 77 : 0, "@$_: a pass that tested too little"
        for [], ['--strict'];
    is capture([ '--boots', 2 ], "$dir/out", $pass, $noise, $fail)->{status}, 1, '--boots 2';
    is slurp("$dir/out"), $pass . $noise . $fail, 'takes both';
    capture(['--full'], "$dir/out", $pass);
    is slurp("$dir/stdout"), $pass, '--full';
};

subtest 'a file that is there' => sub {
    my ($board, $name) = terminal();
    file($_, $pass) for qw(there stamps);
    unlink "$dir/new";
    for my $case ([ 'there', "$dir/there" ], [ 'stamps', '--stamps', "$dir/stamps", "$dir/new" ]) {
        my ($file, @words) = @$case;
        my $run = run(5, 'tools/capture', @words[ 0 .. $#words - 1 ], $name, $words[-1]);
        is $run->{status}, 64, "$file is not overwritten";
        like $run->{err},
            qr/\Acapture: \Q$dir\E\/$file is there already; --force overwrites it, --append appends to it$/m,
            'and that is said';
        is slurp("$dir/$file"), $pass, 'it stays as it was';
        ok !-e "$dir/new", 'and no other file is written';
    }
    is run(5, 'tools/capture', '--force', '--append', $name, "$dir/there")->{status}, 64, 'not both';
    is run(5, 'tools/capture', '--force', "$dir/none", "$dir/there")->{status}, 2, '--force, and no device';
    is slurp("$dir/there"), $pass, 'the file stays as it was';
    file('out', '');
    is capture(['--force'], "$dir/out", $pass)->{status}, 0, '--force with an empty file';
};

subtest 'one file for two purposes' => sub {
    for my $case (
        [ 'DEVICE and OUT', '--force', "$dir/there", "$dir/there" ],
        [ 'DEVICE and --stamps', '--force', '--stamps', "$dir/there", "$dir/there", "$dir/new" ],
        [ 'OUT and --stamps', '--stamps', "$dir/./new", "$dir/there", "$dir/new" ]
        )
    {
        my ($both, @words) = @$case;
        file('there', $pass);
        my $run = run(5, 'tools/capture', @words);
        ends(
            $run, 64,
            "$both may not be the same file, which is said",
            err => qr/^capture: \Q$both\E are the same file, /
        );
        is slurp("$dir/there"), $pass, 'it stays as it was';
        ok !-e "$dir/new", 'and no other file is written';
    }
};

subtest 'wrong values' => sub {
    for my $case (
        [ '--timeout', 'x', qr/from 1 to 99999999, not 'x'/ ],
        [ '--idle', 1.5, qr/from 1 to 99999999, not '1\.5'/ ],
        [ '--reference', "$dir", qr/cannot read \Q$dir\E: it is a folder/, 2 ],
        [ '--reference', "$dir/none", qr/cannot read \Q$dir\E\/none: No such file/, 2 ]
        )
    {
        my ($option, $value, $why, $status) = @$case;
        my $run = run(5, 'tools/capture', $option, $value, "$dir/there", "$dir/new");
        ends(
            $run,
            $status // 64,
            "$option $value is refused with what is allowed",
            err => qr/\Acapture: $option.*$why/
        );
        ok !-e "$dir/new", 'before anything is written';
    }
};

subtest 'time stamps' => sub {
    my $before = time;
    unlink "$dir/stamps";
    # Two lines in one piece; a line in two pieces 1 s apart, stamped when it begins; the rest.
    my ($first, $second, $third, @rest) = $pass =~ /([^\n]*\n)/g;
    my $begin = $first . $second . substr $third, 0, 5;
    my $run = capture(
        [ '--stamps', "$dir/stamps" ],
        "$dir/out", $begin,
        arrived(length $begin),
        sub (@) { sleep 1 },
        substr($third, 5), @rest
    );
    is $run->{status}, 0, 'a log' or diag $run->{err};
    is slurp("$dir/out"), $pass, 'which stays as it is';
    my @stamps = split /\n/, slurp("$dir/stamps");
    is scalar @stamps, 3 + @rest, 'a stamp for each line';
    my @seconds = map { /\A(\d+\.\d{3}) \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/ ? $1 : 'wrong' } @stamps;
    ok !(grep { $_ eq 'wrong' } @seconds), 'in the documented form' or diag "@stamps";
    is_deeply [ sort { $a <=> $b } @seconds ], \@seconds, 'in order';
    cmp_ok $seconds[2] - $seconds[0], '<', 0.9, 'a line is stamped when it begins';
    cmp_ok $seconds[3] - $seconds[2], '>', 0.9, 'the next one a second later';
    cmp_ok $seconds[-1], '<', time - $before, 'and the seconds begin with the capture';
    my ($date) = $stamps[0] =~ /(\S+)\z/;
    cmp_ok $date, 'ge', POSIX::strftime('%Y-%m-%dT%H:%M:%S', gmtime $before), 'the date is of now';
    cmp_ok $date, 'le', POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime), 'in UTC';

    # A log that was cut off in a line, and goes on in the next capture.
    # And one of which nothing came.
    for my $case ([ "cut off", "0.000 x\n" ], [ '', '' ]) {
        my ($before, $stamps) = @$case;
        file('out', $before);
        file('stamps', $stamps);
        my $run = capture([ '--append', '--stamps', "$dir/stamps" ], "$dir/out", $pass);
        unlike $run->{err}, qr/uninitialized/, "--append to '$before'";
        is slurp("$dir/out"), "$before$pass", 'goes on there';
        is scalar(() = slurp("$dir/stamps") =~ /\n/g), scalar(() = slurp("$dir/out") =~ /\n/g),
            'a stamp for each line, still';
    }
};

# A named pipe that holds these bytes. It stays open at both ends until the handle is gone, so that no process
# waits in open().
sub piped ($path, $bytes) {
    unlink $path;
    POSIX::mkfifo($path, 0600)     or die "cannot make a pipe: $!";
    open my $held, '+<:raw', $path or die "cannot open the pipe: $!";
    $held->autoflush(1);
    print {$held} $bytes;
    return $held;
}

# Runs tools/capture on these bytes, which are there when it begins, until its time-out.
sub after_a_second ($bytes, @options) {
    my $held = piped("$dir/fifo", $bytes);
    return run(5, 'tools/capture', '--force', '--timeout', 1, @options, "$dir/fifo", "$dir/out");
}

subtest 'ends' => sub {
    my $cut = substr $pass, 0, 60;
    my $run = after_a_second($cut);
    ends($run, 2, 'a time-out is said', err => qr/^capture: time-out\n.*incomplete/ms);
    is slurp("$dir/out"), $cut, 'and what came is kept';
    like capture([ '--timeout', 1 ], "$dir/out")->{err}, qr/; 0 bytes: is it the cable, or the port\?\n\z/,
        'no byte: what to look for';
    like after_a_second("\x80\xFEx\0" x 30)->{err},
        qr/; 120 bytes: is it the speed\? They begin: \?\?x\?{3}x[?x]{33}\n\z/,
        'bytes that are no log: how they begin';
    $run = capture([ '--timeout', PATIENCE, '--idle', 3 ], "$dir/out", map({ $noise } 1 .. 80), $cut);
    ends($run, 2, 'silence is said', err => qr/^capture: idle time-out$/m);
    cmp_ok $run->{seconds} - $run->{said}, '>', 2, 'and counts from the last byte';
    is after_a_second($pass, '--boots', 2)->{status}, 2, 'one boot where two were wanted';

    for my $signal (qw(INT TERM)) {
        $run = capture([], "$dir/out", $cut, arrived(length $cut), sub { kill $signal, $_[0] });
        ends($run, 2, "SIG$signal is said", err => qr/^capture: SIG$signal\n.*incomplete/ms);
        is slurp("$dir/out"), $cut, 'and what came is kept';
    }
};

subtest 'too few documents are never those of another day' => sub {
    my %end = (
        'SIGINT'        => sub { kill 'INT', $_[0] },
        'the line goes' => sub { close $_[1] },
    );
    for my $how (sort keys %end) {
        capture([], "$dir/out", $pass);
        is capture([ '--append', '--timeout', PATIENCE ], "$dir/out", $end{$how})->{status}, 2,
            "$how before the first byte";
        is capture([ '--boots', 2, '--timeout', PATIENCE ], "$dir/out", $pass, $end{$how})->{status}, 2,
            "$how after the first of two";
    }
    my $bytes = $pass =~ s/\r\n\z//r;
    # What was not read when the line goes is lost.
    my $lost =
        capture([ '--timeout', PATIENCE ], "$dir/out", $bytes, arrived(length $bytes), $end{'the line goes'});
    is $lost->{status}, 0, 'but an end line needs no line end';
};

subtest 'a reset in the middle of a log' => sub {
    my $cut = substr $pass, 0, 60;
    my $run = capture([ '--timeout', PATIENCE ], "$dir/out", $cut, $noise, $fail);
    is $run->{status}, 1, 'the next log is awaited';
    is slurp("$dir/out"), $cut . $noise . $fail, 'and both are kept';
    like $run->{err},
        qr/\Acapture: waiting on \S+ at 115200 8N1\ncapture: a log broke off: no end line; after point 1 of 1; .*; going on with the next\ncapture: end of the log\n/,
        'and it is said';
};

subtest 'a line in use' => sub {
    plan skip_all => 'no folder for locks here' if !-w '/run/lock';
    my ($board, $name) = terminal();
    my $lock = '/run/lock/LCK..' . $name =~ s{/dev/}{}r =~ tr{/}{_}r;
    my $refused = sub {
        my $run = run(5, 'tools/capture', '--timeout', 1, '--force', $name, "$dir/out");
        return "$run->{status} $run->{err}";
    };
    spew($lock, sprintf "%10d\n", $$);
    is $refused->(), "2 capture: $name is in use: process $$ has locked it by $lock\n",
        'of a process that runs';
    spew($lock, "minicom\n");
    is $refused->(), "2 capture: $name is in use: its lock is $lock, which names no process\n",
        'of nobody knows whom';
    ok -e $lock, 'the lock stays';
    spew($lock, '2147483646');
    like $refused->(), qr/^2 capture: waiting on \Q$name\E at 115200 8N1\ncapture: time-out\n/,
        'of a process that has gone: the line is taken over';
    ok !-e $lock, 'and the lock is removed at the end';
    my $locked;
    capture(
        [],
        "$dir/out",
        sub {
            $locked = grep { (slurp($_) =~ /(\d+)/)[0] == $_[0] } glob '/run/lock/LCK..*';
        },
        $pass
    );
    is $locked, 1, 'a capture locks its line itself';
};

subtest 'no terminal' => sub {
    my $cut = $pass =~ s/END.*//sr;
    my $held = piped("$dir/fifo", $cut);
    is run(5, 'tools/capture', '--force', '--idle', 1, "$dir/fifo", "$dir/out")->{status}, 2,
        'a pipe is read as it is';
    is slurp("$dir/out"), $cut, 'all of it';
};

subtest 'standard input' => sub {
    my $given = file('given', $fail);
    my $run = run(5, 'sh', '-c', "tools/capture --force - '$dir/out' < '$given'");
    ends(
        $run, 1,
        'is read like a line',
        err => qr/\Acapture: waiting on standard input\ncapture: end of the log\n/
    );
    is slurp("$dir/out"), $fail, 'every byte';
    is run(5, 'sh', '-c', "tools/capture --force - '$dir/out' < /dev/null")->{status}, 2, 'without a log';
    for my $case (
        [ '-', '--baud', 9600 ],
        [ 'tcp:localhost:4000', '--baud', 9600 ],
        ['tcp:localhost'], ['tcp::4000'], ['tcp:localhost:0'], ['tcp:localhost:http']
        )
    {
        my ($device, @options) = @$case;
        my $refused = run(5, 'tools/capture', '--force', @options, $device, "$dir/new");
        ends($refused, 64, "@$case is refused",
            err =>
                qr/^capture: (?:--baud is for a serial line, and \Q$device\E is none|no such host and port: '\Q$device\E'; give tcp:HOST:PORT)/
        );
        ok !-e "$dir/new", 'before anything is written';
    }
};

# True if somebody listens on this port. Linux's table of sockets has its address and port, no peer, and state
# 0AH then.
sub listens ($port) {
    my $socket = sprintf '0100007F:%04X 00000000:0000 0A', $port;
    return slurp('/proc/net/tcp') =~ /: $socket /;
}

# A port that nobody listens on.
sub free_port {
    my $socket = IO::Socket::IP->new(LocalHost => '127.0.0.1', Listen => 1) or die "cannot listen: $!";
    return $socket->sockport;
}

subtest 'a terminal server' => sub {
    my $gone = run(5, 'tools/capture', '--force', 'tcp:127.0.0.1:' . free_port(), "$dir/new");
    ends($gone, 2, 'nobody listens, which is said',
        err =>
            qr/\Acapture: connecting to 127\.0\.0\.1, port \d+\ncapture: cannot connect to 127\.0\.0\.1, port \d+: /
    );
    ok !-e "$dir/new", 'before anything is written';
SKIP: for my $protocol ('tcp', 'telnet,tcp') {
        skip 'no ser2net here', 4 if !grep { -x "$_/ser2net" } split(/:/, $ENV{PATH}), '/usr/sbin';
        my ($board, $name) = terminal();
        my $port = free_port();
        my $config = file('ser2net.yaml',
                  "connection: &line\n  accepter: $protocol,127.0.0.1,$port\n  connector: "
                . "serialdev,$name,115200n81,local\n");
        my $server = fork // die "cannot fork: $!";
        if (!$server) {
            close $board;
            open STDOUT, '>', '/dev/null'        or POSIX::_exit(126);
            open STDERR, '>', "$dir/ser2net.err" or POSIX::_exit(126);
            local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
            exec 'ser2net', '-n', '-u', '-c', $config or POSIX::_exit(127);
        }
        wait_for('ser2net', sub { listens($port) });
        unlink "$dir/out";
        my $sender = fork // die "cannot fork: $!";
        if (!$sender) {
            wait_for_setting($board);
            # ser2net may drop what came before it was ready, so the board says something until that is heard
            wait_for(
                'a first line by way of ser2net',
                sub {
                    syswrite $board, "firmware\r\n";
                    sleep 0.1;
                    return -e "$dir/out" && slurp("$dir/out") =~ /firmware/;
                }
            );
            syswrite $board, $_ and sleep 0.02 for unpack '(a60)*', $fail;
            POSIX::_exit(0);
        }
        my $run =
            run(5, 'tools/capture', '--force', '--timeout', PATIENCE, "tcp:127.0.0.1:$port", "$dir/out");
        ends(
            $run, 1,
            "$protocol: the log has its verdict",
            err => qr/^capture: waiting on tcp:127\.0\.0\.1:$port\n(?:.*\n)?capture: end of the log\n/m
        );
        my $negotiation = $protocol eq 'tcp' ? qr// : qr/\xFF[\xFB-\xFE].*/s;
        like slurp("$dir/out"), qr/\A$negotiation(?:firmware\r\n)+\Q$fail\E\z/,
            'every byte is in the file' . ($protocol eq 'tcp' ? '' : ', after the negotiation');
        is tool(1, 'tools/pmulog', 'check', "$dir/out")->{status}, 1, 'which pmulog judges alike';
        kill 'TERM', $server, $sender;
        waitpid $_, 0 for $server, $sender;
    }
};

subtest 'who watched with --full leaves' => sub {
  # The line and standard output are pipes that nobody else reads; a half of the log comes after the first was
  # kept.
    file($_->[0], $_->[1]) for [ first => substr $pass, 0, 60 ], [ second => substr $pass, 60 ];
    my $run = run(
        5, 'sh', '-c',
        'cd "$1"; mkfifo line watcher; exec 3<>watcher 4>watcher 3<&- 5<>line; cd "$OLDPWD"
        cat "$1/first" >&5
        tools/capture --force --full "$1/line" "$1/out" >&4 &
        until [ "$(wc -c <"$1/out")" = 60 ]; do sleep 0.05; done
        cat "$1/second" >&5
        wait $!', 'sh', "$dir"
    );
    is slurp("$dir/out"), $pass, 'every byte is in the file all the same';
    like $run->{err}, qr/going on without --full\ncapture: end of the log\n/, 'and it is said';
};

# watch.t has what a terminal shows.
subtest 'on a terminal' => sub {
    my $log = sub {    # the board: sends the log once the line is set
        my ($board, $name) = terminal();
        my $child = fork // die "cannot fork: $!";
        if (!$child) {
            wait_for_setting($board);
            syswrite $board, $_ and sleep 0.02 for unpack '(a60)*', $fail;
            POSIX::_exit(0);
        }
        return ($board, $name);
    };
    my ($board, $name) = $log->();
    my $run = on_terminal(10, {}, 'tools/capture', '--force', $name, "$dir/out");
    is $run->{status}, 1, 'the status of the log' or diag $run->{out};
    is slurp("$dir/out"), $fail, 'every byte is in the file';
    like $run->{out}, qr/\A\rwaiting on \Q$name\E at 115200 8N1\e\[K/, 'first, what it waits for';
    like $run->{out}, qr/\r\d of 6 vectors, \d failures?(?:, [a-z0-9.-]+)?\e\[K/, 'progress';
    like $run->{out}, qr/\r\e\[Kcapture: end of the log\n/, 'why it ended';
    like $run->{out},
        qr/\n\e\[1;31mfail\e\[0m: 4 passed, 1 failed, 1 skipped of 6\. The log is in \S+\/out\.\n/,
        'the verdict';
    ($board, $name) = $log->();
    $run = on_terminal(10, {}, 'tools/capture', '--force', '--full', $name, "$dir/out");
    like $run->{out},
        qr/\Acapture: waiting on \Q$name\E at 115200 8N1\n\Q${\ ($fail =~ s{\r\n}{\n}gr)}\Ecapture: end of the log\n/,
        '--full: the log';
    waitpid -1, 0 for 1 .. 2;
};

subtest 'what is not there' => sub {
    like run(1, 'tools/capture', '--force', "$dir/none", "$dir/out")->{err},
        qr/cannot open .+none: No such file/, 'a device';
    is run(1, 'tools/capture', '/dev/null', "$dir/none/out")->{status}, 2, 'a file that cannot be written';
};

done_testing;
