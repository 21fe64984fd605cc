#!/usr/bin/perl
# The page of `pmulog html`: well-formed, whole in itself, with a table of contents that leads everywhere, readable without
# colours and by a screen reader, short on paper if everything passed. It says of a failure what `pmulog explain` says.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(checked $DOUBTS $SEVERAL);
use Pmulog::Cascade qw(scenario);
use Pmulog::Findings;
use Pmulog::Html;
use Pmulog::Run;
use Xml qw(tree elements words);

# A pass has 8,300 characters that are not folded, on 3.1 pages of A4 in Chromium 156. 6 pages hold more than this many.
use constant ON_SIX_PAGES => 12_000;

my $markup = '<script>alert(1)</script> & "x" \'y\' ]]> <img src=x onerror=alert(1)>';
my $quoted = $markup =~ s/'/''/gr;
my $text = checked(@$SEVERAL);
my %log = (
    good => full_log(),
    bad  => p4sim(
        '--fault', 'cascade-late',
        $ELF, 'only=cascade.18-1.iq,cascade.18-2,course.lives.12,course.lives.14'
    )->{out},
    fields => p4sim('--fault', 'cccr-bit-30-at-0', $ELF, 'only=access.cccr.0,state.cccr')->{out},
    late   => p4sim($ELF, 'only=state', 'selftest=late', 'loop=3')->{out},
    bailed => p4sim($ELF, 'bogus')->{out},
    listed => p4sim($ELF, 'list')->{out},
    soaked => $text,
    cut    => substr($text, 0, index $text, 'ok 4'),
    middle => substr($text, 0, index $text, '  expected'),
    torn   => $text =~ s/start level/start leve1/r,
    empty  => "BIOS\r\n",
    doubts => checked(@$DOUBTS),
    attack => checked(
        '1..3',
        "# build: $markup",
        "# $markup: $markup",
        "# board: $markup",
        "#> a.b [$markup] $markup",
        "# $markup",
        'not ok 1 - a.b',
        '  ---',
        "  title: '$quoted'",
        "  rules: '$quoted'",
        "  what: '$quoted'",
        "  expected: '<b>'",
        "  observed: '<i>'",
        '  also:',
        "    - '$quoted'",
        "  more: '$quoted'",
        "  MSR_IQ_CCCR0: '$quoted'",
        '  ...',
        "ok 2 - cascade.18-1.iq.1-2 # SKIP $markup",
        'not ok 3 - cascade.18-1.iq.3-4',
        '  ---',
        "  what: 'X (14) after 9 A$quoted'",
        "  expected: '<b>1'",
        "  observed: '2<b>'",
        '  ...',
        "# soak loop 1: $markup; in all 3 points, 2 failed",
        "# soak loop 2: not ok - a.c",
        "#   what: '$quoted'",
        "# number $markup: 5 (class exact)",
        "# sheet 1 $markup: $markup",
        '# 0 passed, 2 failed, 1 skipped of 3',
        'END fail'
    ),
);
my %path = map { $_ => file("$_.log", $log{$_}) } keys %log;
my %status =
    (good => 0, bad => 1, fields => 1, late => 1, listed => 77, soaked => 1, doubts => 1, attack => 1);
my (%page, %tree);

for my $name (sort keys %log) {
    my $run = tool(1, 'tools/pmulog', 'html', $path{$name});
    is $run->{status}, $status{$name} // 2, "$name: status";
    is $run->{err}, '', 'no complaint';
    ($page{$name}, $tree{$name}) = ($run->{out}, tree($run->{out}));
    ok ref $tree{$name}, 'well-formed' or BAIL_OUT("$name: $tree{$name}");
}

# The elements whose class has this word.
sub of_class ($root, $class) {
    return grep { " $_->{has}{class} " =~ / \Q$class\E / } grep { defined $_->{has}{class} } elements($root);
}

# The element of an id, or undef.
sub at ($root, $id) {
    return (grep { ($_->{has}{id} // '') eq $id } elements($root))[0];
}

# The text that is to be seen as long as nobody opens anything.
sub unfolded ($element) {
    return $element if !ref $element;
    my @inside = @{ $element->{inside} };
    @inside = grep { ref && $_->{name} eq 'summary' } @inside
        if $element->{name} eq 'details' && !$element->{has}{open};
    return join(' ', map { unfolded($_) } grep { !ref || $_->{name} ne 'head' } @inside) =~ s/\s+/ /gr;
}

# Like like(), but does not print a whole page when it fails.
sub says ($text, $words, $name) { return ok scalar($text =~ $words), $name }

subtest 'the structure' => sub {
    for my $name (sort keys %tree) {
        my $root = $tree{$name};
        my %id;
        $id{ $_->{has}{id} }++ for grep { defined $_->{has}{id} } elements($root);
        is_deeply [ grep { $id{$_} > 1 } sort keys %id ], [], "$name: each id once";
        my @links = map { $_->{has}{href} } elements($root, 'a');
        is_deeply [ grep { !/\A#(.+)\z/ || !$id{$1} } @links ], [], 'each link leads to a place on the page';
        my ($nav) = elements($root, 'nav');
        my @sections = elements($root, 'section');
        is_deeply [ map { [ $_->{has}{href} =~ s/#//r, words($_) ] } $nav ? elements($nav, 'a') : () ], [
            map {
                my $section = $_;
                [
                    (
                        grep {
                            defined
                                && /\A(?:first|failures|board|sheet|numbers|vectors|judged|exercised|soak|scenarios|rules|comments)\z/
                        } map { $_->{has}{id} } elements($section)
                    )[0],
                    words((elements($section, 'h2'))[0])
                ]
            } @sections
            ],
            'the table of contents has every section, in order, and leads into it';
        is_deeply [
            map { my ($title) = elements($_, 'h2'); $_->{has}{'aria-labelledby'} ne $title->{has}{id} }
                @sections ], [ map { '' } @sections ], 'a section is labelled by its title';
        is_deeply [ map { scalar elements($root, $_) } qw(h1 main header footer) ], [ 1, 1, 1, 1 ],
            'one title, one of each landmark';
        my $level = 1;
        for my $heading (elements($root, 'h[1-6]')) {
            my ($new) = $heading->{name} =~ /(\d)/;
            ok $new <= $level + 1, 'no level of headings is left out: ' . words($heading)
                if $new > $level + 1;
            $level = $new;
        }
        is_deeply [
            grep {
                       $_->{has}{role} ne 'img'
                    || $_->{inside}[0]{name} ne 'title'
                    || words($_->{inside}[0]) !~ /\AExample 18-[12]/
            } elements($root, 'svg')
            ],
            [], 'a drawing has a title';
        is_deeply [ grep { !defined $_->{has}{scope} } elements($root, 'th') ], [],
            'a heading in a table says of what';
        is_deeply [
            grep { /\A(?:src|srcset|data|action|on.*)\z/i }
            map  { keys %{ $_->{has} } } elements($root)
            ],
            [], 'nothing from elsewhere, no script';
        my $style = words((elements($root, 'style'))[0]);
        unlike $style, qr/url\(|\@import/i, 'nor in the style';
        is_deeply [ grep { $style !~ /\Q$_\E: *#/ } $style =~ /var\(([^)]*)\)/g ], [],
            'whose colours are defined';
        is_deeply [ grep { !/\Aflex-grow:\d+\z/ } map { $_->{has}{style} // () } elements($root) ], [],
            'no style of its own but widths';
        ok $page{$name} !~ /[^\n -~]/, 'ASCII';
    }
};

subtest 'a pass' => sub {
    my $root = $tree{good};
    is run(1, 'tools/pmulog', 'html', $path{good})->{out}, $page{good}, 'the same bytes again';
    is words((elements($root, 'h1'))[0]), 'PASS', 'the verdict';
    ok index($page{good}, $dir) < 0, 'the name of the file without its folder';
    says words(at($root, 'board')), qr/processor ?GenuineIntel 0F43H/, 'the board';
    my ($sheet) = of_class($root, 'sheet');
    says words($sheet), qr/10\.1a cascade start follows OVF of X \(level\)/, 'the sheet';
    my @folded = map { defined $_->{has}{open} ? 'open' : 'folded' } elements($root, 'details');
    is "@folded", 'folded open folded folded folded folded folded',
        'all is folded but the sheet: the rest of the inventory, the numbers, the vectors, what was not exercised, the scenarios, the questions';
    my $seen = unfolded($root);
    cmp_ok length $seen, '<', ON_SIX_PAGES, 'so little text is printed that it takes no more than 6 pages';
    my ($points) = tool(1, 'tools/pmulog', 'check', $path{good})->{out} =~ /skipped of (\d+);/;
    my @rows = map { words($_) }
        map { elements($_, 'tr') } map { elements($_, 'tbody') } of_class($root, 'vectors');
    is scalar @rows, $points, 'every vector has its row';

    for my $point (map { $_->{skip} // () } @{ Pmulog::Run::load($path{good}, 'last')->{points} }) {
        ok index($seen, $point) >= 0, "it is to be seen why some were skipped: $point";
    }
    my %title = $log{good} =~ /^#> (\S+) (\S[^\r\n]*)/mg;    # of the first member of a family
    cmp_ok scalar keys %title, '>', 50, 'vectors have titles';
    for my $row (grep { !/\A\S+ skipped / } @rows) {         # a skipped one has the reason instead
        my $title = $title{ $row =~ s/ .*//r } // next;
        fail "a row lacks its title, $title: $row" if index($row, $title) < 0;
    }
    my @drawings = elements($root, 'svg');
    is_deeply [ map { words($_->{inside}[0]) } @drawings ],
        [
        'Example 18-1',
        'Example 18-1, Y interrupts',
        'Example 18-1 through bit 11',
        'Example 18-1 through bit 11, Y interrupts',
        'Example 18-2',
        'Example 18-2, sampled'
        ],
        'each scenario of the manual is drawn once';
# A lane is 30 high, a letter 10: a name's line is 5 below the middle, or 1 above it if the preset follows 12 below.
    for my $drawing (@drawings) {
        my ($bottom, $name, $value) = map {
            my $class = $_;
            [ map { $_->{has}{y1} // $_->{has}{y} } of_class($drawing, $class) ]
        } qw(lane name value);
        is_deeply $name, [
            map {
                my $y = $_ - 16;
                $y + (grep({ $_ == $y + 12 } @$value) ? 0 : 6)
            } @$bottom
            ],
            'each lane has its name in the middle';
    }
    my $drawn = join ' ', map { words($_) } elements($root, 'figcaption');
    my @due = grep { scenario($_) } map { $_->{id} } @{ Pmulog::Run::load($path{good}, 'last')->{points} };
    is scalar(grep { $drawn !~ /\b\Q$_\E\b/ } @due), 0, 'with all its vectors';
    cmp_ok scalar @due, '>', 30, 'of which there are many';
    says words($root), qr/A drawing shows what the vector expects; nothing in it was measured\./,
        'what was measured and what not';
};

subtest 'a failure' => sub {
    my $root = $tree{bad};
    my $found = Pmulog::Findings::findings(Pmulog::Run::load($path{bad}, 'last'));
    my $seen = unfolded($root) =~ s/\s+/ /gr;
    is words((elements($root, 'h1'))[0]), 'FAIL', 'the verdict';
    my @articles = elements($root, 'article');
    is_deeply [ map { words((elements($_, 'h3'))[0]) =~ s/ .*//r } @articles ],
        [ map { $_->{name} } @{ $found->{families} } ], 'a part for each family, in the order of the run';
    cmp_ok scalar @articles, '>', 2, 'of which there are several';
    ok index($seen, $_->{id}) >= 0, "$_->{id} is to be seen" for @{ $found->{failed} };

    for my $rule (@{ Pmulog::Findings::likely($found)->{rules} }) {
        my $part = words((of_class($root, 'likely'))[0]);
        ok index($part, $rule->{$_}) >= 0, "$rule->{rule}: its $_, as pmulog explain has it"
            for qw(title text source share);
    }
    ok index($seen, Pmulog::Findings::boot_words($found)) >= 0, 'how to repeat it';
    for my $family (@{ $found->{families} }) {
        my $article = at($root, "failed-$family->{name}");
        my $open = unfolded($article);
        my $all = words($article);
        for my $register (Pmulog::Findings::registers($found, $family->{failed}[0])) {
            ok index($open, $_) >= 0, "$family->{name}: $_"
                for $register->{title}, $register->{value}, @{ $register->{fields} };
        }
        for my $other (@{ $family->{failed} }[ 1 .. $#{ $family->{failed} } ]) {
            my $said = Pmulog::Findings::failure($found, $other)->{said};
            ok index($open, $said) >= 0, "$other->{id}: what was observed is to be seen";
            is scalar(grep { index($all, $_->{title}) < 0 } Pmulog::Findings::registers($found, $other)), 0,
                'its registers are behind it';
        }
        my ($rule) = split ' ', $family->{failed}[0]{rules};
        my ($link) = grep { words($_) eq $rule } elements($article, 'a');
        says words(at($root, $link->{has}{href} =~ s/\A#//r)),
            qr/\A$rule ?\Q$found->{page}{entry}{$rule}{title}/,
            'a link to the rule, whose title is said once';
    }
    says $page{bad}, qr/<tr id="R33"><th scope="row">R33<.*?CASCADE.*?18\.15\.5\.5/,
        'the text of a rule, and where the manual has it';
    my ($first) = elements(at($root, 'failed-cascade.18-1'), 'svg');
    ok defined $first, 'the scenario of an example is drawn';
    my ($plain) = elements(at($root, 'failed-course.lives'), 'svg');
    is $plain, undef, 'what is none of the examples is not drawn';
    says words($tree{fields}), qr/What differs: CASCADE \[30\]: 0, not 1/,
        'the fields in which a register differs';
};

subtest 'a log that is not whole, a soak, a list' => sub {
    for my $name (qw(cut middle torn bailed empty)) {
        says words((elements($tree{$name}, 'h1'))[0]),
            $name eq 'torn' ? qr/\ADAMAGED\z/ : qr/\AINCOMPLETE\z/, "$name: the verdict";
        says words($tree{$name}), qr/The log is not whole\. .*none of this is a verdict on the PMU/,
            'and what it means';
    }
    says words($tree{cut}),
        qr/Read this first The log is incomplete.*The log ends while cascade\.18-1\.iq\.14-12 was running/,
        'last words';
    says words($tree{torn}), qr/The damage shows in the lines of probe\.cascade\.start\./,
        'where the damage shows';
    ok words($tree{torn}) !~ /lost power/, 'the machine is not blamed for it';
    is scalar(of_class($tree{cut}, 'missing')), 1, 'the bar shows that points are missing';
    is scalar(of_class($tree{soaked}, 'missing')), 0, 'but not if none is';
    says words(at($tree{soaked}, 'soak')),
        qr/Soak Loop 3: 15 points in all, 1 failed\. The lines of the soak loop 1: [^;]*; [^;]*; 1 s loop 3: [^;]*; [^;]*; 3 s *\z/,
        'a soak';
    says words(at($tree{late}, 'failed-selftest')), qr/selftest\.late .*observed ?1/,
        'a failure in a later loop is one';
    says words(at($tree{late}, 'vectors')), qr/selftest 1, failed in a later loop/,
        'and is marked among the vectors';
    says unfolded($tree{listed}), qr/vector state\.cccr/, 'a list is not folded';
};

# 400 failures of 80 families, each with its registers, as many as a run without a working CCCR has.
subtest 'many failures' => sub {
    my @failed = map {
        my $n = $_;
        my $id = 'many.' . int($n / 5) . ".$n";
        (
            "#> $id a title of some words, which every vector of its family has",
            "not ok $n - $id",
            '  ---',
            "  title: 'a title of some words, which every vector of its family has'",
            "  rules: '@{[ map { qq(R$_) } 1 .. 60 ]}'",
            "  what: 'counts of counter 12, which is number $n'",
            "  expected: '400'",
            "  observed: '$n'",
            "  breaks: 'R34 R33'",
            "  counters: '12'",
            '  also:',
            map({ "    - 'counter $_ = $n, not 400 [R34 R33]'" } 0 .. 6),
            map({ "  MSR_IQ_CCCR$_: '8003A000H'" } 0 .. 5),
            '  ...'
        )
    } 1 .. 400;
    my $log = file(
        'many',
        checked(
            '1..400', '# processor: GenuineIntel 0F43H',
            @failed, '# 0 passed, 400 failed, 0 skipped of 400',
            'END fail'
        )
    );
    my $page = tool(5, 'tools/pmulog', 'html', $log)->{out};
    cmp_ok length $page, '<', 300_000, 'the page stays below 300 KB, of a log of ' . length slurp($log);
    my $root = tree($page);
    my $text = words($root);
    is scalar(grep { $text !~ /\bmany\.\d+\.$_\b/ } 1 .. 400), 0, 'each vector that failed is named';
    says $text, qr/later failures are told in short; the log has them in full/, 'what is left out is said';
    is scalar(of_class($root, 'registers')) > 5, 1, 'the first families have their registers in full';
};

subtest 'a log full of markup' => sub {
    says $page{attack}, qr/&lt;script&gt;alert/, 'its text is shown';
    my %known = map { $_ => 1 }
        qw(html head meta title style body header nav main footer section article h1 h2 h3 h4 p ul ol li dl dt dd div span b br a code small
        table thead tbody tr th td details summary figure figcaption svg g line rect polyline circle text);
    is_deeply [ grep { !$known{ $_->{name} } } elements($tree{attack}) ], [], 'and is no part of the page';
    is scalar(() = $page{attack} =~ /<img|<b>1|<b>"|<i>/g), 0, 'not one element of it';
};

# WCAG 2.1: relative luminance, and the contrast of text of normal size (1.4.3).
sub luminance {
    my ($red, $green, $blue) =
        map { my $part = hex($_) / 255; $part <= 0.03928 ? $part / 12.92 : (($part + 0.055) / 1.055)**2.4 }
        $_[0] =~ /\A#(..)(..)(..)\z/;
    return 0.2126 * $red + 0.7152 * $green + 0.0722 * $blue;
}

subtest 'contrast' => sub {
    my ($black, $white) = map { luminance($_) } '#000000', '#ffffff';
    is sprintf('%.1f', ($white + 0.05) / ($black + 0.05)), '21.0', 'the formula: black on white is 21';
    for my $colours ([ light => $Pmulog::Html::LIGHT ], [ dark => $Pmulog::Html::DARK ]) {
        my ($name, $text) = @$colours;
        my %colour = $text =~ /--(\w+): (#\w{6});/g;
        for my $ink (qw(ink dim link good bad skip torn blue)) {
            for my $ground (qw(page bar)) {
                my ($less, $more) = sort { $a <=> $b } map { luminance($_) } @colour{ $ink, $ground };
                cmp_ok + ($more + 0.05) / ($less + 0.05), '>=', 4.5, "$name: $ink on $ground";
            }
        }
    }
};

done_testing;
