#!/usr/bin/perl
# A signal that ends a test or a tool also ends what it has started: no p4sim is left behind, nor a temporary
# folder. That holds when the test itself ignores the signal, as a background job of a script ignores SIGINT.
use lib 'tests/image';
use ImageTest;
use POSIX ();
use Time::HiRes ();
use Ending qw(@ENDING);

my $LIB = "tools/lib";

# A command that writes its process id into $file and does not end by itself; and Perl that starts a command
# by run().
sub endless { return ('sh', '-c', 'echo $$ > "$1.new" && mv "$1.new" "$1" && exec sleep 1000', 'sh', $_[0]) }
sub running { return ($^X, "-I$LIB", '-MImage=run', '-e', 'run(1000, @ARGV)', @_) }

# Waits until the condition is true. Returns whether it became true.
sub wait_for ($condition) {
    my $end = time + guard(1);
    Time::HiRes::sleep(0.02) until $condition->() || time > $end;
    return $condition->();
}

# Is there a process, other than one that has ended and waits for its parent?
sub lives ($process) { return -e "/proc/$process/stat" && slurp("/proc/$process/stat") !~ /\) [ZX] / }

# Starts a program whose endless commands write their ids into these files, ends it with the signal, and
# returns its status.
sub end_with ($signal, $files, @command) {
    my $child = fork // die "cannot fork: $!";
    if (!$child) {
        setpgrp;
        $SIG{$_} = 'DEFAULT' for @ENDING;    # whatever this test was started with
        exec { $command[0] } @command or POSIX::_exit(127);
    }
    ok wait_for(sub {
        !grep { !-e } @$files;
        }),
        'the commands run';
    my @left = map { slurp($_) =~ /(\d+)/ } @$files;
    kill $signal, $child;
    my $ended;
    wait_for(sub { $ended ||= waitpid($child, POSIX::WNOHANG()) == $child });
    my $status = !$ended ? 'did not end' : $? & 127 ? "signal $?" : $? >> 8;
    kill 'KILL', -$child if !$ended;
    ok wait_for(sub {
        !grep { lives($_) } @left;
        }),
        'and have ended'
        or kill 'KILL', @left;
    return $status;
}

my %STATUS = (INT => 130, TERM => 143, HUP => 129);
for my $signal (sort keys %STATUS) {
    my $id = "$dir/$signal";
    is end_with($signal, [$id], running(endless($id))), $STATUS{$signal},
        "SIG$signal ends the command of run()";
}

subtest 'a command that itself runs a command' => sub {
    my $id = "$dir/nested";
    is end_with('TERM', [$id], running('sh', '-c', '"$@"; true', 'sh', running(endless($id)))), 143,
        'both end';
};

subtest 'workers, and the temporary folder' => sub {
    my @ids = map { "$dir/worker$_" } 0, 1;
    my $program =
          'my $dir = File::Temp->newdir(DIR => shift); in_parallel(2, 2, "", sub { my $id = "$ARGV[0]$_[0]"; '
        . 'run(1000, "sh", "-c", q(echo $$ > "$1.new" && mv "$1.new" "$1" && exec sleep 1000), "sh", $id) })';
    mkdir "$dir/folders";
    is end_with(
        'TERM', \@ids, $^X, "-I$LIB", '-MImage=run', '-MParallel=in_parallel', '-MFile::Temp', '-e', $program,
        "$dir/folders", "$dir/worker"
        ),
        143, 'a tool with two workers';
    is_deeply [ glob "$dir/folders/*" ], [], 'its folder is removed';
};

subtest 'an ignored signal ends nothing' => sub {
    my $run = run(1, $^X, "-I$LIB", '-MImage=run', '-e',
        '$SIG{HUP} = "IGNORE"; run(1, "sh", "-c", q(kill -HUP $PPID)); print "goes on"');
    is $run->{out}, 'goes on', 'nohup';
};

subtest 'a test that was started with SIGINT ignored' => sub {
    local $SIG{INT} = 'IGNORE';
    is end_with('INT', ["$dir/ignored"], running(endless("$dir/ignored"))), 130, 'its command ends';
};

done_testing;
