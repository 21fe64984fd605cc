#!/usr/bin/perl
# Bad input: p4sim's arguments, the kernel file, the boot line. Each is refused with status 2 and one line
# that says what is wrong and what is allowed.
use lib 'tests/image';
use ImageTest;

# p4sim must refuse these arguments before it runs anything.
sub refused ($title, $message, @arguments) {
    my $run = p4sim(@arguments);
    subtest $title => sub {
        ends(
            $run, 2, 'it says what was wrong and what is allowed, with no serial output',
            err => $message,
            out => qr/\A\z/
        );
        ok one_line($run->{err}), 'one line on standard error' or diag $run->{err};
    };
}

is p4sim('--version')->{out} =~ s/\n.*//sr,
    'p4sim (pmuproof) ' . slurp('build/version') =~ s/\n//r . ', build ' . slurp('build/build-id') =~ s/\n//r,
    '--version';

like p4sim('only=state.cccr')->{out}, end_line('pass'), 'no kernel: the one that was built with it';
is run(1, 'cp', $P4SIM, "$dir/alone")->{status}, 0, 'a copy of p4sim';
like run(1, "$dir/alone")->{err}, qr/\Ap4sim: there is no pmuproof\.elf beside p4sim; name the KERNEL/,
    'which has none beside it';
refused 'an unknown option', qr/--nonsense; see --help$/, '--nonsense', $ELF;
refused 'an option that is nearly right', qr/--fualt; did you mean --fault\?$/, '--fualt', $ELF;
for my $word (
    'once-in=1', 'once-in=1000001', 'once-in=', 'once-in=2x',
    'once-in=-2', 'once-in=20,seed=4294967296', 'once-in=20,seed=x'
    )
{
    my ($bad) = $word =~ /([^,]*)\z/;
    refused "a rate that p4sim does not have: $word",
        qr/\A\Qp4sim: --fault ovf-missing-1,$word: $bad: allowed is \E/, '--fault', "ovf-missing-1,$word",
        $ELF;
}
refused 'a misspelt rate', qr/'onc-in': allowed are while=CONDITION, .*once-in=N/, '--fault',
    'ovf-missing-1,onc-in=20', $ELF;
refused 'a seed without a rate', qr/seed=S belongs to once-in=N/, '--fault', 'ovf-missing-1,seed=2', $ELF;
refused 'a misspelt fault', qr/--fault ovf-mising-1: no such fault; .*did you mean ovf-missing-1/, '--fault',
    'ovf-mising-1,once-in=20', $ELF;
refused 'an unknown processor', qr/0F99: no such cpu; see --cpu list; did you mean 0F/, '--cpu', '0F99', $ELF;
refused 'a processor that is no signature', qr/pentium4: no such cpu; see --cpu list/, '--cpu', 'pentium4',
    $ELF;
refused 'an unknown word for --ht', qr/maybe.*on.*off/, '--ht', 'maybe', $ELF;
refused 'an unknown variant', qr/sideways/, '--variant', 'sideways', $ELF;

for my $limit (qw(0 -1 +5 many 1x), '', '99999999999999999999999') {
    refused "--limit '$limit'", qr/limit.*\Q$limit\E/, '--limit', $limit, $ELF;
}
refused "--noise '$_'", qr/noise.*\Q$_\E/, '--noise', $_, $ELF for qw(-1 x 4294967296 1.5), '';
refused "--timing '$_'", qr/timing.*\Q$_\E.*kind.*typical.*seed/, '--timing', $_, $ELF
    for qw(cheap -1 4294967296 7x), '';
refused 'a boot line beyond the limit', qr/boot line.*1023/, $ELF, 'x' x 1024;
refused 'a file that is not there', qr/nowhere\.elf.*No such file/, "$dir/nowhere.elf";
refused 'a directory', qr/\Q$dir\E.*not a regular file/, "$dir";

my $image = slurp($ELF);
refused 'an empty file', qr/empty\.elf.*ELF/, file('empty.elf', '');
refused 'text', qr/text\.elf.*ELF/, file('text.elf', "not a kernel\n" x 1000);
refused 'an ELF for 64 bits', qr/ELF/, $P4SIM;

# tests/host/sim/loader_test.c cuts a file at every byte.
for my $length (1, 51, int(length($image) / 2)) {
    refused "the kernel cut to $length bytes",
        qr/cut\.elf.*(?:ELF|truncated|multiboot|short|end of the file)/i,
        file('cut.elf', substr $image, 0, $length);
}
(my $headless = $image) =~ s/\x02\xB0\xAD\x1B/\0\0\0\0/g;
refused 'a kernel without a multiboot header', qr/headless\.elf.*multiboot/i, file('headless.elf', $headless);

subtest 'a limit that is too small keeps the serial output' => sub {
    my $whole = p4sim('--stats', $ELF, 'only=access', 'skip=access.drawn');
    my ($instructions) = $whole->{err} =~ /(\d+) instructions/;
    my $half = int $instructions / 2_000_000;
    my $run = p4sim('--limit', $half, $ELF, 'only=access', 'skip=access.drawn');
    ends($run, 2, 'it names the limit', err => qr/limit of $half million/);
    ok one_line($run->{err}), 'one line on standard error' or diag $run->{err};
    cmp_ok length $run->{out}, '>', 0, 'there is output';
    ok index($whole->{out}, $run->{out}) == 0, 'and it is the beginning of the whole log';
};

# The boot line: the refusal of an unknown word lists all words, that of a wrong value lists the values of its
# word. tests/host/kernel/options_test.c has every wrong word.
my @refused_words = (
    [
        'bogus' =>
            qr/console=.*exit=.*only=.*skip=.*quick.*thorough.*list.*inventory.*quiet.*verbose.*brief.*loop=.*timeout=.*stop-on-fail.*watchdog.*logfile=.*selftest=/
    ],
    [ 'x' x 900             => qr/xxx\.\.\.'.*console=.*exit=.*only=.*skip=.*list.*quiet.*selftest=/ ],
    [ "caf\xC3\xA9"         => qr/console=.*exit=.*only=.*skip=.*list.*quiet.*selftest=/ ],
    [ 'only='               => qr/only=PATTERN/ ],
    [ 'exit=explode'        => qr/'exit=explode'.*exit=halt\|reboot\|off(?!\|)/ ],
    [ 'selftest=nonsense'   => qr/selftest=fail\|many\|late\|slow\|dead/ ],
    [ 'console=ttyS9'       => qr/console=auto\|ttyS0\.\.ttyS3\|0xPORT\|pci/ ],
    [ 'only=no.such.vector' => qr/'only=no\.such\.vector' matches no vector; allowed: an id, .*list prints/ ],
    [ 'only=state,R99'      => qr/'only=R99' matches no vector; allowed: /, 'R99' ],
    [ 'skip=state,cascde'   => qr/'skip=cascde' matches no vector; allowed: /, 'cascde' ],
);
for my $case (@refused_words) {
    my ($word, $allowed, $wrong) = @$case;    # the wrong part, if it is not the whole word
    (my $shown = substr $word, 0, 20) =~ s/[^ -~]/?/g;
    $wrong //= $shown;
    subtest "the boot word '$shown'" => sub {
        my $run = p4sim($ELF, $word);
        my $log = document($run->{out});
        my ($parser, @tests) = results($log);
        my ($bail) = $log =~ /^Bail out! ([^\r\n]*)/m;
        is $run->{status}, 2, 'status 2';
        ok one_line($run->{err}), 'one line on standard error' or diag $run->{err};
        like $bail, qr/\Q$wrong\E/, 'Bail out! names the word';
        like $bail, $allowed, 'and what is allowed';
        is scalar(grep { !$_->is_ok } @tests), 1, 'after one not ok';
        is_deeply [ $parser->parse_errors ], [], 'TAP::Parser has no complaint';
    };
}

# Loaders, and p4sim, put the path of the kernel before the boot words. It is no boot word, even if it looks
# like one.
my $plain = p4sim($ELF, 'only=cascade.18-1');
is $plain->{status}, 0, 'the vectors of Example 18-1 alone pass';
for my $name ('kernel.elf', 'list', 'bogus', 'exit=reboot') {
    my $run = p4sim(file($name, $image), 'only=cascade.18-1');
    is $run->{status}, 0, "the loader's '$name' is ignored";
    is_deeply [ $run->{out} =~ /^(?:not )?ok \d+ - \S+/mg ], [ $plain->{out} =~ /^(?:not )?ok \d+ - \S+/mg ],
        'and changes no result';
}

# The same without a path before it, as mboot.c32 and `qemu -kernel` pass it, too.
for my $name ('pmuproof', 'PMUPROOF.ELF.gz', 'list', 'exit=reboot') {
    file($name, $image);
    my $run = run(20, 'sh', '-c', 'p4sim=$(readlink -f "$1") && cd "$2" && shift 2 && exec "$p4sim" "$@"',
        'sh', $P4SIM, $dir, $name, 'only=state.cccr');
    ends($run, 0, "'$name' alone is ignored", out => qr/^# boot line: \Q$name\E only=state\.cccr\r$/m);
}

# The same with the name of its folder.
mkdir "$dir/a folder" or die "cannot make a folder: $!";
my $far = p4sim(file('a folder/kernel list', $image), 'only=state.cccr');
ends(
    $far, 0,
    'blanks in the path are no word, no blanks in the boot line',
    out => qr/^# boot line: \S+\/a_folder\/kernel_list only=state\.cccr\r$/m
);

# The limit is simulated time, so the load of this machine does not matter.
subtest 'a boot line that is longer than a line of the log' => sub {
    my $log = p4sim($ELF, 'only=state.cccr', ('quiet') x 150)->{out};
    like $log, qr/^# boot line: \S+ only=state\.cccr (?:quiet )+.*\.\.\.\r$/m, 'ends in dots there';
    like $log, end_line('pass'), 'and does what it says';
};

subtest 'a machine without a UART' => sub {
    my ($with, $without) = map { p4sim(@$_, '--stats', $ELF, 'only=access', 'skip=access.drawn') } [],
        ['--no-uart'];
    my ($clocks_with, $clocks_without) = map { $_->{err} =~ /(\d+) clocks/ } $with, $without;
    is $without->{out}, '', 'nothing on the serial line';
    is $without->{status}, $with->{status}, 'the same verdict';
    cmp_ok $clocks_without, '<=', $clocks_with, 'and no delay';
};

subtest 'a run that tests nothing says why' => sub {
    my %reason = (
        'vectors are listed, none is run (boot word list)'   => [ $ELF, 'list' ],
        'the counter registers drop what is written to them' =>
            [ qw(--board msr-zero --board hypervisor), $ELF ]
    );
    like p4sim(@{ $reason{$_} })->{err}, qr/^p4sim: skip: the PMU was not tested: \Q$_\E$/m, $_
        for sort keys %reason;
};

done_testing;
