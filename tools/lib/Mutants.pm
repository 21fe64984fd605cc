# The mutants of tools/mutate: small errors in the sources. Those of the list, tests/mutants.mut, are written
# by hand (docs/mutants.md describes the format); the others are drawn from all the places where a source can
# be changed by a rule.
#
# A mutant is a hash: name, file, at (the offset of the text in the file), from and to (the texts), and for
# one of the list notices (each a kind and words: what should notice it).
package Mutants;

use v5.36;
use Exporter 'import';
use Image qw(slurp spew);

our @EXPORT_OK = qw(read_mutants draw_mutants named_mutant room_of rooms mutate changed_lines);

# The sources of each room. Headers are left out: most change too much to be built again for one mutant.
my @ROOMS = (
    [ kernel  => qr{\Akernel/.*\.c\z} ],
    [ pmc     => qr{\Apmc/.*\.c\z} ],
    [ suite   => qr{\Atests/suite/.*\.c\z} ],
    [ vectors => qr{\Atests/vectors/.*\.c\z} ],
    [ sim     => qr{\Asim/(?!faults/).*\.c\z} ],
    [ tools   => qr{\Atools/(?!mutate|lib/Mutants)(?:lib/.*\.pm|[^/.]+)\z} ],
);

sub rooms {
    return map { $_->[0] } @ROOMS;
}

sub room_of ($file) {
    my ($room) = grep { $file =~ $_->[1] } @ROOMS;
    return $room ? $room->[0] : 'none';
}

# ---- The list ----

# Dies with the file and line of a mistake in the list, or if a mutant's text is not in its file exactly once.
sub read_mutants ($tree, $path) {
    my (@mutants, $number);
    for my $line (split /\n/, slurp($path)) {
        my $at = "$path:" . ++$number;
        next if $line =~ /^\s*(?:#.*)?\z/;
        if ($line =~ /^mutant +(\S+) +(\S+)\z/) {
            push @mutants,
                { name => $1, file => $2, where => "$at ($1)", from => [], to => [], notices => [] };
            next;
        }
        my $mutant = $mutants[-1] or die "$at: a mutant begins with: mutant NAME FILE\n";
        if    ($line =~ /^-(?: (.*))?\z/)  { push @{ $mutant->{from} }, $1 // '' }
        elsif ($line =~ /^\+(?: (.*))?\z/) { push @{ $mutant->{to} }, $1   // '' }
        elsif ($line =~ /^notice +(host|image|fails|fault|test) +(\S.*)\z/) {
            push @{ $mutant->{notices} }, [ $1, split ' ', $2 ];
        } else {
            die "$at: not understood: $line\n";
        }
    }
    my %seen;
    for my $mutant (@mutants) {
        $_ = join "\n", @$_ for @$mutant{qw(from to)};
        $seen{ $mutant->{name} }++ and die "$mutant->{where}: two mutants have this name\n";
        @{ $mutant->{notices} } or die "$mutant->{where}: nothing is to notice it\n";
        my $source = -e "$tree/$mutant->{file}" ? slurp("$tree/$mutant->{file}") : '';
        my $times = () = $source =~ /\Q$mutant->{from}\E/g;
        $times == 1 && $mutant->{from} ne ''
            or die "$mutant->{where}: its text is in $mutant->{file} $times times, not once\n";
        $mutant->{at} = index $source, $mutant->{from};
    }
    return @mutants;
}

# ---- The rules by which sources are changed ----

my $IF = qr/\bif (\((?:[^()]++|(?1))*\))/;
my $ATOM = qr/[\$@%\\]*[\w.]+(?:(?:->|::)\w+|\[\w+\]|\{\w+\})*/;
my %OTHER = (
    '=='   => '!=',
    '!='   => '==',
    '<'    => '<=',
    '<='   => '<',
    '>'    => '>=',
    '>='   => '>',
    'eq'   => 'ne',
    'ne'   => 'eq',
    'lt'   => 'ge',
    'gt'   => 'le',
    '=~'   => '!~',
    '!~'   => '=~',
    '-eq'  => '-ne',
    '-ne'  => '-eq',
    '-gt'  => '-ge',
    '-ge'  => '-gt',
    '-lt'  => '-le',
    '-le'  => '-lt',
    '='    => '!=',
    '-n'   => '-z',
    '-z'   => '-n',
    '-e'   => '! -e',
    '-f'   => '! -f',
    '-r'   => '! -r',
    '&&'   => '||',
    '||'   => '&&',
    '//'   => '&&',
    '+'    => '-',
    '-'    => '+',
    '*'    => '+',
    '/'    => '*',
    '&'    => '|',
    '|'    => '&',
    '<<'   => '>>',
    '>>'   => '<<',
    if     => 'unless',
    unless => 'if',
    true   => 'false',
    false  => 'true',
    '++'   => '--',
    '--'   => '++',
);

# For each language: name of the rule, the text that it changes, and to what. A text is left alone if this
# returns undef.
my @CALL = (qr/^[ \t]+\K[a-z]\w*\([^;{}]*\);$/m, sub { ';' });
my @NUMBER = (
    qr/(?<![\w.\$#\\])(?:0x[\dA-F]+|\d+)(?![\w.]*[.\w"'])/,
    sub { $_[0] =~ /x/ ? sprintf '0x%X', hex($_[0]) ^ 1 << bits($_[0]) : $_[0] + 1 }
);
my @COMPARE = (qr/(?<= )(?:==|!=|<=|>=|<|>|eq|ne|lt|gt|=~|!~)(?= )/, \&other);
my @LOGIC = (qr{(?<= )(?:&&|\|\||//)(?= )}, \&other);
my @SWAP = (
    qr/\b\w+\((?:[^()]*, )?\K$ATOM, $ATOM(?=[,)])/,
    sub { my ($a, $b) = split /, /, $_[0]; $a eq $b ? undef : "$b, $a" }
);
my @ARITH = (qr{(?<=[\w\])] )(?:[-+*/&|]|<<|>>)(?= [\w(\$~])|\+\+|--(?=\w)}, \&other);
my %RULES = (
    c => [
        [ expect => qr/^[ \t]+\K\w*expect\w*\([^;{}]*\);$/m, sub { ';' } ],
        [ call   => @CALL ],
        [
            assign => qr/^[ \t]+\K[*]?[\w.>\-]+(?:\[[^\]]*\])*[\w.>\-]* (?:[-+|&^]|<<|>>)?= [^;{}]*;$/m,
            sub { ';' }
        ],
        [
            order => qr/^[ \t]+\K(?:[a-z]\w*\([^;\n]*\)|[\w.>\-]+ = [^;\n]*);\n[ \t]+[a-z]\w*\([^;\n]*\);$/m,
            \&swap_lines
        ],
        [ compare => @COMPARE ],
        [ logic   => @LOGIC ],
        [ number  => @NUMBER ],
        [ arith   => @ARITH ],
        [ swap    => @SWAP ],
        [ bool    => qr/\b(?:true|false)\b/, \&other ],
        [ negate  => $IF, sub { 'if (!' . substr($_[0], 3) . ')' } ],
        [ never   => $IF, sub { 'if (0 && ' . substr($_[0], 3) . ')' } ],
        [ name    => qr/\b[A-Z][A-Z\d]*_[A-Z\d_]+\b/, \&sibling ],
    ],
    perl => [
        [
            drop =>
                qr/^[ \t]+\K(?:\$\w[^=;\n]* (?:[-+.|&x]|\|\||\/\/)?= |push |splice |[a-z]\w*\()[^;\n]*;$/m,
            sub { ';' }
        ],
        [ compare => @COMPARE ],
        [ logic   => @LOGIC ],
        [ number  => @NUMBER ],
        [ arith   => @ARITH ],
        [ swap    => @SWAP ],
        [ negate  => qr/(?<= )(?:if|unless)(?= )/, \&other ],
    ],
    shell => [
        [
            drop => qr/^[ \t]+\K[a-z][^\n;&|]*(?<![\\({])$/m,
            sub {
                $_[0] =~ /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|local)\b/ ? undef : ':';
            }
        ],
        [ compare => qr/(?<= )(?:-eq|-ne|-gt|-ge|-lt|-le|!?=|-[nzefr])(?= )/, \&other ],
        [ logic   => @LOGIC ],
        [ number  => @NUMBER ],
    ],
);

sub other { return $OTHER{ $_[0] } }

sub bits { return rand_of($_[0], 8) }

# The same for the same text.
sub rand_of { my ($text, $limit) = @_; return unpack('%32C*', $text) % $limit }

sub swap_lines {
    my ($first, $space, $second) = $_[0] =~ /\A(.*)\n([ \t]+)(.*)\z/s;
    return $first eq $second ? undef : "$second\n$space$first";
}

# The next name of the file that begins with the same word. $known keeps the names that the file has of a word.
sub sibling ($name, $text, $known) {
    my ($word) = $name =~ /\A([^_]+_)/;
    $known->{$word} //= do {
        my %names = map { $_ => 1 } $$text =~ /\b(\Q$word\E[A-Z\d_]+)\b/g;
        [ sort keys %names ];
    };
    my @others = grep { $_ ne $name } @{ $known->{$word} };
    my ($next) = grep { $_ gt $name } @others;
    return $next // $others[0];
}

# The text with comments, strings and what the preprocessor includes blanked out, of the same length.
sub blanked ($text, $language) {
    my $blank = sub { my ($comment) = @_; return $comment =~ s/[^\n]/ /gr };
    my $quoted = sub {
        my ($string) = @_;
        return substr($string, 0, 1) . "\x01" x (length($string) - 2) . substr $string, -1;
    };
    if ($language eq 'c') {
        $text =~
            s{(/\*.*?\*/|//[^\n]*|^#\s*include[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{defined $1 ? $blank->($1) : $quoted->($2)}gsem;
        return $text;
    }
    $text =~ s{^__(?:END|DATA)__\n.*}{$blank->($&)}sem if $language eq 'perl';
    $text =~
        s{(^#[^\n]*|(?<=\s)#[^\n]*)|("(?:\\.|[^"\\\n])*"|(?<![\w\$])'(?:\\.|[^'\\\n])*')}{defined $1 ? $blank->($1) : $quoted->($2)}gsem;
    return $text;
}

sub language ($file, $text) {
    return $file =~ /\.c\z/ ? 'c' : $file =~ /\.pm\z/
        || $text =~ /\A#!\S*perl/ ? 'perl' : $text =~ /\A#!\S*sh\b/ ? 'shell' : undef;
}

# All mutants that the rules make of a file. A name survives other changes: FILE:LINE:RULE.NUMBER, the number
# counted in the line.
sub mutants_of ($tree, $file) {
    my $text = slurp("$tree/$file");
    my $language = language($file, $text) or return;
    my $bare = blanked($text, $language);
    my (@mutants, %known);
    for my $rule (@{ $RULES{$language} }) {
        my ($kind, $pattern, $change) = @$rule;
        my ($line, $counted) = (1, 0);    # the line in which the text at $counted is
        my %times;
        while ($bare =~ /$pattern/g) {
            my ($at, $length) = ($-[0] + 0, $+[0] - $-[0]);
            next
                if $pattern =~ /\^\[/
                && $language eq 'c'
                && substr($bare, $at < 200 ? 0 : $at - 200, $at < 200 ? $at : 200) !~
                /(?:[;{}):]|\belse)\s*\z/;
            my $from = substr $text, $at, $length;
            my $to = $change->($from, \$text, \%known) // next;
            $line += substr($text, $counted, $at - $counted) =~ tr/\n//;
            $counted = $at;
            $to .= "\n" x (($from =~ tr/\n//) - ($to =~ tr/\n//));
            push @mutants,
                {
                name => "$file:$line:$kind." . ++$times{$line},
                file => $file,
                line => $line,
                kind => $kind,
                at   => $at,
                from => $from,
                to   => $to
                };
        }
    }
    return @mutants;
}

# As many mutants as wanted, from the rooms in turn; the same seed draws the same. A rule with few places is
# drawn as often as one with many.
sub draw_mutants ($tree, $seed, $count, @rooms) {
    my (%of, @drawn);
    my %wanted = map { $_ => 1 } $count ? @rooms : ();
    srand $seed;
    for my $file (grep { $wanted{ room_of($_) } } files($tree)) {
        push @{ $of{ room_of($file) }{ $_->{kind} } }, $_ for mutants_of($tree, $file);
    }
    while (@drawn < $count) {
        my $kinds = $of{ $rooms[ @drawn % @rooms ] };
        my @kinds = sort keys %$kinds or die "nothing to change in $rooms[@drawn % @rooms]\n";
        my $list = $kinds->{ $kinds[ int rand @kinds ] };
        push @drawn, $list->[ int rand @$list ];
    }
    return @drawn;
}

sub files ($tree, $folder = undef) {
    my @found = map { substr $_, 1 + length $tree } glob join ' ',
        map { "$tree/" . ($folder // '') . $_ }
        defined $folder ? '/*' : qw(kernel pmc sim tests/suite tests/vectors tools);
    return map { -d "$tree/$_" ? files($tree, $_) : room_of($_) eq 'none' ? () : $_ } sort @found;
}

# The drawn mutant of this name, or undef.
sub named_mutant ($tree, $name) {
    my ($file) = $name =~ /\A([^:]+):\d+:\w+\.\d+\z/ or return undef;
    return undef if room_of($file) eq 'none' || !-f "$tree/$file";
    return (grep { $_->{name} eq $name } mutants_of($tree, $file))[0];
}

# Puts the mutant into the tree. Returns what puts the source back, new for make, because what was built of
# the mutant must be built again.
sub mutate ($tree, $mutant) {
    my $path = "$tree/$mutant->{file}";
    my $source = slurp($path);
    my $mutated = $source;
    substr $mutated, $mutant->{at}, length $mutant->{from}, $mutant->{to};
    spew($path, $mutated);
    return sub { spew($path, $source) };
}

# The lines that a mutant changes, before and after, as a diff shows them.
sub changed_lines ($tree, $mutant) {
    my $source = slurp("$tree/$mutant->{file}");
    my $end = $mutant->{at} + length $mutant->{from};
    my ($before) = substr($source, 0, $mutant->{at}) =~ /([^\n]*)\z/;
    my ($after) = substr($source, $end) =~ /\A([^\n]*)/;
    return map {
        my ($sign, $text) = @$_;
        map { "$sign$_" } split /\n/, "$before$text$after"
    } [ '-', $mutant->{from} ], [ '+', $mutant->{to} ];
}

1;
