#!/usr/bin/perl
# One good log as many programs leave it that record, hand on or quote a serial line: what they add to it is
# no damage, and is said. A log that has really lost something stays damaged. Each kind is a row: title, the
# bytes, the verdict, what is said of it.
use lib 'tests/image';
use ImageTest;
use Encode qw(encode);
use IO::Compress::Bzip2 qw(bzip2);
use IO::Compress::Gzip qw(gzip);
use IO::Compress::Zip qw(zip);
use MIME::Base64 qw(encode_base64);
use MIME::QuotedPrint qw(encode_qp);
use CheckedLog qw(checked checked_lines $SEVERAL);
use Pmulog::Bundle;
use Pmulog::Check;
use Pmulog::Explain;
use Pmulog::Findings;
use Pmulog::Run;

# Two logs: one by hand with every kind of line, which fails, and one with the long lines of a run, which
# passes.
my %LOG = (fail => checked(@$SEVERAL), pass => document(p4sim($ELF, 'only=state,cascade.18-1.iq')->{out}));

sub lines ($log) {
    return map { s/\r\n//r } $log =~ /([^\n]*\n)/g;
}

sub lf {
    return join '', map { "$_\n" } @_;
}

# The log with text before each line, which follows from its number.
sub before ($prefix) {
    return sub ($log) {
        my $n = 0;
        return lf(map { $prefix->(++$n) . $_ } lines($log));
    };
}

sub clock ($seconds) {
    return sprintf '%02d:%02d:%02d', $seconds / 3600 % 24, $seconds / 60 % 60, $seconds % 60;
}

# The log with lines between its lines.
sub between (@more) {
    return sub ($log) {
        my @lines = lines($log);
        return lf(map { ($_, @more) } @lines);
    };
}

# The log with lines after this share of its lines; or instead of characters of the line there.
sub inside ($share, $change) {
    return sub ($log) {
        my @lines = lines($log);
        my $at = int($share * $#lines);
        return lf(@lines[ 0 .. $at - 1 ], $change->($lines[$at]), @lines[ $at + 1 .. $#lines ]);
    };
}

sub parity ($odd) {
    return sub ($log) {
        join '', map { my $ones = unpack '%8b*', $_; $ones % 2 == $odd ? $_ : $_ |. "\x80" } split //, $log;
    };
}

# Lines of at most so many characters: cut anywhere, with the blanks at their ends or without; or between
# words.
sub cut_at ($width, $template) {
    return sub ($log) {
        lf(map { unpack "($template$width)*", $_ } lines($log));
    }
}

sub by_words ($width, $kept) {
    return sub ($log) {
        my @out;
        for my $line (map { $kept ? s/\A(?=[ >])/ /r : $_ } lines($log)) {
            while (length $line > $width) {
                my $at = rindex(substr($line, 0, $width), ' ');
                last if $at < 10;
                push @out, substr $line, 0, $at + ($kept ? 1 : 0);
                $line = substr $line, $at + 1;
            }
            push @out, $line;
        }
        return lf(@out);
    };
}

my $EVERY = qr/; every line begins with '[^;]+' or the like, which another program put there/;
my $BROKEN = qr/; long lines are broken, or other programs have written into the middle of lines; joined/;
my $MARK = '[-- MARK -- Fri Nov 28 12:00:00 2025]';
my $packed = sub ($function) {
    return sub ($log) { $function->(\$log, \my $out); return $out }
};

my @KINDS = (
    # Blanks at the ends of lines, and empty lines.
    [ 'blanks stripped by an editor', sub ($log) { $log =~ s/ +(?=\r)//gr } ],
    [
        'lines padded to 80 columns',
        sub ($log) {
            join "\r\n", map { sprintf '%-80s', $_ } lines($log);
        }
    ],
    [ 'tabs added', sub ($log) { $log =~ s/\r\n/\t\r\n/gr } ],
    [ 'an empty line after each', sub ($log) { $log =~ s/\n/\n\r\n/gr } ],
    [ 'a blank line before each', sub ($log) { $log =~ s/^/   \n/gmr } ],
    # Lines of other programs.
    [
        'conserver: a MARK after each line',
        between($MARK), qr/; \d+ lines of other programs between its lines are left out, the first in line 2/
    ],
    [
        'conserver: who attached, and the console',
        inside(
            0.5,
            sub ($line)
            { ('[-- user@host attached -- Fri Nov 28 12:00:00 2025]', '[-- Console up -- ]', $line) }
        ),
        qr/; 2 lines of other programs/
    ],
    [
        'conserver: a MARK at the end of a part of a line',
        inside(0.5, sub ($line) { (substr($line, 0, 4) . $MARK, substr $line, 4) }),
        qr/; line \d+ is of another program, and left out/
    ],
    [
        'conserver: a MARK between two parts of a line',
        inside(0.5, sub ($line) { (substr($line, 0, 4), $MARK, substr $line, 4) }), $BROKEN
    ],
    [
        'a message of the kernel of the capturing machine',
        inside(0.4, sub ($line) { ('usb 1-1: new full-speed USB device number 7', $line) }),
        qr/; line \d+ is of another program/
    ],
    [
        'picocom',
        inside(0.3, sub ($line) { ('*** baud: 115200 ***', $line) }),
        qr/; line \d+ is of another program/
    ],
    [
        'the page heads of pr',
        inside(
            0.6,
            sub ($line)
            { ('', '', '2025-11-28 12:00             board.log             Page 2', '', '', $line) }
        ),
        qr/; line \d+ is of another program/
    ],
    [ 'minicom: a time on a line of its own', between('[2025-11-28 12:00:00]'), qr/lines of other programs/ ],
    # What stands before each line.
    map({ [ "before each line: $_->[0]", before($_->[1]), $EVERY ] }
        [ 'grabserial', sub ($n) { sprintf '[%.6f %.6f] ', $n * 0.7, $n * 0.01 } ],
        [ 'two blanks after a time', sub ($n) { clock(86_390 + $n) . '  ' } ],
        [
            'syslog, a day with one digit and then two',
            sub ($n) { 'Nov ' . ($n < 9 ? ' 9' : '10') . ' ' . clock($n) . ' host conserver[388]: ' }
        ],
        [
            'syslog, another month',
            sub ($n) { ($n < 9 ? 'Aug 31' : 'Sep  1') . ' ' . clock($n) . ' host conserver[388]: ' }
        ],
        [
            'journald, a process id that grows',
            sub ($n) { 'Nov 28 ' . clock($n) . ' lab picocom[' . 37 * $n . ']: ' }
        ],
        [ 'GitLab', sub ($n) { '2025-11-28T' . clock($n) . '.123456Z 01O ' } ],
        [ 'GitHub', sub ($n) { '2025-11-28T' . clock($n) . '.1234567Z ' } ],
        [ 'Jenkins', sub ($n) { '[2025-11-28T' . clock($n) . '.123Z] ' } ],
        [ 'seconds since 1970 in brackets', sub ($n) { '[' . (1_764_330_000 + $n) . '] ' } ],
        [ 'a time in parentheses', sub ($n) { '(' . clock($n) . ') ' } ],
        [ 'a time and a tab', sub ($n) { clock($n) . "\t" } ],
        [ 'a date in words', sub ($n) { '28 Nov 2025 ' . clock($n) . ' ' } ],
        [
            'a weekday, Tera Term',
            sub ($n) { '[' . ($n < 9 ? 'Fri' : 'Sat') . ' Nov 28 ' . clock($n) . '.123 2025] ' }
        ],
        [
            'AM and PM',
            sub ($n) { '[11/28/25 ' . (1 + $n % 12) . ':00:01 ' . ($n < 12 ? 'AM' : 'PM') . '] ' }
        ],
        [ 'labgrid', sub ($n) { 'board7 console: ' } ],
        [ 'Python', sub ($n) { '2025-11-28 ' . clock($n) . ',123 INFO serial: ' } ],
        [ 'a mail', sub ($n) { '> ' } ],
        [ 'a mail in a mail', sub ($n) { '>> ' } ],
        [ 'a quoted block', sub ($n) { '    ' } ],
        [ 'a patch', sub ($n) { '+' } ],
        [ 'numbers of lines, cat', sub ($n) { sprintf "%6d\t", $n } ],
        [ 'numbers of lines, grep', sub ($n) { "board.log:$n:" } ],
        [ 'a count in hexadecimal', sub ($n) { sprintf '0x%08x: ', $n * 13_700 } ],
        [ 'RFC 5424', sub ($n) { '<13>1 2025-11-28T' . clock($n) . '.003Z host app 1234 ID47 - ' } ],
        [ 'colours', sub ($n) { "\e[32m[" . clock($n) . "]\e[0m " } ],
    ),
    [
        'before some lines: a time, once a second',
        before(sub ($n) {
            $n % 3 ? '' : '[2025-11-28 ' . clock($n) . '] ';
        }),
        qr/; lines begin with '[^;]+' or the like/
    ],
    [
        'before each line: a time that gets a day',
        before(sub ($n) {
            ($n > 6 ? '1d ' : '') . clock($n) . ' ';
        }),
        $EVERY
    ],
    [
        'GitLab: lines that came in pieces',
        sub ($log) {
            my $n = 0;
            return lf(
                map {
                    my $stamp = '2025-11-28T' . clock(++$n) . '.123456Z 01O';
                    # also where the rest looks like a line
                    my $at = /\Anot / ? $+[0] : length $_ > 20 && $n % 3 == 0 ? 9 : 0;
                    $at ? ("$stamp " . substr($_, 0, $at), "$stamp+" . substr $_, $at) : "$stamp $_"
                } lines($log)
            );
        },
        $BROKEN
    ],
    # Bytes.
    [ 'UTF-16, low byte first', sub ($log) { encode('UTF-16LE', "\x{FEFF}$log") }, qr/UTF-16/ ],
    [ 'UTF-16, high byte first', sub ($log) { encode('UTF-16BE', "\x{FEFF}$log") }, qr/UTF-16/ ],
    [ 'UTF-16 without a mark', sub ($log) { encode('UTF-16LE', $log) }, qr/UTF-16/ ],
    [ 'UTF-32', sub ($log) { encode('UTF-32LE', "\x{FEFF}$log") }, qr/four bytes \(UTF-32\)/ ],
    [
        'UTF-32, high byte first',
        sub ($log) { encode('UTF-32BE', "\x{FEFF}$log") },
        qr/four bytes \(UTF-32\)/
    ],
    [ 'a mark of UTF-8 at the beginning', sub ($log) { "\xEF\xBB\xBF$log" } ],
    [ 'gzip', $packed->(\&gzip), qr/; it was packed with gzip; read unpacked/ ],
    [
        'gzip, twice',
        sub ($log) {
            join '', map { my $part = $_; gzip(\$part, \my $out); $out } substr($log, 0, 300), substr $log,
                300;
        },
        qr/; it was packed with gzip/
    ],
    [ 'ZIP', $packed->(\&zip), qr/; it was packed with zip/ ],
    [ 'bzip2', $packed->(\&bzip2), qr/; it was packed with bzip2/ ],
    [ 'even parity', parity(0), qr/; its bytes have a parity bit: .* 7E1.*Set both to 8N1/ ],
    [ 'odd parity', parity(1), qr/; its bytes have a parity bit: .* 7O1/ ],
    [
        'the parity bit always 1',
        sub ($log) {
            join '', map { $_ |. "\x80" } split //, $log;
        },
        qr/; its bytes have a parity bit: .* 7M1/
    ],
    [ 'CR alone', sub ($log) { $log =~ s/\n//gr }, qr/; its lines end in CR alone: set/ ],
    [ 'CR NUL', sub ($log) { $log =~ s/\n/\0/gr }, qr/; its lines end in CR alone/ ],
    [ 'CR NUL LF', sub ($log) { $log =~ s/\n/\0\n/gr } ],
    [ 'LF CR', sub ($log) { $log =~ s/\r\n/\n\r/gr } ],
    [ 'CR CR LF', sub ($log) { $log =~ s/\r\n/\r\r\n/gr } ],
    [ 'NULs to fill', sub ($log) { $log =~ s/\n/\n\0\0\0/gr } ],
    [ 'flow control', sub ($log) { $log =~ s/(?=\r)/\x13\x11/gr } ],
    [ 'commands to a terminal', sub ($log) { $log =~ s/(?=\r)/\e[0m\e[K/gr } ],
    [ 'telnet before it', sub ($log) { "\xFF\xFB\x01\xFF\xFB\x03\xFF\xFD\x00$log" } ],
    [ 'telnet inside', sub ($log) { $log =~ s/\n/\n\xFF\xF1/gr } ],
    # Mail, pages, terminals.
    [ 'quoted-printable', sub ($log) { encode_qp($log =~ s/\r//gr) }, qr/; it is quoted-printable/ ],
    [
        'quoted-printable, line ends too',
        sub ($log) { encode_qp($log, "\n", 1) },
        qr/; it is quoted-printable/
    ],
    [ 'format=flowed', by_words(72, 1), qr/; it is format=flowed/ ],
    [ 'broken between words', by_words(72, 0), qr/; long lines are broken between words; joined/ ],
    [ 'broken at 80 columns', cut_at(80, 'a'), $BROKEN ],
    [ 'broken at 40 columns', cut_at(40, 'a'), $BROKEN ],
    [ 'broken at 80 columns, blanks stripped', cut_at(80, 'A'), $BROKEN ],
    [
        'the characters of a web page',
        sub ($log) { $log =~ s/&/&amp;/gr =~ s/'/&#39;/gr =~ s/>/&gt;/gr },
        qr/; its characters are those of a web page/
    ],
    [ 'blanks of a web page', sub ($log) { $log =~ s/ /\xC2\xA0/gr } ],
    [ 'a block of Markdown', sub ($log) { "```\n$log```\n" } ],
    [ 'script', sub ($log) { "Script started on 2025-11-28\n$log\nScript done on 2025-11-28\n" } ],
    [
        'cat -A',
        sub ($log) { $log =~ s/\r/^M\$/gr },
        qr/; every line ends with what another program put there/
    ],
    [
        'a table',
        sub ($log) {
            lf(map { sprintf '| %-80s |', $_ } lines($log));
        },
        qr/; every line ends with what/
    ],
    [
        'CSV',
        sub ($log) {
            lf(map { '"' . s/"/""/gr . '"' } lines($log));
        },
        qr/; every line ends with what/
    ],
    [
        'a mark where lines go on',
        sub ($log) {
            lf(map { join "\\\n", unpack '(a70)*', $_ } lines($log));
        },
        $BROKEN
    ],
    [ 'form feeds', sub ($log) { $log =~ s/^(?=ok)/\f/gmr } ],
    [
        'JSON, docker',
        sub ($log) {
            lf(
                map {
                    '{"log":"' . s/(["\\])/\\$1/gr . '\r\n","stream":"stdout","time":"2025-11-28T12:00:00Z"}'
                } lines($log)
            );
        },
        qr/; each line is a text in a JSON object/
    ],
    [
        'asciinema',
        sub ($log) {
            my $n = 0;
            return lf(
                '{"version": 2, "width": 80, "height": 24}',
                map {
                    sprintf '[%.3f, "o", "%s"]', $n++ / 10, s/(["\\])/\\$1/gr =~ s/\r/\\r/gr =~ s/\n/\\n/gr
                } $log =~ /(.{1,90})/gs
            );
        },
        qr/; it is a recording of asciinema/
    ],
    [
        'ttyrec',
        sub ($log) {
            my $n = 0;
            join '', map { pack('V3', 1_764_330_000 + $n, 1000 * $n++, length) . $_ } $log =~ /(.{1,90})/gs;
        },
        qr/; it is a recording of ttyrec/
    ],
    [
        'JSON, LAVA',
        sub ($log) {
            lf(
                map { '- {"dt": "2025-11-28T12:00:00", "lvl": "target", "msg": "' . s/(["\\])/\\$1/gr . '"}' }
                    lines($log)
            );
        },
        qr/; each line is a text in a JSON object/
    ],
);

# The verdict on a file with these bytes, and the line about its boot.
sub judged ($bytes) {
    my $survey = Pmulog::Check::survey(file('capture', $bytes));
    my $text = Pmulog::Check::text(Pmulog::Check::overall($survey), $survey);
    return (Pmulog::Check::overall($survey), $text);
}

sub bundle ($bytes) {
    open my $out, '>', \my $text or die "cannot write into a string: $!";
    my $before = select $out;
    Pmulog::Bundle::bundle(undef, file('capture', $bytes));
    select $before;
    close $out;
    return $text;
}

for my $kind (@KINDS) {
    my ($title, $make, $says) = @$kind;
    subtest $title => sub {
        for my $due (sort keys %LOG) {
            my $bytes = $make->($LOG{$due});
            my ($verdict, $text) = judged($bytes);
            is $verdict, $due, "of a $due" or diag $text;
            like $text, $says, 'and it is said' if $says;
            my $bundle = bundle($bytes);
            unlike $bundle, qr/[^\t\n -~]/, 'the bundle is text';
            is + (judged($bundle))[0], $due, 'with the same verdict';
            isnt + (judged($make->($LOG{$due} =~ s/state\.c/state.d/r)))[0], $due,
                'of a log with another character: no verdict'
                if $due eq 'fail';
        }
    };
}

subtest 'blanks of older logs' => sub {
    my @lines = (
        '1..1', '# build: abc',
        '# boot line: ',
        '# brand: Intel  ',
        '# misc enable: 00000000H: ',
        '# board: ACME, x ',
        '#> a.b title', 'ok 1 - a.b', '# 1 passed, 0 failed, 0 skipped of 1',
        'END pass'
    );
    my $old = checked(@lines);
    is + (judged($old))[0], 'pass', 'as they are';
    my $one = checked(map { s/Intel  \z/Intel /r } @lines);
    is + (judged($one =~ s/ +(?=\r)//gr))[0], 'pass', 'one of a line stripped';
    is + (judged(join "\n", map { sprintf '%-80s', $_ } lines($one)))[0], 'pass', 'padded';
    is + (judged($old =~ s/(title)\r/$1x\r/r))[0], 'damaged', 'and another character is damage';
};

subtest 'what has lost something stays damaged, or two boots' => sub {
    my @lines = lines($LOG{fail});
    my $half = int @lines / 2;
    for my $case (
        [ damaged => 'a line less', lf(@lines[ 0 .. $half - 1, $half + 1 .. $#lines ]) ],
        [ damaged => 'a character less', $LOG{fail} =~ s/documented|written/w/r ],
        [
            damaged => 'another program in the place of a line',
            lf(@lines[ 0 .. $half - 1 ], $MARK, @lines[ $half + 1 .. $#lines ])
        ],
        [ incomplete => 'the end is missing', lf(@lines[ 0 .. $half ]) ],
        [ incomplete => 'the end is missing behind a MARK', lf(@lines[ 0 .. $half ], $MARK, $MARK) ],
        [
            incomplete => 'the log goes on behind a MARK, and hangs before a check code',
            lf(@lines[ 0 .. 4 ], $MARK, $lines[5])
        ],
        [ incomplete => 'a second boot begins', lf(@lines[ 0 .. $half ], @lines) ],
        [
            damaged => 'the end of another boot',
            lf(@lines[ 0 .. $half ], lines($LOG{pass})) =~ s/(.*)TAP version 13\n/$1/sr
        ],
        [ damaged => 'a blank less in the middle of a line', $LOG{fail} =~ s/all 18/all18/r ],
        [ damaged => 'a prefix that is a part of a line', $LOG{fail}    =~ s/^# build: /build: # /mr ]
        )
    {
        my ($due, $title, $bytes) = @$case;
        my ($verdict, $text) = judged($bytes);
        is $verdict, $due, $title or diag $text;
    }
    like + (judged(lf(@lines[ 0 .. $half ], @lines)))[1], qr/^incomplete: 2 boots in 1 file$/m,
        'two boots stay two';
};

# The point of the damaged record is not sure, later ones are.
subtest 'behind damage' => sub {
    my @rest = map {
        my $n = $_;
        (
            "#> x.y.$n title",
            $n % 3
            ? "ok $n - x.y.$n"
            : (
                "not ok $n - x.y.$n",
                '  ---',
                "  what: 'a value'",
                "  expected: '1'",
                "  observed: '2'",
                "  breaks: 'R33'",
                '  ...'
            )
        )
    } 4 .. 15;
    my $log = checked(
        '1..15', '# build: abc', map({ ("#> a.b.$_ title", "ok $_ - a.b.$_") } 1 .. 3),
        @rest, '# 11 passed, 4 failed, 0 skipped of 15',
        'END fail'
    );
    my $torn = $log =~ s/(#> x\.y\.4) title/$1 titl/r;
    my ($verdict, $text) = judged($torn);
    is $verdict, 'damaged', 'the verdict stays';
    like $text,
        qr/damaged: 3 passed, 0 failed, 0 skipped of 15 up to the damage in line 11; behind it 7 passed, 4 failed, 0 skipped; line 11, record 4: /,
        'the points before and behind';
    like $text, qr/failed: x\.y\.6 \(behind damage in line 11\), x\.y\.9 /,
        'the failures are named, and marked';
    my $run = Pmulog::Run::load(file('torn', $torn), 'last');
    my $told = Pmulog::Explain::text(Pmulog::Findings::findings($run)) =~ s/\s+/ /gr;
    like $told,
        qr/The log is damaged in line 11\. 11 points behind the damage are whole, and 4 of them failed\..* The damaged record ends with 'ok 4 - x\.y\.4 #\w{4}', which may itself be what is damaged/,
        'explain says it';
    unlike $told, qr/No vector failed/, 'and does not say that nothing failed';
    like $told, qr/x\.y: 4 of 11: 6, 9, 12 and 15 \(behind damage in line 11\)/, 'the family';
    like $told, qr/The first failure is x\.y\.6 \(behind damage in line 11\)/, 'and the first failure';
    like tool(1, 'tools/pmulog', 'junit', "$dir/torn")->{out},
        qr/name="x\.y\.6">\n<failure message="behind damage in line 11: a value/, 'JUnit, too';
    like tool(1, 'tools/pmulog', 'tap', "$dir/torn")->{out},
        qr/^ok 3 - a\.b\.3\n#> [^\n]*\nnot ok 4 - pmulog\.damaged\n/m, 'tap ends at the damage';
    my ($two) = (judged($torn =~ s/x\.y\.9 title/x.y.9/r))[1];
    like $two, qr/behind it 7 passed, 3 failed, 0 skipped/, 'damage behind damage costs its own record'
        or diag $two;
    # Of another boot: the numbers of its points begin anew.
    my @lines = lines($log);
    my $other = lf(@lines[ 0 .. 20 ], @lines[ 4 .. 12 ]);
    unlike + (judged($other))[1], qr/behind it/, 'points whose numbers do not go on are of another boot';
};

subtest 'what is no log is named' => sub {
    for my $case (
        [ "\xFD7zXZ\0\0", qr/its bytes are xz; unpack it first: xz -d/ ],
        [ "\x28\xB5\x2F\xFD\0", qr/zstd -d/ ],
        [ '%PDF-1.4', qr/PDF; ask for the log as text/ ],
        [ "\x89PNG\r\n", qr/a picture/ ],
        [ encode_base64($LOG{fail}), qr/base64 -d/ ],
        [ "00000000: 4157 4152 4420 4249 4f53 0d0a  AWARD BIOS\n", qr/xxd -r/ ],
        [ "<!DOCTYPE html><html>", qr/a web page, XML/ ],
        [ "Award BIOS\n", qr/no line 'TAP version 13'$/m ]
        )
    {
        my ($bytes, $says) = @$case;
        my ($verdict, $text) = judged($bytes);
        is $verdict, 'incomplete', 'no log';
        like $text, $says, $says;
    }
};

# No line that the project writes ends in a blank, so that nothing is lost where blanks are stripped.
subtest 'no line ends in a blank' => sub {
    my @runs = map { p4sim(@$_) } [ $ELF, 'only=state' ], [ $ELF, 'list' ], [ $ELF, 'inventory' ],
        [ $ELF, 'only=state', 'verbose', 'loop=2' ], [ $ELF, 'only=state', 'brief', 'selftest=fail' ],
        [ $ELF, 'bogus ' ], [ $ELF, 'only=state', 'selftest=many', 'quiet' ],
        [ '--cpu', '0F12', $ELF, 'only=harness' ], [ '--board', 'msr-all-fault', $ELF ];
    unlike $_->{out} . $_->{err}, qr/[ \t]\r*$/m, $_->{command} for @runs;
    my @files = (
        file('one', $LOG{fail}),
        file('two', $LOG{pass}),
        file('torn', $LOG{fail} =~ s/all 18/all18/r),
        file('none', 'BIOS')
    );
    for my $file (@files) {
        my $said = join '', map { my $run = tool(1, 'tools/pmulog', @$_); $run->{out} . $run->{err} }
            map({ [ $_, $file ] } qw(check explain sheet tap junit html bundle)), map({
                my $command = $_;
                map { [ $command, $_, $file ] } '--json', '--csv'
            } qw(check explain sheet)),
            [ 'compare', $file, $files[0] ], [ 'explain', '--all', $file ];
        unlike $said, qr/[ \t]\r*$/m, "what pmulog says of $file"
            or diag join "\n", $said =~ /^(.*[ \t]\r*)$/mg;
    }
    unlike run(1, $_, '--help')->{out}, qr/[ \t]$/m, "$_ --help"
        for qw(tools/pmulog tools/capture tools/watch build/p4sim);
};

done_testing;
