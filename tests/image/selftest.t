#!/usr/bin/perl
# Errors provoked on purpose by the boot word selftest=many: more than a diagnosis lists, and an exception.
# The diagnosis says all of it, and the run continues to its end line.
use lib 'tests/image';
use ImageTest;

# The first failure with its values, seven more and the exception as a list, and how many were not listed.
my $MANY =
    qr/^  what: '.* it''s number 0'\r\n  expected: '1'\r\n  observed: '0'\r\n  also:\r\n(?:    - '.* it''s number (\d) = \1, not \d'\r\n){7}    - 'fault 6 .*'\r\n  more: '3'\r\n  trap: '6 .*, on LP0'\r$/m;
my $run = p4sim($ELF, 'selftest=many', 'only=state,cascade.18-1,pmi.next-count');
my $log = document($run->{out});
my ($parser, @tests) = results($log);
my %diagnosis = diagnoses($log);
is $run->{status}, 1, 'status 1' or diag $run->{err};
is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
is scalar @tests, $parser->tests_planned, 'the run goes on: as many results as planned';
like $log, end_line('fail'), 'to the END line';
is_deeply [ keys %diagnosis ], ['selftest.many'], 'one vector failed';
my ($title) = $log =~ /^#> selftest\.many ([^\r\n]+)/m;
like $diagnosis{'selftest.many'}, qr/^  title: '\Q$title\E'\r$/m, 'its diagnosis names the vector';
like $diagnosis{'selftest.many'}, $MANY, 'and says what happened';

done_testing;
