# Complete runs of LAVA's dispatcher without a server, with p4sim instead of a board. Run by make test-lab, as
# root, because the dispatcher keeps its files under /var/lib/lava; packages: tools/deps lab. The job is
# tools/lab/lava/job-stick.yaml with shorter times.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Temp;
use FindBin;
use JSON::PP qw(decode_json);
use lib "$FindBin::Bin/../../tools/lib";
use Image qw(run slurp spew);
use Test::More;

plan skip_all => 'lava-run is not installed (tools/deps lab)' unless -x '/usr/bin/lava-run';
plan skip_all => 'lava-run needs root' unless $> == 0;

my $dir = File::Temp->newdir;
my $here = getcwd();

sub write_file {
    my ($name, $text) = @_;
    return spew("$dir/$name", $text);
}

# A board whose serial line carries the output of this shell command, and then nothing.
sub device {
    my ($command) = @_;
    my $board = write_file('board',
        "#!/bin/sh\nsleep 1\necho GRUB loading.\ncd '$here'\n$command 2>/dev/null\nexec sleep 600\n");
    chmod 0755, $board;
    return write_file('device.yaml', <<"END");
constants:
  failure_retry: 1
  boot_retry: 1
  spawn_maxread: '4092'
  shutdown-message: ''
  kernel-start-message: 'TAP version 13'
  default-shell-prompt: 'none'
  posix: {lava_test_sh_cmd: /bin/sh, lava_test_results_dir: /lava-%s, lava_test_shell_file: ~/.bashrc}
commands: {connect: $board, hard_reset: /bin/true, power_off: /bin/true, power_on: /bin/true}
parameters: {pass: }
actions:
  deploy: {connections: {serial: }, methods: {image: }}
  boot: {connections: {serial: }, methods: {minimal: }}
timeouts:
  actions: {power-off: {seconds: 10}, reset-device: {seconds: 30}}
  connections: {reset-device: {seconds: 30}}
END
}

# Runs one job. Returns its result, the test cases of the monitor as a hash, and the whole log of the job.
sub job {
    my ($command) = @_;
    (my $text = slurp('tools/lab/lava/job-stick.yaml')) =~ s/timeout: \{minutes: 5\}/timeout: {seconds: 20}/g;
    my $run = run(30, 'lava-run', '--job-id', $$, '--output-dir', "$dir/out", '--device', device($command),
        write_file('job.yaml', $text));
    my ($result, %case);
    for my $line (split /\n/, $run->{out} . $run->{err}) {
        my $record = eval { decode_json($line) } or next;
        next if $record->{lvl} ne 'results';
        my $said = $record->{msg};
        $result = $said->{result} if $said->{case} eq 'job';
        $case{ $said->{extra}{test_case_id} } = $said->{result} if $said->{definition} eq 'pmuproof';
    }
    return ($result, \%case, $run->{out} . $run->{err});
}

my $P4SIM = 'build/p4sim';
my $WORDS = 'build/pmuproof.elf only=cascade.18-1,cascade.18-2';

subtest 'a board that passes' => sub {
    my ($result, $case, $log) = job("$P4SIM $WORDS");
    is $result, 'pass', 'the job';
    cmp_ok scalar(keys %$case), '>=', 20, 'test cases';
    is_deeply [ grep { $case->{$_} ne 'pass' } sort keys %$case ], [], 'all of them pass';
    my $lines = write_file('job.log', $log);
    my $serial = run(1, 'tools/lab/lava/serial-log', $lines)->{out};
    my $judged = run(1, 'tools/pmulog', 'check', write_file('serial.log', $serial));
    is $judged->{status}, 0, 'pmulog finds the log whole in the job log'
        or diag $judged->{out}, $judged->{err};
};

subtest 'a board that fails' => sub {
    my ($result, $case) = job("$P4SIM --fault cascade-broken-2-0 $WORDS");
    is $result, 'pass', 'the job came to its end';
    is $case->{'cascade.18-1.bpu.2-0'}, 'fail', 'the vector that failed';
};

subtest 'a board that dies' => sub {
    my ($result, $case) = job("$P4SIM $WORDS | head -c 1500");
    is $result, 'fail', 'the job';
};

done_testing;
