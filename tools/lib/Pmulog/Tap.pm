# Prints a boot as TAP that every TAP tool judges correctly: without check codes, and with a failing point at the end
# if the log is incomplete or damaged. Prints JUnit XML made from that by TAP::Formatter::JUnit.
package Pmulog::Tap;

use strict;
use warnings;
use Cwd qw(getcwd);
use File::Temp;
use Pmulog::Check qw(survey chosen status_of outside_line);

# The survey of boot 'last' or boot N only. Dies if the file cannot be read or has no such boot. For a file without
# boots, 'last' gives a survey without boots.
sub boot_of {
    my ($path, $wanted) = @_;
    # The file is read twice: the first time to find the boot and its verdict.
    die "cannot read $path: this command needs a file, not a pipe or a device\n" if -e $path && !-f _ && !-d _;
    my $survey = survey($path);
    return $survey if $wanted eq 'last' && !@{ $survey->{boots} };
    return chosen($survey, $wanted)
        // die "there is no boot $wanted in $path: it holds " . @{ $survey->{boots} } . "\n";
}

# Verdict, reason and document (undef if there is none) of a survey that has at most one boot.
sub judged {
    my ($survey) = @_;
    my ($boot) = @{ $survey->{boots} };
    my $document = $boot ? $boot->[1] : undef;
    my $verdict  = $document ? $document->verdict : 'incomplete';
    my $why      = $document ? $document->why : "no line 'TAP version 13' in the capture";
    if (my $outside = $survey->{outside}[0]) {
        $why = outside_line($survey->{path}, $outside) =~ s/\A.*?: (line)/$1/r if $verdict ne 'damaged';
        $verdict = 'damaged';
    }
    return ($verdict, $why, $document);
}

# Calls $take->($kind, $line, @fields) for each clean line of the survey's boot; Pmulog::Document has the kinds. After
# an incomplete or damaged log, lines of kind 'verdict' follow, which make the TAP fail.
sub clean_lines {
    my ($survey, $take) = @_;
    my ($verdict, $why, $document) = judged($survey);
    my ($boot) = @{ $survey->{boots} };
    my ($in_block, $planned, $bailed);
    if ($boot) {
        survey($survey->{path}, sub {
            return undef if $_[0] != $boot->[0];
            return sub {
                my ($kind, $line, @fields) = @_;
                $in_block = $kind =~ /\A(?:open|pair|list|item)\z/;
                $planned  = 1 if $kind eq 'plan';
                return $bailed = $line if $kind eq 'bail';
                $take->($kind, $line, @fields);
            };
        });
    }
    return if status_of($verdict) != 2;
    $why =~ s/[^ -~]/?/g;
    my $number = $document ? $document->points + 1 : 1;
    $take->('verdict', $_)
        for ($boot ? () : 'TAP version 13'), ($planned ? () : '1..1'), ($in_block ? '  ...' : ()),
        "not ok $number - pmulog.$verdict", '  ---', "  what: '" . $why =~ s/'/''/gr . "'", '  ...';
    $take->('verdict', $bailed // "Bail out! the log is $verdict");
    return;
}

# The command `tap`: prints, returns the exit status of the boot's verdict.
sub tap {
    my ($wanted, $path) = @_;
    my $survey = boot_of($path, $wanted);
    clean_lines($survey, sub { print "$_[1]\n" });
    return status_of((judged($survey))[0]);
}

# The command `junit`. The formatter is given a changed TAP:
# - no `Bail out!`, because it would then write nothing; the failing point before it gives the reason
# - no plan that the points contradict, because it reports that by an element that JUnit does not have; the plan
#   becomes a comment
# - one skipped case for a run without points, so that its reason is seen
# - no heartbeats, because the formatter keeps everything in memory
sub junit {
    my ($wanted, $path) = @_;
    my $survey = boot_of($path, $wanted);
    my $status = status_of((judged($survey))[0]);
    my $folder = File::Temp->newdir;
    my $file   = "$folder/pmuproof.tap";
    my $points = 0;
    my %skipped;

    eval { require TAP::Formatter::JUnit }
        or die "the JUnit formatter is missing: install libtap-formatter-junit-perl (tools/deps)\n";
    open my $tap, '>', $file or die "cannot write $file: $!\n";
    clean_lines($survey, sub {
        my ($kind, $line, @fields) = @_;
        return if $kind eq 'heartbeat' || $line =~ /\ABail out!/;
        $line = "# the plan: $line" if $kind eq 'plan' || $kind eq 'verdict' && $line =~ /\A1\.\.\d/;
        $skipped{"$fields[0] - $fields[2]"} = $fields[3] if $kind eq 'point' && defined $fields[3];
        $points++ if $line =~ /\A(?:not )?ok /;
        print $tap "$line\n";
        if ($kind eq 'plan' && $fields[0] == 0 && $status == status_of('skip')) {
            $skipped{ ++$points . ' - pmulog.skip' } = $fields[1];
            print $tap "ok $points - pmulog.skip # SKIP $fields[1]\n";
        }
    });
    print $tap "1..$points\n";
    close $tap or die "cannot write $file: $!\n";

    my $xml = formatted($folder);
    # The formatter does not write <skipped>. No line of a log begins with four blanks, so these lines are elements.
    my $count = 0;
    $xml =~ s{^(    <testcase name="([^"]*)">)(?=</testcase>$)}{
        my $reason = $skipped{$2};
        $count++ if defined $reason;
        $1 . (defined $reason ? '<skipped message="' . xml_text($reason) . '" />' : '')
    }gme;
    $xml =~ s/(<testsuite )/$1skipped="$count" /;
    print $xml;
    return $status;
}

# The JUnit that prove writes of pmuproof.tap in this folder. The hash seed fixes the order of the attributes.
sub formatted {
    my ($folder) = @_;
    my $back = getcwd();
    local $ENV{PERL_HASH_SEED} = 0;
    local $ENV{PERL_TEST_HARNESS_DUMP_TAP};
    delete local @ENV{qw(HARNESS_OPTIONS HARNESS_TIMER)};
    chdir $folder or die "cannot enter $folder: $!\n";
    my $opened = open my $prove, '-|', qw(prove --norc --formatter TAP::Formatter::JUnit pmuproof.tap);
    chdir $back or die "cannot enter $back: $!\n";
    die "cannot run prove: $!\n" if !$opened;
    local $/;
    my $xml = <$prove> // '';
    close $prove;    # its status is that of the points, which the caller knows already
    die "prove wrote no JUnit\n" if $xml !~ m{</testsuites>\s*\z};
    return $xml;
}

sub xml_text {
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&apos;');
    return $text =~ s/([&<>"'])/$entity{$1}/gr;
}

1;
