# Runs a Perl tool of the tree without starting perl and loading the tool's modules again.
package Tool;

use v5.36;

# Evaluates a source. It stands before all variables of this file, so that the source sees none of them.
sub evaluated { return eval $_[0] }

use Exporter 'import';
use FindBin;
use Image qw(slurp);

our @EXPORT_OK = qw(tool);

# Like Image::run, for a tool in Perl: this process loads the tool's modules once, and a child process, which
# has them, evaluates the tool. The rule: a test that calls tools/pmulog, tools/campaign or tools/coverage often
# does so by tool(), except where it tests the start itself, or what only a process of its own has: another
# order of hashes, modules that the tool forgets to load, and what perl reads when it starts (variables of the
# environment, $^T). tools/capture and tools/watch, which are about terminals and signals, are always started.
# tool.t compares the two ways, for each command of pmulog. An END block of the test runs in the child, too.
sub tool ($usual, $tool, @arguments) {
    state %loaded;
    load_modules($tool) if !$loaded{$tool}++;
    return Image::supervise({ usual => $usual, start => \&become }, $tool, @arguments);
}

# Loads the modules that the source of a tool names in `use`, or in a table of what it loads later.
sub load_modules ($tool) {
    for my $module (grep { defined } slurp($tool) =~ /^use ([A-Z]\w*(?:::\w+)*)|'(Pmulog::\w+)'/mg) {
        require $module =~ s{::}{/}gr . '.pm';
    }
}

# Makes a process just forked the tool. Does not return.
sub become ($tool, @arguments) {
    delete @SIG{ grep { ($SIG{$_} // 'IGNORE') ne 'IGNORE' } keys %SIG };
    ($0, @ARGV) = ($tool, map { "$_" } @arguments);
    FindBin::again();
    $_->autoflush(0) for *STDOUT, *STDERR;    # Test::Builder turns it on
    select STDOUT;
    ($/, $,, $\) = "\n";
    srand;
    evaluated(qq(package Tool::Main;\n#line 1 "$tool"\n) . slurp($tool));
    exit 0 if $@ eq '';
    my $status = $! & 255 || $? >> 8 & 255 || 255;    # as perl's after die
    print STDERR $@;
    exit $status;
}

1;
