# What another program puts before every line of a log that it records or quotes: a time, a host, a mark of
# quotation. Programs are too many to list, so the prefix is inferred: it is the text before the plan, the
# second line of a document, and other lines have a prefix of the same shape, in which numbers and words may
# differ. Nothing depends on a guess, because check codes say whether what is left of a line is right.
package Pmulog::Prefix;

use v5.36;
use Exporter qw(import);
use Pmulog::Document qw(begins_like);

our @EXPORT_OK = qw(prefix_of prefix_with_time);

my $NUMBER = qr/\d+(?:[.,:]\d+)*/;
my $WORD = '[A-Za-z0-9.,:]+';
my $PLAN = qr/1\.\.(?:0|[1-9]\d*)(?:\z| # SKIP )/;

# Returns the prefix of a document, false for none, from the text before its header and its second line; undef
# if that line is no plan, with any text before it.
sub prefix_of ($before, $line) {
    return '' if $line =~ /\A$PLAN/;
    my $same = $before ne '' ? __PACKAGE__->new($before) : undef;
    return $same if $same && ($same->without($line))[0] =~ /\A$PLAN/;
    return $line =~ /\A(.*?[^\d.])$PLAN/ ? __PACKAGE__->new($1) : undef;
}

# The prefix of a line if it has a time in it and a line of a document follows; undef otherwise.
sub prefix_with_time ($line) {
    while ($line =~ /[^\w.]/g) {
        my ($before, $rest) = (substr($line, 0, pos $line), substr $line, pos $line);
        return __PACKAGE__->new($before) if begins_like($rest) && $before =~ /\d:\d\d|\d\.\d/;
    }
    return undef;
}

# A prefix of the shape of this text. Loose shapes are tried last.
sub new ($class, $text) {
    my @shapes = map { shape($text, @$_) } [ 'exact', 'literal' ], [ 'number', 'literal' ],
        [ 'number', 'word' ], [ 'word', 'word' ];
    my $alone = join '|', map { s/(?:\\[ \t])+\z//r } @shapes[ 0, 1 ];
    # GitLab: after 01O comes a blank, or + before the rest of a line that came in pieces.
    s/\\ \z/[ +]/ for $text =~ / \d\d[OE] \z/ ? @shapes : ();
    return bless { text => $text, shapes => [ map { qr/$_/ } @shapes ], alone => qr/(?:$alone)\z/ }, $class;
}

# A pattern, as text. numbers: 'exact' (of the same length), 'number', or 'word' (letters as well); words:
# 'literal' or 'word'.
sub shape ($text, $numbers, $words) {
    my $pattern = '\A';
    while ($text =~ /\G(?:( *)($NUMBER)|([A-Za-z]+)|(.))/gs) {
        my ($blanks, $number, $word, $other) = ($1, $2, $3, $4);
        if (defined $number && $numbers eq 'exact') {
            $pattern .=
                quotemeta($blanks) . $number =~ s/\d+/'\d{' . length($&) . '}'/ger =~ s/[.,](?!\d*\})/\\$&/gr;
        } elsif (defined $number) {
            $pattern .= ($blanks ne '' || $pattern eq '\A' ? ' *' : '')
                . ($numbers eq 'word' ? $WORD : '\d+(?:[.,:]\d+)*');
        } elsif (defined $word) {
            $pattern .= $words eq 'literal' ? $word : $numbers eq 'word' ? $WORD : '[A-Za-z]+';
        } else {
            $pattern .= quotemeta $other;
        }
    }
    return $pattern =~ s/(?:\Q$WORD\E){2,}/$WORD/gr;    # as 0x1a2b
}

# A line without the prefix, or as it is if it has none; and true if the line goes on with the one before. Of
# several shapes that fit, the first is taken that leaves what a line of a document begins with.
sub without ($self, $line) {
    return ('', 0) if $line =~ $self->{alone};    # an empty line, whose blanks were stripped
    my @bare =
        map { $line =~ $_ ? [ substr($line, $+[0]), substr($line, $+[0] - 1, 1) eq '+' ] : () }
        @{ $self->{shapes} }
        or return ($line, 0);
    my ($best) = grep { $_->[0] eq '' || begins_like($_->[0]) } @bare;
    return @{ $best // $bare[0] };
}

1;
