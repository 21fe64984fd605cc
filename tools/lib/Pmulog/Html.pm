# One self-contained HTML page about a boot: no script, nothing loaded from the network. All text of a log passes
# through esc(), so that a malicious log cannot inject HTML.
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

# The command `html`: prints the page and returns the exit status of the boot's verdict.
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
    return <<"END" . join("\n", map { $_->($run) } \&banner, \&failures, \&soak, \&inventory, \&sheet, \&cascades, \&vectors, \&comments, \&rules) . "</main></body></html>\n";
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

# A table of rows [cell, ...], whose cells are HTML already. The first cell of a row is its heading.
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
    my $note = $run->{whole} ? 'The log is complete and undamaged: every check code and the end line agree with its text.'
        : 'The log is not whole. Below is what could be read of it; none of this is a verdict on the PMU.';
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
    my %shown_above = map { $_ => 1 } qw(title rules);
    my @pairs = grep { !$shown_above{ $_->[0] } } @{ $point->{pairs} };
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
        ? '<p>Questions that the manual leaves open, and what this processor does. No answer makes the run fail.</p>'
            . table('facts', map { my ($id, $text, $value) = @$_; [ esc($id), esc($text), esc($value) ] } @{ $run->{sheet} }) : '');
}

sub cascades {
    my ($run) = @_;
    my @figures;
    for my $point (@{ $run->{points} }) {
        my $svg = Pmulog::Cascade::svg($point) // next;
        my $outcome = Pmulog::Run::outcome($point);
        my %says = (
            passed  => 'passed: every count and flag that the vector checks is as drawn',
            skipped => 'not run: ' . ($point->{skip} // ''),
            failed  => 'failed' . join('', map { "; $_->[0]: $_->[1]" } grep { $_->[0] =~ /\A(?:what|expected|observed)\z/ } @{ $point->{pairs} }),
        );
        push @figures, qq(<figure class="$outcome">$svg<figcaption><b>) . esc($point->{id}) . '</b> ' . esc($says{$outcome}) . "</figcaption></figure>\n";
    }
    return section('Cascades', @figures ? <<'END' . '<div class="figures">' . join('', @figures) . '</div>' : '');
<p><b class="blue">Blue</b>: what the vector expects (not measured). In Example 18-1, X counts 200 A, then Y counts 400 B; in Example 18-2, X
counts 4096 events of LP0, then Y counts instructions of LP1. <b class="red">Red</b>: the first wrong value that was observed; a blue ring marks
the value that was expected there. A passed vector's values are not in the log. After the overflow of X, the drawing is not to scale.</p>
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
    $said .= join '', map { '<br><span class="comment">' . esc($_) . '</span>' } @{ $point->{comments} };
    if (!$point->{ok}) {
        my %pair = map { @$_ } @{ $point->{pairs} };
        $said .= ($said eq '' ? '' : '<br>') . esc(join '; ', map { "$_: $pair{$_}" } grep { defined $pair{$_} } qw(what expected observed));
    }
    return qq(<tr class="$outcome"><td class="n">$point->{number}</td><th scope="row">) . esc($point->{id})
        . qq(</th><td class="outcome">$outcome</td><td>$said</td></tr>\n);
}

sub comments {
    my ($run) = @_;
    my @comments = @{ $run->{comments} } or return '';
    return section('Other comments', '<ul>' . join('', map { '<li>' . esc($_) . '</li>' } @comments) . '</ul>');
}

1;
