# What a document amounts to: verdict, reason, counts. The methods of Pmulog::Document that only read its fields.
package Pmulog::Outcome;

use strict;
use warnings;

# The number of points so far.
sub points {
    my ($self) = @_;
    return $self->{passed} + $self->{failed} + $self->{skipped};
}

# True if the document has ended, so that no further line can belong to it.
sub closed {
    my ($self) = @_;
    return defined $self->{ended} || defined $self->{bailed};
}

# pass, fail, skip, incomplete or damaged, as if nothing more followed. May be called at any time.
sub verdict {
    my ($self) = @_;
    return 'damaged' if $self->{damage};
    return 'incomplete' if $self->{early};
    return $self->{ended} // 'incomplete';
}

# The reason for the verdict, in one line.
sub why {
    my ($self) = @_;
    if (my $damage = $self->{damage}) {
        my $record = $self->points + 1;
        return "line $damage->[0], record $record: $damage->[1]";
    }
    return "the state line before it says that the run has not ended: the end in line $self->{last_line} may be an earlier run's"
        if $self->{early} && defined $self->{ended};
    if (defined $self->{ended}) {
        return $self->{reason} if $self->{ended} eq 'skip';
        return $self->{failed} ? "$self->{failed} of $self->{planned} points failed" : 'every check passed'
            if !$self->{loops};
        return $self->soak;
    }
    my $where = defined $self->{announced} ? "its last words: $self->{announced}" : $self->_reached;
    my @why = defined $self->{bailed} ? "bailed out: $self->{bailed}" : "no end line; $where";
    push @why, 'in the soak: ' . $self->soak if $self->{loops};
    push @why, "line $self->{noise}[0]: $self->{noise}[1]" if $self->{noise};
    return join '; ', @why;
}

# How far the soak got, from its heartbeats; '' if there is none.
sub soak {
    my ($self) = @_;
    return '' if !$self->{loops};
    return "loop $self->{loops}: $self->{soaked} point" . ($self->{soaked} == 1 ? '' : 's') . " in all, $self->{soak_fails} failed";
}

sub _reached {
    my ($self) = @_;
    return 'nothing but its header, after which the PMU is tried' if !defined $self->{planned};
    return "it was about to $self->{attempted}" if defined $self->{attempted};
    return 'before the first point' if !$self->points;
    return 'after point ' . $self->points . " of $self->{planned}";
}

# The points in words, in the form of the totals line.
sub counts {
    my ($self) = @_;
    return 'no points planned' if !defined $self->{planned};
    return "$self->{passed} passed, $self->{failed} failed, $self->{skipped} skipped of $self->{planned}";
}

1;
