# The command `html`: one self-contained page about a boot, to attach and to print. It has no script and loads nothing. What
# failed comes first; long parts are behind a line that opens them, and a link into such a part opens it too.
package Pmulog::Html;

use strict;
use warnings;
use Pmulog::Cascade;
use Pmulog::Check qw(status_of);
use Pmulog::Failures qw(failures $LEGEND);
use Pmulog::Findings qw(findings count list);
use Pmulog::Markup qw(esc section folded table items facts rule_links);
use Pmulog::Run;
use Pmulog::Scenario qw(scenario);
use Pmulog::Style;
use Pmulog::Vectors qw(family);

# Lines of the inventory that few people look for, behind a line of their own.
my %FOLDED = map { $_ => 1 } 'loader', 'console', 'platform', 'misc enable', 'apic ids', 'cpuid', 'apic at boot', 'io apic at boot', 'machine checks at boot', 'log file';

# Prints the page and returns the exit status of the boot's verdict.
sub html {
    my ($wanted, $path) = @_;
    my $run = Pmulog::Run::load($path, $wanted);
    print page($run);
    return status_of($run->{verdict});
}

sub page {
    my ($run) = @_;
    my $found = findings($run);
    my $board = $found->{inventory}{board};
    my $title = esc("pmuproof: $run->{verdict}" . (defined $board ? ", $board" : ''));
    my @sections = map { $_->($found) } \&first, \&failures, \&board, \&sheet, \&vectors, \&soak, \&scenarios, \&rules, \&comments;
    return <<"END" . banner($found) . contents(@sections) . "<main>\n" . join('', map { $_->{html} } @sections) . "</main>\n" . footer($found) . "</body></html>\n";
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>$title</title><style>
$Pmulog::Style::CSS</style></head><body>
END
}

# The file's name alone: the page may go to people whom its folder does not concern.
sub file_of {
    my ($run) = @_;
    return $run->{path} =~ s{.*/}{}sr;
}

sub banner {
    my ($found) = @_;
    my ($run, $inventory) = @{$found}{qw(run inventory)};
    my $note = $run->{whole} ? 'The log is complete and undamaged: every check code and the end line agree with its text.'
        : 'The log is not whole. Below is what could be read of it; none of this is a verdict on the PMU.';
    my @machine = grep { defined } @{$inventory}{qw(processor board)};
    return qq(<header class="banner $run->{verdict}"><h1>) . uc($run->{verdict}) . '</h1>'
        . '<p class="counts">' . esc($run->{document} ? $run->{document}->counts : 'no points') . '</p>' . share($run)
        . '<p>' . esc(ucfirst $run->{why}) . '.</p>'
        . (@machine ? '<p>' . esc(join '; ', @machine) . '.</p>' : '')
        . '<p>' . esc(file_of($run) . ", boot $run->{boot}. ") . "$note</p></header>\n";
}

# A bar of what passed, failed, was skipped and is missing. The counts above it say the same in words.
sub share {
    my ($run) = @_;
    my @points = @{ $run->{points} } or return '';
    my %count = (missing => ($run->{document}{planned} // 0) - @points);
    $count{ Pmulog::Run::outcome($_) }++ for @points;
    return '<div class="share" aria-hidden="true">'
        . join('', map { qq(<span class="$_" style="flex-grow:$count{$_}"></span>) } grep { ($count{$_} // 0) > 0 } qw(passed failed skipped missing)) . '</div>';
}

sub contents {
    my (@sections) = @_;
    return @sections ? '<nav aria-label="Contents">' . items('contents', map { qq(<a href="#$_->{id}">$_->{title}</a>) } @sections) . "</nav>\n" : '';
}

sub footer {
    my ($found) = @_;
    my $build = $found->{inventory}{build};
    return '<footer><p>pmulog html made this page from ' . esc(file_of($found->{run})) . (defined $build ? ' of build ' . esc($build) : '')
        . ". The log is the record: pmulog check judges it, and docs/read-a-log.md explains its words.</p></footer>\n";
}

sub first {
    my ($found) = @_;
    return section('first', 'Read this first', items('notes', map { esc($_) } Pmulog::Findings::read_first($found)));
}

sub board {
    my ($found) = @_;
    my (@open, @folded);
    push @{ $FOLDED{ $_->[0] } ? \@folded : \@open }, $_ for @{ $found->{run}{inventory} };
    return section('board', 'Board and build', facts('inventory', @open)
        . (@folded ? folded(undef, esc('More of the inventory: ' . list(map { $_->[0] } @folded)), facts('inventory', @folded)) : ''));
}

sub sheet {
    my ($found) = @_;
    my @sheet = @{ $found->{run}{sheet} } or return ();
    my @rows = map {
        my ($id, $text, $value) = @$_;
        [ $value =~ /\Anot probed\b/ ? { class => 'unprobed' } : (), rule_links($found->{page}{entry}, $id), esc($text), esc($value) ]
    } @sheet;
    my $summary = count(scalar @sheet, 'question') . ' that the manual leaves open, and what this processor does. No answer makes a run fail.';
    # Of a run that passed the answers are the news; otherwise the failures are.
    return section('sheet', 'Characterisation sheet',
        folded('sheet', $summary, table('sheet', [ 'id', 'question', 'this processor' ], @rows), $found->{run}{verdict} eq 'pass'), 1);
}

# "17 passed, 1 skipped"
sub outcomes {
    my (@points) = @_;
    my %count;
    $count{ Pmulog::Run::outcome($_) }++ for @points;
    return join ', ', map { "$count{$_} $_" } grep { $count{$_} } qw(passed failed skipped);
}

sub vectors {
    my ($found) = @_;
    my (%rows, @families);
    for my $point (@{ $found->{run}{points} }) {
        my $family = family($point->{id});
        push @families, $family if !$rows{$family};
        push @{ $rows{$family} }, $point;
    }
    return () if !@families;
    my %later = map { family($_->{id}) => 1 } @{ $found->{later} };
    my $list = items('families', map {
        my $said = outcomes(@{ $rows{$_} }) =~ s/\A(\d+) passed\z/$1/r;
        $said .= ', failed in a later loop' if $later{$_};
        qq(<a href="#family-$_">$_</a> ) . ($said =~ /failed/ ? qq(<b class="bad">$said</b>) : $said)
    } @families);
    my $skipped = items('skipped', map { esc($_->{reason}) . ': <span class="ids">' . esc(list(@{ $_->{ids} })) . '</span>' } @{ $found->{skipped} });
    my $tables = join '', map {
        qq(<h3 id="family-$_">$_ <small>) . outcomes(@{ $rows{$_} }) . "</small></h3>\n"
            . table('vectors', [ 'vector', 'outcome', 'what it is about' ], map { vector($found, $_) } @{ $rows{$_} })
    } @families;
    return section('vectors', 'Vectors', "<p>Each family with the number of its vectors. All of them passed unless it says more.</p>\n$list"
        . ($skipped ne '' ? "<p>Skipped, which is neither a pass nor a failure:</p>\n$skipped" : '')
        . folded(undef, 'Every vector: ' . outcomes(@{ $found->{run}{points} }), $tables));
}

sub vector {
    my ($found, $point) = @_;
    my $outcome = Pmulog::Run::outcome($point);
    my @said = grep { $_ ne '' } esc($point->{title} // ''), esc($point->{skip} // ''),
        defined $point->{rules} ? '<span class="source">' . rule_links($found->{page}{entry}, $point->{rules}) . '</span>' : '';
    push @said, map { '<br/><span class="source">' . esc($_) . '</span>' } @{ $point->{comments} };
    push @said, '<a href="#failed-' . esc(family($point->{id})) . '">' . esc(Pmulog::Findings::failure($found, $point)->{said}) . '</a>'
        if grep { $_->{id} eq $point->{id} } @{ $found->{failed} };
    return [ { class => $outcome }, esc($point->{id}), $outcome, join ' ', @said ];
}

sub soak {
    my ($found) = @_;
    my $run   = $found->{run};
    my @beats = @{ $run->{heartbeats} } or return ();
    my $summary = $run->{document}->soak;
    return section('soak', 'Soak', ($summary ne '' ? '<p>' . esc(ucfirst $summary) . ".</p>\n" : '')
        . folded(undef, 'The lines of the soak', items('beats', map { esc($_) } @beats)));
}

# One drawing of each scenario of the manual's examples, with the vectors that did not fail on it.
sub scenarios {
    my ($found) = @_;
    my (%group, @order);
    for my $point (grep { $_->{ok} } @{ $found->{points} }) {
        my $scenario = scenario($point->{id}) // next;
        push @order, $scenario->{name} if !$group{ $scenario->{name} };
        push @{ $group{ $scenario->{name} } }, $point;
    }
    return () if !@order;
    my $figures = join '', map {
        my @points = @{ $group{$_} };
        my %ids;
        push @{ $ids{ $_->{skip} // '' } }, $_->{id} for @points;
        my $says = join '; ', map { ($_ eq '' ? 'passed' : "not run ($_)") . ': ' . list(@{ $ids{$_} }) } sort keys %ids;
        '<figure>' . Pmulog::Cascade::svg({ %{ $points[0] }, any => 1 }) . '<figcaption><b>' . esc($_) . '.</b> ' . esc(ucfirst $says) . ".</figcaption></figure>\n"
    } @order;
    return section('scenarios', 'Cascades of the manual', folded('scenarios', 'The scenarios of the cascades that did not fail, drawn; nothing in them was measured',
        qq($LEGEND<div class="figures">\n$figures</div>\n)), 1);
}

# The rules that failed vectors and verbose logs name, and the questions of the sheet, in the words of docs/pmu-rules.md.
sub rules {
    my ($found) = @_;
    my %named = map { $_ => 1 } map { split ' ', $_->{rules} // '' } @{ $found->{points} };
    $named{ $_->{rule} } = 1 for @{ $found->{failed} } ? @{ Pmulog::Findings::likely($found)->{rules} } : ();
    my @named = texts($found, keys %named);
    my %above = map { $_->[0]{id} => 1 } @named;
    my @asked = grep { !$above{ $_->[0]{id} } } texts($found, map { $_->[0] } @{ $found->{run}{sheet} });
    my @head = ('id', 'what it says', 'where');
    return section('rules', 'Rules and questions', (@named ? folded('rules', 'The rules that vectors on this page name', table('texts', \@head, @named), scalar @{ $found->{failed} }) : '')
        . (@asked ? folded(@named ? undef : 'rules', 'The questions of the sheet', table('texts', \@head, @asked)) : ''), 1);
}

# Rows of a table, in the order of docs/pmu-rules.md, each with the id that links lead to.
sub texts {
    my ($found, @ids) = @_;
    my %wanted = map { $_->{id} => 1 } grep { defined } map { $found->{page}{entry}{$_} } @ids;
    return map {
        my $entry = $_;
        my @lines = grep { $_ ne '' } $entry->{text}, map { "$_: $entry->{items}{$_}" } sort keys %{ $entry->{items} };
        [ { id => $entry->{id} }, esc($entry->{id}), '<b>' . esc($entry->{title}) . '</b><br/>' . join('<br/>', map { esc($_) } @lines), esc("$entry->{manual}; $entry->{certainty}") ]
    } grep { $wanted{ $_->{id} } } @{ $found->{page}{entries} };
}

sub comments {
    my ($found) = @_;
    my @comments = @{ $found->{run}{comments} } or return ();
    return section('comments', 'Other comments',
        folded('comments', count(scalar @comments, 'comment') . ' of the log that belong to no vector', items('plain', map { esc($_) } @comments),
            !@{ $found->{run}{points} }), 1);
}

1;
