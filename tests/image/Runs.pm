# Runs of p4sim for the tests, and others that are deterministic: each is done once. A run of p4sim whose kernel is the
# built image, or that has none, is kept in build/runs, under a sum of the bytes of p4sim and of the image and of the
# arguments.
package Runs;

use v5.36;
use Digest::MD5;
use Exporter 'import';
use File::Path qw(make_path remove_tree);
use Image qw(run slurp spew $ELF $P4SIM);
use Storable qw(nstore retrieve);
use Time::HiRes ();

our @EXPORT_OK = qw(p4sim p4sim_anew full_run full_log kept sum_of);

our $FOLDER = 'build/runs';

# The result of Image::run for p4sim with these arguments, of this run or of an earlier one that was the same.
# The screen of --screen is kept with it. A waveform, and a kernel of a test's own, make it a run of now. The speed
# that --stats prints may be that of another time.
sub p4sim (@arguments) {
    my @words = @arguments;
    my ($at) = grep { $words[$_] eq '--screen' } 0 .. $#words;
    my ($screen) = defined $at ? splice @words, $at + 1, 1 : ();
    return p4sim_anew(@arguments) if !is_kept(@words);
    my $run = kept(
        'p4sim', @words,
        sub () {
            my $new = p4sim_anew(@arguments);
            $new->{screen} = slurp($screen) if defined $screen && -e $screen;
            return $new;
        }
    );
    spew($screen, $run->{screen}) if defined $run->{screen};
    return $run;
}

# The result of such a run, which this function does, or of an earlier one with the same words. It is done again if it was
# killed, or hung.
sub kept (@words) {
    my $do = pop @words;
    my $kept = folder() . '/' . Digest::MD5::md5_hex(join "\0", @words);
    return retrieve($kept) if -e $kept;
    my $run = $do->();
    if (defined $run->{status}) {
        nstore($run, "$kept.$$") or die "cannot write $kept.$$\n";
        rename "$kept.$$", $kept or die "cannot write $kept: $!\n";
    }
    return $run;
}

# Runs p4sim with these arguments now. A full run, and the longest soak of the tests, take 10 to 25 s where nothing else runs.
sub p4sim_anew (@arguments) { return run(25, $P4SIM, @arguments) }

# Is the run one of the built image, or one without a kernel?
sub is_kept (@arguments) {
    return !grep { /\A--vcd|\A--screen=/ || $_ ne $ELF && -e } @arguments;
}

# Where the runs are kept. Those of another p4sim or image are removed.
sub folder () {
    my $folder = "$FOLDER/" . sum_of($P4SIM) . '-' . sum_of($ELF);
    if (!-d $folder) {
        remove_tree(grep { $_ ne $folder } glob "$FOLDER/*");
        make_path($folder);
    }
    return $folder;
}

# A sum of the bytes of a file, which is read again when it is another file or was written to.
sub sum_of ($path) {
    state %known;
    my @state = (Time::HiRes::stat($path))[ 0, 1, 7, 9 ] or die "cannot read $path: $!\n";
    return $known{"$path @state"} //= Digest::MD5::md5_hex(slurp($path));
}

# The run of the whole image on the usual p4sim, which counts its instructions and its clocks on standard error.
sub full_run { return p4sim('--stats', $ELF) }

# Its serial log.
sub full_log { return full_run()->{out} }

1;
