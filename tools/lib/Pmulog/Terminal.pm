# Shows a run on a terminal: how far its log has come, in one line that is written over, and a summary at the
# end.
package Pmulog::Terminal;

use v5.36;
use Command ();
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Spec;
use POSIX ();
use Time::HiRes qw(time);
use Pmulog::Compare;
use Pmulog::Explain qw(paragraph);
use Pmulog::Findings qw(count findings some);
use Pmulog::Rules qw(find_file);
use Pmulog::Run;

our @EXPORT_OK = qw(check_reference);

use constant {
    APART      => 0.05,    # seconds between two lines of progress
    STEP       => 100,     # vectors between two lines of progress on a dumb terminal
    DISTURBED  => 4,       # so many disturbed vectors are named
    UNREADABLE => 2,       # exit status
};

# The colours of verdicts. Every other verdict is red.
my %COLOUR = (pass => 'green', skip => 'yellow');

# The terminal of a file handle, or undef if it has none or this program is in the background.
sub new ($class, $handle) {
    return undef if !-t $handle;
    my $foreground = POSIX::tcgetpgrp(fileno $handle);
    return undef if defined $foreground && $foreground > 0 && $foreground != getpgrp;
    my $dumb = ($ENV{TERM} // '') =~ /\A(?:|dumb|unknown)\z/;
    return bless {
        handle  => $handle,
        dumb    => $dumb,
        colours => !$dumb && ($ENV{NO_COLOR} // '') eq '',
        shown   => 0,
        drawn   => 0,
        changed => 0
    }, $class;
}

sub width ($self) { return Command::columns($self->{handle}) }

# Shows a line in place of the one shown before. It is cut to the width, because a line that was broken cannot
# be written over.
sub show ($self, $text) {
    my $room = $self->width - 1;
    $text = substr $text, 0, $room if length $text > $room;
    $self->_put("\r$text\e[K");
    $self->{shown} = 1;
}

# Removes the line that show() has shown.
sub clear ($self) {
    $self->_put("\r\e[K") if $self->{shown};
    $self->{shown} = 0;
}

# Prints text below what is there.
sub say ($self, $text) {
    $self->clear;
    $self->_put($text);
}

# Returns the text in a colour (green, red, yellow) if the terminal has colours.
sub coloured ($self, $colour, $text) {
    my %code = (red => 31, green => 32, yellow => 33);
    return $self->{colours} ? "\e[1;$code{$colour}m$text\e[0m" : $text;
}

# Does nothing more when the terminal is gone.
sub _put ($self, $text) {
    local $SIG{PIPE} = 'IGNORE';
    while ($text ne '') {
        my $done = syswrite $self->{handle}, $text;
        next if !defined $done && $!{EINTR};
        return if !defined $done;
        substr $text, 0, $done, '';
    }
}

# ---- Progress ----

# The sink of a boot's document (Pmulog::Capture).
sub sink ($self, $boot) {
    @$self{qw(boot planned points failed loop now)} = ($boot, undef, 0, 0, 0, '');
    return sub { $self->_take(@_) };
}

sub _take ($self, $kind, $, @fields) {
    if    ($kind eq 'plan')     { $self->{planned} = $fields[0]; }
    elsif ($kind eq 'announce') { $self->{now} = $fields[0]; }
    elsif ($kind eq 'point') {
        $self->{points}++;
        $self->{failed}++ if !$fields[1];
        # another vector than the announced one has ended: which one runs now is not known
        $self->{now} = '' if $self->{now} ne $fields[2];
    } elsif ($kind eq 'heartbeat'
        && $fields[0] =~ /\A# soak loop (\d+): .*in all (\d+) points?, (\d+) failed/)
    {
        @$self{qw(loop points failed)} = ($1, $2, $3);
    } else {
        return;
    }
    $self->{changed} = 1;
    return $self->tick;
}

# Shows what has not been shown yet. Call it now and then while nothing comes. A dumb terminal gets a new line
# for every hundred vectors.
sub tick ($self) {
    return if !$self->{changed};
    if ($self->{dumb}) {
        return if $self->{points} == $self->{drawn} || $self->{points} % STEP;
        $self->{drawn} = $self->{points};
        $self->say($self->_progress . "\n");
    } else {
        return if time - $self->{drawn} < APART;
        $self->{drawn} = time;
        $self->show($self->_progress);
    }
    $self->{changed} = 0;
}

# "N of M vectors, 0 failures, cascade.18-1.iq.14-12"
sub _progress ($self) {
    my $done =
        $self->{loop}
        ? "loop $self->{loop}, $self->{points} points"
        : "$self->{points} of " . ($self->{planned} // '?') . ' vectors';
    my $text =
          ($self->{boot} > 1 ? "boot $self->{boot}: " : '')
        . "$done, $self->{failed} failure"
        . ($self->{failed} == 1 ? '' : 's');
    return $self->{now} eq '' || $self->{dumb} ? $text : "$text, $self->{now}";
}

# ---- The summary ----

# Returns the summary of a run (Pmulog::Run). It says first what disturbed the run, and where the run answers
# the manual's open questions differently from a reference; then, as the last lines on the screen, what failed
# and why, the verdict, and the commands that say more. reference: the path of the log to compare with, '' for
# none; if it is not given, the log of the typical p4sim of this processor is taken, if there is one. said:
# what to say after the verdict.
sub summary ($self, $run, %given) {
    local $Pmulog::Explain::columns = $self->width;
    my $found = findings($run);
    my $reference = $given{reference} // find_reference($run) // '';
    my $text = join '', map { paragraph(0, 2, $_) } Pmulog::Findings::read_first($found), disturbed($run);
    $text .= open_questions($found, $reference) if $run->{document} && $reference ne '';
    $text .= "\n" if $text ne '';
    my @follows = map { paragraph(0, 2, $_) } Pmulog::Findings::follows($run);
    $text .= join('', @follows) . (@follows ? "\n" : '');
    $text .= failures($found, @follows > 0) . "\n" if @{ $found->{failed} };
    $text .=
        paragraph(0, 2, verdict($run) . ". $given{said}") =~ s/\A(\w+)/$self->coloured(colour($run), $1)/er;
    return @{ $found->{failed} } ? $text . commands($run) : $text;
}

sub colour ($run) {
    return $run->{verdict} eq 'pass'
        && $run->{document}->concerns ne '' ? 'yellow' : $COLOUR{ $run->{verdict} } // 'red';
}

# "pass: N passed, 0 failed, N skipped of N; N of N not tested: REASON; REMEDY", or why the PMU was not
# tested. What a failing run did not test is said above the failures.
sub verdict ($run) {
    my $document = $run->{document} or return "$run->{verdict}: $run->{why}";
    return join '; ', "$run->{verdict}: " . $document->counts,
        grep { $_ ne '' } !$run->{whole} ? $run->{why} : $document->{failed} ? '' : $document->{reason}
        // $document->untested;
}

# Says what failed, the first failure, the likeliest rules, and what the failures have in common. With the
# verdict and the commands it fits on a screen of 24 rows. follows: it was said what everything else follows from.
sub failures ($found, $follows) {
    my @failed = @{ $found->{failed} };
    my @families = map { "$_->{name} (" . @{ $_->{failed} } . " of $_->{all})" } @{ $found->{families} };
    my ($named, $text) = (scalar @families);
    do {
        $text =
            paragraph(0, 2, count(scalar @failed, 'vector') . ' failed: ' . some($named--, @families) . '.');
    } while ($text =~ tr/\n//) > 4;
    $text .= rows(2, paragraph(0, 2, $_)) for Pmulog::Findings::now_and_then($found);
    $text .= rows(
        4,
        paragraph(
            0, 2, "The first, $failed[0]{id}: " . Pmulog::Findings::failure($found, $failed[0])->{said}
        )
    );
    return $text if $follows;
    my @rules = @{ Pmulog::Findings::likely($found)->{rules} };
    $text .=
         !@rules     ? "No rule of the manual explains it.\n"
        : @rules > 1 ? "The rules of the manual that are most likely broken:\n"
        :              "The rule of the manual that is most likely broken:\n";
    $text .= rows(2, paragraph(2, 4, "$_->{rule}: $_->{title}.")) for @rules;
    my ($common) = @failed > 1 ? Pmulog::Findings::common($found) : ();
    return defined $common ? $text . rows(2, paragraph(0, 2, "In common: $common")) : $text;
}

# Returns at most so many rows of a text, and cuts it between words.
sub rows ($most, $text) {
    my @rows = split /\n/, $text;
    return $text if @rows <= $most;
    $rows[ $most - 1 ] =~ s/\W*\s\S*\z/ .../;
    return join '', map { "$_\n" } @rows[ 0 .. $most - 1 ];
}

# The commands that say more about a failure.
sub commands ($run) {
    my $pmulog = -x 'tools/pmulog' ? 'tools/pmulog' : 'pmulog';
    my $path = $run->{path} =~ m{\A[\w./+-]+\z} ? $run->{path} : "'" . $run->{path} =~ s/'/'\\''/gr . "'";
    return "In full, with registers:  $pmulog explain $path\n"
        . "As a page:                $pmulog html $path > page.html\n";
}

# Refuses the value of the option --reference, a path, '' or undef, if the file cannot be read. Called before
# a run, so that no run is lost.
sub check_reference ($path) {
    return if !defined $path || $path eq '';
    my $why = -d $path ? 'it is a folder' : -r $path ? undef : "$!";
    return if !defined $why;
    print STDERR Command::program(), ": --reference: cannot read $path: $why\n";
    exit UNREADABLE;
}

# The log of the typical p4sim with the processor of this run: beside the modules when installed, else where
# `make` writes it.
sub find_reference ($run) {
    my ($signature) = ($run->{document}{processor} // '') =~ /\b([0-9A-F]{4})H/ or return undef;
    my $found = find_file("reference/$signature.log", 'build');
    return defined $found ? abs_path($found) : undef;
}

# Says where the run answers a question that the manual leaves open (the characterisation sheet) differently
# from the reference. Of a run with failures it says only how many, because such an answer may come from the
# defect.
sub open_questions ($found, $path) {
    my ($run, $reference) = ($found->{run}, Pmulog::Run::load($path, 'last'));
    my $short = File::Spec->abs2rel(abs_path($path) // $path);
    $short = $path if $short =~ /\A\.\./;
    return paragraph(0, 2,
        "$short has no log, so the answers to the manual's open questions are compared with nothing.")
        if !$reference->{document};
    my @told = grep { defined $_->{values}[0] && defined $_->{values}[1] }
        Pmulog::Compare::beside(map { [ Pmulog::Compare::sheet($_) ] } $reference, $run);
    my (@answers, %silent);
    my $doubted = grep { $_->{values}[1] =~ /\(in doubt: / } @told;
    for my $line (grep { !Pmulog::Compare::alike($_->{name}, [ 1, 1 ], @{ $_->{values} }) } @told) {
        my ($why) = $line->{values}[1] =~ /\Anot probed: (.*)/;
        if   (defined $why) { $silent{$why}++ }
        else                { push @answers, $line }
    }
    my $selected = @told - ($silent{'not selected on the boot line'} // 0);
    return '' if !$selected;
    my @silent = map { "$silent{$_} not probed: $_" } grep { !/\Anot selected/ } sort keys %silent;
    push @silent, "$doubted in doubt: checks failed" if $doubted;
    my $listed = @answers && !@{ $found->{failed} };
    my $text = paragraph(
        0, 2,
        "Questions that the manual leaves open: "
            . join('; ',
            (@answers ? scalar @answers : 'none') . " of $selected answered differently from $short", @silent)
            . ($listed ? ':' : '.')
    );
    for my $line ($listed ? @answers : ()) {
        $text .= paragraph(2, 4, "$line->{name}: $line->{values}[1]; there: $line->{values}[0]");
    }
    return $text;
}

# Names the vectors that were repeated because something disturbed them. Returns an empty list if there are
# none.
sub disturbed ($run) {
    my @disturbed = $run->{document} ? Pmulog::Compare::disturbances($run) : ();
    my @ids = map { $_->[0] } @disturbed;
    my $voted = grep { $_->[1] =~ /\A\d+ of \d+ / } @disturbed;    # in a log of an older version
    return @ids
        ? ($voted ? 'Disturbed, and decided by repetition: ' : 'Disturbed, and measured again: ')
        . some(DISTURBED, @ids) . '.'
        : ();
}

1;
