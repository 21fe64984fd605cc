#!/usr/bin/perl
# Runs of p4sim are kept (Runs.pm): a run that was done is not done again, and a changed byte of p4sim or of
# the image, or another word, makes it another run. With a stand-in for p4sim that counts its runs.
use lib 'tests/image';
use ImageTest;

($P4SIM, $ELF) = ("$dir/p4sim", "$dir/image");
$Runs::FOLDER = "$dir/runs";
my $text = "#!/bin/sh\necho x >> '$dir/count'\necho \"\$*\"\necho said >&2\nexit 3\n";

# A p4sim and an image with these bytes.
sub built ($p4sim, $image) {
    spew($P4SIM, $p4sim);
    chmod 0755, $P4SIM or die "chmod: $!";
    spew($ELF, $image);
}

# Runs the stand-in with these arguments; returns how often it has run for that.
sub runs (@arguments) {
    unlink "$dir/count";
    my $run = p4sim(@arguments);
    is $run->{status}, 3, "@arguments: the status";
    is $run->{out}, "@arguments\n", 'what it printed';
    is $run->{err}, "said\n", 'and said';
    return -e "$dir/count" ? (slurp("$dir/count") =~ tr/x//) : 0;
}

built($text, 'bytes');
is runs($ELF, 'word'), 1, 'a first run';
is runs($ELF, 'word'), 0, 'is not repeated';
is runs($ELF, 'wore'), 1, 'another word';
is runs('--ht', 'off', $ELF, 'word'), 1, 'an option';
is runs($ELF, 'word'), 0, 'the first one is still there';
built($text, 'Bytes');
is runs($ELF, 'word'), 1, 'another byte in the image';
is scalar(() = glob "$dir/runs/*"), 1, 'the runs of the image before it are gone';
built($text =~ s/echo said/echo  said/r, 'Bytes');
is runs($ELF, 'word'), 1, 'another byte in p4sim';

spew("$dir/another", 'bytes');
for my $case ([ "--vcd=$dir/vcd", $ELF ], [ "$dir/another", 'word' ]) {
    is runs(@$case), 1, 'a file is written, or the kernel is another one' for 1, 2;
}
is runs('--fault', 'list'), 1, 'without a kernel';
is runs('--fault', 'list'), 0, 'it is not repeated either';

# A screen is written again, wherever it shall be.
built($text =~ s/exit 3/test "\$1" = --screen && echo picture > "\$2"; exit 3/r, 'bytes');
for my $name (qw(first second)) {
    my $run = p4sim('--screen', "$dir/$name", $ELF);
    is slurp("$dir/$name"), "picture\n", "the $name screen";
}
is slurp("$dir/count") =~ tr/x//, 1, 'of one run';

my $count = 0;
is kept('words', 'of', 'it', sub { $count++; return { status => 0, out => 'said' } })->{out}, 'said', 'kept()'
    for 1, 2;
kept('words', 'of', 'that', sub { $count++; return { status => undef } }) for 1, 2;
is $count, 3, 'does once what ends, and each time what is killed';
unlink "$dir/count";
p4sim_anew($ELF, 'word') for 1, 2;
is slurp("$dir/count"), "x\nx\n", 'p4sim_anew() is a run of now';

spew($P4SIM, "#!/bin/sh\necho x >> '$dir/count'\nkill -9 \$\$\n");
unlink "$dir/count";
is p4sim($ELF, 'word')->{status}, undef, 'a run that was killed' for 1, 2;
is slurp("$dir/count"), "x\nx\n", 'is not kept';

done_testing;
