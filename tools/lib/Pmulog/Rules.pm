# Reads docs/pmu-rules.md, which says what the ids in vectors, logs and documents mean (R33, E3, EX18-1, 9.5.6, 10.1a), and the
# table of the rules that each vector needs.
#
# Each numbered heading of the page begins a section. A heading "### ID title" whose first line is "Manual: where;
# certainty: word" begins an entry, which may have one line "No vector: reason" and lines "- 10.1a text", its items, whose
# further lines are indented.
package Pmulog::Rules;

use v5.36;
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Spec;

our @EXPORT_OK = qw(family find_file find_rules find_vectors grouped read_judged read_rules read_vectors);

my $NUMBER = qr/\d+(?:\.\d+)*/;
my $RULE = qr/R\d+|E\d+|MP/;
my $ID = qr/$RULE|EX18-\d+|PC/;
my $CERTAINTY = qr/confirmed|silicon|inferred|open/;

# The path of a file that comes with the programs: beside the modules or above them when installed, else in a folder of the
# source tree; undef: nowhere.
sub find_file ($name, $folder) {
    my $modules = dirname(dirname(File::Spec->rel2abs(__FILE__)));
    my ($found) = grep { -e } map { "$_/$name" } $modules, "$modules/..", "$modules/../../$folder";
    return $found;
}

# ---- docs/pmu-rules.md ----

sub find_rules { return find_file('pmu-rules.md', 'docs') }

# The page as a hash; dies when it cannot be read.
#   entries   in their order: { id, title, manual, certainty, reason (or undef), text, items { id => text },
#             section (its number), at ("path:line") }
#   entry     id of an entry or an item => the entry
#   sections  number => title; the numbers of entries (9.5.6, 10.1) are not among them
#   tables    number of a section => [ [cells of a row] ... ], heads and rules of the tables left out
#   layers    { rule or family of vectors => number of the layer }
#   rests     { rule => [ the rules that it rests on ] } of section 5.10
#   errors    what is wrong with the page, "path:line: ..." each
sub read_rules ($path) {
    open my $file, '<', $path or die "cannot read $path: $!\n";
    chomp(my @lines = <$file>);
    close $file;

    my %page = (entries => [], entry => {}, rests => {}, sections => {}, tables => {}, errors => []);
    my ($section, $count) = ('', scalar @lines);
    while (@lines) {
        my $heading = shift @lines;
        next if $heading !~ /\A#/;
        my $where = "$path:" . ($count - @lines);
        my @body;
        push @body, shift @lines while @lines && $lines[0] !~ /\A#/;
        my ($id, $title) = $heading =~ /\A##+ ($NUMBER|$ID) (\S.*)\z/ or next;
        my ($first) = grep { /\S/ } @body;
        if (($first // '') =~ /\AManual:/) {
            add_entry(\%page, { id => $id, title => $title, section => $section, at => $where }, @body);
        } elsif ($id =~ /\A$NUMBER\z/) {
            ($section, $page{sections}{$id}) = ($id, $title);
            $page{tables}{$id} = [ rows(@body) ];
        } else {
            push @{ $page{errors} }, "$where: $id has no line 'Manual: ...'";
        }
    }
    read_layers(\%page);
    read_rests(\%page);
    return \%page;
}

# The rules of a cell: "R2 to R6, R57".
sub named ($cell) {
    return map { /\A([RE])(\d+) to \1(\d+)\z/ ? map({ "$1$_" } $2 .. $3) : $_ } split /, /, $cell;
}

# The table of section 5: a row for each layer, with its rules ("R2 to R6, R57") and families of vectors (`course`).
sub read_layers ($page) {
    my $layers = $page->{layers} = {};
    my @rows = @{ $page->{tables}{5} || [] };
    for my $n (0 .. $#rows) {
        my (undef, $rules, $families) = @{ $rows[$n] };
        my @names = $families =~ /`(\w+)`/g;
        push @names, named($rules);
        push @{ $page->{errors} },
            map { "section 5: $_ is in two layers" } grep { exists $layers->{$_} } @names;
        @{$layers}{@names} = ($n) x @names;
    }
    push @{ $page->{errors} }, map { "$_->{at}: $_->{id} is in no layer of section 5" }
        grep { $_->{id} =~ /\A(?:$RULE)\z/ && !exists $layers->{ $_->{id} } } @{ $page->{entries} };
    push @{ $page->{errors} }, map { "section 5: there is no $_" }
        grep { /\A(?:$RULE)\z/ && !$page->{entry}{$_} } sort keys %$layers;
}

# The table of section 5.10: rules, and those that each of them rests on.
sub read_rests ($page) {
    for my $row (@{ $page->{tables}{'5.10'} || [] }) {
        my ($rules, $below) = map { [ named($_) ] } @$row;
        push @{ $page->{errors} }, map { "section 5.10: there is no $_" }
            grep { !$page->{entry}{$_} } @$rules, @$below;
        push @{ $page->{errors} }, map { "section 5.10: $_ is there twice" }
            grep { exists $page->{rests}{$_} } @$rules;
        $page->{rests}{$_} = $below for @$rules;
    }
    return;
}

sub add_entry ($page, $entry, @body) {
    my $wrong = sub { push @{ $page->{errors} }, "$entry->{at}: $_[0]" };
    $wrong->("$entry->{id} is here twice") if $page->{entry}{ $entry->{id} };
    @{$entry}{qw(text items)} = ('', {});
    my $item;    # the item whose lines follow, indented
    for my $line (grep { /\S/ } @body) {
        if ($line =~ /\AManual: (\S.*); certainty: (.*)\z/) {
            @{$entry}{qw(manual certainty)} = ($1, $2);
        } elsif ($line =~ /\ANo vector:\s*(.*)\z/) {
            $entry->{reason} = $1;
        } elsif ($line =~ /\A- ($NUMBER[a-z]) (\S.*)\z/) {
            $item = $1;
            $entry->{items}{$item} = $2;
            $page->{entry}{$item} = $entry;
        } elsif (defined $item && $line =~ /\A  (\S.*)\z/) {
            $entry->{items}{$item} .= " $1";
        } else {
            $entry->{text} .= ($entry->{text} eq '' ? '' : ' ') . $line;
        }
    }
    my $certainty = $entry->{certainty} // 'nothing';
    $wrong->("$entry->{id}: $certainty is no certainty") if $certainty !~ /\A(?:$CERTAINTY)\z/;
    $wrong->("$entry->{id}: no reason after 'No vector:'") if ($entry->{reason} // 'none') eq '';
    $wrong->("$entry->{id} says nothing") if $entry->{text} eq '' && !%{ $entry->{items} };
    push @{ $page->{entries} }, $entry;
    $page->{entry}{ $entry->{id} } = $entry;
}

# Rows of tables as lists of cells.
sub rows (@lines) {
    my @found;
    for my $i (0 .. $#lines) {
        next if $lines[$i] !~ /\A\| (.*) \|\z/ || ($lines[ $i + 1 ] // '') =~ /\A\|-/;
        push @found, [ map { s/\A\s+|\s+\z//gr } split /\|/, $1, -1 ];
    }
    return @found;
}

# ---- Vectors ----

# The family of a vector: the first two parts of an id that has three or more, else the first. So cascade.18-1.iq.14-12
# belongs to cascade.18-1, and state.cccr to state.
sub family ($id) {
    my ($first, $second, $third) = split /\./, $id;
    return defined $third ? "$first.$second" : $first;
}

# Items that have the same key, in the order of their first ones: [ key, items ] ...
sub grouped ($key, @items) {
    my (%group, @order);
    for my $item (@items) {
        my $name = $key->($item);
        push @order, $group{$name} = [$name] if !$group{$name};
        push @{ $group{$name} }, $item;
    }
    return @order;
}

# The table tests/vectors/rules, a line "id: R1 R2@0F12" for each vector, with comments: { id => [rules, without processors] } and the
# ids in order; dies when it cannot be read.
sub read_judged ($path) {
    open my $file, '<', $path or die "cannot read $path: $!\n";
    my (%rules, @ids);
    while (<$file>) {
        next if /\A(?:#|\s*\z)/;
        my ($id, $rules) = /\A(\S+): (\S.*\S|\S)\s*\z/ or die "$path:$.: not a vector and its rules\n";
        die "$path:$.: $id is there twice\n" if $rules{$id};
        $rules{$id} = [ map { s/\@\w+\z//r } split ' ', $rules ];
        push @ids, $id;
    }
    close $file;
    return (\%rules, \@ids);
}

# The table of the vectors of the image that this tool came with. `make` writes it from the image itself (boot word `list`),
# one check a line: its id and its rules; after a colon, the rules of its expectations, each with how many of them hold on a
# healthy processor ("R28 R29 (4), R45 (2)"). A log names the rules of a vector that failed. The rules of a vector
# that passed are in this table alone, unless the log is verbose.
sub find_vectors { return find_file('vector-rules.txt', 'build') }

# Each check: id => { rules => [rules], held => [ [ [rules], number ] ... ] }; dies when the table cannot be read.
sub read_vectors ($path) {
    open my $file, '<', $path or die "cannot read $path: $!\n";
    my %rules;
    while (my $line = <$file>) {
        my ($named, $held) = split /: /, $line, 2;
        my ($id, @named) = split ' ', $named;
        my @held = map { /\A(.*) \((\d+)\)\s*\z/ ? [ [ split ' ', $1 ], $2 + 0 ] : () } split /, /,
            $held // '';
        $rules{$id} = { rules => \@named, held => \@held } if @named;
    }
    close $file;
    return \%rules;
}

1;
