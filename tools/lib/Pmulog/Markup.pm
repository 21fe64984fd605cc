# The parts that the HTML page is built of. Text of a log becomes part of the page through esc() only, so that a malicious
# log cannot inject HTML. The page is well-formed XML too, so that a test can read it.
package Pmulog::Markup;

use strict;
use warnings;
use Exporter qw(import);

our @EXPORT_OK = qw(esc section folded table items facts rule_links);

sub esc {
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;');
    return $text =~ s/[^ -~]/?/gr =~ s/([&<>"'])/$entity{$1}/gr;
}

# A section of the page: { id, title, html }, or an empty list if its body is empty. The table of contents links to the id.
# at: the id is inside the body already, in what is folded there; a browser unfolds what a link leads into.
sub section {
    my ($id, $title, $body, $at) = @_;
    return () if $body eq '';
    my $anchor = $at ? '' : qq( id="$id");
    return { id => $id, title => $title, html => qq(<section$anchor aria-labelledby="$id-title"><h2 id="$id-title">$title</h2>\n$body</section>\n) };
}

# What is behind one line until somebody opens it. A link to the id opens it too, because the id is inside.
sub folded {
    my ($id, $summary, $body, $open) = @_;
    my ($state, $anchor) = ($open ? ' open="open"' : '', defined $id ? qq( id="$id") : '');
    return qq(<details$state><summary>$summary</summary>\n<div class="inside"$anchor>\n$body</div></details>\n);
}

# A table of rows [cell, ...], whose cells are HTML already; the first cell of a row is its heading. head: the headings of
# the columns. A row may begin with a reference to a hash of its attributes.
sub table {
    my ($class, $head, @rows) = @_;
    return '' if !@rows;
    my $html = qq(<table class="$class">\n<thead><tr>) . join('', map { qq(<th scope="col">$_</th>) } @$head) . "</tr></thead>\n<tbody>\n";
    for my $row (@rows) {
        my ($first, @cells) = @$row;
        my $attributes = ref $first ? $first : {};
        $first = shift @cells if ref $first;
        $html .= '<tr' . join('', map { qq( $_="$attributes->{$_}") } sort keys %$attributes) . qq(><th scope="row">$first</th>)
            . join('', map { "<td>$_</td>" } @cells) . "</tr>\n";
    }
    return "$html</tbody></table>\n";
}

# A list of items, which are HTML already; '' if there is none.
sub items {
    my ($class, @items) = @_;
    return @items ? qq(<ul class="$class">\n) . join('', map { "<li>$_</li>\n" } @items) . "</ul>\n" : '';
}

# Pairs [name, value] of plain text, one under the other.
sub facts {
    my ($class, @pairs) = @_;
    return @pairs ? qq(<dl class="$class">\n) . join('', map { '<div><dt>' . esc($_->[0]) . '</dt><dd>' . esc($_->[1] // '') . "</dd></div>\n" } @pairs) . "</dl>\n" : '';
}

# Ids of rules, blank separated, as links to their texts on this page, which rules() of Pmulog::Html writes. entries: of
# docs/pmu-rules.md; an id that it does not have stays text.
sub rule_links {
    my ($entries, $rules) = @_;
    return join ' ', map {
        my $entry = $entries->{$_};
        $entry ? qq(<a href="#$entry->{id}" title=") . esc($entry->{title}) . '">' . esc($_) . '</a>' : esc($_)
    } split ' ', $rules;
}

1;
