# Reads XML for tests, with Python's parser (expat): what is not well-formed does not get past it.
package Xml;

use v5.36;
use Exporter 'import';
use File::Temp;
use IPC::Open2 qw(open2);
use JSON::PP ();

our @EXPORT_OK = qw(tree elements words);

# Reads names of files, a line each, and prints for each a line.
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
for name in sys.stdin:
    try:
        print(json.dumps(node(ElementTree.parse(name.rstrip("\n")).getroot())), flush=True)
    except ElementTree.ParseError as error:
        print(str(error), flush=True)
END

# The root element: { name, has { attribute => value }, inside [elements and text, in order] }. For what is
# not well-formed XML, the parser's words instead. One Python reads all.
sub tree ($xml) {
    state($from, $to);
    open2($from, $to, 'python3', '-c', $READER) if !$to;
    my $file = File::Temp->new;
    print {$file} $xml;
    close $file or die "cannot write: $!";
    print {$to} $file->filename . "\n";
    $to->flush;
    my $said = readline($from) // die "python3 has ended\n";
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
