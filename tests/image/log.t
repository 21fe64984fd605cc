#!/usr/bin/perl
# The check codes and the end line of real logs are those that zlib computes by docs/log.md, and no line can be changed without
# a difference.
use lib 'tests/image';
use ImageTest;

# Title, verdict of the end line (undef for a bail-out, which has none), p4sim's arguments.
my @logs = (
    [ 'a run that fails',  'fail', $ELF, 'selftest=fault', 'only=cascade.18-1' ],
    [ 'a skipped machine', 'skip', qw(--board msr-fault --board hypervisor), $ELF ],
    [ 'a list',            'skip', $ELF, 'list' ],
    [ 'a bail-out',        undef,  $ELF, 'bogus' ],
);
is_deeply [ log_faults(document(full_log()), 'pass') ], [], 'a run that passes';
for my $log (@logs) {
    my ($title, $verdict, @arguments) = @$log;
    is_deeply [ log_faults(document(p4sim(@arguments)->{out}), $verdict) ], [], $title;
}

my $good = document(p4sim($ELF, 'only=state,cascade.18-1')->{out});
is_deeply [ log_faults($good, 'pass') ], [], 'a short log';
my @lines = $good =~ /([^\n]*\n)/g;
my @unnoticed;
for my $i (0 .. $#lines) {
    my ($before, $after) = (join('', @lines[ 0 .. $i - 1 ]), join('', @lines[ $i + 1 .. $#lines ]));
    my %damage = (
        missing => '',
        twice   => $lines[$i] x 2,
        changed => $lines[$i] =~ s/([ -~])(?=\r)/chr(ord($1) ^ 1)/er,
    );
    push @unnoticed, map { "line $i $_" } grep { !log_faults($before . $damage{$_} . $after, 'pass') } keys %damage;
}
is_deeply \@unnoticed, [], 'no line can be missing, twice or changed';

done_testing;
