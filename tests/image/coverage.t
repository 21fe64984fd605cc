#!/usr/bin/perl
# tools/coverage makes its two pages of the vectors and of its two input files, and refuses inputs that hide a
# gap: a rule without vector or reason, a reason that no longer holds, a name that no vector has, a list that
# was cut. The faults that the manual's sentences name exist; tools/campaign --sentences tries them.
use lib 'tests/image';
use ImageTest;
use Sentences qw(read_sentences);

my @inputs = qw(pmu-rules.md manual-sentences.txt);

# The list of the boot word `list`; its status is that of a skipped run.
sub list_on ($cpu) {
    my $run = p4sim('--cpu', $cpu, $ELF, 'list');
    is $run->{status}, 77, "list on $cpu";
    return $run->{out};
}

# The ids of a list with their rules.
sub vectors_of ($list) { return [ $list =~ /^# vector (\S+ \[[^\]]+\])/mg ] }

my $list = list_on('0F43');
is_deeply vectors_of(list_on('0F12')), vectors_of($list),
    'a processor without Hyper-Threading lists the same vectors';
cmp_ok scalar @{ vectors_of($list) }, '>', 400, 'hundreds of them';

my %original = map { $_ => slurp("docs/$_") } @inputs;
file('list', $list);
my $made = run(1, 'tools/coverage', "$dir/list");
is $made->{status}, 0, 'the table can be made' or diag $made->{err};
is $made->{err}, '', 'nothing is wrong with its inputs';
my $manual = run(1, 'tools/coverage', '--manual', "$dir/list");
is $manual->{status}, 0, 'and the sentences of the manual';

# Both pages say what their inputs say: the families are as large as the list, each rule and each sentence has
# its line.
is_deeply [ sort $made->{out} =~ /^\| (\S+) \| (?!What it says)/mg ],
    [ sort $original{'pmu-rules.md'} =~ /^### (\S+) .*\nManual: /mg ],
    'a line for each rule';
my ($checks) = $made->{out} =~ /^\| R33 \|[^|]*\|[^|]*\|([^|]*)\|/m;
my $counted = 0;
$counted += $1 // 1 while $checks =~ /`[^`]+`(?: \((\d+)\))?/g;
my $covering = () = $list =~ /^# vector \S+ \[(?:[^\]]* )?R33(?: [^\]]*)?\] check /mg;
is $counted, $covering, 'and in it as many checks of R33 as the list has';
like $manual->{out}, qr/^\| [^|]+ \| [^|]+ \| (?:[^|]*, )?`course\.links` \(\d+\)[^|]* \| [^|]*`[a-z-]+`/m,
    'a sentence has vectors and faults';
my @sentences = grep { !$_->{part} } @{ read_sentences('docs/manual-sentences.txt')->{entries} };
my $lines = () = $manual->{out} =~ /^\| (?!Where)/mg;
is $lines, scalar @sentences, 'a line for each sentence';
my %page = map { $_ => 1 } qw(coverage.md manual.md);
is_deeply [ grep { !$page{$_} && !-e "docs/$_" } map { $_->{out} =~ /\]\(([^)#]+)/g } $made, $manual ], [],
    'their links lead to documents';

my %fault = map { $_ => 1 } p4sim('--fault', 'list', '*')->{out} =~ /^(\S+)/mg;
my %cpu = map { $_ => 1 } p4sim('--cpu', 'list')->{out} =~ /^(\S+)/mg;
my @named = map { @{ $_->{faults} // [] } } @{ read_sentences('docs/manual-sentences.txt')->{entries} };
cmp_ok scalar @named, '>', 80, 'the sentences name faults';
is_deeply [ grep { !$fault{$_} && !p4sim('--fault', 'list', $_)->{out} } map { $_->{name} } @named ], [],
    'p4sim has each of them';
is_deeply [ grep { !$cpu{$_} } map { $_->{cpu} } @named ], [], 'and their processors';

# What is changed, in which file, from what to what; and what tools/coverage says of it.
my @holes = (
    [
        'a rule loses its reason',
        'pmu-rules.md', qr/^(### E8 .*\n.*\n)No vector: .*\n/m,
        '$1', qr/E8 has no vector and no/
    ],
    [
        'a covered rule has one',
        'pmu-rules.md',
        qr/^(### R38 .*\n.*\n)/m,
        "\$1No vector: too hard\n",
        qr/R38 has a reason for no vector, but \S+ covers it/
    ],
    [
        'a reason says nothing',
        'pmu-rules.md', qr/^(### E8 .*\n.*\nNo vector:).*$/m,
        '$1', qr/E8: no reason after/
    ],
    [ 'a rule is gone', 'pmu-rules.md', qr/^### R33 .*\n/m, '', qr/vector cascade\S+: no rule R33/ ],
    [ 'a rule is there twice', 'pmu-rules.md', qr/^### R34 /m, '### R33 ', qr/R33 is here twice/ ],
    [
        'a certainty of our own',
        'pmu-rules.md',
        qr/^(### R33 .*\n.*; certainty: )\w+/m,
        '$1sure',
        qr/R33: sure is no certainty/
    ],
    [
        'a rule without a source',
        'pmu-rules.md',
        qr/^(### R33 .*\n)Manual: .*\n/m,
        '$1',
        qr/R33 has no line 'Manual: /
    ],
    [
        'a rule without a text',
        'pmu-rules.md',
        qr/^(### 11\.7 .*\n.*\n\n).*\n/m,
        '$1',
        qr/11\.7 says nothing/
    ],
    [
        'an id that does not exist',
        'manual-sentences.txt',
        qr/ cascade\.pmi$/m,
        ' cascade.pm',
        qr/no vector cascade\.pm$/m
    ],
    [
        'a sentence without vector',
        'manual-sentences.txt',
        qr/ \| cascade\.pmi$/m,
        '',
        qr/:\d+: not a sentence/
    ],
    [
        'a sentence without fault',
        'manual-sentences.txt',
        qr/ \| \S+( \| cascade\.pmi)$/m,
        '$1',
        qr/:\d+: not a sentence/
    ],
    [
        'a reason that says nothing',
        'manual-sentences.txt',
        qr/ \| \S+( \| cascade\.pmi)$/m,
        ' | none:$1',
        qr/:\d+: not a sentence/
    ],
    [ 'an unknown rule', 'list', qr/ \[R1 R3\]/, ' [R1 R99]', qr/vector \S+: no rule R99/ ],
    [
        'a vector listed twice',
        'list',
        qr/^(# vector state\.cccr .*\n)/m,
        '$1$1',
        qr/state\.cccr is listed twice/
    ],
    [
        'a vector without rules',
        'list',
        qr/(# vector state\.cccr) \[R1 R3\]/,
        '$1 []',
        qr/not understood: .*state\.cccr/
    ],
    [
        'a vector whose rules nobody has written down',
        'list',
        qr/(# vector state\.cccr) \[R1 R3\]/,
        '$1 [unlisted]',
        qr/vector state\.cccr is not in tests.vectors.rules; `make rules`/
    ],
    [ 'a list that was cut', 'list', qr/\n# END OF TAP.*/s, '', qr/not a whole list/ ],
);
for my $hole (@holes) {
    my ($title, $file, $from, $to, $said) = @$hole;
    my %text = (%original, list => $list);
    my $replace = sub { my $one = $_[0]; $to =~ s/\$1/$one/gr };
    subtest $title => sub {
        ok $text{$file} =~ s/$from/$replace->($1 \/\/ '')/e, "found in $file";
        file($_, $text{$_}) for sort keys %text;
        my $refused = tool(1, 'tools/coverage', "$dir/list", "$dir");
        is $refused->{status}, 1, 'refused';
        is $refused->{out}, '', 'no table';
        like $refused->{err}, $said, 'it says what is wrong';
    };
}

done_testing;
