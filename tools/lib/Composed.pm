# What tools/campaign --draw needs: the classes of composed faults with their targets, drawing, and the
# report.
package Composed;

use v5.36;
use Exporter 'import';
use Rates qw(interval);

our @EXPORT_OK = qw(@CLASSES $PROGRAMS drawn_faults outcome_of report_of);

# The classes in the order in which they are drawn, by turns: p4sim's word, and the least share that must be
# caught.
our @CLASSES = (
    { name => 'plain', least          => 0.98 },
    { name => 'condition', least      => 0.95 },
    { name => 'two-conditions', least => 0.88 },
    { name => 'history', least        => 0.88 },
);

our $PROGRAMS = 100_000;       # register programs on which a fault that survived is tried
my $EQUIVALENT_MOST = 0.10;    # of a class
my @COUNTED = qw(all caught named equivalent never survived broken);

# So many composed faults, each on a processor that is drawn: hashes with id, class, stage, cpu, fault, rule.
# The arguments: how many; a function that draws one of a list, by a text; one that draws a number; one that
# returns the lines of p4sim with these options.
sub drawn_faults ($count, $one_of, $number, $lines) {
    my @processors = map { /^(\S+)/ } $lines->('--cpu', 'list');
    my (@drawn, %wanted);
    for my $i (0 .. $count - 1) {
        my $class = $CLASSES[ $i % @CLASSES ]{name};
        my $cpu = $one_of->("draw $i", @processors);
        push @{ $wanted{$cpu}{$class} }, $i;
    }
    for my $cpu (sort keys %wanted) {
        for my $class (sort keys %{ $wanted{$cpu} }) {
            my @numbers = @{ $wanted{$cpu}{$class} };
            my $seed = $number->("draw $cpu $class");
            my @lines = $lines->('--cpu', $cpu, '--fault', "draw=$class:" . @numbers . ":$seed");
            die 'tools/campaign: p4sim draws ' . @lines . ' faults, not ' . @numbers . "\n"
                if @lines != @numbers;
            for my $i (0 .. $#numbers) {
                my ($fault, $rule) = split ' ', $lines[$i];
                my ($stage) = $fault =~ /\A([\w-]+)\./ or die "tools/campaign: p4sim draws $fault\n";
                $fault .= ',seed=' . $number->("strikes draw $numbers[$i]") if $fault =~ /,once-in=/;
                $drawn[ $numbers[$i] ] = {
                    id    => "draw-$numbers[$i]",
                    class => $class,
                    stage => $stage,
                    cpu   => $cpu,
                    fault => $fault,
                    rule  => $rule,
                };
            }
        }
    }
    return @drawn;
}

# What became of a run: a word; whether a failed check names the stage's rule; how it ended. The arguments:
# the log, the failed checks that name the rule, and a function that returns what p4sim says about the fault
# on register programs, which is called if it survived.
sub outcome_of ($log, $by, $tried) {
    my ($acts) = $log->{text} =~ /^p4sim: the fault struck in \d+ of (\d+) acts/m;
    return ('caught', @$by ? 1 : 0, "status 1: @$by") if $log->{status} eq '1';
    return ('broken', 0, "status $log->{status}: $log->{last}") if $log->{status} !~ /^(?:0|77)\z/;
    my $said = $tried->();
    return ('equivalent', 0, $said) if $said =~ /: equivalent$/m;
    return ($acts ? 'survived' : 'never', 0, $said);
}

# The report about runs: [run, word, named] each. Returns its lines, and how many classes did not reach what
# is asked for.
sub report_of ($command, @results) {
    my (%of, @lines);
    my $missed = 0;
    for (@results) {
        my ($run, $word, $named) = @$_;
        for my $part ([ class => $run->{class} ], [ stage => $run->{stage} ]) {
            my $counts = $of{ $part->[0] }{ $part->[1] } //= { map { $_ => 0 } @COUNTED };
            $counts->{all}++;
            $counts->{$word}++;
            $counts->{named} += $named;
        }
    }
    for my $class (grep { $of{class}{ $_->{name} } } @CLASSES) {
        my $counts = $of{class}{ $class->{name} };
        my $good = share($counts) >= $class->{least}
            && $counts->{equivalent} <= $EQUIVALENT_MOST * $counts->{all};
        $missed++ if !$good;
        push @lines, sprintf '%-16s %s; asked for: %.0f %%%s', $class->{name}, line_of($counts),
            100 * $class->{least}, $good ? '' : ': NOT REACHED';
    }
    push @lines, map { sprintf '    %-16s %s', $_, line_of($of{stage}{$_}) } sort keys %{ $of{stage} };
    for my $word (qw(survived never broken equivalent)) {
        push @lines, map { "    $word: " . $command->($_->[0]) } grep { $_->[1] eq $word } @results;
    }
    return (\@lines, $missed);
}

sub judged ($counts) { return $counts->{all} - $counts->{equivalent} }

sub share ($counts) { return judged($counts) ? $counts->{caught} / judged($counts) : 1 }

sub line_of ($counts) {
    my $of = judged($counts);
    my @interval = $of ? interval($counts->{caught}, $of) : (0, 1);
    my $form = '%d of %d caught, %.1f %% (%.1f to %.1f), %d with the rule of the stage; '
        . '%d equivalent, %d never came about';
    return sprintf $form, $counts->{caught}, $of, (map { 100 * $_ } share($counts), @interval),
        @$counts{qw(named equivalent never)};
}

1;
