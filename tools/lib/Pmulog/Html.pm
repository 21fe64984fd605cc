# The command `html`: one self-contained page about a boot, to attach and to print. It has no script and loads
# nothing. What failed comes first; long parts are folded into a line that opens them, and a link into a
# folded part opens it too.
package Pmulog::Html;

use v5.36;
use Pmulog::Actions qw(intermittent place_in_words);
use Pmulog::Cascade qw(scenario);
use Pmulog::Check qw(name_of status_of);
use Pmulog::Findings qw(findings count list);
use Pmulog::Rules qw(family grouped);
use Pmulog::Run;

use constant {
    # registers of a failure that are shown open, if the failed expectations name none
    REGISTERS => 8,
    PAGE      => 290_000,    # characters that a page may have, unless what is no failure has more
    IN_FULL   => 0.55,       # of what is left for failures: after so much of it a failure is told in short,
    IN_SHORT  => 0.75,       # after so much in one line,
    IN_LINES  => 0.95,       # and after so much by its name alone
};

# Lines of the inventory that few people look for. They are folded into a line of their own.
my %FOLDED = map { $_ => 1 } 'loader', 'console', 'platform', 'misc enable', 'ds area', 'cache counters',
    'apic ids', 'cpuid', 'apic at boot', 'io apic at boot', 'machine checks at boot', 'log file';

my $CSS;    # at the end

# What in a drawing is measured and what is not.
my $LEGEND = <<'END';
<p class="legend">A drawing shows what the vector expects; nothing in it was measured. After the overflow of X, it is not to scale.</p>
END

# Keys of a diagnosis that have a place of their own.
my $SHOWN =
    qr/\A(?:title|rules|what|expected|observed|breaks|rests_on|also|courses|more|MSR_\w+|intermittent|action|place|wrong|judged|wrong_here|judged_here|earlier|boot)\z/;

# Prints the page and returns the exit status of the boot's verdict.
sub html ($wanted, $path) {
    my $run = Pmulog::Run::load($path, $wanted);
    print page($run);
    return status_of($run->{verdict});
}

sub page ($run) {
    my $found = findings($run);
    my $board = $found->{inventory}{board};
    my $title = esc("pmuproof: $run->{verdict}" . (defined $board ? ", $board" : ''));
    my ($first, @sections) = map { [ $_->($found) ] } \&first, \&board, \&sheet, \&numbers, \&vectors,
        \&judged, \&exercised, \&soak, \&scenarios, \&rules, \&comments;
    my $room = PAGE - length $CSS;
    $room -= length $_->{html} for map { @$_ } $first, @sections;
    @sections = map { @$_ } $first, [ failures($found, $room) ], @sections;
    return
        <<"END" . banner($found) . contents(@sections) . "<main>\n" . join('', map { $_->{html} } @sections) . "</main>\n" . footer($found) . "</body></html>\n";
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>$title</title><style>
$CSS</style></head><body>
END
}

# The file's name alone: the page may go to people whom its folder does not concern.
sub file_of ($run) { return $run->{path} =~ s{.*/}{}sr }

sub banner ($found) {
    my ($run, $inventory) = @{$found}{qw(run inventory)};
    my $note =
        $run->{whole}
        ? 'The log is complete and undamaged: every check code and the end line agree with its text.'
        : 'The log is not whole. Below is what could be read of it; none of this is a verdict on the PMU.';
    my @machine = grep { defined } @{$inventory}{qw(processor board)};
    my $partly = $run->{document} && $run->{document}->concerns ne '' ? ' partly' : '';
    return
          qq(<header class="banner $run->{verdict}$partly"><h1>)
        . uc($run->{verdict}) . '</h1>'
        . '<p class="counts">'
        . esc($run->{document} ? $run->{document}->counts : 'no points') . '</p>'
        . share($run)
        . join('', map { '<p>' . esc($_) . '</p>' } Pmulog::Findings::follows($run)) . '<p>'
        . esc(ucfirst $run->{why}) . '.</p>'
        . (@machine ? '<p>' . esc(join '; ', @machine) . '.</p>' : '') . '<p>'
        . esc(file_of($run) . ", boot $run->{boot}. ")
        . "$note</p></header>\n";
}

# A bar of what passed, failed, was skipped and is missing. The counts above it say the same in words.
sub share ($run) {
    my @points = @{ $run->{points} } or return '';
    my %count = (missing => ($run->{document}{planned} // 0) - @points);
    $count{ Pmulog::Run::outcome($_) }++ for @points;
    return '<div class="share" aria-hidden="true">'
        . join('',
        map  { qq(<span class="$_" style="flex-grow:$count{$_}"></span>) }
        grep { ($count{$_} // 0) > 0 } qw(passed failed skipped missing))
        . '</div>';
}

sub contents (@sections) {
    return @sections
        ? '<nav aria-label="Contents">'
        . items('contents', map { qq(<a href="#$_->{id}">$_->{title}</a>) } @sections)
        . "</nav>\n"
        : '';
}

sub footer ($found) {
    my $build = $found->{inventory}{build};
    return
          '<footer><p>pmulog html made this page from '
        . esc(file_of($found->{run}))
        . (defined $build ? ' of build ' . esc($build) : '')
        . ". The log is the record: pmulog check judges it, and docs/log-reference.md explains its "
        . "words.</p></footer>\n";
}

sub first ($found) {
    return section(
        'first',
        'Read this first',
        items('notes', map { esc($_) } Pmulog::Findings::read_first($found))
    );
}

# ---- What failed: its families, the rules that explain it, each failure with its registers and scenario ----

# The section about the findings (Pmulog::Findings), or an empty list if nothing failed. room: characters that
# it may have.
sub failures ($found, $room) {
    return () if !@{ $found->{failed} };
    my $above = overview($found) . likely($found) . repeat($found);
    my $length = length $above;
    my @families =
        map { my $html = failed_family($found, $_, $length, $room); $length += length $html; $html }
        @{ $found->{families} };
    my $legend = grep({ /<svg / } @families) ? $LEGEND : '';
    return section(
        'failures',
        'Failures',
        $above
            . (
            $length > IN_FULL * $room
            ? qq(<p class="source">So that the page does not become too long, later failures are told in short; the log has them in full.</p>\n)
            : ''
            )
            . $legend
            . join '',
        @families
    );
}

sub overview ($found) {
    my @families = @{ $found->{families} };
    return
          '<p>'
        . count(scalar @{ $found->{failed} }, 'vector') . ' in '
        . (@families == 1 ? 'one family' : @families . ' families')
        . " failed. The run goes on after a failure, and later failures often have the cause of the "
        . "first one.</p>\n"
        . items(
        'families',
        map {
                  '<a href="#failed-'
                . esc($_->{name}) . '">'
                . esc($_->{name}) . '</a> '
                . scalar(@{ $_->{failed} })
                . " of $_->{all}"
        } @families
        )
        . join '', map { '<p>' . esc($_) . "</p>\n" } Pmulog::Findings::now_and_then($found),
        Pmulog::Findings::in_later_loops($found, 8);
}

sub likely ($found) {
    my $likely = Pmulog::Findings::likely($found);
    my @rules = @{ $likely->{rules} }
        or return
        qq(<p>What failed tests no rule of the manual; docs/read-a-log.md, "What a failure says", says how to go on.</p>\n);
    my $html = '<h3 id="likely">'
        . (
        @rules == 1
        ? 'The rule that explains the failures best'
        : 'The rules that explain the failures best, the likeliest first'
        ) . "</h3>\n<ol class=\"likely\">\n";
    for my $rule (@rules) {
        $html .=
              '<li><b>'
            . rule_links($found->{page}{entry}, $rule->{rule}) . ': '
            . esc($rule->{title}) . '.</b>'
            . join('', map { ' ' . esc($_) } grep { $_ ne '' } $rule->{text})
            . '<br/><span class="source">'
            . esc("$rule->{source} $rule->{share}")
            . "</span></li>\n";
    }
    my @common = Pmulog::Findings::common($found);
    return
          "$html</ol>\n"
        . join('', map { '<p class="source">' . esc($_) . "</p>\n" } @{ $likely->{notes} })
        . (
        @common
        ? "<p>What the failures have in common:</p>\n" . items('common', map { esc($_) } @common)
        : ''
        );
}

sub repeat ($found) {
    my $words = Pmulog::Findings::boot_words($found)
        // return "<p>No boot line repeats this alone: it is no vector. Repeat the run as it was.</p>\n";
    my $how =
        intermittent(Pmulog::Findings::repeated($found))
        ? 'see the first failure again'
        : 'repeat the first failure alone';
    return "<p>To $how, boot with these words: <code>" . esc($words) . "</code></p>\n";
}

# The failures of a family. The first one is open; each of the others is folded into a line that says what was
# observed, with what it does not share with the first. length: what the page already says about failures;
# room: how much that may be.
sub failed_family ($found, $family, $length, $room) {
    my ($name, $all, $first, @others) = ($family->{name}, $family->{all}, @{ $family->{failed} });
    my $html =
          '<article class="failure" id="failed-'
        . esc($name)
        . '"><h3>'
        . esc($name)
        . ' <small>'
        . (1 + @others)
        . " of $all failed</small></h3>\n" . '<h4>'
        . esc(Pmulog::Run::marked($first))
        . "</h4>\n"
        . (
          $length < IN_FULL * $room  ? body($found, $first)
        : $length < IN_SHORT * $room ? in_short($found, $first, undef)
        :   '<p>' . esc(Pmulog::Findings::failure($found, $first)->{said}) . "</p>\n"
        );
    my @named;
    for my $point (@others) {
        my $all = $length + length $html;
        if ($all >= IN_LINES * $room) {
            push @named, $point->{id};
            next;
        }
        my $said = '<b>'
            . esc(Pmulog::Run::marked($point)) . '</b> '
            . esc(Pmulog::Findings::failure($found, $point)->{said});
        $html .=
            $all < IN_SHORT * $room
            ? folded(undef, $said, in_short($found, $point, $first))
            : "<p>$said</p>\n";
    }
    $html .= '<p class="ids">' . esc(list(@named)) . "</p>\n" if @named;
    return "$html</article>\n";
}

# A failure in short. first: the failure above it, whose title need not be repeated; undef if there is none,
# and what was observed is not said above either.
sub in_short ($found, $point, $first) {
    my $failure = Pmulog::Findings::failure($found, $point);
    my $html = $first ? '' : '<p>' . esc($failure->{said}) . "</p>\n";
    $html .= '<p>' . esc($point->{title}) . ".</p>\n"
        if defined $point->{title} && $point->{title} ne (($first // {})->{title} // '');
    $html .= join '', map { '<p>' . esc($_) . "</p>\n" } @{ $failure->{now_and_then} },
        @{ $failure->{nearest} };
    $html .= '<p>What differs: ' . esc(join '; ', @{ $failure->{differ} }) . "</p>\n"
        if @{ $failure->{differ} };
    $html .= '<p>In the same run also: ' . esc(join '; ', @{ $failure->{also} }) . "</p>\n"
        if @{ $failure->{also} };
    my @registers = Pmulog::Findings::registers($found, $point);
    $html .=
          '<p>The registers that were not 0 then: '
        . esc(join ', ', map { "$_->{title} = $_->{value}" } @registers)
        . "</p>\n"
        if @registers;
    return $html . rest($point);
}

# What else the log says of a failure.
sub rest ($point) {
    return facts(
        'values',
        (map { [ comment => $_ ] } @{ $point->{comments} || [] }),
        grep { $_->[0] !~ $SHOWN } @{ $point->{values} }
    );
}

# One failure in full.
sub body ($found, $point) {
    my $failure = Pmulog::Findings::failure($found, $point);
    my %value = Pmulog::Run::diagnosis($point);
    my @also = @{ $failure->{also} };
    push @also, count($failure->{more}, 'further expectation') . ' that the log does not list'
        if $failure->{more};
    my $html = '';
    $html .= '<p>' . esc($point->{title}) . ".</p>\n" if defined $point->{title};
    $html .= join '', map { '<p>' . esc($_) . "</p>\n" } @{ $failure->{now_and_then} };
    $html .=
        defined $value{what}
        ? facts('values', map { [ $_, $value{$_} ] } grep { defined $value{$_} } qw(what expected observed))
        : '<p>' . esc($failure->{said}) . "</p>\n";
    $html .= join '', map { '<p>' . esc($_) . "</p>\n" } @{ $failure->{nearest} };
    $html .= '<p>What differs:</p>' . items('also', map { esc($_) } @{ $failure->{differ} })
        if @{ $failure->{differ} };
    $html .= "<p>In the same run also:</p>\n" . items('also', map { esc($_) } @also) if @also;
    $html .= drawing($point) . registers(Pmulog::Findings::registers($found, $point));
    $html .= rest($point);
    $html .=
          '<p class="source">The rules that it tests: '
        . rule_links($found->{page}{entry}, $point->{rules})
        . "</p>\n"
        if defined $point->{rules};
    return $html;
}

sub drawing ($point) {
    my $svg = Pmulog::Cascade::svg($point) // return '';
    return
          qq(<figure class="failed">$svg<figcaption>)
        . esc(Pmulog::Cascade::caption(scenario($point->{id})))
        . "</figcaption></figure>\n";
}

# The registers that were not 0: all if they are few, else those that the failed expectations name, and the
# rest folded.
sub registers {
    my (@all) = @_ or return '';
    my @shown = @all <= REGISTERS ? @all : grep { $_->{named} } @all;
    @shown = @all[ 0 .. REGISTERS - 1 ] if !@shown;
    my %shown = map { $_->{title} => 1 } @shown;
    my @rest = grep { !$shown{ $_->{title} } } @all;
    return '<p>The registers that were not 0 then'
        . ((grep { $_->{named} } @shown)
            && !@rest ? '; those that the failed expectations name are marked' : '')
        . ":</p>\n"
        . register_table(@shown)
        . (@rest ? folded(undef, count(scalar @rest, 'more register'), register_table(@rest)) : '');
}

sub register_table {
    return table(
        'registers',
        [ 'register', 'value', 'fields' ],
        map {
            my $register = $_;
            [
                $register->{named} ? { class => 'named' } : (),
                esc($register->{title}),
                esc($register->{value}),
                join ', ',
                map { '<span class="field">' . esc($_) . '</span>' } @{ $register->{fields} }
            ]
        } @_
    );
}

# ---- The other sections ----

sub board ($found) {
    my (@open, @folded);
    push @{ $FOLDED{ $_->[0] } ? \@folded : \@open }, $_ for @{ $found->{run}{inventory} };
    return section(
        'board',
        'Board and build',
        facts('inventory', @open)
            . (
            @folded
            ? folded(
                undef,
                esc('More of the inventory: ' . list(map { $_->[0] } @folded)),
                facts('inventory', @folded)
                )
            : ''
            )
    );
}

sub sheet ($found) {
    my @sheet = @{ $found->{run}{sheet} } or return ();
    my @rows = map {
        my ($id, $text, $value) = @$_;
        [
            $value =~ /\Anot probed\b|\(in doubt: / ? { class => 'unprobed' } : (),
            rule_links($found->{page}{entry}, $id),
            esc($text), esc($value)
        ]
    } @sheet;
    my $summary = count(scalar @sheet, 'question')
        . ' that the manual leaves open, and what this processor does. No answer makes a run fail.';
    # Of a run that passed the answers are the news; otherwise the failures are.
    return section(
        'sheet',
        'Characterisation sheet',
        folded(
            'sheet', $summary,
            table('sheet', [ 'id', 'question', 'this processor' ], @rows),
            $found->{run}{verdict} eq 'pass'
        ),
        1
    );
}

# What vectors counted and did not judge.
sub numbers ($found) {
    my @numbers = @{ $found->{run}{numbers} } or return ();
    my @rows = map { [ esc($_->{vector}), esc($_->{name}), $_->{number}, esc($_->{class}) ] } @numbers;
    return section(
        'numbers',
        'Numbers',
        folded(
            'numbers',
            count(scalar @numbers, 'number')
                . ' that vectors report and do not judge. Their class says by how much they may differ '
                . 'between two runs.',
            table('numbers', [ 'vector', 'what', 'number', 'class' ], @rows)
        ),
        1
    );
}

# "17 passed, 1 skipped"
sub outcomes (@points) {
    my %count;
    $count{ Pmulog::Run::outcome($_) }++ for @points;
    my $unexplained = grep { defined $_->{unexplained} } @points;
    return join ', ', map({ "$count{$_} $_" } grep { $count{$_} } qw(passed failed skipped)),
        $unexplained ? "$unexplained with unexplained results" : ();
}

sub vectors ($found) {
    my @families = grouped(sub ($point) { family($point->{id}) }, @{ $found->{run}{points} }) or return ();
    my %later = map { family($_->{id}) => 1 } @{ $found->{later} };
    my $list = items(
        'families',
        map {
            my ($family, @points) = @$_;
            my $said = (outcomes(@points) =~ s/\A(\d+) passed\z/$1/r)
                . ($later{$family} ? ', failed in a later loop' : '');
            qq(<a href="#family-$family">$family</a> )
                . ($said =~ /failed/ ? qq(<b class="bad">$said</b>) : $said)
        } @families
    );
    my $skipped = items('skipped',
        map { esc($_->{reason}) . ': <span class="ids">' . esc(list(@{ $_->{ids} })) . '</span>' }
            @{ $found->{skipped} });
    my $tables = join '', map {
        my ($family, @points) = @$_;
        qq(<h3 id="family-$family">$family <small>)
            . outcomes(@points)
            . "</small></h3>\n"
            . table('vectors', [ 'vector', 'outcome', 'what it is about' ],
            map { vector($found, $_) } @points)
    } @families;
    return section('vectors', 'Vectors',
        "<p>Each family with the number of its vectors. All of them passed unless it says more.</p>\n$list"
            . ($skipped ne '' ? "<p>Skipped, which is neither a pass nor a failure:</p>\n$skipped" : '')
            . folded(undef, 'Every vector: ' . outcomes(@{ $found->{run}{points} }), $tables));
}

sub vector ($found, $point) {
    my $outcome = Pmulog::Run::outcome($point);
    my $failed = grep { $_->{id} eq $point->{id} } @{ $found->{failed} };
    my @said =
        grep { $_ ne '' } esc($point->{title} // ''), esc($point->{skip} // ''),
        defined $point->{rules} && !$failed
        ? '<span class="source">' . rule_links($found->{page}{entry}, $point->{rules}) . '</span>'
        : '';
    push @said, '<b>unexplained: ' . esc($point->{unexplained}) . '</b>' if defined $point->{unexplained};
    push @said,
        map { '<br/><span class="source">' . esc($_) . '</span>' } $failed ? () : @{ $point->{comments} };
    push @said, '<a href="#failed-' . esc(family($point->{id})) . '">what was observed</a>' if $failed;
    return [ { class => $outcome }, esc($point->{id}), $outcome, join ' ', @said ];
}

# How often each action was judged, which says what a pass excludes.
sub judged ($found) {
    my @judged = $found->{run}{document} ? @{ $found->{run}{document}{judged} } : () or return ();
    my $rate = sub ($of) { defined $of ? "1 in $of" : '' };
    my @rows = map { [
        esc($_->{action}), $_->{judged},
        $rate->($_->{excludes}), esc(place_in_words($_->{place} // '')),
        $_->{judged_here} // '', $rate->($_->{excludes_here})
    ] } @judged;
    return section(
        'judged',
        'What a pass excludes',
        "<p>How often each action of the PMU was judged. Had it gone wrong as often as the rate says, "
            . "this run would have failed with 95 %; what comes more seldom may pass.</p>\n"
            . table(
            'judged', [ 'action', 'judged', 'excludes', 'judged least', 'judged there', 'excludes there' ],
            @rows
            )
    );
}

# What no stimulus causes for certain, and what it counted.
sub exercised ($found) {
    my @names = $found->{run}{document} ? @{ $found->{run}{document}{not_exercised} } : () or return ();
    return section(
        'exercised',
        'What was not exercised',
        "<p>Nothing that the vectors do causes this for certain, so no check asks for a number, "
            . "and neither a pass nor a failure says anything about it.</p>\n"
            . folded(
            undef,
            count(scalar @names, 'event') . ', members or values, with the reason and what was counted',
            table(
                'exercised',
                [ 'event, member or value', 'why', 'counted' ],
                map { [ map { esc($_) } @{$_}{qw(name reason counted)} ] } @names
            )
            )
    );
}

sub soak ($found) {
    my $run = $found->{run};
    my @beats = @{ $run->{heartbeats} } or return ();
    my $summary = $run->{document}->soak;
    return section('soak', 'Soak',
        ($summary ne '' ? '<p>' . esc(ucfirst $summary) . ".</p>\n" : '')
            . folded(undef, 'The lines of the soak', items('beats', map { esc($_) } @beats)));
}

# One drawing of each scenario of the manual's examples, with the vectors that did not fail on it.
sub scenarios ($found) {
    my @drawn = grouped(sub ($point) { scenario($point->{id})->{name} },
        grep { $_->{ok} && scenario($_->{id}) } @{ $found->{points} })
        or return ();
    my $figures = join '', map {
        my ($name, @points) = @$_;
        my $says = join '; ', map {
            my ($why, @same) = @$_;
            ($why eq '' ? 'passed' : "not run ($why)") . ': ' . list(map { $_->{id} } @same)
            }
            sort { $a->[0] cmp $b->[0] } grouped(sub ($point) { $point->{skip} // '' }, @points);
        '<figure>'
            . Pmulog::Cascade::svg({ %{ $points[0] }, any => 1 })
            . '<figcaption><b>'
            . esc($name)
            . '.</b> '
            . esc(ucfirst $says)
            . ".</figcaption></figure>\n"
    } @drawn;
    return section(
        'scenarios',
        'Cascades of the manual',
        folded(
            'scenarios',
            'The scenarios of the cascades that did not fail, drawn; nothing in them was measured',
            qq($LEGEND<div class="figures">\n$figures</div>\n)
        ),
        1
    );
}

# The rules that failed vectors and verbose logs name, and the questions of the sheet, in the words of
# docs/pmu-rules.md.
sub rules ($found) {
    my %named = map { $_ => 1 } map { split ' ', $_->{rules} // '' } @{ $found->{points} };
    $named{ $_->{rule} } = 1 for @{ $found->{failed} } ? @{ Pmulog::Findings::likely($found)->{rules} } : ();
    my @named = texts($found, keys %named);
    my %above = map { $_->[0]{id} => 1 } @named;
    my @asked = grep { !$above{ $_->[0]{id} } } texts($found, map { $_->[0] } @{ $found->{run}{sheet} });
    my @head = ('id', 'what it says', 'where');
    return section(
        'rules',
        'Rules and questions',
        (
            @named
            ? folded(
                'rules',
                'The rules that vectors on this page name',
                table('texts', \@head, @named),
                scalar @{ $found->{failed} }
                )
            : ''
            )
            . (
            @asked
            ? folded(
                @named ? undef : 'rules', 'The questions of the sheet', table('texts', \@head, @asked)
                )
            : ''
            ),
        1
    );
}

# Rows of a table, in the order of docs/pmu-rules.md, each with the id that links lead to.
sub texts ($found, @ids) {
    my %wanted = map { $_->{id} => 1 } grep { defined } map { $found->{page}{entry}{$_} } @ids;
    return map {
        my $entry = $_;
        my @lines = grep { $_ ne '' } $entry->{text},
            map { "$_: $entry->{items}{$_}" } sort keys %{ $entry->{items} };
        [
            { id => $entry->{id} },
            esc($entry->{id}),
            '<b>' . esc($entry->{title}) . '</b><br/>' . join('<br/>', map { esc($_) } @lines),
            esc("$entry->{manual}; $entry->{certainty}")
        ]
    } grep { $wanted{ $_->{id} } } @{ $found->{page}{entries} };
}

sub comments ($found) {
    my @comments = @{ $found->{run}{comments} } or return ();
    return section(
        'comments',
        'Other comments',
        folded(
            'comments',
            count(scalar @comments, 'comment') . ' of the log that belong to no vector',
            items('plain', map { esc($_) } @comments),
            !@{ $found->{run}{points} }
        ),
        1
    );
}

# ---- The parts that the page is built of ----
#
# Text of a log becomes part of the page through esc() only, so that a malicious log cannot inject HTML. The
# page is well-formed XML too, so that a test can read it.

sub esc ($text) {
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;');
    return name_of($text) =~ s/([&<>"'])/$entity{$1}/gr;
}

# A section of the page: { id, title, html }, or an empty list if its body is empty. The table of contents
# links to the id. at: the id is inside the body already, in what is folded there; a browser unfolds what a
# link leads into.
sub section ($id, $title, $body, $at = 0) {
    return () if $body eq '';
    my $anchor = $at ? '' : qq( id="$id");
    return {
        id    => $id,
        title => $title,
        html  =>
            qq(<section$anchor aria-labelledby="$id-title"><h2 id="$id-title">$title</h2>\n$body</section>\n)
    };
}

# A part of which one line shows until somebody opens it. A link to the id opens it too, because the id is
# inside.
sub folded ($id, $summary, $body, $open = 0) {
    my ($state, $anchor) = ($open ? ' open="open"' : '', defined $id ? qq( id="$id") : '');
    return
        qq(<details$state><summary>$summary</summary>\n<div class="inside"$anchor>\n$body</div></details>\n);
}

# A table of rows [cell, ...], whose cells are HTML already; the first cell of a row is its heading. head: the
# headings of the columns. A row may begin with a reference to a hash of its attributes.
sub table ($class, $head, @rows) {
    return '' if !@rows;
    my $html =
          qq(<table class="$class">\n<thead><tr>)
        . join('', map { qq(<th scope="col">$_</th>) } @$head)
        . "</tr></thead>\n<tbody>\n";
    for my $row (@rows) {
        my ($first, @cells) = @$row;
        my $attributes = ref $first ? $first : {};
        $first = shift @cells if ref $first;
        $html .= '<tr'
            . join('', map { qq( $_="$attributes->{$_}") } sort keys %$attributes)
            . qq(><th scope="row">$first</th>)
            . join('', map { "<td>$_</td>" } @cells)
            . "</tr>\n";
    }
    return "$html</tbody></table>\n";
}

# A list of items, which are HTML already; '' if there is none.
sub items ($class, @items) {
    return @items ? qq(<ul class="$class">\n) . join('', map { "<li>$_</li>\n" } @items) . "</ul>\n" : '';
}

# Facts [name, value] of plain text, one under the other.
sub facts ($class, @facts) {
    return @facts
        ? qq(<dl class="$class">\n)
        . join('',
        map { '<div><dt>' . esc($_->[0]) . '</dt><dd>' . esc($_->[1] // '') . "</dd></div>\n" } @facts)
        . "</dl>\n"
        : '';
}

# Ids of rules, blank separated, as links to their texts on this page, which rules() writes and which have the
# titles. entries: of docs/pmu-rules.md; an id that it does not have stays text.
sub rule_links ($entries, $rules) {
    return join ' ', map {
        my $entry = $entries->{$_};
        $entry ? qq(<a href="#$entry->{id}">) . esc($_) . '</a>' : esc($_)
    } split ' ', $rules;
}

# ---- The style sheet: light and dark, wide and narrow, on screen and on paper ----

# tests/image/pmulog-page.t checks the contrast of the colours.
our $LIGHT =
    '--ink: #1b1f24; --dim: #55606b; --page: #ffffff; --line: #d3d9e0; --bar: #eef1f5; --link: #1d55b0;
  --good: #17702f; --bad: #b81f28; --skip: #765800; --torn: #7a2a9b; --blue: #2159b8;';
our $DARK =
    '--ink: #e4e8ec; --dim: #a0aab4; --page: #14171a; --line: #3a424a; --bar: #20262c; --link: #8ab4ff;
  --good: #4ac26b; --bad: #ff7b78; --skip: #e0b84c; --torn: #d08bef; --blue: #78a9ff;';

my $SCREEN = <<'END';
* { box-sizing: border-box; } :root { font-size: 15px; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--page); color: var(--ink);
font: 1rem/1.5 system-ui, sans-serif; }









































body, .vectors tbody th, .beats, .plain, .families, .ids, summary > b { font-family: ui-monospace, monospace;
}
code { background: var(--bar); padding: .1em .4em; overflow-wrap: anywhere; }
a { color: var(--link); } p { margin: .4rem 0; max-width: 60rem; }
section { margin: 2rem 0; scroll-margin-top: 1rem; }
h2 { border-bottom: 1px solid var(--line); margin: 0 0 .6rem; font-size: 1.3rem; }
h3 { margin: 1.4rem 0 .3rem; font-size: 1.05rem; } h3 small { color: var(--dim); font-weight: normal; }
h4 { margin: .5rem 0 .2rem; font-size: .95rem; }
small, .source, .legend, figcaption, .texts td:last-child, .ids { font-size: .87rem; }
.source { color: var(--dim); }
ul, ol { margin: .3rem 0; padding-left: 1.4rem; } li { margin: .15rem 0; }
.bad { color: var(--bad); }

.banner { border-left: .8rem solid var(--torn); padding: .6rem 1.2rem; background: var(--bar); }
.banner h1 { font-size: 2.8rem; line-height: 1.1; margin: 0; letter-spacing: .03em; color: var(--torn); }
.banner p { margin: .2rem 0; overflow-wrap: anywhere; } .banner .counts { font-size: 1.2rem; }
.banner.pass { border-color: var(--good); } .banner.pass h1 { color: var(--good); }
.banner.fail { border-color: var(--bad); } .banner.fail h1 { color: var(--bad); }
.banner.skip, .banner.pass.partly { border-color: var(--skip); }
.banner.skip h1, .banner.pass.partly h1 { color: var(--skip); }
.share { display: flex; height: .5rem; max-width: 40rem; margin: .4rem 0; gap: 2px; }
.share span { min-width: 3px; background: var(--good); }
.share .failed { background: var(--bad); } .share .skipped { background: var(--skip); }
.share .missing { background: var(--line); }
.contents { list-style: none; padding: .6rem 0; margin: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.4rem;
border-bottom: 1px solid var(--line); }
footer { border-top: 1px solid var(--line); color: var(--dim); font-size: .87rem; }

details { margin: .5rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
summary:hover { background: var(--bar); }
.inside { padding-left: 1.1rem; scroll-margin-top: 6rem; } .inside [id] { scroll-margin-top: 1rem; }
section > details > .inside { padding-left: 0; }

table { border-collapse: collapse; table-layout: fixed; width: 100%; font-size: .93rem; }
tr { break-inside: avoid; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0;
border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { color: var(--dim); font: .87rem system-ui, sans-serif; } tbody th { font-weight: 600; }
tr:target { background: var(--bar); }
.sheet th:nth-child(1) { width: 4.5rem; } .sheet th:nth-child(2) { width: 42%; }
.unprobed td { color: var(--dim); }
.texts th:nth-child(1) { width: 5rem; } .texts th:nth-child(3) { width: 14rem; }
.texts td:last-child { color: var(--dim); }
.vectors th:nth-child(1) { width: 19rem; } .vectors th:nth-child(2) { width: 5.5rem; }
.vectors tbody th { font-size: .85rem; font-weight: normal; }
.passed td:nth-of-type(1) { color: var(--good); }
.failed td:nth-of-type(1) { color: var(--bad); font-weight: 700; }
.skipped td:nth-of-type(1) { color: var(--skip); }
.registers { font-size: .82rem; } .registers th:nth-child(1) { width: 17rem; }
.registers th:nth-child(2) { width: 8rem; } .registers tbody th { font-weight: normal; }
.registers .named th { font-weight: 700; border-left: 4px solid var(--bad); padding-left: .4rem; }
.field { display: inline-block; }

dl { margin: .3rem 0; } dl div { display: flex; gap: 1rem; }
dd { margin: 0; flex: 1; overflow-wrap: anywhere; min-width: 0; } dt { color: var(--dim); flex: none; }
.inventory div { border-bottom: 1px solid var(--line); padding: .15rem 0; } .inventory dt { width: 8rem; }
.values dt { width: 6rem; } .values dd { font-size: .87rem; }
.families { list-style: none; padding: 0; columns: 15rem; column-gap: 2rem; font-size: .85rem; }
.families li { break-inside: avoid; margin: 0; padding: .08rem 0; }
.rules { columns: 26rem; column-gap: 2rem; } .rules li { break-inside: avoid; margin: 0; padding: .1rem 0; }
.likely > li { margin: .6rem 0; } .also { font-size: .87rem; }
.beats, .plain { font-size: .85rem; overflow-wrap: anywhere; }
.failure { border-left: 4px solid var(--bad); padding-left: 1rem; margin: 1.6rem 0; scroll-margin-top: 1rem; }
.failure h3 { margin-top: 0; }

.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 1rem;
}
figure { margin: .6rem 0; padding: .6rem; border: 1px solid var(--line); border-radius: 6px;
max-width: 44rem; break-inside: avoid; }
figcaption { overflow-wrap: anywhere; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .value, svg .moment { font-size: 10px; fill: var(--dim); }
svg .inbar { text-anchor: middle; font-size: 10px; } svg .moment.last { text-anchor: middle; }
svg .moment { text-anchor: start; } svg .lane { stroke: var(--line); }
svg .mark { stroke: var(--dim); stroke-dasharray: 3 3; }
svg .bar { fill: var(--bar); stroke: var(--line); }
svg .expected { fill: none; stroke: var(--blue); stroke-width: 1.8; }
END

my $NARROW = <<'END';
  body { padding: .6rem; } .banner { border-left-width: .5rem; padding: .5rem .8rem; }
  .failure { padding-left: .6rem; }
  thead { display: none; } table, tbody, tr { display: block; }
  tr { border-bottom: 1px solid var(--line); padding: .25rem 0; }
  tbody th, td { display: block; border-bottom: 0; padding: 0; }
  .vectors tbody th, .vectors td:nth-of-type(1), .sheet tbody th, .sheet td:nth-of-type(1) { display: inline;
  padding-right: .6rem; } .sheet td:nth-of-type(1) { color: var(--dim); }
  tr.named { border-left: 4px solid var(--bad); padding-left: .4rem; }
  .registers .named th { border-left: 0; padding-left: 0; }
  svg text { font-size: 14px; } svg .value, svg .moment, svg .inbar { font-size: 12.5px; }
  .values div { display: block; } .values dd { padding-left: 1rem; } .inventory dt { width: 6.5rem; }
END

# What a browser folds on the screen it folds on paper too, so that a pass takes few pages and what somebody
# opened is printed. A section with nothing but a folded part is left out.
my $PAPER = <<'END';
  :root { font-size: 9.5pt; } body { max-width: none; padding: 0; line-height: 1.35; }
  .families { columns: 4; font-size: .78rem; } a { color: inherit; text-decoration: none; }
  .banner, .share, .share span, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  section { margin: 1.1rem 0; } h2, h3, h4, summary { break-after: avoid; }
  th, td { padding-top: .08rem; padding-bottom: .08rem; }
  .inventory div { padding: .05rem 0; } figure { max-width: 34rem; }
  section:has(> h2 + details:not([open]):last-child) { display: none; }
END

# Paper is always light, whatever the reader prefers on the screen.
$CSS =
      ":root { color-scheme: light dark; $LIGHT }\n"
    . "\@media (prefers-color-scheme: dark) { :root { $DARK } }\n$SCREEN"
    . "\@media screen and (max-width: 44rem) {\n$NARROW}\n\@page { size: A4; margin: 14mm 13mm; }\n\@media print { :root { color-scheme: light; $LIGHT }\n$PAPER}\n";

1;
