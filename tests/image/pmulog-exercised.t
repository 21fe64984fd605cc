#!/usr/bin/perl
# What was not exercised, in every command of tools/pmulog that says it, and in p4sim's last line: a pass that
# is none for strict. The logs are as docs/log.md has them; the image's own come from parts whose queues stay
# short, and from a dead queue.
use lib 'tests/image';
use ImageTest;
use JSON::PP ();
use CheckedLog qw(checked judge);

sub pmulog { return tool(1, 'tools/pmulog', @_) }
sub json   { return JSON::PP->new->decode(pmulog(@_)->{out}) }

my @point = ('1..1', 'ok 1 - a.b');
my @lines = (
    '# not exercised: bnr: nobody says: what it counts; counted 7',
    '# not exercised: WC_Buffer WCB_HITM_EVICT: no source; counted 0'
);
my $totals = '# 1 passed, 0 failed, 0 skipped of 1';
my $left = file('left', checked(@point, @lines, "$totals; 2 not exercised", 'END pass'));
my $whole = file('whole', checked(@point, $totals, 'END pass'));

subtest 'check' => sub {
    ends(
        pmulog('check', $left),
        0,
        'a pass',
        out =>
            qr/: pass: 1 passed, 0 failed, 0 skipped of 1; 2 not exercised; every check passed; 2 not exercised: bnr, WC_Buffer WCB_HITM_EVICT; build .*\npass: 1 boot in 1 file\n\z/
    );
    ends(
        pmulog(qw(check --strict), $left),
        77,
        'and none with --strict',
        out => qr/^skip: 1 boot in 1 file; so it is no pass for --strict\n\z/m
    );
    ends(pmulog(qw(check --strict), $whole), 0, 'as a whole one is');
    ends(
        pmulog('check', file('strict', checked(@point, @lines, "$totals; 2 not exercised", 'END skip'))),
        77,
        'the boot word strict',
        out => qr/; the boot word strict, and 2 not exercised: bnr, WC_Buffer WCB_HITM_EVICT; /
    );
    is_deeply json(qw(check --json), $left)->{boots}[0]{not_exercised},
        [
        { name => 'bnr', reason                      => 'nobody says: what it counts', counted => 7 },
        { name => 'WC_Buffer WCB_HITM_EVICT', reason => 'no source', counted                   => 0 }
        ],
        'JSON: what, why, and what it counted';
    like pmulog(qw(check --csv), $left)->{out},
        qr/\A.*,not_exercised\n.*,"bnr; WC_Buffer WCB_HITM_EVICT"\n\z/, 'CSV';
    is + (judge(checked(@point, @lines, "$totals$_", 'END pass')))[0], 'damaged',
        "totals$_ are not those of two lines"
        for '', '; 1 not exercised', '; 3 not exercised';
    is + (judge(checked(@point, "$totals; 1 not exercised", 'END pass')))[0], 'damaged',
        'nor can a line be missing';
    ends(
        pmulog(
            'check',
            file(
                'failed',
                checked(
                    '1..1', 'not ok 1 - a.b',
                    @lines, '# 0 passed, 1 failed, 0 skipped of 1; 2 not exercised',
                    'END fail'
                )
            )
        ),
        1,
        'a failure counts more'
    );
};

subtest 'explain, html, junit' => sub {
    like pmulog('explain', $left)->{out},
        qr/^These were not exercised, so the run says nothing about them:\n  bnr: nobody says: what it counts; counted 7\n/m,
        'explain';
    like pmulog('html', $left)->{out},
        qr{class="banner pass".*<h2 id="exercised-title">What was not exercised</h2>.*<tr><th scope="row">bnr</th><td>nobody says: what it counts</td><td>7</td></tr>}s,
        'html';
    unlike pmulog('html', $whole)->{out}, qr/not exercised/, 'nothing of a run that left nothing';
    like pmulog('junit', $left)->{out},
        qr{<system-out>pass: .*2 not exercised: bnr, WC_Buffer WCB_HITM_EVICT</system-out>}, 'junit';
};

subtest 'the image' => sub {
    my @queues = ($ELF, 'only=filter.sum,filter.values.12', 'brief');
    my $short = p4sim('--cpu', '0F12', @queues);
    ends(
        $short, 0,
        'queues that stay short: a pass',
        err => qr/^p4sim: pass: every check passed; 1 not exercised$/m
    );
    like $short->{out},
        qr/^# not exercised: values of the bus queues above 12: how full .* \(10\.20\); counted 0\r$/m,
        'that names the values';
    ends(
        p4sim('--cpu', '0F12', @queues, 'strict'),
        77,
        'no pass for strict',
        err => qr/^p4sim: skip: too little was tested \(strict\): 1 not exercised$/m
    );
    for my $case ([ FSB => 'ioq' ], [ BSU => 'bsq' ]) {
        my ($unit, $queue) = @$case;
        ends(
            p4sim('--fault', "route-dead-${unit}_ESCR1", @queues),
            1,
            "a dead $queue fails",
            out => qr/^not ok \d - filter\.sum\.$queue /m
        );
    }
    my $dead = p4sim('--variant', 'ccr1-enable-dead', $ELF, 'only=overflow.nth.1', 'brief');
    ends($dead, 0, 'counter 1 with erratum E4', out => qr/^# not exercised: counter 1: .*; counted 0\r$/m);
    unlike $dead->{out}, qr/# SKIP/, 'and no SKIP';
};

done_testing;
