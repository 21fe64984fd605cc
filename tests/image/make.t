#!/usr/bin/perl
# What make says and does besides building: few and short lines, the commands with V=1, nothing written under
# make -n, the name of the build (tools/identity), and tools/deps where there is no network. Works on a copy
# of the tree.
use lib 'tests/image';
use ImageTest;

my $SOME = 'build/kernel/kernel/lib/format.o';    # a file that is built
my $MORE = 'build/kernel/kernel/log/tap.o';       # one that is built besides
my $LINES = 8;                                    # that tools/deps may need to say what is wrong
# lines of a first `make run` before the log, those of tools/deps too
my $FIRST = 40;

# prove may run under make, whose flags are not meant for the makes below; nor is a repository that GIT_DIR
# names.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES GIT_DIR GIT_WORK_TREE SOURCE_DATE_EPOCH V)};
local @ENV{qw(GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL)} =
    ('a', 'a@b', 'a', 'a@b');

my $copy = "$dir/copy";

# A command that must succeed; returns what it printed.
sub output {
    my $run = run(5, @_);
    is $run->{status}, 0, $run->{command} or diag $run->{out}, $run->{err};
    return $run->{out};
}

sub make { return output('make', '--no-print-directory', '-C', $copy, @_) }

mkdir $copy or die "cannot make $copy: $!";
output('cp', '-a', (grep { !m{^\./(?:build|\.git)\z} } glob './* ./.??*'), $copy);

subtest 'make -n' => sub {
    like output('make', '-C', $copy, '-n', 'all', 'host-tests', 'iso'), qr/\bgcc\b/, 'prints the commands';
    ok !-e "$copy/build", 'and writes nothing';
};

# rm -rf must never get the part of a name before a blank.
subtest 'folders that make cannot use' => sub {
    for my $case (
        [ 'DESTDIR', "uninstall", 'DESTDIR=/tmp/no such' ],
        [ 'PREFIX', 'uninstall', 'PREFIX=/usr ' ],
        [ 'PREFIX', 'install', 'PREFIX=usr' ],
        [ 'BUILD', 'clean', 'BUILD=/tmp/no such' ]
        )
    {
        my ($name, @words) = @$case;
        my $run = run(5, 'make', '-C', $copy, '-n', @words);
        is $run->{status}, 2, "make @words";
        is $run->{out} =~ s/^make: .*\n//mgr, '', 'runs nothing';
        like $run->{err}, qr/\*\*\* .*\b$name='.*needed|\*\*\* $name='.*name a folder without one/,
            'and says what it needs';
    }
};

subtest 'what make prints' => sub {
    is make($SOME, $MORE), "  CC     build/kernel/kernel/*\n", 'one short line for the files of a folder';
    is make($SOME), "make: '$SOME' is up to date.\n", 'and nothing for a file that is there';
    unlink "$copy/$SOME" or die "cannot remove $SOME: $!";
    is make('-s', $SOME), '', 'make -s: nothing';
    unlink "$copy/$SOME" or die "cannot remove $SOME: $!";
    like make('V=1', $SOME), qr{\Agcc -m32 [^\n]* -o $SOME kernel/lib/format\.c\n\z}, 'V=1: the command';
    my @first = make('-n', 'run') =~ /^(printf '  .*)/mg;
    cmp_ok scalar @first, '<=', $FIRST - $LINES, 'few lines before the first log' or diag join "\n", @first;
    cmp_ok scalar @first, '>', 5, 'but some';
    like join("\n", @first), qr{/p4sim\b}, 'of each program';
    spew("$copy/kernel/log/warns.c", "static int unused;\n");
    my $warned = run(2, 'make', '-C', $copy, 'build/kernel/kernel/log/warns.o');
    like $warned->{err}, qr/warns\.c:1:12: (?:warning|error): /,
        'a warning is shown; gcc 12 takes it for an error';
    unlink "$copy/kernel/log/warns.c" or die "cannot remove it: $!";
    my $help = make('help');
    unlike $help, qr/^.{81}/m, 'make help: 80 columns';
    my %help = $help =~ /^  ([a-z-]+) +(\S.*)/mg;
    is_deeply [ grep { !$help{$_} } qw(all run test iso lint clean install dist) ], [],
        'make help names the targets';
    like $help, qr/^Build\n  all .*^Test\n  test /ms, 'in groups';
    # A reader that leaves at once has left before make prints.
    unlike run(2, 'bash', '-c', "set -o pipefail; make -C '$copy' help | $_")->{err}, qr/pipe|Error/i,
        "make help | $_: no complaint"
        for ':', 'head -1';
};

# A compiler without -Oz, as gcc is before version 12.
subtest 'a compiler that does not know -Oz' => sub {
    mkdir "$dir/bin" or die "cannot make $dir/bin: $!";
    my $gcc = output('sh', '-c', 'command -v gcc') =~ s/\n//r;
    program('oldgcc',
        "case \" \$* \" in *' -Oz '*) echo 'what is -Oz?' >&2; exit 1 ;; esac\nexec $gcc \"\$@\"\n");
    like make('V=1', "CC=$dir/bin/oldgcc", 'BUILD=build/old', $SOME =~ s{build/}{build/old/}r), qr/ -Os /,
        'is given -Os';
};

# What tools/identity prints there: build and version.
sub identity { return join ' ', (split ' ', output("$_[0]/tools/identity"))[ 0, 1 ] }

# make dist must refuse the tree as it is.
sub no_release ($reason) {
    my $run = run(2, 'make', '-C', $copy, 'dist');
    isnt $run->{status}, 0, 'no release is made of it';
    like $run->{err}, $reason, 'and the reason is said';
    is_deeply [ glob "$copy/build/dist/*" ], [], 'nothing is left';
}

sub git { return output('git', '-C', @_) }

chomp(my $release = slurp('VERSION'));    # that comes next

subtest 'build and version' => sub {
    like $release, qr/\A\d+\.\d+\z/, 'VERSION: two numbers';
    is identity($copy), "unversioned $release~unversioned", 'of a tree that is in no repository';
    no_release(qr/no version/);
    like output('sh', '-c', "cd '$copy' && tools/layers tools/rooms"), qr/\Alayers: [1-9]/,
        'where make layers works too';
    git($dir, 'init', '-q');
    git($dir, 'commit', '-q', '--allow-empty', '-m', 'outer');
    git($dir, 'tag', '-a', '-m', 'outer', 'v9.9-somebody-elses');
    is identity($copy), "unversioned $release~unversioned",
        'of a tree inside of another repository: not that one\'s tag';
    git($copy, 'init', '-q');
    git($copy, 'add', '-A');
    local $ENV{GIT_COMMITTER_DATE} = '2026-11-22T23:30:00-0300';    # the 23rd in UTC
    git($copy, 'commit', '-q', '-m', 'inner');
    my $commit = substr git($copy, 'rev-parse', 'HEAD'), 0, 12;
    my $short = substr $commit, 0, 7;
    is identity($copy), "$commit $release~20261123.$short",
        'of a work tree: its commit; before a tag: the date in UTC, the commit';
    spew("$copy/README.md", 'changed');
    is identity($copy), "$commit+ $release~20261123.$short+", 'with a change: a plus';
    no_release(qr/not committed/);
    git($copy, 'checkout', '-q', 'README.md');

    mkdir "$dir/unpacked" or die "cannot make $dir/unpacked: $!";
    my $unpack = sub { output('sh', '-c', "git -C '$copy' archive HEAD | tar -x -C '$dir/unpacked'") };
    $unpack->();
    is identity("$dir/unpacked"), identity($copy),
        'of an archive, inside of another repository: those of the commit that it was made of';
    my $dates = join ' ', map { (split ' ', output("$_/tools/identity"))[2] } $copy, "$dir/unpacked";
    like $dates, qr/\A(\d{10}) \1\z/, 'both have the date of the commit';
    git($copy, 'tag', 'v7.2');
    git($copy, 'tag', 'another-tag');
    $unpack->();
    is identity($_), "$commit 7.2", 'of a commit with a tag of a version: that version'
        for $copy, "$dir/unpacked";
    git($copy, 'commit', '-q', '--allow-empty', '-m', $_) for 1 .. 12;
    $commit = substr git($copy, 'rev-parse', 'HEAD'), 0, 12;
    $short = substr $commit, 0, 7;
    $unpack->();
    is identity($_), "$commit 7.2+12.$short", 'after a tag: how many commits, and which'
        for $copy, "$dir/unpacked";
};

# The order in which packages of these versions replace one another.
subtest 'versions are in the order in which they are made' => sub {
    my @order = (
        '1.0~20261122.ffffff0', '1.0~20261123.0000001', '1.0', '1.0+',
        '1.0+7.ffffff0', '1.0+12.0000001', '1.1~20261201.abcdef0', '1.1'
    );
    is run(1, 'dpkg', '--compare-versions', $order[ $_ - 1 ], 'lt', $order[$_])->{status}, 0,
        "$order[$_ - 1] is before $order[$_]"
        for 1 .. $#order;
};

subtest 'the packages of a release' => sub {
    my %line = map { /^(\S+) (.*)/ ? ($1 => $2) : () } split /\n/, output('tools/packages');
    is_deeply [ grep { !$line{$_} } split ' ', output(qw(tools/deps --list build)) ], [],
        'those that the build is said to need';
    like $line{'gcc-12-base'} // $line{'libgcc-s1'}, qr/\A\S+ \(source: gcc-\d+ \S+\)\z/,
        'and what those need';
    is_deeply [ grep { /^(?:qemu|ovmf|lava)/ } keys %line ], [], 'not those that only tests need';
    like output(qw(tools/packages --source grub-pc-bin)), qr/\Agrub2 \(= \S+\)\n\z/, 'the source of GRUB';
    like run(1, qw(tools/packages --source nonsense))->{err}, qr/nonsense is not installed/,
        'a package that is not there';
};

subtest 'what tools/deps installs' => sub {
    my ($run, $build, $test) = map { [ split ' ', output(qw(tools/deps --list), @$_) ] } [], ['build'],
        ['test'];
    is_deeply [ grep { /^(?:grub|xorriso|qemu|libcmocka|help2man)/ } @$run ], [],
        'for make run: nothing of media, pages and tests';
    is_deeply [ @$build[ 0 .. $#$run ] ], $run, 'build: the same and more';
    is_deeply [ @$test[ 0 .. $#$build ] ], $build, 'test: the same and more';
    is_deeply [ split ' ', output(qw(tools/deps --list lint test)) ],
        [ split ' ', output(qw(tools/deps --list lint)) ], 'no name twice';
};

subtest 'programs that are missing' => sub {
    my $wrong = sub {
        my $run = run(5, 'make', '-C', $copy, '-n', 'CC=no-gcc', @_);
        $run->{status} == 2 ? $run->{err} : 'runs';
    };
    like $wrong->('run'), qr{not installed: no-gcc; \./tools/deps installs what make run needs},
        'make names them and tools/deps';
    like $wrong->('lint', 'run'),
        qr{not installed: no-gcc.*; \./tools/deps lint installs what make lint run needs},
        'with the set of packages that the targets need';
    mkdir "$dir/few" or die "cannot make $dir/few: $!";
    for my $program (qw(sh gcc nasm strip perl date git sed grep cut)) {
        my $path = output('sh', '-c', "command -v $program") =~ s/\n//r;
        symlink $path, "$dir/few/$program" or die "cannot link $program: $!";
    }
    my $make = output('sh', '-c', 'command -v make') =~ s/\n//r;
    local $ENV{PATH} = "$dir/few";
    like run(5, $make, '-C', $copy, '-n', $_)->{err}, qr/not installed: .*\bqemu-system-i386\b/,
        "those of make $_, too"
        for qw(test test-all);
};

subtest 'a release that test-fresh does not know' => sub {
    program('mmdebstrap', '');    # else make misses it first
    local $ENV{PATH} = "$dir/bin:$ENV{PATH}";
    for my $word ('RELEASE=', 'RELEASE=sarge', 'RELEASE=bookworm sarge') {
        my $run = run(5, 'make', '-C', $copy, '-n', 'test-fresh', $word);
        ends(
            $run, 2,
            "make test-fresh $word is refused, and those that it knows are named",
            err => qr/\bRELEASE='.*name one of: bookworm trixie\b/
        );
    }
};

# Writes a program into $dir/bin.
sub program ($name, $text) {
    chmod 0755, file("bin/$name", "#!/bin/sh\n$text") or die "cannot make $name executable: $!";
}

# apt-cache of a release that does not have these packages.
sub release_without {
    my $names = join '|', @_, 'none';
    program('apt-cache',
              "shift\nfor name; do case \$name in $names) ;; *) printf '%s:\\n"
            . "  Candidate: 1.0\\n' \"\$name\" ;; esac; done\n");
}

# apt-get as it is without network, and dpkg-query on a system that has nothing.
subtest 'tools/deps without network' => sub {
    release_without();
    my $apt = "case \$1 in update) exec seq 1 900 ;; esac\nseq 1 1300\n"
        . "echo 'E: Could not resolve deb.example.org' >&2\nexit 100\n";
    program('apt-get', $apt);
    program('dpkg-query', "exit 1\n");
    program('sudo', "exec \"\$@\"\n");
    local $ENV{PATH} = "$dir/bin:$ENV{PATH}";
    my $run = run(1, "$copy/tools/deps");
    is $run->{status}, 1, 'status 1';
    my @lines = split /\n/, $run->{out} . $run->{err};
    cmp_ok scalar @lines, '<=', $LINES, 'few lines' or diag $run->{out}, $run->{err};
    my $said = join "\n", @lines;
    like $said, qr/apt-get install/, 'which step failed';
    like $said, qr/E: Could not resolve deb\.example\.org/, 'why';
    like $said, qr/\bnasm\b/, 'which packages are missing';
    like $lines[-1], qr/^ +apt-get update && apt-get install .*\bnasm\b/, 'and, last, what to do';
    program('apt-get', $apt =~ s/exec seq 1 900/echo 'E: no network' >&2; exit 100/r);
    my $early = run(1, "$copy/tools/deps");
    like $early->{out} . $early->{err}, qr/apt-get update/, 'the lists cannot be fetched: that step is named';
    program('apt-get', "seq 1 1300\n");
    my $good = run(1, "$copy/tools/deps");
    is $good->{status}, 0, 'with network it ends well';
    cmp_ok scalar(() = $good->{out} =~ /\n/g), '<=', $LINES, 'in few lines too';
};

# As the subtest before left them, apt-get succeeds and nothing is installed.
subtest 'tools/deps on a release that lacks packages' => sub {
    local $ENV{PATH} = "$dir/bin:$ENV{PATH}";
    program('apt-get', "echo \"\$*\" >> $dir/apt-get.log\n");
    release_without('lava-common');
    my $run = run(1, "$copy/tools/deps", 'test');
    is $run->{status}, 0, 'one that only some tests need is left out';
    like $run->{out},
        qr{^tools/deps: this release of Debian has no package lava-common; not tested: .*tests/image/lab\.t}m,
        'and it says what is not tested';
    my $installed = slurp("$dir/apt-get.log");
    like $installed, qr/^install .*\bnasm .*\bqemu-system-x86\b/m, 'the others are installed';
    unlike $installed, qr/lava-common/, 'without that one';
    release_without('nasm');
    my $lacks = run(1, "$copy/tools/deps");
    is $lacks->{status}, 1, 'one that the build needs is an error';
    is $lacks->{err}, "tools/deps: this release of Debian has no package nasm, "
        . "without which pmuproof cannot be built or tested\n", 'and it says so';
};

done_testing;
