#!/usr/bin/perl
# Errors provoked on purpose by the boot word selftest=: each makes one vector `not ok`, with a diagnosis that names it, and the
# run continues to its end line. Arguments: the self-tests to run, instead of all.
use lib 'tests/image';
use ImageTest;

# The first failure with its values, seven more and the exception as a list, and how many were not listed.
my $MANY = qr/^  what: '.* it''s number 0'\r\n  expected: '1'\r\n  observed: '0'\r\n  also:\r\n(?:    - '.* it''s number (\d) = \1, not \d'\r\n){7}    - 'fault 6 .*'\r\n  more: '3'\r\n  trap: '6 .*'\r$/m;
# Value of the boot word => what the diagnosis must say, and the log before it.
my @faults = (
    [ 'fault'     => qr/^  what: 'fault 6 .*^  trap: '6 .*, on LP0'\r$/ms ],
    [ 'hang'      => qr/deadline/i, qr/^# a line of the log lasts longer than the deadline\r\n# which is not the vector's time\r$/m ],
    [ 'ap-fault' => qr/^  what: 'the second logical processor took exception 6 .*^  trap: '6 .*, on LP1'\r$/ms, qr/^# the sibling has taken two exceptions\r$/m ],
    [ 'fail'      => qr/^  observed: '2'\r\n  \.\.\.\r$/m ],    # and nothing else
    [ 'many'      => $MANY ],
    [ 'storm'     => qr/^  what: 'a storm of PMIs .*\r\n  expected: 'less than 1000'\r\n  observed: '1000, and no end'\r$/m ],
);
my %wanted = map { $_ => 1 } @ARGV;
@faults = grep { $wanted{ $_->[0] } } @faults if @ARGV;

for my $fault (@faults) {
    my ($word, $says, $comment) = @$fault;
    subtest "selftest=$word" => sub {
        my $run = p4sim($ELF, "selftest=$word", 'only=state,cascade.18-1,pmi.next-count');
        my $log = document($run->{out});
        my ($parser, @tests) = results($log);
        my %diagnosis = diagnoses($log);
        is $run->{status}, 1, 'status 1' or diag $run->{err};
        is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
        is scalar @tests, $parser->tests_planned, 'the run goes on: as many results as planned';
        like $log, end_line('fail'), 'to the END line';
        is scalar(keys %diagnosis), 1, 'one vector failed' or diag join ' ', keys %diagnosis;
        my ($id) = keys %diagnosis;
        my ($title) = $log =~ /^#> \Q$id\E ([^\r\n]+)/m;
        like $diagnosis{$id}, qr/^  title: '\Q$title\E'\r$/m, 'its diagnosis names the vector';
        like $diagnosis{$id}, $says, 'and says what happened';
        like $log, $comment, 'but not before the log was free' if $comment;
    };
}

done_testing;
