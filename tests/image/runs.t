#!/usr/bin/perl
# Runs of p4sim are kept (Runs.pm): a run that was done is not done again, and a changed byte of p4sim or of
# the image, or another word, makes it another run. With a stand-in for p4sim that counts its runs. What tests
# printed that have passed is kept, too, until something changes (tests/once).
use lib 'tests/image';
use ImageTest;
use Cwd qw(getcwd);
use File::Path qw(make_path);

($P4SIM, $ELF) = ("$dir/p4sim", "$dir/image");
$Runs::FOLDER = "$dir/runs";
my $text = "#!/bin/sh\necho x >> '$dir/count'\necho \"\$*\"\necho said >&2\nexit 3\n";

# A p4sim and an image with these bytes.
sub built ($p4sim, $image) {
    spew($P4SIM, $p4sim);
    chmod 0755, $P4SIM or die "chmod: $!";
    spew($ELF, $image);
}

# Runs the stand-in with these arguments; returns how often it has run for that.
sub runs (@arguments) {
    unlink "$dir/count";
    my $run = p4sim(@arguments);
    is $run->{status}, 3, "@arguments: the status";
    is $run->{out}, "@arguments\n", 'what it printed';
    is $run->{err}, "said\n", 'and said';
    return -e "$dir/count" ? (slurp("$dir/count") =~ tr/x//) : 0;
}

built($text, 'bytes');
is runs($ELF, 'word'), 1, 'a first run';
is runs($ELF, 'word'), 0, 'is not repeated';
is runs($ELF, 'wore'), 1, 'another word';
is runs('--ht', 'off', $ELF, 'word'), 1, 'an option';
is runs($ELF, 'word'), 0, 'the first one is still there';
built($text, 'Bytes');
is runs($ELF, 'word'), 1, 'another byte in the image';
is scalar(() = glob "$dir/runs/*"), 1, 'the runs of the image before it are gone';
built($text =~ s/echo said/echo  said/r, 'Bytes');
is runs($ELF, 'word'), 1, 'another byte in p4sim';

spew("$dir/another", 'bytes');
for my $case ([ "--vcd=$dir/vcd", $ELF ], [ "$dir/another", 'word' ]) {
    is runs(@$case), 1, 'a file is written, or the kernel is another one' for 1, 2;
}
is runs('--fault', 'list'), 1, 'without a kernel';
is runs('--fault', 'list'), 0, 'it is not repeated either';

# A screen is written again, wherever it shall be.
built($text =~ s/exit 3/test "\$1" = --screen && echo picture > "\$2"; exit 3/r, 'bytes');
for my $name (qw(first second)) {
    my $run = p4sim('--screen', "$dir/$name", $ELF);
    is slurp("$dir/$name"), "picture\n", "the $name screen";
}
is slurp("$dir/count") =~ tr/x//, 1, 'of one run';

my $count = 0;
is kept('words', 'of', 'it', sub { $count++; return { status => 0, out => 'said' } })->{out}, 'said', 'kept()'
    for 1, 2;
kept('words', 'of', 'that', sub { $count++; return { status => undef } }) for 1, 2;
is $count, 3, 'does once what ends, and each time what is killed';
unlink "$dir/count";
p4sim_anew($ELF, 'word') for 1, 2;
is slurp("$dir/count"), "x\nx\n", 'p4sim_anew() is a run of now';

spew($P4SIM, "#!/bin/sh\necho x >> '$dir/count'\nkill -9 \$\$\n");
unlink "$dir/count";
is p4sim($ELF, 'word')->{status}, undef, 'a run that was killed' for 1, 2;
is slurp("$dir/count"), "x\nx\n", 'is not kept';

# A tree with tests that count their runs and print build/says, write to the tree if there is build/writes,
# and fail if there is build/broken.
my $tree = "$dir/tree";
my $once = getcwd() . '/tests/once';
my $PASSES = "ok 1\n1..1\n";
make_path(map { "$tree/$_" } qw(build tests/image tests/host sim));
spew("$tree/$_", 'bytes') for qw(Makefile sim/main.c tests/host/a_test.c build/p4sim build/other);
spew("$tree/build/says", $PASSES);
spew("$tree/build/a_test", <<'END');
#!/bin/sh
echo x >> build/count
cat build/says
test ! -e build/writes || { sleep 0.02; echo >> Makefile; }
test ! -e build/broken
END
chmod 0755, "$tree/build/a_test" or die "chmod: $!";
spew("$tree/tests/image/$_.t", "exit system('build/a_test') >> 8;\n") for qw(a b timing);

# Has this test run through tests/once, with these variables and no others?
sub once ($test, @variables) {
    unlink "$tree/build/count";
    my $run = run(2, 'sh', '-c', 'cd "$1" && shift && exec env -i PATH="$PATH" BUILT=build/p4sim "$@"',
        'sh', $tree, @variables, $once, $test);
    is $run->{status}, -e "$tree/build/broken" ? 1 : 0, "$test: the status";
    is $run->{out}, slurp("$tree/build/says"), 'and what it prints';
    Time::HiRes::sleep(0.02);    # the time of a file goes on by 4 ms or 10 ms at once
    return -e "$tree/build/count" ? slurp("$tree/build/count") : '';
}

my ($A, $HOST) = qw(tests/image/a.t build/a_test);
for my $test ($A, $HOST) {
    is once($test), "x\n", 'a test that has not passed yet runs';
    is once($test), '', 'one that has passed does not run';
}
is slurp("$tree/build/passed/not-run"), "$A\n$HOST\n", 'for make test to say so';
is once($A, 'TEST_ALL=1'), "x\n", 'with TEST_ALL it does';
is once($A), '', 'which is not kept';
is once($A, 'AGAIN=1'), "x\n", 'with AGAIN it does';
for my $case (
    [ 'sim/main.c', $A ],
    [ 'build/p4sim', $A ],
    [ $A, $A ],
    [ 'tests/image/b.t', $A ],
    ['build/other'], [ $HOST, $HOST ]
    )
{
    my ($file, @runs) = @$case;
    my $tried = sub ($how) {
        is_deeply [ grep { once($_) } $A, $HOST ], \@runs,
            "$file $how: " . (@runs ? "@runs runs" : 'none runs');
    };
    once($_) for $A, $HOST;
    spew("$tree/$file", slurp("$tree/$file"));
    $tried->('is written');
    utime 1, 1, "$tree/$file" or die "utime $file: $!";
    $tried->('gets an old date');
}
is once('tests/image/timing.t'), "x\n", 'timing.t always runs' for 1, 2;
is once($A, 'BUILT=build/p4sim build/none'), "x\n", 'a file that is not there has changed' for 1, 2;

# A clock that was set back.
once($A);
my $later = time + 3600;
utime $later, $later, "$tree/build/passed/$A" or die "utime: $!";
is once($A), "x\n", 'a result of the future says nothing';
is once($A), '', 'the one of now does';

# A test that has failed runs until it passes, also if it had passed before. One runs again if a file has
# changed meanwhile.
for my $variable (qw(AGAIN=1 TEST_ALL=1)) {
    once($A);
    spew("$tree/build/broken", '');
    is once($A, $variable), "x\n", 'a test fails';
    is once($A), "x\n", 'and fails again' for 1, 2;
    unlink "$tree/build/broken" or die "cannot remove it: $!";
    is once($A), "x\n", 'and passes';
}
spew("$tree/build/writes", '');
is once($A, 'AGAIN=1'), "x\n", 'a test that writes to the tree';
is once($A), "x\n", 'runs again';
unlink "$tree/build/writes" or die "cannot remove it: $!";

# What ends with status 0 may be no pass, or only some of its checks.
for my $says (
    "not ok 1\n1..1\n",
    "ok 1\n",
    "1..0 # SKIP\n",
    "    1..0 # SKIP\n$PASSES",
    "ok 1 # skip no device\n1..1\n"
    )
{
    spew("$tree/build/says", $says);
    utime undef, undef, "$tree/$A" or die "utime: $!";
    is once($A), "x\n", 'it runs' for 1, 2;
}

done_testing;
