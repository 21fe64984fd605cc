# The labgrid strategy and test of tools/lab, with the image in QEMU, and with p4sim as a board on a console
# server. Run by make test-lab; packages: tools/deps lab.
use strict;
use warnings;
use File::Temp;
use FindBin;
use IO::Socket::INET;
use POSIX ();
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp);
use Test::More;

plan skip_all => 'labgrid is not installed (tools/deps lab)'
    if run(2, '/usr/bin/python3', '-c', 'import labgrid, pytest')->{status};

my $out = File::Temp->new;
$ENV{PMULOG_OUT} = $out->filename;
$ENV{PYTHONDONTWRITEBYTECODE} = 1;

# Runs the test in this environment.
sub labgrid {
    my ($environment) = @_;
    return run(30, '/usr/bin/python3', '-m', 'pytest', '-p', 'no:cacheprovider', '-rs',
        '--lg-env', $environment, 'tools/lab/labgrid/test_pmuproof.py');
}

# The status of `pmulog check` for the log that the test saved.
sub judged {
    return run(1, 'tools/pmulog', 'check', $out->filename)->{status};
}

subtest 'QEMU' => sub {
    my $run = labgrid('tools/lab/labgrid/qemu.yaml');
    is $run->{status}, 0, 'exit status' or diag $run->{out}, $run->{err};
    like $run->{out}, qr/1 skipped/, 'SKIP: QEMU has no NetBurst PMU';
    is judged(), 77, 'the log that was left is whole';
};

# Uses board-example.yaml with other addresses and without the power outlet. The console server is our own;
# p4sim starts when somebody connects to it.
sub board {
    my (@options) = @_;
    my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die "cannot listen: $!";
    my $port = $server->sockport;
    my $child = fork // die "cannot fork: $!";
    if (!$child) {
        my $line = $server->accept    or POSIX::_exit(1);
        open STDOUT, '>&', $line      or POSIX::_exit(1);
        open STDERR, '>', '/dev/null' or POSIX::_exit(1);
        sleep 1;
        syswrite STDOUT, "GRUB loading.\r\n\e[H\e[J";
        system 'build/p4sim', @options, 'build/pmuproof.elf', 'only=cascade.18-1';
        sleep 60;    # a board does not close the connection
        POSIX::_exit(0);
    }
    my $example = slurp('tools/lab/labgrid/board-example.yaml');
    $example =~ s/consoles\.example\.net/127.0.0.1/              or die 'the example has no console server';
    $example =~ s/7001/$port/                                    or die 'the example has no port';
    $example =~ s/^      NetworkPowerPort:\n(?:        .*\n)+//m or die 'the example has no outlet';
    $example =~
        s/NetworkPowerDriver:\n/ExternalPowerDriver:\n        cmd_on: 'true'\n        cmd_off: 'true'\n/
        or die 'the example has no power driver';
    $example =~ s/delay: 5\.0/delay: 0.1/;
    $example =~ s{pmuproofstrategy\.py}{$FindBin::Bin/../../tools/lab/labgrid/pmuproofstrategy.py};
    my $file = File::Temp->new(SUFFIX => '.yaml');
    print {$file} $example;
    close $file or die "cannot write: $!";
    my $run = labgrid($file->filename);
    kill 'TERM', $child;
    waitpid $child, 0;
    return $run;
}

subtest 'a board that passes' => sub {
    my $run = board();
    is $run->{status}, 0, 'exit status' or diag $run->{out}, $run->{err};
    like $run->{out}, qr/1 passed/, 'passed';
    is judged(), 0, 'the log that was left is whole';
};

subtest 'a board that fails' => sub {
    my $run = board('--fault', 'cascade-late');
    is $run->{status}, 1, 'exit status';
    like $run->{out}, qr/a check failed/, 'for the right reason' or diag $run->{out}, $run->{err};
    is judged(), 1, 'the log that was left is whole';
};

done_testing;
