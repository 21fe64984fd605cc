# The actions of the PMU, by which a log counts results that were wrong without a witness of a disturbance
# (docs/log.md, "Results that are wrong now and then"): what its points, its diagnoses and its lines `judged`
# say, as data.
package Pmulog::Actions;

use v5.36;
use Exporter qw(import);

our @EXPORT_OK = qw(by_action intermittent judged place_in_words results unexplained);

# Words of a log, as "starts by CASCADE"; a place, as "14 by 12" or "counter 12".
my $ACTIONS = qr/[A-Za-z][A-Za-z0-9 ]*?/;
my $PLACE = qr/[A-Za-z0-9][A-Za-z0-9 ]*/;
my $NUMBER = qr/\d{1,15}/;

# One act of these: "starts by CASCADE" gives "start by CASCADE", "carries" gives "carry".
sub singular ($actions) {
    return $actions =~ s/\A(\w+?)(ies|s)\b/$2 eq 'ies' ? "$1y" : $1/er;
}

# What follows `# unexplained: ` at a point: { wrong, judged, action, place } for each action. An empty list
# if the text has another form.
sub unexplained ($text) {
    my @found = map {
        /\A($NUMBER) of ($NUMBER) ($ACTIONS)(?:, ($PLACE))?\z/
            ? { wrong => $1 + 0, judged => $2 + 0, action => singular($3), place => $4 // '' }
            : undef
    } split /; /, $text;
    return grep({ !defined } @found) ? () : @found;
}

# What follows `judged: `: { action, judged, excludes, place, judged_here, excludes_here }. What the line does
# not say is undef. Returns undef if the text has another form.
sub judged ($text) {
    my ($actions, $judged, $rate, $place, $here, $rate_here) =
        $text =~
        /\A($ACTIONS) ($NUMBER)(?:, excludes 1 in ($NUMBER))?(?:; least ($PLACE): ($NUMBER)(?:, excludes 1 in ($NUMBER))?)?\z/
        or return undef;
    my $number = sub ($digits) { defined $digits ? $digits + 0 : undef };
    return {
        action        => singular($actions),
        judged        => $number->($judged),
        excludes      => $number->($rate),
        place         => $place,
        judged_here   => $number->($here),
        excludes_here => $number->($rate_here)
    };
}

# What a point of Pmulog::Run says of a failure that came now and then: { said, action, place, wrong, judged,
# wrong_here, judged_here, earlier [ids], boot }. undef if the failure is of another kind.
sub intermittent ($point) {
    my %value = map { @$_ } reverse @{ $point->{values} };
    return undef if !defined $value{intermittent};
    my %number = map { $_ => ($value{$_} // '') =~ /\A$NUMBER\z/ ? $value{$_} + 0 : undef }
        qw(wrong judged wrong_here judged_here);
    return {
        said   => $value{intermittent},
        action => $value{action} // 'not said',
        place  => $value{place}  // '',
        %number,
        earlier => [ split ' ', $value{earlier} // '' ],
        boot    => $value{boot}
    };
}

# "start by CASCADE 2, halt 1": how often each of these actions comes, the most frequent first.
sub by_action (@actions) {
    my %times;
    $times{$_}++ for @actions;
    return join ', ', map { "$_ $times{$_}" } sort { $times{$b} <=> $times{$a} || $a cmp $b } keys %times;
}

# "counter 14, which counter 12 starts" of a link, "14 by 12"; any other place as it is.
sub place_in_words ($place) { return $place =~ s/\A(\d+) by (\d+)\z/counter $1, which counter $2 starts/r }

# "1 result", "4 results"
sub results ($number) { return $number == 1 ? '1 result' : "$number results" }

1;
