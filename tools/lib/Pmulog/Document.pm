# One document of the log (docs/log.md), judged line by line as it comes: form, check codes, numbers, totals,
# verdict. Memory does not grow with the length of the document, only with the number of points in its plan.
package Pmulog::Document;

use v5.36;
use Compress::Raw::Zlib qw(crc32);
use Exporter qw(import);
use Pmulog::Actions qw(by_action judged results unexplained);
use Pmulog::Resume;

our @EXPORT_OK = qw($HEADER $SAVED_EARLY begins_like has_form is_end is_own looks_like);

our $HEADER = 'TAP version 13';

# The number in the file of the line that a sink is called for.
our $number_in_file;

# What follows is about to be tried, and may hang the machine.
my $ATTEMPT = '# pmuproof is about to ';

# In a log file on the boot medium, the line before the header if the run had not ended when the file was
# saved.
our $SAVED_EARLY = qr/\Astate: saved during the run, which has not ended here *\z/;

# A vector's id; a check code (its digits); an end line (the text that its CRC-32 covers, verdict, lines,
# CRC-32).
my $ID = qr/[a-z0-9]+(?:[._-][a-z0-9]+)*/;
my $CHECK_CODE = qr/ #([0-9A-F]{4})/;
my $END = qr/(\# END OF TAP: (pass|fail|skip), ([1-9]\d{0,9}) lines), CRC-32 ([0-9A-F]{8})/;

# What a line of a document looks like, whatever is wrong in it.
my $FORM =
    qr/\A(?:\# |\#> |(?:not )?ok \d|Bail out! |1\.\.\d|  ---\z|  \.\.\.\z|  [A-Za-z0-9][\w -]*:(?: '.*')?\z|    - '.*'\z)/;

# What programs that record a serial line write into it between its lines: conserver [-- MARK -- date],
# picocom *** text ***, journald -- text --, minicom a time alone.
my $OWN =
    qr/\A(?:\[.*\]|--+ .* --+|\*\*\* .*|[=~]{3,}.*[=~]{3,}|\d[\d:.,TZ +-]*(?<!\d)\d\d?:\d\d(?!\d)[\d:.,TZ +-]*|\d\d?:\d\d(?!\d)[\d:., ]*)\z/;

# Lines of the inventory that could end in a blank in versions before 1.0.
my $COULD_END_IN_BLANK = qr/\A\# (?:boot line|misc enable|loader|brand|board|bios):/;

# Far more than any image has. A larger plan counts as damage, so that memory stays bounded.
use constant MOST_POINTS => 65_535;
# The kernel cuts its lines at 1000 characters (kernel/log/log.h) and then adds a check code.
use constant LONGEST_LINE => 1024;
# For which points were not tested: more than the kernel tells apart.
use constant MOST_REASONS => 8;
# Actions of the PMU: more than the kernel tells apart.
use constant MOST_ACTIONS => 64;
# Names of what was not exercised: more than the kernel keeps.
use constant MOST_NAMES => 256;

# Points of the harness itself, which may come whatever vector was announced. `Bail out!` follows them.
my %HARNESS = map { $_ => 1 } qw(kernel.trap kernel.machine-check tap.plan);

# ---- Lines by their form alone, without the lines around them ----

# True if the line, given without its line end, has the form of an end line. Only an end line may lack its
# line end.
sub is_end ($text) { return $text =~ /\A$END\z/ }

# True if the line begins as only lines of documents do.
sub begins_like ($text) { return $text =~ $FORM }

# True for a line that another program is known to write between the lines of the board.
sub is_own ($text) { return $text =~ $OWN && $text !~ $FORM }

# If the line has a form that occurs only in documents: that form in words, otherwise ''. Meant for text
# outside of documents, where noise may precede it on the same line.
sub looks_like ($text) {
    return 'a point' if $text                          =~ /(?:\A|[^A-Za-z])(?:not )?ok \d+ - \S/;
    return 'an end line' if $text                      =~ /END OF TAP/;
    return 'a header' if $text                         =~ /TAP version/;
    return 'a bail-out' if $text                       =~ /Bail out!/;
    return 'a line with a check code' if $text         =~ /$CHECK_CODE\z/;
    return 'a plan' if $text                           =~ /\A1\.\.\d+(?:\z| # SKIP)/;
    return 'an attempt' if $text                       =~ /\A$ATTEMPT/;
    return 'an announcement' if $text                  =~ /\A#> [a-z]/;
    return 'a sheet line' if $text                     =~ /\A# sheet \d/;
    return 'a number' if $text                         =~ /\A# number .*\)\z/;
    return 'a heartbeat' if $text                      =~ /\A# soak /;
    return 'a line of what was not exercised' if $text =~ /\A# not exercised: [A-Za-z0-9]/;
    return 'a line of what was judged' if $text        =~ /\A# judged: [A-Za-z]/;
    return 'the totals' if $text                       =~ /\A# \d+ passed, \d+ failed, /;
    return 'an inventory' if $text =~ /\A# (?:build|image|boot line|loader|console|processor): /;
    return 'a diagnosis'
        if $text =~ /\A(?:# )?  [A-Za-z0-9][\w -]*: '.*'\z|\A(?:# )?    - '.*'\z|\A  (?:---|\.\.\.)\z/;
    return '';
}

# ---- A document, line by line ----

# A document whose header line is this line of the file (counted from 1). early: the document comes from a log
# file whose state line says that its run has not ended. An end line in it may then belong to an earlier run,
# so it is no verdict.
#
# sink, if given, is called for each valid line, in order: sink->($kind, $clean, @fields), where $clean is the
# line without its check code. Kinds and fields:
#   header; plan (count, reason); attempt (what may hang the machine and is tried); inventory (key, value);
#   announce (id, rules or undef, title or undef);
#   point (number, ok, id, reason of a SKIP or undef, unexplained results or undef); judged (text); untested
#   (points, reason, remedy); unexercised (name, reason, count); open; value (key, value); list (key); item
#   (value); close;
#   heartbeat (text); sheet (id, text, value); number (name, number, class); totals; comment (text); bail
#   (reason); end (verdict);
#   resumed (line of the damage): no line itself; the lines after it were found whole behind the damage
sub new ($class, $first_line, $sink, $early) {
    my $self = bless {
        sink       => $sink,
        early      => $early,
        first_line => $first_line,
        last_line  => $first_line,
        lines      => 0,
        # the sums so far that are possible: several if blanks may have been stripped
        crcs         => [ crc32('') ],
        state        => 'header',
        planned      => undef,
        passed       => 0,
        failed       => 0,
        skipped      => 0,
        intermittent => 0,               # of the failed points, those that failed now and then
        # id => action of each of them, and of vectors that failed now and then in later loops of a soak
        action_of => {},
        # results in points that are ok; of a soak that has ended, what its totals say
        unexplained => 0,
        # for each action what Pmulog::Actions::judged() returns; of a soak, what came last
        judged         => [],
        ids            => {},
        failed_ids     => [],            # of the points that failed
        later_ids      => [],            # of vectors whose failure in a later loop of a soak is printed, each once
        attempted      => undef,         # what may hang the machine and is tried: nothing of the log has followed
        announced      => undef,         # id of the vector that runs: its point has not come
        heartbeat      => undef,         # text of the last heartbeat
        fields         => {},            # of the diagnosis so far: intermittent, action
        later          => undef,         # id of the failure in a later loop whose diagnosis may follow
        in_list        => 0,             # items of a list may follow in the diagnosis
        loops          => 0,             # the loop of the last heartbeat
        soaked         => 0,             # points of all loops, by the last heartbeat
        soak_fails     => 0,             # failures of all loops, by the last heartbeat
        not_exercised  => [],            # { name, reason, counted }: what no stimulus causes for certain
        unexercised    => 0,             # how many lines say so
        untested       => [],            # [points, reason, remedy]: what a remedy would have let run
        soak_failed_in => undef,         # the first loop after loop 1 that has a printed failure
        build          => undef,
        processor      => undef,
        reason         => undef,         # why the PMU was not tested, by a plan without points or the point pmu
        bailed         => undef,
        ended          => undef,         # verdict of the end line
        remarks        => [],            # sentences about the capture, of Pmulog::Capture
        # [line, what]: foreign text began here, and no check code has shown that it does no harm
        noise         => undef,
        full          => 0,              # the noise is the end of a copy that was full
        goes_on       => undef,          # the line in which the log went on after the noise
        pending       => 0,              # lines of the noise
        foreign       => 0,              # lines of other programs that do no harm
        first_foreign => undef,
        damage        => undef,          # [line, what, record]: the first damage
        damaged_in    => undef,          # id of the vector that ran there
        unsure        => undef,          # the point of the damaged record: it may itself be what is damaged
        resume        => undef,          # after damage: looks for whole lines (Pmulog::Resume)
        # [passed, failed, skipped] when the first damage came, once whole lines were found behind it
        resumed    => undef,
        behind     => {},                # ids of the points behind damage
        last_point => 0,                 # its number
    }, $class;
    $self->line($HEADER, $first_line);
    return $self;
}

# Takes the next line, without its line end, and its number in the file. Empty lines and blanks at the end of
# a line do not count: no line of a log ends in a blank, and of the programs that hand it on some strip
# blanks, and some add them.
sub line ($self, $raw, $number) {
    my $text = $raw =~ /[ \t]\z/ ? $raw =~ s/(?<![ \t])[ \t]++\z//r : $raw;
    return if $text eq '';
    $number_in_file = $number;
    return $self->_behind_damage($text, $number) if $self->{resume};
    if ($text =~ /\A# the copy in (memory|the file) is full: \d+ bytes/) {
        @$self{qw(noise full)} = ([ $number, "the copy in $1 was full; the serial line had more" ], 1);
        return;
    }
    return $self->_foreign($text, $number) if $self->{lines} && !has_form($text);
    $self->{goes_on} //= $number if $self->{noise};
    $self->{lines}++;
    $self->{last_line} = $number;
    my $wrong = $self->{full} ? 'no line of a log' : $self->_judge($text);
    return $self->_sum($text, $raw) if !$wrong;
    if (!$self->{damage}) {
        $self->{damage} =
            $self->{noise}
            ? [ $self->{noise}[0], "no line of a log, and the log goes on in line $self->{goes_on}" ]
            : [ $number, $wrong ];
        push @{ $self->{damage} }, $self->points + 1;
        $self->{damaged_in} = $self->{announced};
    }
    @$self{qw(noise goes_on pending)} = (undef, undef, 0);
    $self->{resume} = Pmulog::Resume->new;
    $self->{unsure} //= $text if $text =~ /\A(?:not )?ok [1-9]\d{0,6} - $ID/;
    return $self->_behind_damage($text, $number);
}

# True for a line that can only be one of a document, whatever is wrong in it.
sub has_form ($text) {
    return
           $text =~ /\A[ -~]+\z/
        && length $text <= LONGEST_LINE
        && ($text =~ $FORM || looks_like($text) ne '');
}

# Takes an unfinished line: the capture, or the run, ended in the middle of it.
sub cut ($self, $text, $number) {
    $self->{noise} //= [ $number, 'the capture ends in the middle of a line' ]
        if !$self->{damage} && $text ne '';
}

# Adds a line to the sum.
sub _sum ($self, $text, $raw) {
    if ($self->{state} ne 'head') {
        $_ = crc32("$text\n", $_) for @{ $self->{crcs} };
        return;
    }
    my %texts = map { $_ => 1 } $text, $text =~ $COULD_END_IN_BLANK ? ("$text ", $raw) : ();
    my %sums = map {
        my $sum = $_;
        map { crc32("$_\n", $sum) => 1 } keys %texts
    } @{ $self->{crcs} };
    $self->{crcs} = [ sort { $a <=> $b } keys %sums ];
    return;
}

# A line of another program does no harm if the check codes are right without it. What programs are known to
# write between lines needs no such proof.
sub _foreign ($self, $text, $number) {
    return $self->foreign($number) if !$self->{noise} && is_own($text);
    $self->{noise} //= [ $number, 'what follows is no line of a log' ];
    $self->{pending}++;
}

# Counts a line of another program, which is left out.
sub foreign ($self, $number) {
    $self->{foreign}++;
    $self->{first_foreign} //= $number;
}

# A check code was right, so the lines of other programs before it do no harm.
sub _harmless ($self) {
    return if !$self->{noise};
    $self->{foreign} += $self->{pending};
    $self->{first_foreign} //= $self->{noise}[0];
    @$self{qw(noise goes_on pending)} = (undef, undef, 0);
}

# Takes a line after damage: looks for lines of the same boot that are whole, and goes on with them.
sub _behind_damage ($self, $text, $number) {
    if    ($text =~ /\A$END\z/)         { $self->{ended} = $2 }
    elsif ($text =~ /\ABail out! (.*)/) { $self->{bailed} = $1 }
    return if !has_form($text);
    # What the first of these lines says itself is not sure: it has a check code of the text before it, which
    # is damaged.
    my ($sum, $first, @lines) = $self->{resume}->take($text, $number) or return;
    my ($point) = map { $_->[0] =~ /\A(?:not )?ok (\d{1,7}) - / ? $1 : () } @lines;
    # of another boot
    return $self->{resume} = Pmulog::Resume->new if defined $point && $point <= $self->{last_point};
    $self->{resumed} //= [ @$self{qw(passed failed skipped)} ];
    @$self{qw(resume state announced later totals ended bailed)} = (undef, 'points');
    $self->{crcs} = [$sum];
    $self->_emit('resumed', '', $self->{damage}[0]);
    while (@lines && $lines[0][0] =~ /\A  /) {    # the diagnosis of the first
        my ($of_first) = @{ shift @lines };
        $self->_sum($of_first, $of_first);
    }
    $self->line(@$_) for @lines;
}

sub _emit ($self, @event) {
    $self->{sink}->(@event) if $self->{sink};
    return '';
}

# What is wrong with this line of printable characters, or ''.
sub _judge ($self, $text) {
    my $state = $self->{state};

    return $self->_judge_plan($text) if $state eq 'plan';
    if ($state eq 'header') {
        $self->{state} = 'plan';
        return $self->_emit('header', $text);
    }
    return $self->_judge_diagnosis($text) if $state eq 'diagnosis';
    if ($text =~ /\A# /) {
        return $self->_judge_heartbeat($text) if $text =~ /\A# soak /;
        return $self->_judge_end($text) if $text       =~ /\A# END OF TAP/;
        return 'there is a line between the totals and the end line' if $self->{totals};
        return $self->_judge_comment($text);
    }
    return 'there is a line between the totals and the end line' if $self->{totals};
    $self->{attempted} = undef;
    return $self->_judge_point($text) if $text    =~ /\A(?:not )?ok /;
    return $self->_judge_announce($text) if $text =~ /\A#>/;
    if ($text eq '  ---') {
        return 'a diagnosis that does not follow a failed point' if $state ne 'not ok';
        @$self{qw(state in_list fields)} = ('diagnosis', 0, {});
        return $self->_emit('open', $text);
    }
    if ($text =~ /\ABail out! (\S.*)\z/) {
        $self->{bailed} = $1;
        return $self->_emit('bail', $text, $1);
    }
    return 'no line of a log';
}

sub _judge_plan ($self, $text) {
    my ($count, $reason) = $text =~ /\A1\.\.(0|[1-9]\d{0,6})(?: # SKIP (\S.*))?\z/
        or return 'no line of a log';
    return "a plan of $count points" if $count > MOST_POINTS;
    return 'a plan without points and without a reason' if $count == 0  && !defined $reason;
    return 'a plan with points and a reason to skip them' if $count > 0 && defined $reason;
    @$self{qw(planned reason state)} = ($count, $reason, 'head');
    return $self->_emit('plan', $text, $count, $reason);
}

sub _judge_diagnosis ($self, $text) {
    if ($text eq '  ...') {
        $self->{state} = 'points';
        my ($intermittent, $action) = @{ $self->{fields} }{qw(intermittent action)};
        if (defined $intermittent) {
            $self->{intermittent}++;
            $self->{action_of}{ $self->{failed_ids}[-1] } = $action // 'not said';
        }
        return $self->_emit('close', $text);
    }
    if ($text =~ /\A  ([A-Za-z0-9][\w -]*):\z/) {
        $self->{in_list} = 1;
        return $self->_emit('list', $text, $1);
    }
    my ($before, $value) = $text =~ /\A(  (?:[A-Za-z0-9][\w -]*:|  -)) '((?:[^']|'')*)'\z/
        or return 'no line of a diagnosis, which had not ended';
    $value =~ s/''/'/g;
    if ($before eq '    -') {
        return 'an item outside of a list' if !$self->{in_list};
        return $self->_emit('item', $text, $value);
    }
    $self->{in_list} = 0;
    my ($key) = $before =~ /(\w.*):/;
    $self->{fields}{$key} = $value if $key eq 'intermittent' || $key eq 'action';
    return $self->_emit('value', $text, $key, $value);
}

# Returns the text before the check code, or undef if the check code is missing or wrong.
sub _without_check_code ($self, $text) {
    my ($record, $digits) = $text =~ /\A(.*)$CHECK_CODE\z/                               or return undef;
    my @right = grep { hex $digits == (crc32($record, $_) & 0xFFFF) } @{ $self->{crcs} } or return undef;
    $self->{crcs} = \@right;
    $self->_harmless;
    return $record;
}

sub _judge_point ($self, $text) {
    my $record = $self->_without_check_code($text)
        // return 'a point whose check code is not that of the text before it';
    my ($not, $number, $id, $reason, $unexplained) =
        $record =~ /\A(not )?ok ([1-9]\d{0,6}) - ($ID)(?: # SKIP (\S.*)| # unexplained: (\S.*))?\z/
        or return 'a point of an unknown form';
    my @results = defined $unexplained ? unexplained($unexplained) : ();
    return 'a point of an unknown form' if defined $unexplained && !@results;
    my $due = $self->{last_point} + 1;
    return "point $number where point $due was due" if $self->{resumed} ? $number < $due : $number != $due;
    return "point $number of $self->{planned}" if $number > ($self->{planned} // $number) && !$HARNESS{$id};
    return "point $number failed and is skipped" if $not                                  && defined $reason;
    return "point $number failed and is unexplained" if $not                              && @results;
    return "a second point '$id'" if $self->{ids}{$id}++;
    return "point '$id' where '$self->{announced}' was announced"
        if defined $self->{announced} && $self->{announced} ne $id && !$HARNESS{$id} && !$self->{loops};
    return "the soak is ok and had failures in loop $self->{soak_failed_in}"
        if $id eq 'soak' && !$not && $self->{soak_failed_in};
    $self->{announced} = undef if !$HARNESS{$id};
    $self->{ $not ? 'failed' : defined $reason ? 'skipped' : 'passed' }++;
    $self->{last_point} = $number;
    $self->{behind}{$id} = 1 if $self->{resumed};
    push @{ $self->{failed_ids} }, $id if $not;
    $self->{unexplained} += $_->{wrong} for @results;
    $self->{state} = $not ? 'not ok' : 'points';
    $self->{reason} = $reason if $id eq 'pmu';
    return $self->_emit('point', $record, $number, $not ? 0 : 1, $id, $reason, $unexplained);
}

sub _judge_announce ($self, $text) {
    my ($id, $rules, $title) = $text =~ /\A#> ($ID)(?: \[([^\]]*)\])?(?: (\S.*))?\z/
        or return 'an announcement of an unknown form';
    return "'$id' announced while '$self->{announced}' runs" if defined $self->{announced} && !$self->{loops};
    @$self{qw(announced state)} = ($id, 'points');
    return $self->_emit('announce', $text, $id, $rules, $title);
}

# A line of a soak. The counts of heartbeats must not decrease. In later loops no points follow the
# announcements.
sub _judge_heartbeat ($self, $text) {
    my $record = $self->_without_check_code($text)
        // return 'a heartbeat whose check code is not that of the text before it';
    @$self{qw(state announced later)} = ('points', undef, undef);
    return $self->_judged($record, $1) if $record =~ /\A# soak loop \d{1,15}: judged: (.*)\z/;
    if (my ($in, $id) = $record =~ /\A# soak loop (\d{1,15}): not ok - (\S+)/) {
        $self->{soak_failed_in} //= $in;
        $self->{later} = $id;
        push @{ $self->{later_ids} }, $id if !grep { $_ eq $id } @{ $self->{later_ids} };
    }
    my ($loop, $points, $failed) =
        $record =~ /\A# soak loop (\d{1,15}): .*in all (\d{1,15}) points?, (\d{1,15}) failed/
        or return $self->_emit('heartbeat', $record, $record);
    return "loop $loop after loop $self->{loops}" if $loop <= $self->{loops};
    return 'a heartbeat with less than the one before'
        if $points < $self->{soaked} || $failed < $self->{soak_fails};
    @$self{qw(loops soaked soak_fails heartbeat)} = ($loop, $points, $failed, $record);
    return $self->_emit('heartbeat', $record, $record);
}

# A line that says how often an action was judged. The numbers of a soak add up, so the last line about an
# action counts.
sub _judged ($self, $line, $text) {
    my $judged = judged($text) // return $self->_emit('comment', $line, substr $line, 2);
    my $all = $self->{judged};
    my ($n) = grep { $all->[$_]{action} eq $judged->{action} } 0 .. $#$all;
    $all->[ $n // @$all ] = $judged if defined $n || @$all < MOST_ACTIONS;
    return $self->_emit('judged', $line, $text);
}

# The totals. The points of a soak's later loops are not in the log, so its totals may count more results and
# failures now and then.
sub _judge_totals ($self, $text, $said, $more) {
    my ($intermittent) = $more =~ /; (\d{1,7}) of the failed intermittent\b/;
    my ($unexplained) = $more =~ /; (\d{1,7}) unexplained\b/;
    my ($names) = $more =~ /; (\d{1,7}) not exercised\b/;
    my %said = (
        intermittent => ($intermittent // 0) + 0,
        unexplained  => ($unexplained  // 0) + 0,
        unexercised  => ($names        // 0) + 0
    );
    if ($self->{resumed}) {
        $self->{totals} = 1;
        return $self->_emit('totals', $text);
    }
    my $counted = $self->counts;
    my $more_said = $self->{loops} && !grep { $said{$_} < $self->{$_} } keys %said;
    return 'the totals say ' . with_doubts($said, \%said) . " and the points $counted"
        if with_doubts($said, $more_said ? $self : \%said) ne $counted;
    $self->{unexplained} = $said{unexplained};
    $self->{totals} = 1;
    return $self->_emit('totals', $text);
}

sub _judge_comment ($self, $text) {
    return $self->_judge_totals($text, $1, $2 // '')
        if $text =~ /\A# (\d{1,7} passed, \d{1,7} failed, \d{1,7} skipped of \d{1,7})([;,] .*)?\z/;
    return $self->_judged($text, $1) if $text =~ /\A# judged: (.*)\z/ && $self->{state} ne 'head';
    if ($self->{state} eq 'head' && $text =~ /\A$ATTEMPT(.+)\z/) {
        $self->{attempted} = $1;
        return $self->_emit('attempt', $text, $1);
    }
    if ($text =~ /\A# not tested: ([1-9]\d{0,6}) of \d{1,7}: (.+?); (.+)\z/
        && @{ $self->{untested} } < MOST_REASONS)
    {
        push @{ $self->{untested} }, [ $1, $2, $3 ];
        return $self->_emit('untested', $text, $1, $2, $3);
    }
    if ($text =~ /\A# not exercised: (.+?): (.+); counted (\d{1,15})\z/ && $self->{state} ne 'head') {
        push @{ $self->{not_exercised} }, { name => $1, reason => $2, counted => $3 + 0 }
            if $self->{unexercised}++ < MOST_NAMES;
        return $self->_emit('unexercised', $text, $1, $2, $3);
    }
    $self->{attempted} = undef;
    if ($self->{state} eq 'head' && $text =~ /\A# ([a-z][A-Za-z ]{0,31}): (.*)\z/) {
        my ($key, $value) = ($1, $2);
        $self->{$key} //= $value if $key eq 'build' || $key eq 'processor';
        return $self->_emit('inventory', $text, $key, $value);
    }
    $self->{state} = 'points' if $self->{state} eq 'not ok';
    $self->_note_later($text);
    return $self->_emit('sheet', $text, $1, $2, $3) if $text =~ /\A# sheet (\S+) (.+?): (.*)\z/;
    return $self->_emit('number', $text, $1, $2, $3)
        if $text =~ /\A# number (\S.*): (\d{1,20}) \(class ([a-z-]+)\)\z/;
    return $self->_emit('comment', $text, substr $text, 2);
}

# A comment after a failure in a later loop of a soak: notes the action of one that came now and then.
sub _note_later ($self, $text) {
    my ($key, $value) = $text =~ /\A#   (\w+): '(.*)'\z/;
    return $self->{later} = undef if $text !~ /\A#   /;
    return if !defined $key || !defined $self->{later};
    my $of = $self->{action_of};
    $of->{ $self->{later} } //= 'not said' if $key eq 'intermittent';
    $of->{ $self->{later} } = $value if $key eq 'action' && defined $of->{ $self->{later} };
}

sub _judge_end ($self, $text) {
    my ($summed, $word, $lines, $crc) = $text =~ /\A$END\z/ or return 'an end line of an unknown form';
    $self->{ended} = $word;
    return "the end line counts $lines lines, and these are $self->{lines}"
        if $lines != $self->{lines} && !$self->{resumed};
    return 'the CRC-32 of the end line is not that of the text before it'
        if !grep { hex $crc == crc32($summed, $_) } @{ $self->{crcs} };
    $self->_harmless;
    return $self->_emit('end', $text, $word) if $self->{resumed};
    my $points = $self->points;
    return "$points points, and $self->{planned} were planned" if $points != $self->{planned};
    return "the end comes while '$self->{announced}' runs" if defined $self->{announced};
    return 'the end comes without totals' if $points && !$self->{totals};
    my $due =
           $self->{failed} ? 'fail' : !$points
        || defined $self->{reason}
        || $word eq 'skip' && $self->doubts ne '' ? 'skip' : 'pass';
    return "the end line says $word, and the points say $due" if $word ne $due;
    return $self->_emit('end', $text, $word);
}

# ---- What the document amounts to ----

# The number of points so far.
sub points ($self) { return $self->{passed} + $self->{failed} + $self->{skipped} }

# True if the document has ended, so that no further line can belong to it.
sub closed ($self) { return defined $self->{ended} || defined $self->{bailed} }

# The first damage: [line, what, record], or undef. Lines of another program in the middle are damage as long
# as no check code has come.
sub damage ($self) {
    return $self->{damage} // (
        defined $self->{goes_on}
        ? [
            $self->{noise}[0],
            "no line of a log, and the log goes on in line $self->{goes_on}",
            $self->points + 1
            ]
        : undef
    );
}

# pass, fail, skip, incomplete or damaged, as if nothing more followed. May be called at any time.
sub verdict ($self) {
    return 'damaged' if $self->damage;
    return 'incomplete' if $self->{early};
    return $self->{ended} // 'incomplete';
}

# The reason for the verdict, in one line.
sub why ($self) {
    if (my $damage = $self->damage) {
        return "line $damage->[0], record $damage->[2]: $damage->[1]";
    }
    return
          "the state line before it says that the run has not ended: the end in line $self->{last_line} may "
        . "be an earlier run's"
        if $self->{early} && defined $self->{ended};
    if (defined $self->{ended}) {
        return $self->{reason} // 'the boot word strict, and ' . $self->doubts if $self->{ended} eq 'skip';
        my $tested =
              $self->{loops}   ? $self->soak
            : !$self->{failed} ? 'every check ' . (@{ $self->{untested} } ? 'that ran ' : '') . 'passed'
            : "$self->{failed} of $self->{planned} points failed"
            . (
            $self->{intermittent}
            ? "; $self->{intermittent} of them intermittent, by action: "
                . by_action(values %{ $self->{action_of} })
            : ''
            );
        my @untested = $self->{failed} && !$self->{loops} ? () : ($self->untested, $self->unexercised_names);
        return join '; ', grep { $_ ne '' } $tested, @untested, $self->unexplained_results;
    }
    my $where = defined $self->{announced} ? "its last words: $self->{announced}" : $self->_reached;
    my @why = defined $self->{bailed} ? "bailed out: $self->{bailed}" : "no end line; $where";
    push @why, 'in the soak: ' . $self->soak if $self->{loops};
    push @why, "line $self->{noise}[0]: $self->{noise}[1]" if $self->{noise};
    return join '; ', @why;
}

# "N of M not tested: REASON; REMEDY", for each reason; '' if all that could be tested was.
sub untested ($self) {
    return join '; ',
        map { "$_->[0] of $self->{planned} not tested: $_->[1]; $_->[2]" } @{ $self->{untested} };
}

# "N results unexplained", or '' if there are none.
sub unexplained_results ($self) {
    return $self->{unexplained} ? results($self->{unexplained}) . ' unexplained' : '';
}

# "N not exercised: NAME, NAME", or '' if there are none.
sub unexercised_names ($self) {
    my @names = map { $_->{name} } @{ $self->{not_exercised} } or return '';
    return "$self->{unexercised} not exercised: " . join ', ', @names;
}

# What a person can do something about: what was not tested, and what is unexplained, in words; '' if there is
# nothing.
sub concerns ($self) {
    return join '; ', grep { $_ ne '' } $self->untested, $self->unexplained_results;
}

# What `strict` does not accept of a run in which nothing failed, in words; '' if there is nothing.
sub doubts ($self) {
    return join '; ', grep { $_ ne '' } $self->concerns, $self->unexercised_names;
}

# How far the soak got, from its heartbeats; '' if there is none. Of vectors that failed now and then it says
# the action.
sub soak ($self) {
    return '' if !$self->{loops};
    my @actions = values %{ $self->{action_of} };
    return
          "loop $self->{loops}: $self->{soaked} point"
        . ($self->{soaked} == 1 ? '' : 's')
        . " in all, $self->{soak_fails} failed"
        . (
        @actions
        ? '; ' . @actions . ' of the failed vectors intermittent, by action: ' . by_action(@actions)
        : ''
        );
}

sub _reached ($self) {
    return 'nothing but its header, after which the PMU is tried' if !defined $self->{planned};
    return "it was about to $self->{attempted}" if defined $self->{attempted};
    return 'before the first point' if !$self->points;
    return 'after point ' . $self->points . " of $self->{planned}";
}

# What the capture holds besides the document, as sentences without a full stop.
sub remarks ($self) {
    my ($lines, $first) = @$self{qw(foreign first_foreign)};
    return
        @{ $self->{remarks} },
        $lines == 0   ? ()
        : $lines == 1 ? "line $first is of another program, and left out"
        :   "$lines lines of other programs between its lines are left out, the first in line $first";
}

# The points in words, in the form of the totals line.
sub counts ($self) {
    return 'no points planned' if !defined $self->{planned};
    my ($resumed, $line) = ($self->{resumed}, ($self->{damage} // [])->[0]);
    my @after = map { $self->{$_} } qw(passed failed skipped);
    my @to = $resumed ? @$resumed : @after;
    $after[$_] -= $to[$_] for 0 .. 2;
    return with_doubts("$to[0] passed, $to[1] failed, $to[2] skipped of $self->{planned}", $self)
        . (
        $resumed
        ? " up to the damage in line $line; behind it $after[0] passed, $after[1] failed, $after[2] skipped"
        : ''
        );
}

# The points in words, what of them is intermittent and unexplained, and how much was not exercised.
sub with_doubts ($points, $of) {
    return join '; ', $points, $of->{intermittent} ? "$of->{intermittent} of the failed intermittent" : (),
        $of->{unexplained}                         ? "$of->{unexplained} unexplained"                 : (),
        $of->{unexercised}                         ? "$of->{unexercised} not exercised"               : ();
}

1;
