# The command `junit`: a boot as JUnit XML, in the form that Jenkins' xUnit plugin accepts (its schema
# junit-10.xsd), which GitLab and others read too.
package Pmulog::Junit;

use v5.36;
use POSIX qw(strftime);
use Pmulog::Actions qw(intermittent);
use Pmulog::Check qw(name_of status_of);
use Pmulog::Rules qw(family);
use Pmulog::Run;

# what the suite says of the machine that it ran on, or undef: a board has no name on a network
our $hostname;
our $stamps;    # the file that `capture --stamps` wrote beside the log, or undef

# Prints the XML and returns the exit status of the boot's verdict.
sub junit ($wanted, $path) {
    my $run = Pmulog::Run::load($path, $wanted);
    timed($run) if defined $stamps;
    print xml($run);
    return status_of($run->{verdict});
}

# Gives each point its time: from the line that announces it to its own. The log itself has no times
# (docs/lab.md).
sub timed ($run) {
    my @points = @{ $run->{points} } or return;
    open my $file, '<', $stamps      or die "cannot read $stamps: $!\n";
    my @stamps =
        map { /\A(\d+\.\d+) (\S+)/ ? [ $1, $2 ] : die "$stamps: line $.: no stamp of capture --stamps\n" }
        <$file>;
    my @seconds = map { $_->[0] } @stamps;
    my $last = $points[-1]{lines}[1];
    die "$stamps has stamps for "
        . @seconds
        . " lines, and $run->{path} has a point in line $last: they were not captured together\n"
        if $last > @seconds;
    $run->{began} = $stamps[ $run->{document}{first_line} - 1 ][1];
    $run->{time} = sprintf '%.3f', $seconds[ $last - 1 ] - $seconds[ $run->{document}{first_line} - 1 ];

    for my $point (@points) {
        my ($from, $to) = map { $seconds[ $_ - 1 ] } @{ $point->{lines} };
        $point->{time} = sprintf '%.3f', $to - $from;
    }
}

sub xml ($run) {
    my %count = (tests => 0, failures => 0, errors => 0, skipped => 0);
    my $cases = join '', map { testcase($_, \%count) } @{ $run->{points} }, own_case($run);
    my $inventory = join '',
        map { element('property', [ name => $_->[0], value => $_->[1] ]) } @{ $run->{inventory} };
    return qq(<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n)
        . element(
        'testsuite',
        [
            name => suite($run),
            map({ $_ => $count{$_} } qw(tests failures errors skipped)),
            defined $run->{time} ? (time => $run->{time}) : (),
            timestamp => timestamp($run),
            hostname  => $hostname // 'localhost'
        ],
        "\n"
            . ($inventory eq '' ? '' : element('properties', [], "\n$inventory"))
            . $cases
            . element('system-out', [], text("$run->{verdict}: $run->{why}"))
        ) . "</testsuites>\n";
}

# When the run began, in UTC: by the stamps of `capture`, else when its file was last written, that is when it
# ended.
sub timestamp ($run) {
    return $1 if ($run->{began} // '') =~ /\A(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/;
    return strftime('%Y-%m-%dT%H:%M:%S', gmtime((stat $run->{path})[9] // 0));
}

# The suite has the name of the board, so that the boards of a fleet are told apart, and each is the same from
# run to run: what SMBIOS calls it, and its processor.
sub suite ($run) {
    my %inventory = map { @$_ } reverse @{ $run->{inventory} };
    my ($board, $signature) = ($inventory{board} // '', ($inventory{processor} // '') =~ /\b([0-9A-F]{4}H)/);
    return join ', ', 'pmuproof', grep { defined && $_ ne '' && !/\Aunknown: / } $board, $signature;
}

# A case for what the points do not say: a log that is not whole, or a run without points; an empty list
# otherwise.
sub own_case ($run) {
    my $case = { id => "pmulog.$run->{verdict}", values => [], diagnosis => '' };
    return { %$case, ok => 1, skip  => $run->{why} } if $run->{verdict} eq 'skip';
    return { %$case, ok => 0, error => $run->{why} } if !$run->{whole};
    return ();
}

sub testcase ($point, $count) {
    my $outcome = '';
    $count->{tests}++;
    if (defined $point->{error}) {
        $count->{errors}++;
        $outcome = element('error', [ message => $point->{error}, type => $point->{id} ]);
    } elsif (defined $point->{skip}) {
        $count->{skipped}++;
        $outcome = element('skipped', [ message => $point->{skip} ]);
    } elsif (!$point->{ok}) {
        $count->{failures}++;
        $outcome = element(
            'failure',
            [ message => message($point), type => intermittent($point) ? 'intermittent' : 'not ok' ],
            text($point->{diagnosis})
        );
    }
    $outcome .= element('system-out', [], text("unexplained: $point->{unexplained}"))
        if defined $point->{unexplained};
    return element(
        'testcase',
        [
            classname => family($point->{id}),
            name      => $point->{id},
            defined $point->{time} ? (time => $point->{time}) : ()
        ],
        $outcome eq '' ? undef : "\n$outcome"
    );
}

# The first expectation that did not hold, in one line; of what failed now and then before it how often.
sub message ($point) {
    my %value = Pmulog::Run::diagnosis($point);
    my $message = $value{what} // $point->{title} // 'the log says nothing of it';
    $message .= ": $value{observed}, not $value{expected}"
        if defined $value{expected} && defined $value{observed};
    $message = "behind damage in line $point->{behind}: $message" if defined $point->{behind};
    my $now_and_then = intermittent($point) // return $message;
    return "intermittent ($now_and_then->{action}: $now_and_then->{said}): $message";
}

# An element with its attributes (name, value ...) in order. Its content is XML already; undef: none.
sub element ($name, $attributes, $content = undef) {
    my @left = @$attributes;
    my $tag = "<$name";
    while (my ($attribute, $value) = splice @left, 0, 2) {
        $tag .= qq( $attribute=") . text($value) . '"';
    }
    return defined $content ? "$tag>$content</$name>\n" : "$tag/>\n";
}

# Text of a log as XML. What is neither printable ASCII nor a line end cannot occur in a valid line, and would
# break the XML.
sub text ($text) {
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&apos;');
    return join("\n", map { name_of($_) } split /\n/, $text, -1) =~ s/([&<>"'])/$entity{$1}/gr;
}

1;
