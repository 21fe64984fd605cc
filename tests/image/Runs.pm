# Runs of p4sim for the tests. p4sim is deterministic, so each run is done once: a run whose kernel is the
# built image is kept in build/runs, under a sum of the bytes of p4sim and of the image and of the arguments.
package Runs;

use v5.36;
use Digest::MD5;
use Exporter 'import';
use File::Path qw(make_path remove_tree);
use Image qw(run slurp $ELF $P4SIM);
use Storable qw(nstore retrieve);
use Time::HiRes ();

our @EXPORT_OK = qw(p4sim p4sim_anew full_run full_log);

our $FOLDER = 'build/runs';

# The result of Image::run for p4sim with these arguments, of this run or of an earlier one that was the same.
# An option that writes a file, and a kernel of a test's own, make it a run of now. The speed that --stats
# prints may be that of another time.
sub p4sim (@arguments) {
    my $kept = kept_at(@arguments) // return p4sim_anew(@arguments);
    return retrieve($kept) if -e $kept;
    my $run = p4sim_anew(@arguments);
    if (defined $run->{status}) {    # neither killed nor hung
        nstore($run, "$kept.$$") or die "cannot write $kept.$$\n";
        rename "$kept.$$", $kept or die "cannot write $kept: $!\n";
    }
    return $run;
}

# Runs p4sim with these arguments now. A full run, and the longest soak of the tests, take 10 to 25 s where nothing else runs.
sub p4sim_anew (@arguments) { return run(25, $P4SIM, @arguments) }

# The file in which such a run is kept; undef if it is not. The runs of another p4sim or image are removed.
sub kept_at (@arguments) {
    return if !grep { $_ eq $ELF } @arguments;
    return if grep  { /\A--(?:screen|vcd)/ } @arguments;
    my $folder = "$FOLDER/" . sum_of($P4SIM) . '-' . sum_of($ELF);
    if (!-d $folder) {
        remove_tree(grep { $_ ne $folder } glob "$FOLDER/*");
        make_path($folder);
    }
    return "$folder/" . Digest::MD5::md5_hex(join "\0", $P4SIM, @arguments);
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
