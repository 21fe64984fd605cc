# Prints a boot as TAP that every TAP tool judges correctly: without check codes, and with a failing point at the end
# if the log is incomplete or damaged.
package Pmulog::Tap;

use strict;
use warnings;
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

# The command `tap`: prints, returns the exit status of the boot's verdict. TAP::Parser takes a list item whose first word
# ends in a colon for a key, although the item is quoted, and then stops reading; without the blank after it, it does not.
sub tap {
    my ($wanted, $path) = @_;
    my $survey = boot_of($path, $wanted);
    clean_lines($survey, sub {
        my ($kind, $line) = @_;
        $line =~ s/\A(    - '[^\s']+:) /$1/ if $kind eq 'item';
        print "$line\n";
    });
    return status_of((judged($survey))[0]);
}

1;
