#!/usr/bin/perl
# The image on simulated processors, on each of them in make test-all: the run passes, and the log has the form that documents and lab scripts rely on
# (kernel/log/log.h). timing.t shows that the same command gives the same bytes. One member of each family of vectors shows what differs
# between processors; noise.t runs parts of the image on drawn ones, faults.t in make test-all the whole one on 0F12, and
# `make campaign-all` on all.
use lib 'tests/image';
use ImageTest;

# Every processor of p4sim, and two with Hyper-Threading also with it switched off.
my @processors = map { (split)[0] } split /\n/, p4sim('--cpu', 'list')->{out};
cmp_ok scalar @processors, '>=', 9, 'processors in the list';

# Of those that `make test` has, each has something that the others lack: a model, errata, Hyper-Threading.
my %first = map { $_ => 1 } qw(0F07 0F12 0F24 0F29 0F34 0F43 0F44 0F62);
my @chosen = (sort(keys %first), in_test_all(grep { !$first{$_} } @processors));
is_deeply [
    grep {
        my $cpu = $_;
        !grep { $_ eq $cpu } @processors
    } @chosen
    ],
    [], 'they are in the list';

# Two vectors take half of the time of one member of each family. What they look at differs by what these two processors stand for: model
# 1, and model 2 with Hyper-Threading. The full run has them, too.
my %long = map { $_ => 1 } qw(0F12 0F29);
for my $cpu ((map { [$_] } @chosen), [ '0F43', '--ht', 'off' ], in_test_all([ '0F29', '--ht', 'off' ])) {
    subtest "run on @$cpu" => sub {
        my @short = $ENV{TEST_ALL} || $long{ $cpu->[0] } ? () : 'skip=access.drawn,count.several';
        my $run =
            "@$cpu" eq '0F43' ? full_run() : p4sim('--cpu', @$cpu, $ELF, 'quick', 'skip=course', @short);
        is $run->{status}, 0, 'exit status of a pass' or diag $run->{err};

        my $log = document($run->{out});
        check_lines($run->{out}, $log);
        my ($parser, @tests) = results($log);
        check_results($parser, @tests);
        check_ids($log, @tests);
    };
}

# No rule says how often these events occur, so that their vectors pass without one. p4sim's caches, buffers
# and bus cause them.
like full_log(), qr/^# number \S+ of \d+ occurrences\b/m, 'there are numbers that are only reported';
unlike full_log(), qr/^# number \S+ of \d+ occurrences\b[^:]*: 0 /m, 'and none of them is 0 on p4sim';

is + (slurp('CONTRIBUTING.md') =~ /below ([\d,]+) bytes/)[0] =~ s/,//gr, $LOG_BUDGET,
    'CONTRIBUTING.md names the budget of the log';

done_testing;

# Checks the bytes and lines of the capture, and the first and last lines of the document.
sub check_lines ($capture, $log) {
    is within_budget($capture), '', "the log keeps to its budget of $LOG_BUDGET bytes";
    unlike $capture, qr/[^\r\n -~]/, 'printable ASCII only';
    unlike $capture, qr/(?<!\r)\n|\r(?!\n)/, 'every line ends in CR LF';
    like $log, qr/\ATAP version 13\r\n1\.\.\d+\r\n/, 'the version line, then the plan';
    like $log, end_line('pass'), 'the END line says pass';
    is $capture =~ s/TAP version 13//gr, $capture =~ s/TAP version 13//r, 'one document';
    is substr($capture, -length $log), $log, 'nothing after the END line';
}

sub check_results ($parser, @tests) {
    is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
    ok !$parser->has_problems, 'TAP::Parser sees no problem';
    cmp_ok scalar @tests, '>', 0, 'there are results';
    is scalar @tests, $parser->tests_planned, 'as many results as planned';
    is_deeply [ map { $_->as_string } grep { !$_->is_ok } @tests ], [], 'no failures';
    is_deeply [ map { $_->as_string } grep { $_->has_skip && $_->explanation !~ /\w/ } @tests ], [],
        'every SKIP has a reason';
    cmp_ok scalar(grep { !$_->has_skip } @tests), '>', scalar(@tests) / 2, 'most vectors ran';
}

# Checks the ids, by which other programs select and compare vectors, and that each vector is announced: if the machine dies,
# the announcement names the vector.
sub check_ids ($log, @tests) {
    my @ids = map { $_->description =~ /^- (\S+)/ } @tests;
    my %seen;
    is_deeply [ grep { $seen{$_}++ } @ids ], [], 'ids are unique';
    is_deeply [ grep { !/\A[a-z0-9]+(?:[._-][a-z0-9]+)*\z/ || !/\./ } @ids ], [], 'ids are dotted lower case';

    # Only the first member of a family has the title, to keep the log short.
    my ($started, $titled, @unannounced, @untitled) = ('', '');
    for my $line (split /\r\n/, $log) {
        if ($line =~ /^#> (\S+)( \S.*)?\z/) {
            $titled = $1 if $2;
            push @untitled, $1 unless $2 || family($titled) eq family($1);
            $started = $1;
        } elsif ($line =~ /^(?:not )?ok \d+ - (\S+)/) {
            push @unannounced, $1 unless $started eq $1 || $line =~ /# SKIP /;
            $started = '';
        }
    }
    is_deeply \@unannounced, [], 'each vector that runs is announced by its id';
    is_deeply \@untitled, [], 'and the first of each family by its title';
}

# The id's first part, which the members of a family share.
sub family ($id) { return $id =~ s/\..*//r }
