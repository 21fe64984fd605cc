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

for my $case ([ '--screen', "$dir/screen", $ELF ], [ "--vcd=$dir/vcd", $ELF ], [ "$dir/another", 'word' ]) {
    is runs(@$case), 1, 'a file is written, or the kernel is another one' for 1, 2;
}
unlink "$dir/count";
p4sim_anew($ELF, 'word') for 1, 2;
is slurp("$dir/count"), "x\nx\n", 'p4sim_anew() is a run of now';

spew($P4SIM, "#!/bin/sh\necho x >> '$dir/count'\nkill -9 \$\$\n");
unlink "$dir/count";
is p4sim($ELF, 'word')->{status}, undef, 'a run that was killed' for 1, 2;
is slurp("$dir/count"), "x\nx\n", 'is not kept';

done_testing;
