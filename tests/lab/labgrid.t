# labgrid's strategy and test on the image in QEMU: make test-lab; packages: tools/deps lab.
use strict;
use warnings;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../image";
use Image qw(run slurp);
use Test::More;

plan skip_all => 'labgrid is not installed (tools/deps lab)'
    if run(60, '/usr/bin/python3', '-c', 'import labgrid, pytest')->{status};

my $out = File::Temp->new;
$ENV{PMULOG_OUT} = $out->filename;
$ENV{PYTHONDONTWRITEBYTECODE} = 1;

my $run = run(120, '/usr/bin/python3', '-m', 'pytest', '-p', 'no:cacheprovider', '-rs',
    '--lg-env', 'tools/lab/labgrid/qemu.yaml', 'tools/lab/labgrid/test_pmuproof.py');
is $run->{status}, 0, 'exit status' or diag $run->{out}, $run->{err};
like $run->{out}, qr/1 skipped/, 'SKIP: QEMU has no NetBurst PMU';
is run(20, 'tools/pmulog', 'check', $out->filename)->{status}, 77, 'the log that was left is whole';

done_testing;
