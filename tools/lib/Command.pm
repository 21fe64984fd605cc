# The command line of the project's programs: --help, --version, wrong options, and the names that were
# probably meant. The head comment of a program is its help: a description, the synopsis (indented lines that
# begin with the program's name), and what the options do. A program that has its help in a text of its own
# gives that text.
#
# tools/lib/command.sh uses it too, for programs that are not in Perl.
package Command;

use v5.36;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(basename dirname);
use Getopt::Long ();
use List::Util qw(max min);
use Text::Wrap ();

our @EXPORT_OK =
    qw(options no_options usage_is wrong_usage unknown near_hint help_of version answer columns wrapped);

use constant {
    TIOCGWINSZ => 0x5413,    # Linux: the ioctl call that returns rows and columns
    WIDTH      => 80,        # columns of a pipe, a file, and a terminal that does not tell its width
    LEAST      => 20,        # columns at least: a narrower terminal breaks lines by itself
};

my $path;          # of the program, where $0 is not
my $help;          # its help, if this is not its head comment
my $status = 2;    # its exit status for wrong usage
my $follows;       # a command follows its own options

# For a program with a help text of its own, another status for wrong usage, or a command with options of its
# own after the program's options: usage_is(help => TEXT, status => NUMBER, command_follows => 1).
sub usage_is (%given) {
    ($help, $status, $follows) = ($given{help} // $help, $given{status} // $status, $given{command_follows});
}

# Takes the options out of @ARGV, by a specification for Getopt::Long. Does not return for --help, --version,
# or an option that is wrong.
sub options {
    my %into = @_;
    my @complaints;
    my $parser = Getopt::Long::Parser->new(
        config => [ qw(no_auto_abbrev no_ignore_case), $follows ? 'require_order' : () ]);
    my $good = do {
        local $SIG{__WARN__} = sub { push @complaints, $_[0] };
        $parser->getoptions(
            %into,
            'help|h'  => sub { print_and_exit(help_of(path())) },
            'version' => sub { print_and_exit(version_line(path())) }
        );
    };
    return if $good;
    wrong_usage(
        map {
            /\AUnknown option: (.*)/
                ? unknown('option', (length $1 == 1 ? '-' : '--') . $1, option_names(path()))
                : s/\n//r
        } @complaints
    );
}

# For a program without options of its own: any is refused ("-" alone is a name), and so is another number of
# arguments; undef: any.
sub no_options ($least, $most = $least) {
    my @kept = grep { $_ ne '-' } @ARGV;
    do { local @ARGV = @kept; options() } if grep { /\A-/ } @kept;
    wrong_usage() if @ARGV < $least || @ARGV > ($most // @ARGV);
}

# Prints messages and, if they do not end with the name that was probably meant, the synopsis. Ends the
# program.
sub wrong_usage {
    my @messages = @_ ? @_ : 'wrong arguments';
    my $name = name_of(path());
    print STDERR map { "$name: $_\n" } @messages;
    print STDERR help_lines(synopsis(help_of(path())), columns(*STDERR)), "see $name --help\n"
        if $messages[-1] !~ /; did you mean \S+\?\z/;
    exit $status;
}

# ---- The texts ----

sub print_and_exit ($text) {
    my $name = name_of(path());    # before STDOUT is closed, because it opens a file
    print help_lines($text, columns(*STDOUT));
    close STDOUT or do { print STDERR "$name: cannot write: $!\n"; exit $status };
    exit 0;
}

# The path of the program. $0 is read late, because a process of a test becomes a program after this was
# loaded (tests/image/Tool.pm).
sub path { return $path // $0 }

sub program { return name_of(path()) }

# The columns that what is written to a handle may have. A person may change those of a terminal.
sub columns ($handle) {
    my $size = "\0" x 8;
    my (undef, $columns) = -t $handle && ioctl($handle, TIOCGWINSZ, $size) ? unpack 'S2', $size : ();
    $columns ||= -t $handle && ($ENV{COLUMNS} // '') =~ /\A[1-9]\d{0,3}\z/ ? $ENV{COLUMNS} : WIDTH;
    return max($columns, LEAST);
}

# Text as lines of at most so many columns. The first begins with $first, the others with so many blanks. \0:
# a blank that stays.
sub wrapped ($columns, $first, $hang, $text) {
    local $Text::Wrap::columns = $columns + 1;
    local $Text::Wrap::huge = 'overflow';
    local $Text::Wrap::unexpand = 0;
    return Text::Wrap::wrap($first, ' ' x $hang, $text) =~ tr/\0/ /r . "\n";
}

# A help text in so many columns. A line that goes on where the description of the line before began is a part
# of it.
sub help_lines ($text, $columns) {
    my ($hang, @items) = (-1);
    for my $line (split /\n/, $text) {
        my ($indent, $name, $words) =
            $line =~ /\A( *)((?:usage: |exit status: )?(?:\S+(?: \S+)*? {2,})?)(.*)\z/;
        if (   $words ne ''
            && $name eq ''
            && length $indent == $hang
            && ($hang != length 'usage: ' || $words =~ /\A\[/))
        {
            $items[-1][2] .= " $words";
        } else {
            push @items, [ "$indent$name", $hang = $words eq '' ? -1 : length "$indent$name", $words ];
        }
    }
    return join '', map {
        my ($before, $room, $words) = @$_;
        $words eq '' ? "$before\n" : wrapped($columns, $before, $room > $columns / 2 ? 8 : $room, $words)
    } @items;
}

# What the help of a program begins with: "usage: NAME ..."
sub name_of ($program) {
    my ($name) = synopsis(help_of($program)) =~ /\Ausage: (\S+)/;
    return $name // basename($program);
}

# The first paragraph of a help text.
sub synopsis ($text) { return $text =~ /\A(.*?\n)(?:\n|\z)/s ? $1 : '' }

# The options that a program's help lists: the words --NAME at the start of its lines, and in the synopsis.
sub option_names ($program) {
    my $text = help_of($program);
    my %seen;
    return grep { !$seen{$_}++ } synopsis($text) =~ /(--[a-z][a-z-]*)/g, $text =~ /^ +(--[a-z][a-z-]*)/mg,
        '--help', '--version';
}

# The help of a program: its own text, else its head comment with the synopsis first.
sub help_of ($program) {
    return $help if defined $help;
    my (@paragraphs, @synopsis, @rest);
    for my $paragraph (split /\n{2,}/, head_of($program)) {
        my $is_synopsis = $paragraph =~ m{\A +(?:\S+/)?\Q${\basename($program)}\E\b};
        push @{ $is_synopsis ? \@synopsis : \@rest }, $paragraph;
    }
    my ($first, @others) = map { s/^ +/       /mgr } @synopsis;
    return join "\n\n", join("\n", 'usage: ' . ($first // basename($program)) =~ s/\A +//r, @others), @rest,
        '';
}

# The head comment of a program: lines with # after the first line, or the text between """ of a Python
# program.
sub head_of ($program) {
    open my $file, '<', $program or die "cannot read $program: $!\n";
    my ($head, $in_quotes) = ('', 0);
    while (my $line = <$file>) {
        next if $. == 1 && $line =~ /\A#!/;
        last if $in_quotes ? $line =~ /\A"""/ : $line !~ /\A(?:#|""")/;
        $in_quotes = 1 if $line =~ s/\A"""//;
        $line =~ s/\A# ?// if !$in_quotes;
        $head .= $line;
    }
    close $file;
    return $head =~ s/\n+\z//r;
}

# What this version is called: beside the modules of an installed program it is in a file, in the tree
# tools/identity knows.
sub version {
    state $version = read_version();
    return $version;
}

sub read_version {
    my $tools = dirname(dirname(abs_path(__FILE__)));
    if (open my $file, '<', "$tools/version") {
        my $line = <$file>;
        close $file;
        return $line =~ s/\n//r;
    }
    my (undef, $version) = split ' ', qx('$tools/identity') // '';
    return $version // 'unversioned';
}

sub version_line ($program) { return basename($program) . ' (pmuproof) ' . version() . "\n" }

# ---- Names that are nearly right ----

# The sentence that refuses a word which is none of the names: "unknown option '--sed'; did you mean --seed?"
sub unknown ($what, $word, @names) {
    return "unknown $what '$word'" . (near_hint($word, @names) || '; allowed are ' . join ', ', @names);
}

# "; did you mean NAME?" with the nearest name, or '' if none is near.
sub near_hint ($word, @names) {
    my ($best, $least) = ('', min(3, int(length($word =~ s/\A-+//r) / 3) || 1) + 1);
    for my $name (@names) {
        my $distance = distance($word, $name);
        ($best, $least) = ($name, $distance) if $distance < $least;
    }
    return $best eq '' ? '' : "; did you mean $best?";
}

# How many letters have to be inserted, deleted, replaced or swapped with the next one to make one word the
# other.
sub distance ($word, $name) {
    my @a = split //, $word;
    my @b = split //, $name;
    my @rows = [ 0 .. @b ];
    for my $i (1 .. @a) {
        $rows[$i][0] = $i;
        for my $j (1 .. @b) {
            my $same = $a[ $i - 1 ] eq $b[ $j - 1 ] ? 0 : 1;
            my $swap = $i > 1 && $j > 1 && $a[ $i - 1 ] eq $b[ $j - 2 ] && $a[ $i - 2 ] eq $b[ $j - 1 ];
            $rows[$i][$j] = min(
                $rows[ $i - 1 ][$j] + 1,
                $rows[$i][ $j - 1 ] + 1,
                $rows[ $i - 1 ][ $j - 1 ] + $same,
                $swap ? $rows[ $i - 2 ][ $j - 2 ] + 1 : ()
            );
        }
    }
    return $rows[@a][@b];
}

# For a program in another language: its path, its status for wrong usage, and the word that is not
# understood, if there is one. Answers --help and --version, refuses anything else, and does not return.
sub answer {
    ($path, $status, my $word) = @_;
    wrong_usage() if !defined $word                      || $word !~ /\A-/;
    print_and_exit(help_of(path())) if $word eq '--help' || $word eq '-h';
    print_and_exit(version_line(path())) if $word eq '--version';
    wrong_usage(unknown('option', $word, option_names(path())));
}

1;
