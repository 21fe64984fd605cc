# What a line of the log is by its form alone (docs/log.md), wherever it stands.
package Pmulog::Line;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw($HEADER $SAVED_EARLY $ID $SEAL $END is_end looks_like);

our $HEADER = 'TAP version 13';

# The state line of a log file on the boot medium whose run has not ended; it stands before the header.
our $SAVED_EARLY = qr/\Astate: saved during the run, which has not ended here *\z/;

# A vector's id; a seal (its digits); an end line (what is summed up, verdict, lines, CRC-32).
our $ID   = qr/[a-z0-9]+(?:[._-][a-z0-9]+)*/;
our $SEAL = qr/ #([0-9A-F]{4})/;
our $END  = qr/(\# END OF TAP: (pass|fail|skip), ([1-9]\d{0,9}) lines), CRC-32 ([0-9A-F]{8})/;

# True for a line, without its line end, that is an end line by form: the only one that needs no line end.
sub is_end {
    my ($text) = @_;
    return $text =~ /\A$END\z/;
}

# What a line looks like that only a document has, in words; '' for any other. Meant for text outside of
# documents, where noise may stand before it on the same line.
sub looks_like {
    my ($text) = @_;
    return 'a point'         if $text =~ /(?:\A|[^A-Za-z])(?:not )?ok \d+ - \S/;
    return 'an end line'     if $text =~ /END OF TAP/;
    return 'a header'        if $text =~ /TAP version/;
    return 'a bail-out'      if $text =~ /Bail out!/;
    return 'a sealed record' if $text =~ /$SEAL\z/;
    return 'a plan'          if $text =~ /\A1\.\.\d+(?:\z| # SKIP)/;
    return 'an announcement' if $text =~ /\A#> [a-z]/;
    return 'a sheet line'    if $text =~ /\A# sheet \d/;
    return 'a heartbeat'     if $text =~ /\A# soak /;
    return 'the totals'      if $text =~ /\A# \d+ passed, \d+ failed, /;
    return 'an inventory'    if $text =~ /\A# (?:build|image|boot line|loader|console|processor): /;
    return 'a diagnosis'     if $text =~ /\A(?:# )?  [A-Za-z0-9][\w -]*: '.*'\z|\A  (?:---|\.\.\.)\z/;
    return '';
}

1;
