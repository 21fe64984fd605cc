# The part of the HTML page about what failed: the families with a failure, the rules that explain the failures, and each
# failure with its registers field by field and, if its vector is one of the manual's examples, the scenario drawn.
package Pmulog::Failures;

use strict;
use warnings;
use Exporter qw(import);
use Pmulog::Cascade;
use Pmulog::Findings qw(count);
use Pmulog::Markup qw(esc section items facts folded table rule_links);
use Pmulog::Run;
use Pmulog::Scenario qw(scenario);

our @EXPORT_OK = qw(failures $LEGEND);

use constant REGISTERS => 8;    # registers of a failure that are shown open, if the failed expectations name none

# What in a drawing is measured and what is not.
our $LEGEND = <<'END';
<p class="legend"><b class="blue">Blue</b>: what the vector expects (not measured). <b class="red">Red</b>: the first wrong value that was
observed. A passed vector's values are not in the log. After the overflow of X, a drawing is not to scale.</p>
END

# Keys of a diagnosis that have a place of their own.
my $SHOWN = qr/\A(?:title|rules|what|expected|observed|also|more|MSR_\w+)\z/;

# The section about the findings (Pmulog::Findings), or an empty list if nothing failed.
sub failures {
    my ($found) = @_;
    return () if !@{ $found->{failed} };
    my @families = map { family($found, $_) } @{ $found->{families} };
    my $legend = grep({ /<svg / } @families) ? $LEGEND : '';
    return section('failures', 'Failures', overview($found) . likely($found) . repeat($found) . $legend . join '', @families);
}

sub overview {
    my ($found) = @_;
    my @families = @{ $found->{families} };
    return '<p>' . count(scalar @{ $found->{failed} }, 'vector') . ' in ' . (@families == 1 ? 'one family' : @families . ' families')
        . " failed. The run goes on after a failure, and later failures often have the cause of the first one.</p>\n"
        . items('families', map { '<a href="#failed-' . esc($_->{name}) . '">' . esc($_->{name}) . '</a> ' . scalar(@{ $_->{failed} }) . " of $_->{all}" } @families)
        . join '', map { '<p>' . esc($_) . "</p>\n" } Pmulog::Findings::in_later_loops($found, 8);
}

sub likely {
    my ($found) = @_;
    my $likely = Pmulog::Findings::likely($found);
    my @rules = @{ $likely->{rules} }
        or return qq(<p>What failed tests no rule of the manual; docs/read-a-log.md, "A log that fails", says what it means.</p>\n);
    my $html = '<h3 id="likely">' . (@rules == 1 ? 'The rule that explains the failures best' : 'The rules that explain the failures best, the likeliest first') . "</h3>\n<ol class=\"likely\">\n";
    for my $rule (@rules) {
        $html .= '<li><b>' . rule_links($found->{page}{entry}, $rule->{rule}) . ': ' . esc($rule->{title}) . '.</b>'
            . join('', map { ' ' . esc($_) } grep { $_ ne '' } $rule->{text}) . '<br/><span class="source">' . esc("$rule->{source} $rule->{share}") . "</span></li>\n";
    }
    return "$html</ol>\n" . join '', map { '<p class="source">' . esc($_) . "</p>\n" } @{ $likely->{notes} };
}

sub repeat {
    my ($found) = @_;
    my $words = Pmulog::Findings::boot_words($found)
        // return "<p>No boot line repeats this alone: it is no vector. Repeat the run as it was.</p>\n";
    return '<p>To repeat the first failure alone, boot with these words: <code>' . esc($words) . "</code></p>\n";
}

# The failures of a family: the first one open, each of the others behind a line that says what was observed.
sub family {
    my ($found, $family) = @_;
    my ($name, $all, $first, @others) = ($family->{name}, $family->{all}, @{ $family->{failed} });
    my $html = '<article class="failure" id="failed-' . esc($name) . '"><h3>' . esc($name) . ' <small>' . (1 + @others) . " of $all failed</small></h3>\n"
        . '<h4>' . esc($first->{id}) . "</h4>\n" . body($found, $first, undef);
    my $more = join '', map {
        my $failure = Pmulog::Findings::failure($found, $_);
        folded(undef, '<b>' . esc($_->{id}) . '</b> ' . esc($failure->{said}), body($found, $_, $first))
    } @others;
    return "$html$more</article>\n";
}

# One failure. before: a failure above it whose title and rules need not be repeated, or undef.
sub body {
    my ($found, $point, $before) = @_;
    my $failure = Pmulog::Findings::failure($found, $point);
    my %pair = Pmulog::Run::diagnosis($point);
    my @also = @{ $failure->{also} };
    push @also, count($failure->{more}, 'further expectation') . ' that the log does not list' if $failure->{more};
    my $html = '';
    $html .= '<p>' . esc($point->{title}) . ".</p>\n" if defined $point->{title} && !($before && ($before->{title} // '') eq $point->{title});
    $html .= defined $pair{what} ? facts('values', map { [ $_, $pair{$_} ] } grep { defined $pair{$_} } qw(what expected observed)) : '<p>' . esc($failure->{said}) . "</p>\n";
    $html .= '<p>What differs:</p>' . items('also', map { esc($_) } @{ $failure->{differ} }) if @{ $failure->{differ} };
    $html .= "<p>In the same run also:</p>\n" . items('also', map { esc($_) } @also) if @also;
    $html .= drawing($point) . registers(Pmulog::Findings::registers($found, $point));
    my @rest = ((map { [ comment => $_ ] } @{ $point->{comments} || [] }), grep { $_->[0] !~ $SHOWN } @{ $point->{pairs} });
    $html .= facts('values', @rest);
    $html .= rules($found, $point->{rules}) if defined $point->{rules} && !($before && ($before->{rules} // '') eq $point->{rules});
    return $html;
}

sub drawing {
    my ($point) = @_;
    my $svg = Pmulog::Cascade::svg($point) // return '';
    my $unplaced = $svg =~ /class="legend"/ ? '' : ' The value that was observed has no place in this drawing.';
    return qq(<figure class="failed">$svg<figcaption>) . esc(Pmulog::Scenario::caption(scenario($point->{id}))) . "$unplaced</figcaption></figure>\n";
}

# The registers that were not 0: all if they are few, else those that the failed expectations name, and the rest folded.
sub registers {
    my (@all) = @_ or return '';
    my @shown = @all <= REGISTERS ? @all : grep { $_->{named} } @all;
    @shown = @all[ 0 .. REGISTERS - 1 ] if !@shown;
    my %shown = map { $_->{title} => 1 } @shown;
    my @rest  = grep { !$shown{ $_->{title} } } @all;
    return '<p>The registers that were not 0 then' . ((grep { $_->{named} } @shown) && !@rest ? '; those that the failed expectations name are marked' : '') . ":</p>\n"
        . register_table(@shown) . (@rest ? folded(undef, count(scalar @rest, 'more register'), register_table(@rest)) : '');
}

sub register_table {
    return table('registers', [ 'register', 'value', 'fields' ], map {
        my $register = $_;
        [ $register->{named} ? { class => 'named' } : (), esc($register->{title}), esc($register->{value}), join ', ', map { '<span class="field">' . esc($_) . '</span>' } @{ $register->{fields} } ]
    } @_);
}

# The rules that a vector tests, each with its title.
sub rules {
    my ($found, $rules) = @_;
    my $entries = $found->{page}{entry};
    return "<p>The rules that it tests:</p>\n" . items('rules', map {
        my $entry = $entries->{$_};
        rule_links($entries, $_) . ($entry ? ' ' . esc($entry->{title}) : '')
    } split ' ', $rules);
}

1;
