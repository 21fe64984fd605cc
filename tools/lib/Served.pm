# Runs of p4sim by a server (p4sim --serve), whose runs start with warm engines: for tools that run the image thousands of times.
package Served;

use strict;
use warnings;
use Ending qw(@ENDING ending not_ending);
use Exporter 'import';
use File::Temp;
use Image qw(run guard report_hung slurp end_group);
use IO::Handle;
use POSIX ();
use Time::HiRes ();

our @EXPORT_OK = qw(served);

my @WARM = qw(quiet only=state);    # the first run of a server: it boots, and takes a tenth of a second

my %server;    # of each p4sim and kernel: a hash of owner, process, to, from, out, err; or 0 if there is none

# Like Image::run() for p4sim and these arguments, the first of which is the kernel that the server runs first. Each process that
# calls it has a server of its own, which ends with it. `served` in the result is true if a server did it; without one the run is an
# ordinary one.
sub served {
    my ($usual, $p4sim, $kernel, @arguments) = @_;
    my $server = server($p4sim, $kernel);
    return run($usual, $p4sim, @arguments) if !$server;
    local @SIG{@ENDING} = ending(sub { end_group($server->{process}) });
    local $SIG{PIPE} = 'IGNORE';    # it may have died
    my $started = Time::HiRes::time();
    print { $server->{to} } join("\t", $server->{out}->filename, $server->{err}->filename, @arguments), "\n";
    my $answer = answer($server, guard($usual));
    my $seconds = Time::HiRes::time() - $started;
    my $late = !defined $answer;
    my ($how, $number) = ($answer // '') =~ /^(exit|signal) (\d+)$/;
    if (!$how) {
        end_group($server->{process});
        waitpid $server->{process}, 0;
        delete $server{"$p4sim $kernel"};    # the next run starts another one
    }
    if (!$how && !$late) {                   # it died: its first run failed, or it was killed
        $server{"$p4sim $kernel"} = 0;
        return run($usual, $p4sim, @arguments);
    }
    my $run = {
        command => "$p4sim @arguments",
        status  => ($how // '') eq 'exit' ? $number : undef,
        signal  => ($how // '') eq 'signal' ? $number : 0,
        late    => $late,
        stopped => 0,
        served  => 1,
        seconds => $seconds,
        out     => slurp($server->{out}->filename),
        err     => slurp($server->{err}->filename),
    };
    report_hung($run->{command}, $seconds, 'standard output' => $run->{out}, 'standard error' => $run->{err}) if $late;
    return $run;
}

# The server of this process for these two, or 0.
sub server {
    my ($p4sim, $kernel) = @_;
    my $known = $server{"$p4sim $kernel"};
    return $known if defined $known && (!$known || $known->{owner} == $$);
    return $server{"$p4sim $kernel"} = start($p4sim, $kernel);
}

sub start {
    my ($p4sim, $kernel) = @_;
    pipe my $requests, my $to or die "pipe: $!";
    pipe my $from, my $answers or die "pipe: $!";
    my $child = fork;
    die "cannot fork: $!" unless defined $child;
    if (!$child) {
        not_ending();
        setpgrp;
        open STDIN,  '<&', $requests or POSIX::_exit(126);
        open STDOUT, '>&', $answers  or POSIX::_exit(126);
        exec { $p4sim } $p4sim, '--serve', $kernel, @WARM or POSIX::_exit(127);
    }
    $to->autoflush(1);
    return { owner => $$, process => $child, to => $to, from => $from, out => File::Temp->new, err => File::Temp->new };
}

# The server's next line, '' if it has died, undef if it says nothing for so many seconds.
sub answer {
    my ($server, $seconds) = @_;
    my $ready = '';
    vec($ready, fileno $server->{from}, 1) = 1;
    return undef if !select $ready, undef, undef, $seconds;
    my $line = readline $server->{from};
    return defined $line ? $line : '';
}

END {
    my $status = $?;
    for my $server (grep { $_ && $_->{owner} == $$ } values %server) {
        close $server->{to};
        waitpid $server->{process}, 0;
    }
    $? = $status;
}

1;
