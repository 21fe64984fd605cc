# Logs for the tests of the log tools: made with check codes and an end line, damaged in every way, and
# judged. The check codes follow docs/log.md; readers.t compares the kernel's with them.
package CheckedLog;

use v5.36;
use Compress::Raw::Zlib qw(crc32);
use Exporter 'import';
use Image qw(end_line);
use Pmulog::Capture;
use Pmulog::Check;

our @EXPORT_OK =
    qw(checked checked_lines log_faults judge whole_in random_damage is_never_a_pass $DOUBTS $SEVERAL);

# Returns the lines of a document, without line ends: `TAP version 13`, then the given lines with their check
# codes. The end line is given as 'END verdict', or as 'END verdict LINES' with a wrong number of lines.
sub checked_lines (@lines) {
    my ($crc, @out) = crc32('');
    for my $line ('TAP version 13', @lines) {
        my $text = $line;
        if ($line =~ /\A(?:not )?ok |\A# soak /) {
            $text .= sprintf ' #%04X', crc32($line, $crc) & 0xFFFF;
        } elsif ($line =~ /\AEND (\w+) ?(\d*)\z/) {
            $text = sprintf '# END OF TAP: %s, %d lines', $1, $2 ne '' ? $2 : @out + 1;
            $text .= sprintf ', CRC-32 %08X', crc32($text, $crc);
        }
        push @out, $text;
        $crc = crc32("$text\n", $crc);
    }
    return @out;
}

sub checked {
    return join '', map { "$_\r\n" } checked_lines(@_);
}

# Returns the lines of a document that are not what they should be with their check codes and an end line of
# this verdict; undef: the document has none.
sub log_faults ($log, $verdict) {
    my @lines = split /\r\n/, $log;
    my $end = 'END ' . ($verdict // 'none');
    my (undef, @bare) =
        map { s/\A((?:not )?ok .*|# soak .*) #[0-9A-F]{4}\z/$1/r =~ s/\A# END OF TAP: .*/$end/r } @lines;
    my @due = checked_lines(@bare);
    push @due, 'an end line' if defined $verdict && $log !~ end_line($verdict);
    return map { ($lines[$_] // 'nothing') . " instead of $due[$_]" }
        grep   { ($lines[$_] // '') ne $due[$_] } 0 .. $#due;
}

# A log with every kind of line.
our $SEVERAL = [
    '1..6',
    '# build: 0123456789ab',
    '# boot line: pmuproof.elf loop=3',
    '# processor: GenuineIntel 0F43H, Prescott',
    '#> state.cccr all 18 CCCRs read 0',
    'ok 1 - state.cccr',
    '#> access.counter.0 [R3 R57] 40 bits written and read back',
    'not ok 2 - access.counter.0',
    '  ---',
    "  what: 'counter 0, it''s bit 39'",
    "  expected: '1'",
    "  observed: '0'",
    '  also:',
    "    - 'counter 0, it''s bit 38: 0, not 1'",
    "    - 'reached the deadline'",
    "  more: '3'",
    '  ...',
    'ok 3 - access.iq # SKIP for models 0 to 2',
    '#> cascade.18-1.iq.14-12 200 A on X, then 400 B on Y',
    '# with X stopped Y goes on',
    '# number branch_retired on counter 12: 400 (class exact)',
    'ok 4 - cascade.18-1.iq.14-12',
    '#> probe.cascade.start level or latch',
    'ok 5 - probe.cascade.start',
    '# soak loop 1: 5 points, 1 failed; in all 5 points, 1 failed, 0 disturbed; 1 s',
    '# soak loop 3: 5 points, 0 failed; in all 15 points, 1 failed, 0 disturbed; 3 s',
    'ok 6 - soak',
    '# sheet 10.1a cascade start: follows OVF of X (level)',
    '# 4 passed, 1 failed, 1 skipped of 6',
    'END fail',
];

# A log of a run in which results were wrong without a witness of a disturbance (docs/log.md, "Results that
# are wrong now and then").
our $DOUBTS = [
    '1..6',
    '# build: 0123456789ab',
    '# boot line: pmuproof.elf strict console=ttyS1',
    '# processor: GenuineIntel 0F43H, Prescott',
    '# threads: 2 per core, 1 core; boot processor is LP0; sibling runs',
    '#> course.links.14 each counter that another one starts',
    '# disturbed: 2 by interrupts',
    'ok 1 - course.links.14 # unexplained: 1 of 93 starts by CASCADE, 14 by 12',
    '#> course.drawn.14 what was drawn',
    'ok 2 - course.drawn.14 # unexplained: 1 of 40 starts by CASCADE, 6 by 4; 1 of 310 OVFs, counter 12',
    '#> cascade.18-1.iq.14-12 200 A on X, then 400 B on Y',
    '# disturbed: 3 by time',
    'not ok 3 - cascade.18-1.iq.14-12',
    '  ---',
    "  title: '200 A on X, then 400 B on Y'",
    "  rules: 'EX18-1 R33 R34'",
    "  what: 'counts of counter 14 after the overflow of counter 12'",
    "  expected: '400'",
    "  observed: '0'",
    "  breaks: 'R34 R33'",
    "  intermittent: '3 of 1212 starts by CASCADE, none beside a disturbance; 14 by 12: 2 of 93'",
    "  action: 'start by CASCADE'",
    "  place: '14 by 12'",
    "  wrong: '3'",
    "  judged: '1212'",
    "  wrong_here: '2'",
    "  judged_here: '93'",
    "  earlier: 'course.links.14 course.drawn.14'",
    "  boot: 'only=cascade.18-1.iq.14-12,course.links.14 loop=100'",
    "  counters: '14'",
    "  escrs: 'CRU_ESCR2'",
    "  setting: 'CASCADE'",
    "  MSR_IQ_CCCR2: '40039000H'",
    '  ...',
    '#> state.cccr all 18 CCCRs read 0',
    'not ok 4 - state.cccr',
    '  ---',
    "  what: 'CCCRs that are not 0'",
    "  expected: '0'",
    "  observed: '1'",
    "  breaks: 'R3'",
    '  ...',
    'ok 5 - tag.reading # SKIP too disturbed to judge: 40 of 60 measurements met an interrupt',
    'ok 6 - cascade.18-1.iq.12-14',
    '# judged: starts by CASCADE 3120, excludes 1 in 1006; least 14 by 12: 174, excludes 1 in 56',
    '# judged: starts by bit 11 0',
    '# judged: carries 2600, excludes 1 in 548; least counter 3: 170, excludes 1 in 35',
    '# 3 passed, 2 failed, 1 skipped of 6; 1 of the failed intermittent; 3 unexplained',
    'END fail',
];

# Returns the verdict of a capture and, in list context, its boots ([number, Pmulog::Document]). If the tools
# warn or die, that is the verdict.
sub judge ($capture) {
    my @boots;
    my $verdict = eval {
        local $SIG{__WARN__} = sub { die "warned: $_[0]" };
        my $reader = Pmulog::Capture->new(on_boot => sub { push @boots, [@_] });
        $reader->feed($capture);
        $reader->finish;
        $_->[1]->why                         for @boots;
        Pmulog::Check::boot_line('-', @$_)   for @boots;
        Pmulog::Check::outside_line('-', $_) for @{ $reader->{outside} };
        Pmulog::Check::overall({ boots => \@boots, outside => $reader->{outside} });
    } // "died: $@";
    return wantarray ? ($verdict, @boots) : $verdict;
}

# True if every line of the document is in the capture, in this order, with nothing between them that is a
# line of a log. Only then may the capture pass. Line ends, blanks before them, empty lines, fill characters
# and commands to a terminal are no part of a line.
sub whole_in ($document, $capture) {
    my ($header, $plan, @due) = lines_of($document);
    my @found = lines_of($capture);
    for my $begin (grep { $found[$_] =~ /\Q$header\E\z/ && ($found[ $_ + 1 ] // '') =~ /\Q$plan\E\z/ }
        0 .. $#found)
    {
        my @left = @due;
        for my $line (@found[ $begin + 2 .. $#found ]) {
            last
                if !@left
                || $line ne $left[0]
                && $line =~ /\A(?:#|ok|not ok|Bail|\d+\.\.\d|  [ A-Za-z0-9.-]*[:.'-])|TAP version 13\z/;
            shift @left if $line eq $left[0];
        }
        return 1 if !@left;
    }
    return 0;
}

sub lines_of ($bytes) {
    $bytes =~
        s/\xFF[\xFB-\xFE][^\r\n]?|\xFF[\xF0-\xF9]|\e\[[0-?]*[ -\/]*[@-~]|\e[ -\/]*[0-~]|[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]//g;
    return grep { $_ ne '' } map { s/[ \t]+\z//r } split /[\r\n]+/, $bytes;
}

# Damages a log at random. Returns the bytes, and what was done. The caller has called srand.
sub random_damage ($log) {
    my $times = 1 + (rand() < 0.2 ? int rand 4 : 0);
    my @done;
    for (1 .. $times) {
        my $at = int rand length $log;
        my $size = rand() < 0.7 ? 1 : 1 + int rand 60;
        my $kind = int rand 6;
        if    ($kind == 0) { substr($log, $at, 1) ^.= chr(1 << int rand 8); }
        elsif ($kind == 1) { substr($log, $at, 1, chr int rand 256); }
        elsif ($kind == 2) { substr($log, $at, $size, ''); }
        elsif ($kind == 3) {
            substr($log, $at, 0, join '', map { chr int rand 256 } 1 .. $size);
        } elsif ($kind == 4) {
            substr($log, $at, 0, substr $log, int rand length $log, $size);
        } else {
            substr($log, $at, 2, scalar reverse substr $log, $at, 2) if $at + 1 < length $log;
        }
        push @done, "kind $kind at $at, $size";
    }
    return ($log, join ' and ', @done);
}

# Judges a damaged form of a whole document. Returns '' if the verdict is incomplete or damaged, or if the
# document is still whole; otherwise what is wrong.
sub is_never_a_pass ($document, $damaged) {
    my $verdict = judge($damaged);
    return $verdict if $verdict =~ /\A(?:died|warned)/;
    return '' if $verdict eq 'incomplete' || $verdict eq 'damaged' || whole_in($document, $damaged);
    return "the verdict is $verdict";
}

1;
