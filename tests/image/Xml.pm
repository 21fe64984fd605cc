# Reads XML for tests, with Python's parser (expat): what is not well-formed does not get past it.
package Xml;

use v5.36;
use Exporter 'import';
use File::Temp;
use JSON::PP ();

our @EXPORT_OK = qw(tree elements words);

my $READER = <<'END';
import json, sys
from xml.etree import ElementTree
def node(element):
    inside = [element.text] if element.text else []
    for child in element:
        inside.append(node(child))
        if child.tail:
            inside.append(child.tail)
    return {"name": element.tag, "has": element.attrib, "inside": inside}
try:
    print(json.dumps(node(ElementTree.parse(sys.argv[1]).getroot())))
except ElementTree.ParseError as error:
    sys.exit(str(error))
END

# The root element: { name, has { attribute => value }, inside [elements and text, in order] }. For what is
# not well-formed XML, the parser's words instead.
sub tree ($xml) {
    my $file = File::Temp->new;
    print {$file} $xml;
    close $file or die "cannot write: $!";
    open my $from, '-|', 'sh', '-c', 'exec python3 -c "$1" "$2" 2>&1', 'sh', $READER, $file->filename
        or die "python3: $!";
    my $said = do { local $/; <$from> };
    close $from;
    return $said =~ /\A\{/ ? JSON::PP->new->max_depth(512)->decode($said) : $said;
}

# An element and all elements in it, in the order of the text. Those whose name matches, if one is given.
sub elements ($element, $name = undef) {
    return (
        (!defined $name || $element->{name} =~ /\A(?:$name)\z/ ? $element : ()),
        map { ref ? elements($_, $name) : () } @{ $element->{inside} }
    );
}

# All text of an element, its blanks as one each.
sub words ($element) {
    return join('', map { ref ? words($_) . ' ' : $_ } @{ $element->{inside} }) =~ s/\s+/ /gr;
}

1;
