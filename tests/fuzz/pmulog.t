#!/usr/bin/perl
# The log tools on damaged and on forged logs: they never die or warn, and never accept a damaged log. A log
# with correct check codes passes if and only if it passes in TAP::Parser. The number of rounds and the seed
# are fixed (make test-all has more); FUZZ_SECONDS runs as many rounds as fit instead (make fuzz), and FUZZ_SEED
# sets the seed.
use strict;
use warnings;
use Test::More;
use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../../tools/lib", "$FindBin::Bin/../image";
use Image qw(document results $ELF);
use Runs qw(p4sim);
use CheckedLog qw(checked random_damage is_never_a_pass $SEVERAL);
use Pmulog::Check;
use Pmulog::Compare;
use Pmulog::Data;
use Pmulog::Explain;
use Pmulog::Html;
use Pmulog::Junit;
use Pmulog::Run;

my $ROUNDS = $ENV{TEST_ALL} ? 100 : 30;
my $seconds = $ENV{FUZZ_SECONDS};
my $seed = $ENV{FUZZ_SEED} // (defined $seconds ? time : 7);
my $end = time + ($seconds // 0);
my $file = File::Temp->new;

my @whole = (
    checked(@$SEVERAL),
    document(p4sim('--fault', 'cascade-late', $ELF, 'only=state,cascade.18-1.iq')->{out}),
    document(p4sim($ELF, 'only=state,cascade.18-2,probe.cascade')->{out})
);
cmp_ok length $_, '>', 800, 'a log to begin with' for @whole;

my ($rounds, @wrong) = (0);
srand $seed;
while (!@wrong && (defined $seconds ? time < $end : $rounds < $ROUNDS)) {
    $rounds++;
    my $whole = $whole[ int rand @whole ];
    my ($damaged, $what) = random_damage($whole);
    my $said = is_never_a_pass($whole, $damaged);
    push @wrong, "round $rounds, $what: $said" if $said;
    $said = reports($damaged);
    push @wrong, "round $rounds, $what: $said" if $said;

    my $forged = forged();
    $said = reports($forged);
    push @wrong, "round $rounds: $said, of:\n$forged" if $said;
}
ok !@wrong, "$rounds rounds, seed $seed" or diag @wrong;
done_testing;

# Makes a log of randomly changed lines, with correct check codes.
sub forged {
    my @lines = @$SEVERAL;
    for (1 .. 1 + int rand 3) {
        my $at = int rand @lines;
        my $kind = int rand 6;
        if    ($kind == 0) { ($lines[$at]) = random_damage($lines[$at]) }
        elsif ($kind == 1) { splice @lines, $at, 1 if @lines > 2 }
        elsif ($kind == 2) { splice @lines, $at, 0, $lines[ int rand @lines ] }
        elsif ($kind == 3) { $lines[$at] =~ s/\d+/int rand 12/e }
        elsif ($kind == 4) { $lines[-1] = 'END pass' }
        else               { $lines[$at] =~ s/(?<=\w)/'"<>&[ ]]> # SKIP/ }
    }
    return checked(@lines);
}

# Lets the tools make all their reports of a capture. Returns what went wrong, or ''.
sub reports {
    my ($bytes) = @_;
    open my $out, '>:raw', $file->filename or die "cannot write: $!";
    print $out $bytes;
    close $out or die "cannot write: $!";
    my $wrong = eval {
        local $SIG{__WARN__} = sub { die "warned: $_[0]" };
        my $run = Pmulog::Run::load($file->filename, 'last');
        my $page = Pmulog::Html::page($run);
        my $compared = $run->{document} ? Pmulog::Compare::text(Pmulog::Compare::comparison($run, $run)) : '';
        my $tap = '';
        Pmulog::Run::clean_lines(Pmulog::Run::boot_of($file->filename, 'last'), sub { $tap .= "$_[1]\n" });
        my ($parser) = results($tap);
        my $bad = $parser->has_problems || $parser->parse_errors || $tap =~ /^Bail out!/m;
        return "TAP::Parser fails what is a $run->{verdict}"
            if $run->{verdict} =~ /\A(?:pass|skip)\z/ && $bad;
        return "TAP::Parser passes what is a $run->{verdict}"
            if $run->{verdict} !~ /\A(?:pass|skip)\z/ && !$bad;
        my $found = Pmulog::Findings::findings($run);
        my $said =
              $compared
            . Pmulog::Explain::text($found)
            . Pmulog::Data::json('explain', Pmulog::Explain::members($found))
            . Pmulog::Junit::xml($run);
        return 'the page holds a byte that is no text' if "$page$said" =~ /[^\n -~]/;
        '';
    };
    return $wrong // "died: $@";
}
