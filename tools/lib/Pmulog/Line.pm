# Recognises a line of the log by its form alone (docs/log.md), without knowing the lines around it.
package Pmulog::Line;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw($HEADER $ATTEMPT $SAVED_EARLY $ID $CHECK_CODE $END is_end looks_like);

our $HEADER = 'TAP version 13';

# What follows is about to be tried, and may hang the machine.
our $ATTEMPT = '# pmuproof is about to ';

# In a log file on the boot medium, the line before the header if the run had not ended when the file was saved.
our $SAVED_EARLY = qr/\Astate: saved during the run, which has not ended here *\z/;

# A vector's id; a check code (its digits); an end line (the text that its CRC-32 covers, verdict, lines, CRC-32).
our $ID         = qr/[a-z0-9]+(?:[._-][a-z0-9]+)*/;
our $CHECK_CODE = qr/ #([0-9A-F]{4})/;
our $END        = qr/(\# END OF TAP: (pass|fail|skip), ([1-9]\d{0,9}) lines), CRC-32 ([0-9A-F]{8})/;

# True if the line, given without its line end, has the form of an end line. Only an end line may lack its line end.
sub is_end {
    my ($text) = @_;
    return $text =~ /\A$END\z/;
}

# If the line has a form that occurs only in documents: that form in words, otherwise ''. Meant for text outside of
# documents, where noise may precede it on the same line.
sub looks_like {
    my ($text) = @_;
    return 'a point'         if $text =~ /(?:\A|[^A-Za-z])(?:not )?ok \d+ - \S/;
    return 'an end line'     if $text =~ /END OF TAP/;
    return 'a header'        if $text =~ /TAP version/;
    return 'a bail-out'      if $text =~ /Bail out!/;
    return 'a line with a check code' if $text =~ /$CHECK_CODE\z/;
    return 'a plan'          if $text =~ /\A1\.\.\d+(?:\z| # SKIP)/;
    return 'an attempt'      if $text =~ /\A$ATTEMPT/;
    return 'an announcement' if $text =~ /\A#> [a-z]/;
    return 'a sheet line'    if $text =~ /\A# sheet \d/;
    return 'a heartbeat'     if $text =~ /\A# soak /;
    return 'the totals'      if $text =~ /\A# \d+ passed, \d+ failed, /;
    return 'an inventory'    if $text =~ /\A# (?:build|image|boot line|loader|console|processor): /;
    return 'a diagnosis'     if $text =~ /\A(?:# )?  [A-Za-z0-9][\w -]*: '.*'\z|\A(?:# )?    - '.*'\z|\A  (?:---|\.\.\.)\z/;
    return '';
}

1;
