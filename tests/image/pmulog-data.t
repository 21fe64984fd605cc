#!/usr/bin/perl
# What tools/pmulog prints for programs: the JSON and CSV of check, explain and sheet are read back and hold what
# docs/pmulog-formats.md promises (pmulog-compare.t: compare); and which commands have none.
use lib 'tests/image';
use ImageTest;
use JSON::PP ();
use Text::CSV;
use CheckedLog qw(checked $SEVERAL);

my $soaked = file('soaked', checked(@$SEVERAL));
my $passed = file('a "b", c', checked('1..1', '# build: abc, "d"', '#> a.b title', 'ok 1 - a.b', '# sheet 10.1a cascade start: not probed: x, "y"', '# 1 passed, 0 failed, 0 skipped of 1', 'END pass'));
my $cut    = file('cut',    substr checked(@$SEVERAL), 0, index checked(@$SEVERAL), 'ok 4');
my $empty  = file('empty',  "BIOS\r\n");
my $outside = file('outside', "ok 1 - a.b #0000\r\n" . checked(@$SEVERAL));
my $fault  = file('fault',  p4sim('--fault', 'cascade-late', $ELF, 'only=state,cascade.18-1.iq')->{out});

# Every member of the objects in this JSON, as paths: "rules[].title".
sub members {
    my ($value, $path) = @_;
    return map { my $at = $path eq '' ? $_ : "$path.$_"; ($at, members($value->{$_}, $at)) } keys %$value if ref $value eq 'HASH';
    return map { members($_, "${path}[]") } @$value if ref $value eq 'ARRAY';
    return ();
}

# What the page says of a command: the members of its JSON, the columns of its CSV.
my $page = slurp('docs/pmulog-formats.md');

sub documented {
    my ($command) = @_;
    my ($section) = $page =~ /^## $command\n(.*?)(?=^## |\z)/ms or die "no section '$command'";
    my ($columns) = $section =~ /^    (file,.*)$/m or die "no columns of $command";
    my ($shared)  = $page =~ /^## What every output has\n(.*?)(?=^## )/ms;
    return [ split /,/, $columns ], { map { $_ => 1 } map { /`([^`]+)`/g } map { /\A\| (`[^|]+) \|/ ? $1 : () } split /\n/, "$shared$section" };
}

# Runs a command for JSON and CSV: the object, the rows as hashes.
sub outputs {
    my ($command, $status, @files) = @_;
    my ($json, $csv) = map { run(1, 'tools/pmulog', $command, $_, @files) } '--json', '--csv';
    is $json->{err} . $csv->{err}, '', 'no complaint';
    is "$json->{status} $csv->{status}", "$status $status", "$command: status";
    is run(1, 'tools/pmulog', $command, '--json', @files)->{out}, $json->{out}, 'the same bytes again';
    my $found = JSON::PP->new->utf8->decode($json->{out});
    is "$found->{command} $found->{schema}", "$command 1", 'which output this is';
    open my $handle, '<', \$csv->{out} or die "cannot read a string: $!";
    my ($heading, @rows) = @{ Text::CSV->new({ binary => 1 })->getline_all($handle) };
    my ($columns, $members) = documented($command);
    is_deeply $command eq 'compare' ? [ @$heading[ 0 .. $#$columns ] ] : $heading, $columns, "docs/pmulog-formats.md has the columns of $command";
    my %seen = map { $_ => 1 } map { s/\A(?:boots|boards)\[\]\.//r } members($found, '');
    is_deeply [ grep { !$members->{$_} && !$members->{"boots[].$_"} && !$members->{"boards[].$_"} } sort keys %seen ], [], 'and each member';
    return ($found, map { my %row; @row{@$heading} = @$_; \%row } @rows);
}

subtest 'check' => sub {
    my ($found, @rows) = outputs('check', 2, $soaked, $passed, $cut, $empty, $outside);
    is $found->{verdict}, 'damaged', 'the verdict of all';
    my @due = ([ $soaked, 1, 'fail' ], [ $passed, 1, 'pass' ], [ $cut, 1, 'incomplete' ], [ $empty, 0, 'incomplete' ], [ $outside, 1, 'fail' ], [ $outside, 0, 'damaged' ]);
    is_deeply [ map { [ @{$_}{qw(file boot verdict)} ] } @{ $found->{boots} } ], \@due, 'JSON: boots, a file without any, a line outside of any';
    is_deeply [ map { [ @{$_}{qw(file boot verdict)} ] } @rows ], \@due, 'CSV: the same, with commas and quotes in a name';
    is_deeply [ map { $_->{failed_vectors} } @{ $found->{boots} }[ 0, 1 ] ], [ ['access.counter.0'], [] ], 'JSON: the vectors that failed';
    is $rows[0]{failed_vectors}, 'access.counter.0', 'CSV: as well';
    is $rows[1]{build}, 'abc, "d"', 'CSV: commas and quotes in a field';
    is_deeply [ map { "@{$_}{qw(passed failed skipped planned)}" } $found->{boots}[0], $rows[0] ], [ '4 1 1 6', '4 1 1 6' ], 'the counts';
    like run(1, 'tools/pmulog', 'check', '--json', $soaked)->{out}, qr/"passed" : 4,/, 'which are numbers';
};

subtest 'explain' => sub {
    my ($found, @rows) = outputs('explain', 1, $fault);
    like $found->{rules}[0]{rule}, qr/^[RE]\d+$/, 'JSON: the rule that is ranked first';
    is_deeply [ @{ $rows[0] }{qw(rank rule first_failure)} ], [ 1, $found->{rules}[0]{rule}, 'cascade.18-1.iq.14-12' ], 'CSV: as well';
    is $found->{families}[0]{family}, 'cascade.18-1', 'the family';
    my ($cccr) = grep { $_->{register} eq 'MSR_IQ_CCCR2' } @{ $found->{first_failure}{registers} };
    ok +(grep { $_ eq 'OVF [31] 1' } @{ $cccr->{fields} }), 'a register field by field';
    is "$found->{repeat} $rows[0]{repeat}", 'only=cascade.18-1.iq.14-12 only=cascade.18-1.iq.14-12', 'the boot line';
    my ($nothing, @none) = outputs('explain', 0, $passed);
    is_deeply [ $nothing->{rules}, $nothing->{first_failure}, \@none ], [ [], undef, [] ], 'of a log that passes: no rules';
    ($nothing) = outputs('explain', 2, $cut);
    like $nothing->{notes}[0], qr/incomplete/, 'of a log that is cut: a note';
    is +(outputs('explain', 2, $empty))[0]{boot}, 0, 'of no log: boot 0';
};

subtest 'sheet' => sub {
    my ($found, @rows) = outputs('sheet', 0, $passed);
    is_deeply $found->{sheet}, [ { id => '10.1a', question => 'How a cascade starts', text => 'cascade start', value => 'not probed: x, "y"', probed => JSON::PP::false() } ], 'JSON: a line';
    is_deeply [ map { [ @{$_}{qw(file id value)} ] } @rows ], [ [ $passed, '10.1a', 'not probed: x, "y"' ] ], 'CSV: as well';
    ok +(outputs('sheet', 1, $soaked))[0]{sheet}[0]{probed}, 'JSON: a line with an answer';
    my $text = run(1, 'tools/pmulog', 'sheet', $soaked);
    is $text->{status}, 1, 'the status is that of the verdict';
    like $text->{out}, qr/^10\.1 How a cascade starts\n  10\.1a  \S.*: /m, 'as text, by question';
    like run(1, 'tools/pmulog', 'sheet', $cut)->{out}, qr/The log is not whole: .*\n\nThis log has no characterisation sheet\./, 'a log that broke off before it';
};

subtest 'compare' => sub {
    my ($found, @rows) = outputs('compare', 1, $soaked, $passed);
    is scalar @rows, scalar @{ $found->{boards} }, 'a row for each board';
};

subtest 'Text::CSV' => sub {
    my $run = run(1, 'sh', '-c', "PERL5OPT='-Mlib=$dir/lib' tools/pmulog check --csv '$soaked'");
    is $run->{status}, 1, 'Text::CSV is there';
    mkdir "$dir/lib" or die "cannot make $dir/lib: $!";
    mkdir "$dir/lib/Text" or die "cannot make $dir/lib/Text: $!";
    spew("$dir/lib/Text/CSV.pm", "die 'not installed';\n");
    $run = run(1, 'sh', '-c', "PERL5OPT='-Mlib=$dir/lib' tools/pmulog check --csv '$soaked'");
    is "$run->{status} $run->{err}", "2 pmulog: --csv needs Perl's Text::CSV, which is not installed (Debian: libtext-csv-perl)\n", 'and where it is not, the package is named';
};

done_testing;
