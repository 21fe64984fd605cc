#!/usr/bin/perl
# Every program of the tree, and p4sim: --help prints and succeeds, an unknown option is refused by its name,
# and a name that is nearly right is suggested; --version, of those that are installed. The manual pages,
# which are made out of --help, and the completion for bash.
use lib 'tests/image';
use ImageTest;
use File::Find qw(find);
use CheckedLog qw(checked $SEVERAL);

# The status of wrong usage, where it is not 2.
my %STATUS = map { $_ => 64 } qw(tools/pmulog tools/capture tools/lab/lava/serial-log);

my %PROGRAM = (p4sim => 'build/p4sim', map { $_ => "tools/$_" } qw(pmulog capture write-stick));

my (undef, $version) = split ' ', run(5, 'tools/identity')->{out};
my ($built) = split ' ', slurp('build/version');    # p4sim has that of its last build
my @programs = 'build/p4sim';
find({ no_chdir => 1, wanted => sub { push @programs, $_ if -f && -x _ } }, qw(boot iso tools));

for my $program (sort @programs) {
    my ($name) = $program =~ m{([^/]+)\z};
    my $run = run(5, $program, '--help');
    ends(
        $run, 0,
        "$program --help succeeds and begins with the usage",
        out => qr{\Ausage: (?:\S+/)?\Q$name\E\b}
    );
    like $run->{out}, qr{^ *[^\n]*\b\w+[^\n]*\.$}m, 'and has a sentence';
    is $run->{err}, '', 'without a complaint';
    is_deeply [ grep { length > 80 } split /\n/, $run->{out} ], [], 'in 80 columns';

    if ($PROGRAM{$name}) {    # those that are installed; the others answer with the same code
        $run = run(5, $program, '--version');
        is $run->{status}, 0, "$program --version succeeds" or diag $run->{err};
        my $of = $program eq 'build/p4sim' ? $built : $version;
        like $run->{out}, qr{\A\Q$name\E (?:\(pmuproof\) )?\Q$of\E[\s,]},
            'and names the version of this tree';
    }

    $run = run(5, $program, '--no-such-option');
    ends(
        $run,
        $STATUS{$program} // 2,
        "$program refuses an unknown option, by its name",
        err => qr/^\S+: .*--no-such-option/
    );
    is $run->{out}, '', 'and prints nothing else';
}

subtest 'what was probably meant' => sub {
    for my $case (
        [ 'cascade-early', qw(build/p4sim --fault cascade-erly x) ],
        [ 'never', qw(build/p4sim --fault edge.nevr@counter=12 x) ],
        [ 'compare', qw(build/p4sim --fault), 'ovf.never,while=compar', 'x' ],
        [ 'cascade-latch', qw(build/p4sim --variant cascade-lach x) ],
        [ 'uart-dies', qw(build/p4sim --board uart-ded x) ],
        [ '--fault', qw(build/p4sim --fautl x) ],
        [ '--vcd', qw(build/p4sim --vdc x) ],    # short: a swap must cost one error, not two
        [ '--last', qw(tools/pmulog check --lsat x) ],
        [ 'check', qw(tools/pmulog chekc x) ],
        [ '--baud', qw(tools/capture --buad 9600 x y) ],
        [ '--machines', qw(tools/campaign --machine 5) ],
        [ 'cascade-early', qw(tools/campaign cascade-erly) ],
        [ '--list', qw(tools/write-stick --lst) ],
        [ '--uefi', qw(tools/qemu-run --uefy 64 x) ]
        )
    {
        my ($meant, @words) = @$case;
        like run(5, @words)->{err}, qr/; did you mean \Q$meant\E\?(?:$|;)/m, "@words";
    }
};

subtest 'wrong usage' => sub {
    my ($log, $fonts) = (file('log', checked(@$SEVERAL)), '/usr/share/fonts/X11/misc');
    my $usage = qr/\A\S+: [^\n]+\n(?:(?:usage:|  +|see )[^\n]*\n)+\z/;
    my $one = qr/\A[^\n]+\n(?:(?:usage:|  +|see )[^\n]*\n)*\z/;    # one line, and perhaps how to use it
    for my $case (
        map({ [ 64, $usage, 'tools/pmulog', @$_ ] } [],
            ['bogus'], ['check'],
            [qw(check --boot)], [ qw(check --last --boot 1), $log ],
            [ 'tap', $log, $log ], [ 'compare', $log ],
            ['explain'], [qw(explain -)],
            [qw(tap -)], map { [ 'check', "--boot=$_", $log ] } '',
            'x', 0),
        [ 64, qr/\Apmulog: .*\n.*\nusage: /, qw(tools/pmulog check), "--boot=1\n", $log ],
        [
            64,
            qr/--json and --csv choose one format: '--csv' is one too many/,
            qw(tools/pmulog check --json --csv), $log
        ],
        [ 64, qr/unknown option '--xml'; .*--json/, qw(tools/pmulog check --xml), $log ],
        [ 64, qr/\Apmulog: unknown command 'chekc'; did you mean check\?\n\z/, qw(tools/pmulog chekc) ],
        [ 64, $usage, qw(tools/pmulog check --stamps), $log, $log ],
        map({ [
                64, qr/\Apmulog: $_ has no --csv; check, compare, explain and sheet have it\n/,
                'tools/pmulog', $_, '--csv', $log
        ] } qw(tap junit html)),
        map(
            { [ 2, qr/cannot read .*needs a file, not a pipe or a device/, 'tools/pmulog', @$_,
                '/dev/null' ] } map({ [$_] } qw(tap junit html explain)),
            [ 'compare', $log ]),
        map({ [ 64, $usage, 'tools/capture', @$_ ] } [],
            ['x'], [qw(x -)], [qw(x y z)], [qw(--baud 1 x y)], ['--baud'], [qw(--timeout x x y)]),
        map({ [ 2, $one, 'tools/qemu-run', @$_ ] } [],
            ['nowhere.iso'], ['Makefile'], [ qw(--uefi 16), $ISO ],
            ['--uefi']),
        map({ [ 2, $usage, 'tools/bench', @$_ ] } [], [qw(x y)]),
        [ 2, qr/usage/, qw(iso/build-iso hybrid), $ELF ],
        [ 2, qr/'floppy'.*\n(?:.*\n)*usage/, qw(iso/build-iso floppy), $ELF, "$dir/out" ],
        [ 1, qr/'nowhere' is not a file/, qw(iso/build-iso bios nowhere), "$dir/out" ],
        [ 1, qr/'Makefile' has no multiboot header/, qw(iso/build-iso bios Makefile), "$dir/out" ],
        map({ [ 2, $one, 'tools/font', @$_ ] } [], ['nowhere.pcf.gz']),
        map({ [ 255, $one, 'tools/font', $_ ] } 'Makefile',
            "$fonts/6x13-ISO8859-1.pcf.gz",
            "$fonts/8x16.pcf.gz"),
        map({ [ 2, $one, 'tools/figure', @$_ ] } [], ['18-3'], [qw(18-1 build more)]),
        map({ [ 2, $one, 'tools/picture', @$_ ] } [], ["$dir"]),
        [ 2, qr{cannot read \Q$dir\E/p4sim: No such file}, qw(tools/figure 18-1), "$dir" ],
        map({ [ 2, $usage, @$_ ] } [qw(tools/campaign --bogus)],
            ['tools/coverage'], ['tools/bench'], [qw(tools/identity --nonsense)]),
        [ 2, qr/'all'; allowed are build, test, lint, lab, linux and release$/m, qw(tools/deps all) ],
        [
            1, qr/\Atools\/source-tarball: '\Q$dir\E\/none\/x': its folder does not exist\n\z/,
            'tools/source-tarball', "$dir/none/x"
        ],
        )
    {
        my ($status, $says, @words) = @$case;
        my $run = run(5, @words);
        ends($run, $status, "@words, says what is wrong", err => $says);
        is $run->{out}, '', 'and prints nothing else';
        ok !-e "$dir/out", 'nothing is made';
    }
};

subtest 'standard output that takes nothing' => sub {
    my %BROKEN = (%STATUS, map { $_ => 2 } qw(build/p4sim tools/watch tools/write-stick));
    for my $words (
        'build/p4sim --help',
        'build/p4sim --fault list',
        "build/p4sim --fault list '*'",
        'build/p4sim build/pmuproof.elf only=state.cccr',
        map { ("$_ --help", "$_ --version") } qw(tools/pmulog tools/watch tools/write-stick)
        )
    {
        my ($program) = split ' ', $words;
        my $run = run(5, 'sh', '-c', "$words > /dev/full");
        is $run->{status}, $BROKEN{$program}, "$words > /dev/full";
        like $run->{err},
            qr/\A\S+: cannot write(?:: No space left on device| to standard output: .* is lost)\n\z/,
            'says why';
    }
};

# As in a clone of somebody else: git refuses to read it.
subtest 'a tree that git does not read' => sub {
    my $tree = File::Temp->newdir;
    my $run = run(
        5,
        'sh',
        '-ec',
        'mkdir -p "$1/.git" "$1/tools/lib"; cp tools/identity "$1/tools"; '
            . 'cp tools/lib/command.sh "$1/tools/lib"; cp VERSION "$1"; "$1/tools/identity"',
        'sh',
        "$tree"
    );
    like $run->{out}, qr/\Aunversioned \S+~unversioned 315532800\n\z/, 'is unversioned';
    like $run->{err},
        qr/\Atools\/identity: unversioned, because git does not read this tree: fatal: [^\n]+\n\z/,
        'which is said, with the reason of git';
};

# ---- Manual pages and completion ----

for my $name (sort keys %PROGRAM) {
    my $page = "build/man/$name.1";
    my $text = slurp($page);
    my $help = run(5, $PROGRAM{$name}, '--help')->{out};
    is_deeply [ $text =~ /^\.SH "?([A-Z ]+?)"?$/mg ],
        [ qw(NAME SYNOPSIS DESCRIPTION), 'EXIT STATUS', qw(FILES EXAMPLES), 'SEE ALSO' ],
        "the sections of $page";
    like $text, qr/^\.SH NAME\n\Q$name\E \\- [a-z][^\n]+[^.\n]\n/m, 'its line for apropos';
    my $plain = $text =~ s/\\f[BIPR]|\\(?=-)//gr;
    is_deeply [ grep { $plain !~ /(?<![\w-])\Q$_\E(?![\w-])/ } $help =~ /(?<![\w-])(--[a-z][a-z-]*)/g ], [],
        'it has all options of --help';
    is_deeply [ $plain =~ /^(\d+) /mg ], [ 0, 1, 2, 77 ], 'a line for each exit status' if $name eq 'p4sim';
    my $groff = run(5, 'groff', '-man', '-ww', '-z', $page);
    is $groff->{status}, 0, 'groff reads it';
    is $groff->{err}, '', 'without a warning';
}

# What bash offers for the last of these words.
sub offered (@words) {
    my $run = run(
        10,
        'bash',
        '-c',
        '. tools/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pmuproof "$1" || exit 9; '
            . 'printf "%s\n" "${COMPREPLY[@]}"',
        'bash',
        @words
    );
    is $run->{err}, '', "@words: no complaint";
    return [ grep { $_ ne '' } split /\n/, $run->{out} ];
}

sub all { return [ (run(5, 'build/p4sim', $_[0], 'list')->{out} =~ /^(\S+)/mg), 'list' ] }

subtest 'completion' => sub {
    my $p4sim = 'build/p4sim';
    is_deeply offered($p4sim, '--cpu', ''), all('--cpu'), 'all processors';
    is_deeply offered($p4sim, '--variant', ''), all('--variant'), 'all variants';
    is_deeply offered($p4sim, '--board', ''), all('--board'), 'all boards';
    my @names = run(5, $p4sim, '--fault', 'list', '*')->{out} =~ /^(\S+)/mg;
    is_deeply offered($p4sim, '--fault', ''), [ @names, 'list' ], 'all names of faults';
    is_deeply offered($p4sim, '--fault', 'edge.al'),
        [ grep { /^edge\.al/ } run(5, $p4sim, '--fault', 'list', 'edge.*')->{out} =~ /^(\S+)/mg ],
        'and compositions once there is a dot';
    is_deeply offered($p4sim, '--fault', '=', 'cascade-lat'), ['cascade-late'], '--fault=NAME';
    is_deeply offered($p4sim, '--fault', '='), offered($p4sim, '--fault', ''), '--fault= and nothing yet';
    is_deeply offered($p4sim, '--cpu', '0F29', '--h'), [qw(--ht --help)], 'options';
    is_deeply offered($p4sim, '--ht', ''), [qw(on off)], '--ht';
    is_deeply offered($p4sim, $_, ''), [], "$_: nothing but names of files" for qw(--screen --limit --cpux);
    is_deeply offered($p4sim, '--cpu', '0F29', 'bu'), [], 'the kernel: names of files';
    my @commands = run(5, 'tools/pmulog', '--help')->{out} =~ /^  ([a-z]+) /mg;
    cmp_ok scalar @commands, '>', 5, 'pmulog has commands';
    is_deeply offered('tools/pmulog', ''), \@commands, 'which are offered';
    is_deeply offered('tools/pmulog', 'check', '--l'), ['--last'], 'then its options';
    is_deeply offered('tools/pmulog', 'check', ''), [], 'and names of files';
    is_deeply offered('tools/capture', '--baud', '19'), ['19200'], 'speeds';
    is_deeply offered('tools/capture', '--e'), ['--echo'], 'the second name of an option';
    is_deeply offered('tools/write-stick', '--f'), ['--force-fixed'], 'write-stick';

    for my $name (sort keys %PROGRAM) {
        my %listed = map { $_ => 1 } run(5, $PROGRAM{$name}, '--help')->{out} =~ /^ +(--[a-z][a-z-]*)/mg;
        my %offered = map { $_ => 1 } @{ offered($PROGRAM{$name}, '--') };
        is_deeply [ grep { !$offered{$_} } sort keys %listed ], [], "all options of $name";
    }
    like run(10, 'bash', '-c', '. build/completions/p4sim; complete -p')->{out},
        qr/^complete -o default -F _pmuproof capture$/m, 'bash knows whose it is';
};

done_testing;
