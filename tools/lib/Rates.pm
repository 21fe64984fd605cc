# What tools/campaign --rates, --printed and --images need: the actions of the PMU with the faults that strike them, what a sound
# run's log says about the rates that it excludes, confidence intervals, and boards that a healthy machine may be.
package Rates;

use v5.36;
use Exporter 'import';

our @EXPORT_OK = qw(@TARGETS actions judged fault_at interval healthy_boards);

# The targets: name, which fault (one place, or all places of the action), its rate, and the least share that must be called.
our @TARGETS = (
    { name => 'one place at 1 in 20',   all => 0, once_in => 20,  least => 0.95 },
    { name => 'one place at 1 in 50',   all => 0, once_in => 50,  least => 0.80 },
    { name => 'all places at 1 in 200', all => 1, once_in => 200, least => 0.95 },
);

# The actions: name, how the log names them, the faults of one place (what is captured is the place), the fault of all places.
my $LINK   = qr/\d+-\d+/;
my $ESCR   = qr/[A-Z0-9]+_ESCR\d/;
my @ACTIONS = (
    { name => 'starts by CASCADE',  log => qr/start.*\bCASCADE\b/, one => qr/cascade-broken-($LINK)/,                all => 'cascade-dead' },
    { name => 'starts by bit 11',   log => qr/start.*\bbit 11\b/,  one => qr/cascnt-broken-($LINK)/,                 all => 'cascnt-dead' },
    { name => 'halts',              log => qr/\bhalts?\b/,         one => qr/(?:cascade|cascnt)-halts-not-($LINK)/,  all => 'halts-not' },
    { name => 'OVFs',               log => qr/\bOVFs?\b|overflow/, one => qr/ovf-missing-(\d+)/,                     all => 'ovf-missing' },
    { name => 'carries',            log => qr/\bcarr(?:y|ies)\b/,  one => qr/carry-32-lost-(\d+)/,                   all => 'carry-32-lost' },
    { name => 'PMIs to LP0',        log => qr/\bPMIs?\b.*\bLP0\b/, one => qr/pmi-t0-missing-(\d+)/,                  all => 'pmi-t0-dead' },
    { name => 'PMIs to LP1',        log => qr/\bPMIs?\b.*\bLP1\b/, one => qr/pmi-t1-missing-(\d+)/,                  all => 'pmi-t1-dead' },
    { name => 'presets',            log => qr/\bpresets?\b/,       one => qr/counter-high-lost-(\d+)/,               all => 'counter-loads-low' },
    { name => 'readings',           log => qr/\bread(?:s|ings?)?\b/, one => qr/reading-wrong-(\d+)/,                 all => 'readings-wrong' },
    { name => 'edges',              log => qr/\bedges?\b/,         one => qr/edge-dead-(\d+)/,                       all => 'edge-ignored' },
    { name => 'thresholds',         log => qr/\bthresholds?\b/,    one => qr/threshold-dead-(\d+)/,                  all => 'threshold-ignored' },
    { name => 'gates',              log => qr/\bgates?\b/,         one => qr/gate-ignored-(\d+)/,                    all => 'active-thread-ignored' },
    { name => 'qualifications',     log => qr/\bqualifications?\b/, one => qr/unqualified-($ESCR)/,                  all => 'flags-ignored' },
);

# The actions with their places, out of the lines of `p4sim --fault list`: copies of the rows with `places`, a hash from a place to
# the fault there. A fault that software cannot see is none. Dies if an action has no fault.
sub actions(@list) {
    my @names = map { /^(\S+)/ } grep { !/; unseen: / } @list;
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
#   # judged: starts by CASCADE 3120, excludes 1 in 660; least 14 by 12: 174, excludes 1 in 36
# Returns for each a hash: name, acts, once_in, and of the place that was judged least: place, place_acts, place_once_in. A rate
# that the line lacks (too few acts exclude none) is undef.
sub judged($log) {
    my @lines = $log =~ /^# judged: ([^\r\n]*)/mg;
    return map {
        /\A(.+?) (\d+)(?:, excludes 1 in (\d+))?(?:; least (.+?): (\d+)(?:, excludes 1 in (\d+))?)?\z/
            or die "the log has a line of another form: # judged: $_\n";
        +{ name => $1, acts => $2, once_in => $3, place => $4, place_acts => $5, place_once_in => $6 };
    } @lines;
}

# The action that the log calls so; and the fault at the place that the log names, as "14 by 12", "counter 12", "12" or the name of an
# ESCR. undef: none.
sub action_called($name, @actions) {
    my ($action) = grep { $name =~ $_->{log} } @actions;
    return $action;
}

sub fault_at($name, $place, @actions) {
    my $action = action_called($name, @actions) or return;
    return $action->{all} if !defined $place;
    my $key = $place =~ /(\d+) by (\d+)/ ? "$2-$1" : $place =~ /($ESCR)/i ? uc $1 : $place =~ /(\d+)\z/ ? $1 : '';
    return $action->{places}{$key};
}

# The interval in which a share lies with 95 %, of which $count of $of were seen (Wilson).
sub interval($count, $of) {
    return (0, 1) if !$of;
    my $z      = 1.959964;
    my $middle = ($count + $z**2 / 2) / ($of + $z**2);
    my $half   = $z * sqrt($count * ($of - $count) / $of + $z**2 / 4) / ($of + $z**2);
    return ($middle - $half, $middle + $half);
}

# ---- Boards ----

# What is defective by its description: a machine with it may fail. Every other board of p4sim must not.
my %DEFECTIVE = map { $_ => 1 } qw(uart-stuck uart-dies uart-mute lp1-silent lp1-dies sipi-lost pmi-storm msr-fault msr-zero msr-all-fault
    acpi-truncated acpi-checksum acpi-loop pit-dead apic-dead machine-check bios-hangs counter-dead:N msr-fault:N);

# The values of a board that takes one.
my %VALUES = ('tm1:' => [ 12, 25, 37, 50, 62, 75, 87 ], 'smi-each:' => [ 1000, 1500, 2000, 2500, 3000, 3500, 4000 ]);

# Of these a machine has one at most.
my @EXCLUSIVE = (
    qr/\A(?:com-moved|com-spcr|uart-bytes|uart-words)\z/, qr/\A(?:apic-off|apic-none)\z/, qr/\A(?:ht-off|other-package|two-packages|boot-on-lp1)\z/,
    qr/\A(?:tco-strapped|no-pci|tco-smi)\z/,              qr/\A(?:hot|tm1:.*)\z/,         qr/\A(?:smi-long|smi-each:.*)\z/,
    qr/\Aio-apic-/,                                       qr/\Anmi-/,                     qr/\A(?:apic-renumbered|other-package|two-packages)\z/,
);

# Up to $count of the boards, out of the lines of `p4sim --board list`; $pick->($text, LIST) draws one of a list.
sub healthy_boards($count, $pick, @list) {
    my @names = grep { !$DEFECTIVE{$_} } map { /^(\S+)/ } @list;
    my @drawn;
    for my $i (1 .. $count) {
        my $name = $pick->("board $i", @names) // last;
        if ($name =~ /\A(.*:)[A-Z]+\z/) {
            my $values = $VALUES{$1} or die "which values can board $name have?\n";
            $name = $1 . $pick->("value $i", @$values);
        }
        push @drawn, $name;
        @names = grep { my $other = $_; $other ne $name && !grep { $name =~ $_ && $other =~ $_ } @EXCLUSIVE } @names;
    }
    return @drawn;
}

1;
