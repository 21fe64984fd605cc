#!/usr/bin/perl
# p4sim --serve: a run by a server gives the same bytes as one without, whatever ran before it. Malformed requests are named, and
# no process is left behind.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use POSIX ();
use Time::HiRes ();
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run guard p4sim assembled slurp spew one_line $ELF $P4SIM);
use Served qw(served);

my $LIB = "$FindBin::Bin/../../tools/lib";
my $dir = File::Temp->newdir;
my $other = assembled("$FindBin::Bin/echo.asm", "$dir/echo.elf");
my $damaged = spew("$dir/damaged.elf", substr slurp($ELF), 0, 100_000);

# Runs both ways. --trace shows every change of the PMU with its core clock.
my @runs = (
    [ 'one vector',           $ELF, 'only=state.cccr' ],
    [ 'interrupts',           '--trace', $ELF, 'only=pmi.rearm' ],
    [ 'both processors',      '--trace', $ELF, 'only=access.sibling' ],
    [ 'paging',               '--trace', $ELF, 'only=event.page_walk_type' ],
    [ 'ring 3',               '--trace', $ELF, 'only=pmi.cpl3' ],
    [ 'self-modifying code',  '--trace', $ELF, 'only=event.machine_clear' ],
    [ 'x87 and SSE',          '--trace', $ELF, 'only=count.x87_fp_uop,count.packed_sp_uop' ],
    [ 'a fault',              '--trace', '--fault', 'cascade-early', $ELF, 'only=cascade.18-1' ],
    [ 'another processor',    '--trace', '--cpu', '0F29', $ELF, 'only=cascade.18-1' ],
    [ 'two cores',            '--trace', '--cpu', '0F47', $ELF, 'only=state' ],
    [ 'one processor',        '--trace', '--ht', 'off', $ELF, 'only=state' ],
    [ 'another timing',       '--trace', '--timing', 5, $ELF, 'only=overflow.sticky' ],
    [ 'noise',                '--trace', '--noise', 3, $ELF, 'only=state,pmi.skid' ],
    [ 'a board',              '--board', 'no-pci', $ELF, 'only=state' ],
    [ 'no vector',            $ELF, 'only=nothing' ],
    [ 'another kernel',       $other, 'words' ],
    [ 'a damaged kernel',     $damaged ],
    [ 'no kernel',            "$dir/none.elf" ],
    [ 'a limit',              '--limit', 1, $ELF ],
    [ 'a wrong option',       '--cpu', 'none', $ELF ],
    [ 'a list',               '--variant', 'list' ],
    [ 'one vector once more', $ELF, 'only=state.cccr' ],
);
for (@runs) {
    my ($name, @arguments) = @$_;
    my $alone = p4sim(@arguments);
    my $served = served(20, $P4SIM, $ELF, @arguments);
    ok $served->{served}, "$name: by a server";
    ok $alone->{$_} eq $served->{$_}, "$name: the same $_" or diag sprintf "%d bytes, not %d", map { length $_->{out} . $_->{err} } $served, $alone
        for qw(status out err);
}

# A server of these arguments, and what it says to these requests: its exit status, standard output and standard error.
sub server_said {
    my ($arguments, $requests) = @_;
    my $file = spew("$dir/requests", $requests);
    my $run = run(5, 'sh', '-c', 'requests=$1; shift; exec "$@" < "$requests"', 'sh', $file, $P4SIM, '--serve', @$arguments);
    return @$run{qw(status out err)};
}

# Small kernels that show what the engine remembers of code and of registers: the server has run the same one before.
for my $name (qw(events exceptions interrupts timing)) {
    my $kernel = assembled("$FindBin::Bin/$name.asm", "$dir/$name.elf");
    my $alone = p4sim('--trace', $kernel);
    my $request = join("\t", "$dir/out", "$dir/err", '--trace', $kernel) . "\n";
    is_deeply [ server_said([$kernel], $request x 2) ], [ 0, "exit $alone->{status}\n" x 2, '' ], "$name.asm: the same status";
    ok $alone->{out} eq slurp("$dir/out"), "$name.asm: the same output";
    ok $alone->{err} eq slurp("$dir/err"), "$name.asm: the same trace";
}

my @WARM = ($ELF, 'quiet', 'only=state.cccr');
my $good = join "\t", "$dir/out", "$dir/err", $ELF, 'quiet', 'only=state.cccr';
is_deeply [ server_said(\@WARM, "$good\n$good\n") ], [ 0, "exit 0\nexit 0\n", '' ], 'two requests';
is_deeply [ server_said(\@WARM, '') ], [ 0, '', '' ], 'no request';

# The clocks of instructions tell which of them the trace cache holds: none at power-up, whatever ran before.
server_said([ $ELF, 'quiet', 'only=probe.cost' ], join("\t", "$dir/out", "$dir/err", '--trace', $ELF, 'quiet', 'only=probe.cost') . "\n");
ok slurp("$dir/err") eq p4sim('--trace', $ELF, 'quiet', 'only=probe.cost')->{err}, 'the first run was the same one: the same trace';

for (
    [ 'a word alone',    \@WARM, "word\n", qr/a request is OUT, ERR and up to \d+ arguments/ ],
    [ 'a cut request',   \@WARM, $good, qr/a request is a line of at most \d+ characters/ ],
    [ 'a long request',  \@WARM, "$good " . 'x' x 10_000 . "\n", qr/a request is a line of at most \d+ characters/ ],
    [ 'many arguments',  \@WARM, "$good" . "\tx" x 100 . "\n", qr/a request is OUT, ERR and up to \d+ arguments/ ],
    [ 'no kernel',       ["$dir/none.elf"], "$good\n", qr/cannot open kernel/ ],
    [ 'no pass to the end', [ '--limit', 1, $ELF ], "$good\n", qr/the first run: broken: limit of 1 million/ ],
) {
    my ($name, $arguments, $requests, $text) = @$_;
    my ($status, $out, $err) = server_said($arguments, $requests);
    is $status, 2, "$name: status 2";
    like $err, $text, "$name: said so";
    ok one_line($err), "$name: in one line";
}

server_said(\@WARM, join("\t", "$dir/out", "$dir/err", '--serve', $ELF) . "\n");
like slurp("$dir/err"), qr/\Ap4sim: --serve: [^\n]*\n\z/, 'no server in a server';
my (undef, $answer) = server_said(\@WARM, join("\t", "$dir/none/out", "$dir/err", $ELF) . "\n");
is $answer, "exit 2\n", 'a file that cannot be written';

# The processes whose parent, or whose group, is this one, and that live.
sub living {
    my ($field, $number) = @_;
    my @found;
    for my $stat (glob '/proc/[0-9]*/stat') {
        open my $file, '<', $stat or next;    # it has just ended
        my ($process, $state, $parent, $group) = (<$file> // '') =~ /^(\d+) .*\) (\S) (\d+) (\d+)/ or next;
        push @found, $process if $state !~ /[ZX]/ && $number == ($field eq 'parent' ? $parent : $group);
    }
    return @found;
}

# The caller ends while its server has a run that does not end. The server leads a process group.
for my $signal (qw(KILL TERM)) {
    my $caller = fork // die "cannot fork: $!";
    if (!$caller) {
        exec $^X, "-I$LIB", '-MServed', '-e', 'Served::served(1000, @ARGV)', $P4SIM, $ELF, $ELF, 'quiet', 'loop=forever',
            'only=state.cccr'
            or POSIX::_exit(1);
    }
    my $end = time + guard(5);
    my ($server, @group);
    while (@group < 2 && time < $end) {
        Time::HiRes::sleep(0.1);
        ($server) = living('parent', $caller);
        @group = living('group', $server) if defined $server;
    }
    is scalar @group, 2, 'a server and its run';
    kill $signal, $caller;
    waitpid $caller, 0;
    Time::HiRes::sleep(0.1) while living('group', $server) && time < $end;
    is_deeply [ living('group', $server) ], [], "SIG$signal to their caller ends both";
}

done_testing;
