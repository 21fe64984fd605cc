# What tools/campaign --rates, --printed and --images need: the actions of the PMU with the faults that strike
# them, what a sound run's log says about the rates that it excludes, confidence intervals, and boards that a
# healthy machine may be.
package Rates;

use v5.36;
use Exporter 'import';

our @EXPORT_OK = qw(@TARGETS actions judged fault_at interval healthy_boards);

# The targets: name, which fault (one place, or all places of the action), its rate, and the least share that
# must be called.
our @TARGETS = (
    { name => 'one place at 1 in 20', all   => 0, once_in => 20, least  => 0.95 },
    { name => 'one place at 1 in 50', all   => 0, once_in => 50, least  => 0.80 },
    { name => 'all places at 1 in 200', all => 1, once_in => 200, least => 0.95 },
);

# The actions: their name in the log, the faults of one place (what is captured is the place), the fault of
# all places.
my $LINK = qr/\d+-\d+/;
my @ACTIONS = (
    { name => 'starts by CASCADE', one => qr/cascade-broken-($LINK)/, all  => 'cascade-dead' },
    { name => 'starts by bit 11', one  => qr/cascnt-broken-($LINK)/, all   => 'cascnt-dead' },
    { name => 'halts', one             => qr/halts-not-(\d+)/, all         => 'halts-not' },
    { name => 'OVFs', one              => qr/ovf-missing-(\d+)/, all       => 'ovf-missing' },
    { name => 'carries', one           => qr/carry-32-lost-(\d+)/, all     => 'carry-32-lost' },
    { name => 'PMIs on LP0', one       => qr/pmi-t0-missing-(\d+)/, all    => 'pmi-t0-dead' },
    { name => 'PMIs on LP1', one       => qr/pmi-t1-missing-(\d+)/, all    => 'pmi-t1-dead' },
    { name => 'presets', one           => qr/counter-high-lost-(\d+)/, all => 'counter-loads-low' },
    { name => 'readings', one          => qr/reading-wrong-(\d+)/, all     => 'readings-wrong' },
    { name => 'edges', one             => qr/edge-dead-(\d+)/, all         => 'edge-ignored' },
    { name => 'thresholds', one        => qr/threshold-dead-(\d+)/, all    => 'threshold-ignored' },
    { name => 'gates', one             => qr/gate-ignored-(\d+)/, all      => 'active-thread-ignored' },
    { name => 'qualifications', one    => qr/unqualified-for-(\d+)/, all   => 'flags-ignored' },
);

# The actions with their places, out of the lines of `p4sim --fault list '*'`: copies of the rows with `places`, a
# hash from a place to the fault there. Dies if an action has no fault.
sub actions (@list) {
    my @names = map { /^(\S+)/ } @list;
    my %known = map { $_ => 1 } @names;
    return map {
        my $action = $_;
        my %places = map { /\A$action->{one}\z/ ? ($1 => $_) : () } @names;
        die "no fault strikes $action->{name} at one place\n" if !%places;
        die "no fault strikes $action->{name} at all places\n" if !$known{ $action->{all} };
        +{ %$action, places => \%places };
    } @ACTIONS;
}

# What a log says about the rates that its pass excludes, from its lines of this form:
#   # judged: starts by CASCADE 3120, excludes 1 in 1006; least 14 by 12: 174, excludes 1 in 56
# Returns for each a hash: name, acts, once_in, and of the place that was judged least: place, place_acts,
# place_once_in. What was judged nowhere has acts 0 and nothing else. `counts` is left out: so the log calls
# together whatever is no action of its own.
sub judged ($log) {
    my @lines = grep { !/\Acounts / } $log =~ /^# judged: ([^\r\n]*?)(?: #[0-9A-F]{4})?\r?$/mg;
    return map {
        /\A(.+?) (\d+)(?:, excludes 1 in (\d+); least (.+): (\d+), excludes 1 in (\d+))?\z/
            or die "the log has a line of another form: # judged: $_\n";
        +{ name => $1, acts => $2, once_in => $3, place => $4, place_acts => $5, place_once_in => $6 };
    } @lines;
}

# The fault that strikes the action which the log calls so, at the place that the log calls "14 by 12" or
# "counter 12", or (undef) at all places. undef: none.
sub fault_at ($name, $place, @actions) {
    my ($action) = grep { $_->{name} eq $name } @actions;
    return if !$action;
    return $action->{all} if !defined $place;
    return $action->{places}{ $place =~ s/\A(\d+) by (\d+)\z/$2-$1/r =~ s/\Acounter //r };
}

# The interval in which a share lies with 95 %, of which $count of $of were seen (Wilson).
sub interval ($count, $of) {
    return (0, 1) if !$of;
    my $z = 1.959964;
    my $middle = ($count + $z**2 / 2) / ($of + $z**2);
    my $half = $z * sqrt($count * ($of - $count) / $of + $z**2 / 4) / ($of + $z**2);
    return ($middle - $half, $middle + $half);
}

# ---- Boards ----

# What is defective by its description: a machine with it may fail. Every other board of p4sim must not.
my %DEFECTIVE = map { $_ => 1 }
    qw(uart-stuck uart-dies uart-mute lp1-silent lp1-dies sipi-lost pmi-storm msr-fault msr-zero msr-all-fault
    acpi-truncated acpi-checksum acpi-loop pit-dead apic-dead machine-check bios-hangs counter-dead:N msr-fault:N);

# The values of a board that takes one.
my %VALUES = (
    'tm1:'      => [ 12, 25, 37, 50, 62, 75, 87 ],
    'smi-each:' => [
        map {
            my $each = $_;
            map { "$each:$_" } 5, 20, 100, 500
        } 1000,
        1500, 2000, 2500, 3000, 3500,
        4000
    ],
    'acpi-timer:' => [ 0, 50, 99, 199, 200, 310 ],
);

# Of these a machine has one at most.
my @EXCLUSIVE = (
    # these say by a table where the serial port is
    qr/\A(?:no-madt|no-tables|com-spcr|uart-bytes|uart-words)\z/,
    qr/\A(?:com-moved|com-spcr|uart-bytes|uart-words)\z/, qr/\A(?:apic-off|apic-none)\z/,
    qr/\A(?:ht-off|other-package|two-packages|boot-on-lp1)\z/,
    qr/\A(?:tco-strapped|no-pci|tco-smi)\z/, qr/\A(?:hot|tm1:.*)\z/, qr/\A(?:smi-long|smi-each:.*)\z/,
    qr/\A(?:acpi-timer|no-tables)/, qr/\Acmos-/, qr/\Ano-(?:tables|madt)\z/,
    qr/\Aio-apic-/, qr/\Anmi-/, qr/\A(?:apic-renumbered|other-package|two-packages)\z/,
);

# Up to $count of the boards, out of the lines of `p4sim --board list`; $pick->($text, LIST) draws one of a
# list.
sub healthy_boards ($count, $pick, @list) {
    my @names = grep { !$DEFECTIVE{$_} } map { /^(\S+)/ } @list;
    my @drawn;
    for my $i (1 .. $count) {
        my $name = $pick->("board $i", @names) // last;
        if ($name =~ /\A([^:]*:)/) {
            my $values = $VALUES{$1} or die "which values can board $name have?\n";
            $name = $1 . $pick->("value $i", @$values);
        }
        push @drawn, $name;
        @names = grep {
            my $other = $_;
            $other ne $name && !grep { $name =~ $_ && $other =~ $_ } @EXCLUSIVE
        } @names;
    }
    return @drawn;
}

1;
