# One self-contained page on a boot: no script, nothing from the net. Everything that comes from a log goes
# through esc(), so that a hostile log cannot become part of the page.
package Pmulog::Html;

use strict;
use warnings;
use Pmulog::Cascade;
use Pmulog::Check qw(status_of);
use Pmulog::Rules qw(find_rules read_rules);
use Pmulog::Run;
use Pmulog::Style;

sub esc {
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;');
    return $text =~ s/[^ -~]/?/gr =~ s/([&<>"'])/$entity{$1}/gr;
}

# The command `html`: prints the page, returns the exit status of the boot's verdict.
sub html {
    my ($wanted, $path) = @_;
    my $run = Pmulog::Run::load($path, $wanted);
    print page($run);
    return status_of($run->{verdict});
}

sub page {
    my ($run) = @_;
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    my $title = esc("pmuproof: $run->{verdict}" . (defined $inventory{board} ? ", $inventory{board}" : ''));
    return <<"END" . join("\n", map { $_->($run) } \&banner, \&failures, \&soak, \&inventory, \&sheet, \&cascades, \&vectors, \&remarks, \&rules) . "</main></body></html>\n";
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>$title</title><style>
$Pmulog::Style::CSS</style></head><body><main>
END
}

sub section {
    my ($title, $body) = @_;
    return $body eq '' ? '' : "<section><h2>$title</h2>\n$body</section>";
}

# Rows of [cell, ...], already HTML; the first cell heads its row.
sub table {
    my ($class, @rows) = @_;
    return '' if !@rows;
    return qq(<table class="$class">\n) . join('', map {
        my ($head, @cells) = @$_;
        "<tr><th scope=\"row\">$head</th>" . join('', map { "<td>$_</td>" } @cells) . "</tr>\n"
    } @rows) . "</table>\n";
}

sub banner {
    my ($run) = @_;
    my %words = (
        pass => 'PASS', fail => 'FAIL', skip => 'SKIP', incomplete => 'INCOMPLETE', damaged => 'DAMAGED',
    );
    my $counts = $run->{document} ? $run->{document}->counts : 'no points';
    my $note = $run->{whole} ? 'The log is whole: every seal and the end line agree with its text.'
        : 'The log is not whole. What is shown below was read before that became known; nothing here is a verdict on the PMU.';
    return qq(<header class="banner $run->{verdict}"><h1>$words{$run->{verdict}}</h1><p class="counts">) . esc($counts)
        . '</p><p>' . esc($run->{why}) . '</p><p>' . esc("$run->{path}, boot $run->{boot}. ") . "$note</p></header>";
}

# docs/pmu-rules.md, read once; where it is not installed the page does without its texts.
my $rules_page;

sub rules_page {
    my $path = find_rules();
    return $rules_page //= defined $path ? read_rules($path) : { entry => {}, entries => [] };
}

# What docs/pmu-rules.md says of an id (R33, 10.1a), or undef for an id that it does not have.
sub entry {
    my ($id) = @_;
    return rules_page()->{entry}{$id};
}

# Ids of rules, blank separated, each with its title as a tooltip where it is known.
sub rule_names {
    my ($rules) = @_;
    return ' <span class="rules">' . join(' ', map {
        my $entry = entry($_);
        $entry ? '<abbr title="' . esc($entry->{title}) . '">' . esc($_) . '</abbr>' : esc($_)
    } split ' ', $rules) . '</span>';
}

# Every rule and question that this page names, in the order and the words of docs/pmu-rules.md.
sub rules {
    my ($run) = @_;
    my %named = map { $_ => 1 } map { split ' ', $_->{rules} // '' } @{ $run->{points} };
    $named{ $_->[0] } = 1 for @{ $run->{sheet} };
    my %wanted = map { my $entry = entry($_); $entry ? ($entry->{id} => $entry) : () } keys %named;
    my @rows;
    for my $entry (grep { $wanted{ $_->{id} } } @{ rules_page()->{entries} }) {
        my $text = join '<br>', map { esc($_) } grep { $_ ne '' } $entry->{text},
            map { "$_: $entry->{items}{$_}" } sort keys %{ $entry->{items} };
        push @rows, [ esc($entry->{id}), '<b>' . esc($entry->{title}) . "</b><br>$text",
            esc("manual: $entry->{manual}") . '<br>' . esc($entry->{certainty}) ];
    }
    return section('Rules and questions named above', table('facts', @rows));
}

sub diagnosis {
    my ($point) = @_;
    my %told = map { $_ => 1 } qw(title rules);
    my @pairs = grep { !$told{ $_->[0] } } @{ $point->{pairs} };
    return '<dl>' . join('', map { '<dt>' . esc($_->[0]) . '</dt><dd>' . esc($_->[1] // '') . '</dd>' } @pairs) . '</dl>';
}

sub failures {
    my ($run) = @_;
    my @failed = grep { !$_->{ok} } @{ $run->{points} };
    my $body = join '', map { '<article class="failure"><h3>' . esc("$_->{number} $_->{id}") . '</h3><p>' . esc($_->{title} // '')
            . (defined $_->{rules} ? rule_names($_->{rules}) : '') . '</p>' . diagnosis($_) . "</article>\n" } @failed;
    $body .= '<article class="failure"><h3>' . esc($run->{last_words}) . '</h3><p>was running ' . ($run->{verdict} eq 'damaged' ? 'where the damage shows' : 'when the log broke off') . '.</p></article>'
        if !$run->{whole} && defined $run->{last_words};
    return section('Failures', $body);
}

sub soak {
    my ($run) = @_;
    my @beats = @{ $run->{heartbeats} } or return '';
    my $summary = $run->{document}->soak;
    return section('Soak', ($summary ne '' ? '<p>' . esc($summary) . '.</p>' : '')
            . '<ol class="beats">' . join('', map { '<li>' . esc($_) . '</li>' } @beats) . "</ol>\n");
}

sub inventory {
    my ($run) = @_;
    return section('Inventory', table('facts', map { [ map { esc($_) } @$_ ] } @{ $run->{inventory} }));
}

sub sheet {
    my ($run) = @_;
    return section('Characterisation sheet', @{ $run->{sheet} }
        ? '<p>What the manual leaves open, and what this silicon does. None of it can fail the run.</p>'
            . table('facts', map { my ($id, $text, $value) = @$_; [ esc($id), esc($text), esc($value) ] } @{ $run->{sheet} }) : '');
}

sub cascades {
    my ($run) = @_;
    my @figures;
    for my $point (@{ $run->{points} }) {
        my $svg = Pmulog::Cascade::svg($point) // next;
        my $outcome = Pmulog::Run::outcome($point);
        my %says = (
            passed  => 'passed: the run met what is drawn',
            skipped => 'not run: ' . ($point->{skip} // ''),
            failed  => 'failed' . join('', map { "; $_->[0]: $_->[1]" } grep { $_->[0] =~ /\A(?:what|expected|observed)\z/ } @{ $point->{pairs} }),
        );
        push @figures, qq(<figure class="$outcome">$svg<figcaption><b>) . esc($point->{id}) . '</b> ' . esc($says{$outcome}) . "</figcaption></figure>\n";
    }
    return section('Cascades', @figures ? <<'END' . '<div class="figures">' . join('', @figures) . '</div>' : '');
<p>Lines in the first colour are <b>not measured values</b>: they are the scenario that the vector demands (Example 18-1: 200 A on X,
then 400 B on Y; Example 18-2: 4096 events of LP0, then instructions of LP1). A passed vector has found every count and flag it checks
as drawn; the log holds no values of it. Of a failed vector the log holds the first value that was wrong: the ring is what was expected,
the dot, or the line in the second colour, what was <b>observed</b>. Not to scale beyond the overflow of X.</p>
END
}

sub vectors {
    my ($run) = @_;
    my (%rows, @families);
    for my $point (@{ $run->{points} }) {
        my $family = $point->{id} =~ s/\..*//r;
        push @families, $family if !$rows{$family};
        push @{ $rows{$family} }, $point;
    }
    my $body = '';
    for my $family (@families) {
        my %count;
        $count{ Pmulog::Run::outcome($_) }++ for @{ $rows{$family} };
        my $counts = join ', ', map { "$count{$_} $_" } grep { $count{$_} } qw(passed failed skipped);
        $body .= '<h3>' . esc($family) . " <small>$counts</small></h3>\n<table class=\"vectors\">\n"
            . join('', map { vector($_) } @{ $rows{$family} }) . "</table>\n";
    }
    return section('Vectors', $body);
}

sub vector {
    my ($point) = @_;
    my $outcome = Pmulog::Run::outcome($point);
    my $said = esc($point->{title} // '');
    $said .= rule_names($point->{rules}) if defined $point->{rules};
    $said .= esc($point->{skip}) if defined $point->{skip};
    $said .= join '', map { '<br><span class="remark">' . esc($_) . '</span>' } @{ $point->{remarks} };
    if (!$point->{ok}) {
        my %pair = map { @$_ } @{ $point->{pairs} };
        $said .= ($said eq '' ? '' : '<br>') . esc(join '; ', map { "$_: $pair{$_}" } grep { defined $pair{$_} } qw(what expected observed));
    }
    return qq(<tr class="$outcome"><td class="n">$point->{number}</td><th scope="row">) . esc($point->{id})
        . qq(</th><td class="outcome">$outcome</td><td>$said</td></tr>\n);
}

sub remarks {
    my ($run) = @_;
    my @remarks = @{ $run->{remarks} } or return '';
    return section('Remarks', '<ul>' . join('', map { '<li>' . esc($_) . '</li>' } @remarks) . '</ul>');
}

1;
