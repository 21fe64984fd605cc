#!/usr/bin/perl
# tool() (Tool.pm) gives what run() gives: for each command of tools/pmulog, and for a tool that shows what it
# finds and ends in each way, whatever the test has done to its own process.
use lib 'tests/image';
use ImageTest;
use CheckedLog qw(checked $DOUBTS $SEVERAL);

# Runs a tool in both ways. Returns what tool() gave.
sub alike (@command) {
    my ($started, $evaluated) = (run(1, @command), tool(1, @command));
    my @told = qw(command status signal late stopped out err);
    is_deeply [ @$evaluated{@told} ], [ @$started{@told} ], "@command";
    return $evaluated;
}

my ($log, $other) = (file('log', checked(@$SEVERAL)), file('other', checked(@$DOUBTS)));
my @commands = run(1, 'tools/pmulog', '--help')->{out} =~ /^  ([a-z]+) .*FILE|^  (compare) /mg;
@commands = grep { defined } @commands;
is scalar @commands, 8, 'the commands of pmulog';
like alike('tools/pmulog', $_, $log, $_ eq 'compare' ? $other : ())->{out}, qr/\S/, $_ for @commands;
alike('tools/pmulog', @$_) for [], ['bogus'], [qw(check --lsat x)], ['--version'], [ 'tap', "$dir/none" ];
alike('tools/campaign', '--faults', 0);
alike('tools/coverage');

# A tool that shows what it finds, and then ends in the way of its word.
my $shows = file('shows', <<'END');
#!/usr/bin/perl
# Shows.
#
#   shows [--seven] [WORD]
use v5.36;
use File::Temp;
use FindBin;
use lib 'tools/lib';
use Command qw(options);

my $word;
my $folder = File::Temp->newdir;

sub file ($name) { return "the file of $name" }
sub ends { return $word // 'without a word' }

END { print "at the end\n" }
options(seven => sub { exit 7 });
$word = shift // '';
say for $0, $FindBin::RealBin, "@ARGV", file(''), ends(), map { -t $_ ? 'a terminal' : 'none' } *STDIN, *STDOUT;
say "flushed: $|, input: ", scalar(<STDIN>) // 'none';
open my $self, '<', $0;
say scalar(my @lines = <$self>), ' lines';
say "$_: $SIG{$_}" for sort grep { defined $SIG{$_} } keys %SIG;
say for grep { __PACKAGE__->can($_) } qw(is alike tool);
say STDERR 'said at once';
warn 'warned';
eval { die "caught\n" };
print $@;
$! = $? = 0;
die "died\n" if $word eq 'die';
$! = 13, die 'with an error number' if $word eq 'number';
$? = 5 << 8, die "after a child\n" if $word eq 'child';
$word->method if $word eq 'method';
exit 3 if $word eq 'three';
exec 'echo', 'another' if $word eq 'exec';
system 'echo', 'a child' if $word eq 'system';
kill $word, $$ if $word =~ /\A[A-Z]+\z/;
END
chmod 0755, $shows or die "cannot change $shows: $!";

my $handled = 0;
local $SIG{HUP} = 'IGNORE';
local @SIG{qw(TERM __WARN__ __DIE__)} = (sub { $handled++ }) x 3;
subtest 'in a test that has changed much' => sub {
    open my $file, '>', "$dir/selected" or die "cannot write: $!";
    my $before = select $file;
    local @ARGV = 'of the test';
    for my $words ('', qw(die number child method three exec system TERM HUP KILL --seven --no-such --help),
        'one two', '-- --seven')
    {
        local ($/, $,, $\) = (undef, '+', '!');
        alike($shows, split ' ', $words);
    }
    select $before;
    is slurp("$dir/selected"), '', 'nothing is printed where the test prints';
};
is $handled, 0, 'no handler of the test was called';
ok -d "$dir" && -e $log, 'and its files are there';

my $draws = file('draws', "use v5.36;\nprint rand;\n");
my @drawn = map { srand 5; tool(1, $draws)->{out} } 1, 2;
isnt $drawn[0], $drawn[1], 'numbers are drawn anew';

is tool(1, file('unbuildable', "use v5.36;\nmy \$x = \$y;\n"))->{status}, 255, 'what perl does not take';

done_testing;
