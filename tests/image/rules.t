#!/usr/bin/perl
# docs/pmu-rules.md explains whatever the tree and the log cite: every rule, erratum, example, question and
# section that sources, documents or a full log name has an entry there (tools/coverage sees to the vectors).
# Its event tables agree with the event table of the PMU library.
use lib 'tests/image';
use ImageTest;
use File::Find qw(find);
use Pmulog::Rules qw(find_rules read_judged read_rules);

my $page = read_rules('docs/pmu-rules.md');
is_deeply $page->{errors}, [], 'the page has the form that programs read';
is slurp(find_rules()), slurp('docs/pmu-rules.md'), 'pmulog finds it in the source tree';

# Where the copy of the modules in a folder finds the page.
sub found_by ($folder) {
    system('cp', '-r', 'tools/lib/Pmulog', $folder) == 0 or die "cannot copy the modules\n";
    return run(1, 'perl', '-I', $folder, '-MPmulog::Rules=find_rules', '-e',
        'open my $page, "<", find_rules() or die; print <$page>')->{out};
}

subtest 'each rule has a layer' => sub {
    my $file = File::Temp->new;
    my $with = sub { my ($old, $new) = @_; return slurp('docs/pmu-rules.md') =~ s/\Q$old\E/$new/r };
    my $errors = sub {
        spew("$file", $with->(@_));
        return [ map { s/.*?: //r } @{ read_rules("$file")->{errors} } ];
    };
    is_deeply $errors->('| R7 to R17, R27 |', '| R7 to R17 |'), ['R27 is in no layer of section 5'],
        'one that the table lacks';
    is_deeply $errors->('| R7 to R17, R27 |', '| R6 to R17, R27, R77 |'),
        [ 'R6 is in two layers', 'there is no R77' ], 'one that is there twice, and one that does not exist';
    is_deeply [ @{ $page->{layers} }{qw(R2 R27 R26 R33 E23 course)} ], [ 0, 1, 2, 3, 3, 4 ],
        'what the table says';
    is_deeply [ @{ $page->{rests} }{qw(R46 R48 R27)} ], [ ['R50'], [ 'R31', 'R50' ], ['R8'] ],
        'what rests on what';
    is_deeply $errors->('| R7 | R9 |', '| R7, R27 | R77 |'),
        [ 'there is no R77', 'R27 is there twice' ],
        'and what is wrong with that table';
};

subtest 'installed' => sub {
    for my $place ('', '/lib') {
        my $dir = File::Temp->newdir;
        mkdir "$dir$place" or die "cannot make $dir$place: $!\n" if $place ne '';
        spew("$dir/pmu-rules.md", "the page\n");
        is found_by("$dir$place"), "the page\n", "pmulog finds it with its modules in .$place";
    }
};

# The rows of the page that have an id: facts (F1) and streams of values (V1).
my %row = map { $_->[0] => 1 } map { @{ $page->{tables}{$_} } } qw(12 5.8);

# What a text cites and the page does not explain.
sub unexplained ($text, $explained) {
    my @cited = $text =~ /(?<![\w.#])((?:R|E)[1-9]\d?|EX18-\d+)(?!\w)/g;
    push @cited, map { "section $_" }
        map { split /, / } $text =~ /\bpmu-rules(?:\.md)? ((?:\d+(?:\.\d+)*, )*\d+(?:\.\d+)*)/g;
    push @cited,
        map { split /, | and / } $text =~ /\bquestions? ((?:\d+\.\d+[a-z]?(?:, | and ))*\d+\.\d+[a-z]?)/g;
    push @cited, map { "section $_" } $text =~ /\bfacts? (F\d+)/g, $text =~ /\bstreams? (V\d+b?)\b/g;
    return grep {
        !(/\Asection ([FV].*)/ ? $row{$1} : /\Asection (.*)/ ? $explained->{sections}{$1}
            // $explained->{entry}{$1} : $explained->{entry}{$_})
    } @cited;
}

subtest 'what is not explained is found' => sub {
    my %less = (%$page, entry => { %{ $page->{entry} } });
    delete $less{entry}{R33};
    is_deeply [ unexplained('R1, R33 and (R33)', \%less) ], [ 'R33', 'R33' ], 'a rule that was removed';
    is_deeply [ unexplained('R99, E77; EX18-3', $page) ], [qw(R99 E77 EX18-3)], 'ids that never were';
    is_deeply [ unexplained('pmu-rules.md 3.4, 5.88 and question 10.1a, question 11.99', $page) ],
        [ 'section 5.88', '11.99' ], 'sections and questions';
    is_deeply [ unexplained('fact F41, fact F1, streams V1, V2 and stream V99', $page) ],
        [ 'section F41', 'section V99' ], 'facts and streams';
    is_deeply [ unexplained('MSR 0xE2, Nocona E0, F43, 1.R44, SDM 18.15.99', $page) ], [],
        'what only looks like a rule';
};

# The files that people write: path => text. Three tests are left out because they cite ids that do not exist
# on purpose.
my %text;
find(
    {
        no_chdir => 1,
        wanted   => sub {
            $text{$File::Find::name} = slurp($_)
                if -f && /\.(?:[chtm]|mk|md|txt|pm|asm|inc)\z|\/[a-z-]+\z/
                && !m{(?:/rules|/coverage|/input)\.t\z};
        }
    },
    qw(boot docs iso kernel pmc sim tests tools)
);
$text{$_} = slurp($_) for 'Makefile', glob '*.md';
cmp_ok scalar keys %text, '>', 300, 'files read';

for my $path (sort keys %text) {
    my @missing = unexplained($text{$path}, $page);
    push @missing, grep { !$row{$_} } $text{$path} =~ /\b(V\d+b?)\b/g if $path =~ m{^tests/host/model/};
    fail "$path: " . join(', ', @missing) if @missing;
    my @elsewhere = $text{$path} =~
        /(design decision|design\.md|the reference's|\breference \d+\.\d|\breference,? sections? \d|open points?\b)/gi;
    fail "$path: cites what is not in the repository: @elsewhere" if @elsewhere;
}

# Every expectation has rules as its first argument: tokens, which the compiler knows, or an expression that
# gives them.
sub unnamed ($text) {
    return
        grep { !/[A-Za-z]/ || /"|\bNULL\b|[?:]\s*0\b/ }
        $text =~
        /\b(?:expect|require)_(?:equal|register|between|near|true)\(\s*((?:\((?:[^()]|\([^()]*\))*\)|[^,()])*)/g;
}

subtest 'every expectation names its rules' => sub {
    is_deeply [
        unnamed(
                  'expect_true(RULES(R1, E3), a, "b"); expect_true(HARNESS, a); expect_near(a->rules, 1); '
                . 'expect_equal(a ? R1 : rules_of(2), 3); expect_true(f(1, 2), 3);'
        )
        ],
        [],
        'what is allowed';
    is_deeply [
        unnamed(
            'expect_true(NULL, a); require_equal(0, 1); expect_true(a ? R1 : 0, b); expect_true("what", a); '
                . 'expect_true(77, a);'
        )
        ],
        [ 'NULL', '0', 'a ? R1 : 0', '"what"', '77' ], 'what is not';
    for my $path (
        grep { m{^tests/(?:vectors|suite)/.*\.c\z} && !m{/(?:expect|selftest)\.c\z} }
        sort keys %text
        )
    {
        fail "$path: an expectation without rules: $_" for unnamed($text{$path});
    }
};

# tests/vectors/rules, its vectors in order, and the processors of the runs that it was made of.
my ($judged, $listed) = read_judged('tests/vectors/rules');
my ($first, @others) = map { split } slurp('tests/vectors/rules') =~ /^# processors ((?:\w{4} )+)together/m;

# The log of such a run: `make` keeps that of the first processor, `make rules` all of them.
sub verbose_run ($cpu) {
    my $kept = "build/verbose/$cpu.log";
    return $kept if -e $kept && !grep { -M $kept > -M $_ } $ELF, $P4SIM;
    return file("$cpu.log", p4sim('--cpu', $cpu, $ELF, 'verbose', 'skip=probe')->{out});
}

# What the lines of a table say: a vector and a rule that it judges.
sub claims ($table) {
    return map {
        my ($id, $rules) = /\A([^#]\S*): (.*)/;
        map { "$id: $_" } grep { $_ ne 'none' } split ' ', $rules // ''
    } split /\n/, $table;
}

# Another build has other times, and in a course an expectation may then be due or not: of 6,000 claims so many may differ.
my $BY_TIME = 6;

subtest 'the table of what the vectors judge is what they judged' => sub {
    my $table = slurp('tests/vectors/rules');
    my $made = run(1, 'tools/vectors', '--judged', map { verbose_run($_) } $first, in_test_all(@others));
    is $made->{status}, 0, 'the table can be made' or diag $made->{err};
    my %old = map { $_ => 1 } grep { $ENV{TEST_ALL} || !/\@/ } claims($table);
    my %new = map { $_ => 1 } claims($made->{out});
    my @differ = sort grep { !$old{$_} || !$new{$_} } keys %{ { %old, %new } };
    my @by_time = grep { /\Acourse\./ } @differ;
    is_deeply [ grep { !/\Acourse\./ } @differ ], [],
        '`make rules` would change nothing' . ($ENV{TEST_ALL} ? '' : " of $first");
    cmp_ok scalar @by_time, '<=', $BY_TIME, 'and of the courses little' or diag "@by_time";
    my ($order, $made_order) =
        map { [ s/^# processors \K.*(?= together)//mr =~ /^(#.*|\S+):?/mg ] } $table, $made->{out};
    is_deeply $made_order, $order, 'nor the order';
    my %covers = map { /^# vector (\S+) \[([^\]]*)\] check / ? ($1 => [ split ' ', $2 ]) : () } split /\r?\n/,
        p4sim($ELF, 'list')->{out};
    is_deeply [ grep { !$judged->{$_} && !/\Aharness\./ } sort keys %covers ], [],
        '`make rules` was run when the last vector was added';
    is_deeply [ grep { !$covers{$_} } @$listed ], [], 'and when one was removed';
    is_deeply [ grep { "@{ $judged->{$_} }" eq 'none' } @$listed ], [], 'each vector judges a rule';

    for my $id (@$listed) {
        my %judges = map { $_ => 1 } @{ $judged->{$id} };
        my @claimed = grep { /\AR\d/ && !$judges{$_} } @{ $covers{$id} || [] };
        my @lacking = grep {
            my $rule = $_;
            !grep { $_ eq $rule } @{ $covers{$id} || [] }
        } @{ $judged->{$id} };
        fail "$id: claims @claimed, which it does not judge" if @claimed;
        fail "$id: the image does not say that it judges @lacking" if @lacking;
    }
};

subtest 'a table that is out of date is named, with what to do' => sub {
    my @sources = grep { !/\A#/ } split /\n/, slurp('tests/vectors/order');
    my $with = sub ($old, $new) {
        my $table = slurp('tests/vectors/rules') =~ s/$old/$new/gr;
        return run(1, 'tools/vectors', file('table', $table), @sources);
    };
    my $as_it_is = $with->('(*FAIL)', '');
    is $as_it_is->{err}, '', 'nothing is said of one that is not';
    is $as_it_is->{status}, 0, 'which gives the list';
    is $with->(qr/^(?:state\.cccr|access\.cccr\.\d+):.*\n/m, '')->{err},
        "tests/vectors/rules does not have state.cccr access.cccr. `make rules` writes the table anew.\n",
        'a vector and a family that it lacks';
    my $more = $with->(qr/^state\.cccr/m, "state.gone: R1\nstate.cccr");
    is $more->{err},
        "tests/vectors/rules has state.gone, which no source has. `make rules` writes the table anew.\n",
        'a vector that is gone';
    is $more->{out}, $as_it_is->{out}, 'and the list does not have it';
    like $with->(qr/^state\.cccr: .*/m, 'state.cccr')->{err}, qr/:\d+: not a vector and its rules$/,
        'a line that is none';
    like $with->(qr/^access\.cccr\.17: .*/m, 'access.cccr.17: R9')->{out},
        qr/"access\.cccr\.16", SET_\d+\},\n    \{"access\.cccr\.17", SET_/,
        'members that differ are told apart';
};

subtest 'the table comes from whole verbose runs of passes' => sub {
    my @lines = (
        "# processor: GenuineIntel 0F43H",
        '#> a.b [] x',
        '# held: R29 R2 (2), harness (1), MP E3 (1)',
        '# held: R2 (1)',
        'ok 1 - a.b #0000',
        '#> a.c [] x',
        '# held: harness (1)',
        'ok 2 - a.c #0000',
        '# held: R4 (1)',
        'ok 3 - probe.d',
        '# held: harness (1)',
        'ok 4 - harness.e',
        '# held: MP (1)',
        'ok 5 - harness.f',
        'ok 6 - a.g # SKIP none here #0000',
        '# END OF TAP: pass, 1 lines'
    );
    my $table = sub {
        return run(1, 'tools/vectors', '--judged', file('log', join '', map { "$_\r\n" } @_));
    };
    like $table->(@lines)->{out},
        qr/^# processors 0F43 together.*\na\.b: R2 R29 E3 MP\na\.c: none\nharness\.f: MP\na\.g: none\n\z/ms,
        'what held';
    my $other = file('other', join '', map { s/0F43/0F12/r =~ s/R2 \(1\)/R2 (1), R9 (1)/r . "\r\n" } @lines);
    like run(1, 'tools/vectors', '--judged', file('log', join '', map { "$_\r\n" } @lines), $other)->{out},
        qr/^# processors 0F43 0F12 together.*\na\.b: R2 R9\@0F12 R29 E3 MP\na\.c: none$/ms,
        'and the first processor that judges a rule which 0F43 does not judge';
    like $table->(map { s/pass/fail/r } @lines)->{err}, qr/not the log of a pass/, 'of a run that failed';
    like $table->(grep { !/held/ } @lines)->{err}, qr/not a log with the boot word verbose/,
        'that is not verbose';
    like $table->(grep { !/processor:/ } @lines)->{err}, qr/no line names the processor/,
        'that does not say where it ran';
};

# The full log: its sheet, and the errata of the part.
my $log = full_log();
my @sheet = $log =~ /^# sheet (\S+)/mg;
is_deeply [ grep { !$page->{entry}{$_} } @sheet ], [], 'every line of the sheet is explained';
my %in_sheet = map { $_ => 1 } @sheet;
like $page->{entry}{'10.14f'}{items}{'10.14f'}, qr/first instruction of the C handler; the median of 16/,
    'an item has its indented lines';
is_deeply [ grep { !$in_sheet{$_} } map { keys %{ $_->{items} } } @{ $page->{entries} } ], [],
    'and no question is explained that it lacks';
my ($errata) = $log =~ /^# errata: (.*?)\r?$/m;
is_deeply [ grep { !$page->{entry}{$_} } split ' ', $errata ], [], 'so are the errata of the part';

subtest 'nothing is left out' => sub {
    for my $family ([ R => 61 ], [ E => 23 ]) {
        my ($letter, $last) = @$family;
        is_deeply [ map { $_->{id} } grep { $_->{id} =~ /\A$letter\d/ } @{ $page->{entries} } ],
            [ map { "$letter$_" } 1 .. $last ],
            "$letter" . "1 to $letter$last, in order";
    }
    my %fact = map { $_->[0] => 1 } @{ $page->{tables}{12} };
    is_deeply [ map { "F$_" } grep { !$fact{"F$_"} } 1 .. 40 ], [], 'facts';
    my $rules = $text{'docs/pmu-rules.md'};
    is_deeply [ grep { $_ ne 'F0' && !$fact{$_} } $rules =~ /\b(F\d{1,2})\b/g ], [],
        'facts that it cites (F0 is a set of ESCRs)';
    my @inside = map { split /, / } $rules =~ /\(((?:\d+(?:\.\d+)*[a-z]?, )*\d+(?:\.\d+)+[a-z]?)\)/g;
    is_deeply [ grep { !/\A1[4-9]\./ && !$page->{sections}{$_} && !$page->{entry}{$_} } @inside ], [],
        'what it cites of itself';
};

subtest 'events' => sub {
    my %explained = map { $_->[0] => $_ } map { @{ $page->{tables}{"4.$_"} } } 1 .. 5;
    my $source = $text{'pmc/netburst/event.c'} . $text{'pmc/netburst/event.h'};
    my %value = $source =~ /^#define (\w+_SELECT)\s+(\w+)/mg;
    my %mask;
    $source =~ s/\\\n//g;
    while ($source =~ /^#define (\w+)\(M, M_34\) (.*)/mg) {
        my ($name, $bits) = ($1, $2);
        $mask{$name} = join ', ', map { /_34/ ? s/_34\((.*)\)/($1)/r : s/\((.*)\)/$1/r }
            map { s/, / /r } $bits =~ /\bM((?:_34)?\(\d+, \w+\))/g;
    }
    my @rows =
        $source =~ /\bEVENT\("(\w+)",\s*(\w+), (\w+),\s*(\w+(?:\(\w+\))?),\s*\w+,\s*'(.)', '.', (\w+)\)/g;
    is @rows / 6, 47, 'rows of the event table';
    while (my ($name, $select, $cccr, $escrs, $thread, $bits) = splice @rows, 0, 6) {
        my $row = $explained{$name} or fail("$name is explained"), next;
        my $expected = [
            $name,
            sprintf('%02XH', hex($value{$select} // $select)),
            $value{$cccr} // $cccr,
            $escrs =~ s/PAIR\((\w+)\)/$1_ESCR0\/1/r =~ s/CRU23/CRU_ESCR2\/3/r =~
                s/ONLY(\d)\((\w+)\)/$2_ESCR$1/r,
            $mask{$bits},
            $thread eq '?' ? '?' : "T$thread"
        ];
        my @cells = @$row[ 0 .. 5 ];
        $cells[4] = $explained{$1}[4] if $cells[4] =~ /\Aas (\w+)\z/;
        is_deeply \@cells, $expected, $name;
    }
};

done_testing;
