#!/usr/bin/perl
# A log that was cut, altered, interleaved or merged gets the verdict incomplete or damaged. Only two changes
# may keep the verdict: text outside of the document, and another style of line ends (pmulog.t).
# CheckedLog::whole_in recognises these two from the bytes. tests/fuzz/pmulog.t damages logs at random.
# make test-all flips more bits of each byte, and cuts and mixes at each line instead of one of four.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(checked judge whole_in is_never_a_pass $SEVERAL);

my $EVERY = $ENV{TEST_ALL} ? 1 : 4;

my $passing = checked(
    map  { s/\Anot ok/ok/r =~ s/4 passed, 1 failed/5 passed, 0 failed/r =~ s/END fail/END pass/r }
    grep { !/\A  / } @$SEVERAL
);
my %log = (
    'a log that passes' => [ 'pass', $passing ],
    'a log that fails'  => [ 'fail', checked(@$SEVERAL) ],
    'a log that skips'  => [ 'skip', checked('1..0 # SKIP no NetBurst PMU', '# build: 1', 'END skip') ],
    'a run that passes' => [ 'pass', document(p4sim($ELF, 'only=state,cascade.18-1.iq')->{out}) ],
    'a run that fails'  =>
        [ 'fail', document(p4sim('--fault', 'cascade-late', $ELF, 'only=cascade.18-1.iq')->{out}) ],
);

for my $name (sort keys %log) {
    my ($verdict, $log) = @{ $log{$name} };
    subtest $name => sub {
        is judge($log), $verdict, 'as it is';
        if ($name =~ /\Aa log/) {    # made by hand, with each kind of line once or twice
            every_line($log);
            every_byte($log);
        }
        cuts($log);
    };
}

subtest 'two logs in one' => sub {
    my ($one, $other) = map { $log{$_}[1] } 'a run that passes', 'a run that fails';
    my $again = document(p4sim('--cpu', '0F29', $ELF, 'only=state,cascade.18-1.iq')->{out});
    mixed(@$_) for [ $one, $again ], [ $other, $one ], [ $passing, $other ], [ $other, $other ];
};

ok !whole_in($passing, $passing =~ s/build/bui1d/r), 'the test itself sees an altered byte';

done_testing;

# Mutations with a wrong verdict; at most five of them are shown.
sub none_wrong ($title, $count, @wrong) {
    ok !@wrong, "$title ($count)" or diag map { "$_\n" } grep { defined } @wrong[ 0 .. 4 ];
}

sub every_line ($log) {
    my @lines = $log =~ /([^\n]*\n)/g;
    my ($count, @wrong) = 0;
    my $try = sub ($what, @mutated) {
        $count++;
        my $wrong = is_never_a_pass($log, join '', @mutated);
        push @wrong, "$what: $wrong" if $wrong;
    };
    for my $i (0 .. $#lines) {
        my @before = @lines[ 0 .. $i - 1 ];
        my @after = @lines[ $i + 1 .. $#lines ];
        $try->("line $i deleted", @before, @after);
        $try->("line $i with line $_ before it", @before, $lines[$_], $lines[$i], @after) for 0 .. $#lines;
        $try->("line $i with an empty one before it", @before, "\r\n", $lines[$i], @after);
        $try->(
            "line $i and the next one swapped",
            @before, $lines[ $i + 1 ],
            $lines[$i], @lines[ $i + 2 .. $#lines ]
        ) if $i < $#lines;
        $try->("line $i joined to the next", @before, $lines[$i] =~ s/\r\n//r, @after);
        for my $class (qr/[0-9]/, qr/[A-Z]/, qr/[a-z]/, qr/[^A-Za-z0-9\s]/, qr/ /) {
            my $line = $lines[$i];
            my $at = $line =~ $class ? $-[0] : next;
            substr($line, $at, 1) ^.= chr 1;
            $try->("line $i, a $class flipped", @before, $line, @after);
        }
    }
    none_wrong('every line deleted, copied, swapped, joined, flipped', $count, @wrong);
}

sub every_byte ($log) {
    my ($count, @wrong) = 0;
    for my $at (0 .. length($log) - 1) {
        my @masks = (0x01, 0x10, 0x20, 0x80);
        for my $mask ($ENV{TEST_ALL} ? @masks : $masks[ $at % @masks ]) {
            my $mutated = $log;
            substr($mutated, $at, 1) ^.= chr $mask;
            $count++;
            my $wrong = is_never_a_pass($log, $mutated);
            push @wrong, "byte $at xor $mask: $wrong" if $wrong;
        }
    }
    none_wrong('bytes flipped one by one', $count, @wrong);
}

# Cuts at lines, from the start and from the end, and at every byte of the last three lines.
sub cuts ($log) {
    my ($count, $at, @wrong, @ends) = (0, -1);
    push @ends, $at while ($at = index $log, "\n", $at + 1) >= 0;
    my @some = grep { $_ % $EVERY == 0 } 0 .. $#ends - 1;
    for my $cut (map({ $ends[$_] + 1 } @some), $ends[-4] .. length($log) - 1) {
        $count++;
        my $wrong = is_never_a_pass($log, substr $log, 0, $cut);
        push @wrong, "cut at $cut: $wrong" if $wrong;
        next if $cut == 0;
        my $tail = is_never_a_pass($log, substr $log, $cut);
        push @wrong, "begins at $cut: $tail" if $tail;
    }
    none_wrong('cut after lines, and at every byte of the last three', $count, @wrong);
}

# Two different logs: interleaved by lines and by chunks of bytes, merged, and spliced.
sub mixed ($one, $other) {
    my @one = $one =~ /([^\n]*\n)/g;
    my @other = $other =~ /([^\n]*\n)/g;
    my $most = @one > @other ? $#one : $#other;
    my %mixed = ('lines interleaved' => join '', map { $_ // '' } map { ($one[$_], $other[$_]) } 0 .. $most);
    for my $chunk (16, 64, 1024) {
        my @chunks = map { [ unpack "(a$chunk)*", $_ ] } $one, $other;
        $mixed{"chunks of $chunk interleaved"} = join '',
            map { ($chunks[0][$_] // '') . ($chunks[1][$_] // '') } 0 .. (length $one . $other) / $chunk;
    }
    for my $i (grep { $_ % $EVERY == 0 } 1 .. $#one - 1) {
        my $j = $i < @other ? $i : $#other;
        my @head = @one[ 0 .. $i ];
        $mixed{"head to $i, then the other whole"} = join '', @head, @other;
        $mixed{"head to $i, then the other's tail"} = join '', @head, @other[ $j + 1 .. $#other ]
            if $one ne $other;
        $mixed{"the other's tail from $i, then all"} = join '', @other[ $j .. $#other ], @one;
        next if $i + 5 > $#one || $i + 5 > $#other || $one eq $other;
        $mixed{"lines $i to +4 from the other"} = join '', @head, @other[ $i + 1 .. $i + 5 ],
            @one[ $i + 6 .. $#one ];
    }
    # The logs begin alike, and a short one fits into one chunk, so the result may be one of the logs
    # unchanged.
    my %whole = map { $_ => 1 } $one, $other, $one . $other;
    my @wrong;
    for my $how (sort keys %mixed) {
        my $verdict = judge($mixed{$how});
        push @wrong, "$how: $verdict" if $verdict !~ /\A(?:damaged|incomplete)\z/ && !$whole{ $mixed{$how} };
    }
    none_wrong('interleaved, merged, spliced', scalar keys %mixed, @wrong);
}
