# How far a log has come, on a terminal: one line that is written over, "412 of 594 vectors, 0 failures, cascade.18-1.iq.14-12".
# A dumb terminal gets a new line for every hundred vectors instead.
package Pmulog::Progress;

use strict;
use warnings;
use Time::HiRes qw(time);

use constant {
    APART => 0.05,    # seconds between two lines
    STEP  => 100,     # vectors between two lines of a dumb terminal
};

sub new {
    my ($class, $terminal) = @_;
    return bless { terminal => $terminal, drawn => 0, changed => 0 }, $class;
}

# The sink of a boot's document (Pmulog::Capture).
sub sink {
    my ($self, $boot) = @_;
    @$self{qw(boot planned points failed loop now)} = ($boot, undef, 0, 0, 0, '');
    return sub { $self->_take(@_) };
}

sub _take {
    my ($self, $kind, undef, @fields) = @_;
    if    ($kind eq 'plan')     { $self->{planned} = $fields[0]; }
    elsif ($kind eq 'announce') { $self->{now} = $fields[0]; }
    elsif ($kind eq 'point') {
        $self->{points}++;
        $self->{failed}++ if !$fields[1];
        $self->{now} = '' if $self->{now} ne $fields[2];    # a vector that was not announced: another one runs now, or none
    }
    elsif ($kind eq 'heartbeat' && $fields[0] =~ /\A# soak loop (\d+): .*in all (\d+) points?, (\d+) failed/) {
        @$self{qw(loop points failed)} = ($1, $2, $3);
    }
    else { return; }
    $self->{changed} = 1;
    return $self->tick;
}

# To be called now and then while nothing comes: shows what has not been shown yet.
sub tick {
    my ($self) = @_;
    return if !$self->{changed};
    my $terminal = $self->{terminal};
    if ($terminal->{dumb}) {
        return if $self->{points} == $self->{drawn} || $self->{points} % STEP;
        $self->{drawn} = $self->{points};
        $terminal->say($self->text . "\n");
    }
    else {
        return if time - $self->{drawn} < APART;
        $self->{drawn} = time;
        $terminal->show($self->text);
    }
    $self->{changed} = 0;
    return;
}

sub text {
    my ($self) = @_;
    my $done = $self->{loop} ? "loop $self->{loop}, $self->{points} points" : "$self->{points} of " . ($self->{planned} // '?') . ' vectors';
    my $text = ($self->{boot} > 1 ? "boot $self->{boot}: " : '') . "$done, $self->{failed} failure" . ($self->{failed} == 1 ? '' : 's');
    return $self->{now} eq '' || $self->{terminal}{dumb} ? $text : "$text, $self->{now}";
}

1;
