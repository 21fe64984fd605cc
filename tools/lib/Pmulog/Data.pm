# Output for programs, as docs/pmulog-formats.md describes it: JSON by JSON::PP, CSV by Text::CSV.
package Pmulog::Data;

use v5.36;
use Exporter qw(import);
use JSON::PP ();

our @EXPORT_OK = qw(bool csv json);

# Counts up when a member changes its meaning or goes away. A new member does not change it.
use constant SCHEMA => 1;

sub bool ($value) { return $value ? JSON::PP::true() : JSON::PP::false() }

# One JSON object: what a command found, and which command and schema it is. Its members are in alphabetical
# order, so that the same log gives the same bytes.
sub json ($command, $found) {
    return JSON::PP->new->utf8->pretty->canonical->encode(
        texts({ command => $command, schema => SCHEMA, %$found }));
}

# CSV (RFC 4180, but with LF): a heading, then a row for each list. An undefined cell is empty.
sub csv (@rows) {
    eval { require Text::CSV; 1 }
        or die "--csv needs Perl's Text::CSV, which is not installed (Debian: libtext-csv-perl)\n";
    my $csv = Text::CSV->new({ binary => 1 });
    my $text = '';
    for my $row (@rows) {
        $csv->combine(@$row) or die 'cannot write as CSV: ' . $csv->error_diag . "\n";
        $text .= $csv->string . "\n";
    }
    return $text;
}

# A copy in which the bytes of each text are characters. A log is ASCII; the name of its file need not be.
sub texts ($value) {
    return { map { $_ => texts($value->{$_}) } keys %$value } if ref $value eq 'HASH';
    return [ map { texts($_) } @$value ] if ref $value eq 'ARRAY';
    utf8::decode($value) if defined $value && !ref $value && $value =~ /[^ -~]/;
    return $value;
}

1;
