# Small kernels of random code, for step.t: whatever p4sim must account the same in whole blocks as instruction by instruction.
package RandomKernel;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(random_kernel random_options);

# The kernel has a frame that is always the same (frame(), below) and a body of random code: a few loops, some within others,
# of random straight-line code. Within the body
#   EAX, EBX, EDX, ESI, EDI  are anything, and DF is clear;
#   EBP, ECX                 count loops: outer ones in EBP, inner ones in ECX, others in memory;
#   FS                       is not used.
# A handler skips instructions that fault. The body ends with INT END_VECTOR. The frame then writes to COM1 what the body left.

my $DATA_DWORDS = 1024;
my $BUDGET      = 20_000;        # instructions of an outermost loop, roughly, without those in handlers and REP
my $APIC        = 0xFEE00000;

# Events that happen in such code: ESCR, ESCR select, its first counter, event, mask bits to choose from.
my @EVENTS = (
    [ 0x3A2, 6, 0,  0x13, 0x1 ],       # global_power_events
    [ 0x3B8, 4, 12, 0x02, 0xF ],       # instr_retired
    [ 0x3B8, 4, 12, 0x01, 0x3 ],       # uops_retired
    [ 0x3B8, 4, 12, 0x03, 0x1 ],       # mispred_branch_retired
    [ 0x3B8, 4, 12, 0x07, 0x3 ],       # instr_completed
    [ 0x3CC, 5, 12, 0x06, 0xF ],       # branch_retired
    [ 0x3CC, 5, 12, 0x02, 0x45 ],      # machine_clear
    [ 0x3CC, 5, 12, 0x08, 0x3 ],       # front_end_event
    [ 0x3CC, 5, 12, 0x0C, 0xFF ],      # execution_event
    [ 0x3CC, 5, 12, 0x09, 0x3 ],       # replay_event
    [ 0x3BC, 2, 12, 0x02, 0x6 ],       # uop_type
    [ 0x3CA, 1, 12, 0x01, 0x20 ],      # resource_stall
    [ 0x3C0, 0, 4,  0x09, 0x7 ],       # uop_queue_writes
    [ 0x3C0, 0, 4,  0x05, 0x1 ],       # tc_ms_xfer
    [ 0x3C4, 1, 4,  0x01, 0xFF ],      # TC_deliver_mode
    [ 0x3C2, 2, 4,  0x04, 0x1E ],      # retired_branch_type
    [ 0x3C2, 2, 4,  0x05, 0x1E ],      # retired_mispred_branch_type
    [ 0x3B2, 0, 0,  0x03, 0x1 ],       # BPU_fetch_request
    [ 0x3B6, 3, 0,  0x18, 0x7 ],       # ITLB_reference
    [ 0x3A4, 1, 8,  0x04, 0x8000 ],    # x87_FP_uop
    [ 0x3A4, 1, 8,  0x08, 0x8000 ],    # packed_SP_uop
    [ 0x3AE, 2, 8,  0x08, 0x6 ],       # memory_complete
);

# Those that few instructions have, so that blocks go on.
my @RARE = map { $EVENTS[$_] } 3, 6, 11, 13, 16, 18, 19, 20;

my ($labels, @subs, $based, $ring3);
our $passes;     # what counts the loop around
our $wild;       # how likely a piece of code is one that p4sim has to look at

sub any   { return int rand $_[0] }                 # 0 to n - 1
sub one   { return $_[ rand @_ ] }                  # one of these
sub odds  { return rand() < $_[0] }
sub label { return sprintf 'l%d', $labels++ }
sub word  { return any(0x10000) << 16 | any(0x10000) }
sub reg   { return one(qw(eax ebx edx esi edi)) }
sub at    { return sprintf 'data + %d', any($DATA_DWORDS * 4 - 64) }
sub code  { return $based ? "$_[0] - CODE_BASE" : $_[0] }    # what EIP is at a label

# An operand in memory; the lines that must come before it go to the list.
sub memory {
    my ($before) = @_;
    return '[' . at() . ']' if odds(0.5);
    my $index = reg();
    push @$before, 'and ' . $index . sprintf ', %d', $DATA_DWORDS / 2 - 1;
    return sprintf '[data + %s * 4 + %d]', $index, any($DATA_DWORDS);
}

# ---- Straight-line code: each function returns lines ----

sub arithmetic {
    my ($to, $from) = (reg(), reg());
    return one(
        "add $to, $from", "sub $to, $from", "xor $to, $from", "adc $to, " . any(99), "imul $to, $from", "lea $to, [$from + $to * 4 + 3]",
        "mov $to, $from", sprintf('mov %s, %d', $to, word()), "inc $to", "dec $to", "neg $to", "rol $to, " . (1 + any(30)),
        "shr $to, 3", "bswap $to", "xchg $to, $from", "setc al", "movzx $to, bl", 'cdq', 'nop', "test $to, $from", "mul $from", 'pushfd', 'lahf'
    ) =~ s/^pushfd$/pushfd\npop edi/r;
}

sub load_store {
    my @lines;
    my $memory = memory(\@lines);
    my $reg = reg();
    push @lines, one("mov $reg, $memory", "mov $memory, $reg", "mov $memory, $reg", "add $memory, $reg", "xor $reg, $memory",
        "mov byte $memory, al", "inc dword $memory", "mov word $memory, dx", "movzx $reg, byte $memory", "xchg $reg, $memory", "cmp $reg, $memory");
    return @lines;
}

sub stack { my @regs = map { reg() } 0 .. any(3); return ((map { "push $_" } @regs), (map { "pop $_" } reverse @regs)) }

sub floating {
    return one(
        [ 'fld dword [' . at() . ']', one('fadd st0, st0', 'fmul st0, st0', 'fld1', 'fchs'), 'fninit' ],
        [ 'fild dword [' . at() . ']', 'fadd dword [' . at() . ']', 'fstp dword [' . at() . ']' ],
        ['addps xmm0, xmm1'], ['paddd xmm1, [data + 16]'], [ 'cvtsi2ss xmm2, ' . reg() ], ['mulps xmm2, [data + 64]'],
        ['movups [' . at() . '], xmm1'], [ 'movd xmm1, ' . reg() ], [ 'movd ' . reg() . ', xmm0' ], ['mulss xmm0, xmm2'],
        [ 'movq mm0, [' . at() . ']', 'paddw mm1, mm0', 'movq [' . at() . '], mm1', 'emms' ]
    )->@*;
}

sub strings {
    return ('push ecx', 'mov ecx, ' . any(70), 'lea esi, [' . at() . ']', sprintf('mov edi, copy + %d', any(64)),
        one('rep movsd', 'rep movsb', 'rep stosd', 'rep stosb', 'repe cmpsb', 'lodsd', 'stosd', 'repne scasb'), 'pop ecx');
}

sub branches {
    my ($label, $next) = (label(), label());
    my $condition = one(qw(z nz c nc s ns o p));
    my $test = one('test ' . reg() . ', ' . one(1, 3, 0x80000000), 'test ebp, ' . one(1, 3, 7), 'test ecx, ' . one(1, 15), 'cmp ' . reg() . ', ' . reg());
    return one(
        sub { ($test, "j$condition $label", some(1 + any(3)), "$label:") },
        sub { ($test, "j$condition $next",  "$next:") },
        sub { ("jmp $label", one('int3', 'ud2', 'dd 0'), "$label:") },
        sub { @subs ? 'call ' . one(@subs) : 'nop' },
        sub { @subs ? ('mov eax, ' . code(one(@subs)), 'call eax') : 'nop' },
        sub { ('mov esi, ebx', 'and esi, 1', "jmp [$next + esi * 4]", 'align 4', "$next: dd " . code($label) . ', ' . code("$label.2"), "$label: inc eax", "$label.2:") },
        sub { ('push dword ' . code($label), 'ret', "$label:") }
    )->();
}

sub slow { return one('pause', 'rdtsc', 'rdtsc', 'mfence', 'lock inc dword [data]', 'cpuid_kept', 'in_out') }

sub faults {
    return one(
        [ 'xor edx, edx', 'mov esi, ebx', 'or esi, 1', 'div esi' ],
        [ 'xor edx, edx', "mov esi, $passes", 'sub esi, byte ' . (1 + any(9)), 'div esi' ],
        [ load_store(), "mov esi, $passes", 'and esi, byte 31', 'xor edx, edx', 'div esi' ],
        [ rarely('ud2') ], [ rarely('int ' . one(3, 66, 67)) ], [ rarely('push ecx', 'mov ecx, 0FFFFh', 'rdmsr', 'pop ecx') ]
    )->@*;
}

# Only in a few passes of a loop.
sub rarely {
    my $label = label();
    return ("test $passes, " . one(15, 31, 63), "jnz near $label", @_, "$label:");
}

sub interrupts { return one(['cli'], ['sti'], [ 'cli', some(2), 'sti' ], [ 'pushfd', some(1), 'popfd' ])->@* }

sub apic {
    my $name = one(0x20, 0x30, 0x80, 0x390, 0x340, 0xF0, 0x320);
    return one(
        [ sprintf 'mov eax, [0%XH]', $APIC + $name ],
        [ sprintf 'mov dword [0%XH], %d', $APIC + 0x80, one(0, 0, 0x20, 0xF0) ],
        [ sprintf 'mov dword [0%XH], %d', $APIC + 0x380, 100 + any(30_000) ],
        [ rarely(sprintf 'mov dword [0%XH], 44042H', $APIC + 0x300) ],
        [ rarely(sprintf 'mov dword [0%XH], 0', $APIC + 0xB0) ],
        [ sprintf 'mov dword [0%XH], 4%XH', $APIC + 0x340, one(0, 0, 0x4000) ]
    )->@*;
}

# An access through a register to plain memory, but in a few passes of the loop to code, next to it, or to the local APIC: the
# block is then one that is known and has executed as a whole before.
sub stray {
    my ($label, $end) = (label(), label());
    my $data_near = odds(0.4);
    my $to = odds(0.25) ? sprintf '0%XH', $APIC + one(0x80, 0x390, 0x20) : @subs && odds(0.5) ? one(@subs) . one('.patch + 1', '.near') : "$label + 1";
    my $access = $to =~ /H$/ ? one('mov eax, [esi]', 'mov [esi], edx', 'add eax, [esi]') : one('mov [esi], al', 'add [esi], cl', 'inc byte [esi]');
    return ("test $passes, " . one(15, 31, 63), 'mov esi, ' . at(), "mov edi, $to", 'cmovz esi, edi', ($access =~ /edx/ ? 'and edx, 30h' : ()),
        $access, (map { arithmetic() } 1 .. any(4)), one('', "jmp short $label"), "$label: mov dl, 0") if !$data_near || $to =~ /H$|sub/;
    return ("test $passes, " . one(15, 31, 63), 'mov esi, ' . at(), "mov edi, $label", 'cmovz esi, edi', one('mov [esi], eax', 'inc dword [esi]'), arithmetic(),
        "jmp short $end", "$label: dd 0", "$end:");
}

# Stores next to code that runs, and into it.
sub modify {
    my ($label, $data) = (label(), label());
    my $between = any(3);
    my @change = one(
        [ "mov [$label + 1], al", some($between), "$label: mov dl, 0" ],
        [ "mov [$label + 1], ebx", some($between), "$label: mov esi, 0" ],
        [ "mov eax, ebp", 'and al, 8', 'or al, 40h', "mov [$label], al", some($between), "$label: inc eax" ],
        [ "$label: mov esi, 12345678h", some($between), "mov [$label + 2], cl" ],
        [ "inc dword [$data]", "jmp $label", "$data: dd 0", "$label:" ],
        [ "mov [$data], ecx", "jmp $label", 'align 1024', "$data: dd 0", "$label:" ],
        [ "mov ebx, [$data]", "jmp $label", "$data: dd 99", "$label:" ],
        [ "mov byte [$label + 1], 0", "$label: jmp short $data", "$data:" ],
        map { [ "mov [$_.patch + 1], cl", "call $_" ], [ "mov [$_.near], cl" ], [ "inc byte [$_.patch + 1]", 'nop', "call $_" ] } @subs ? one(@subs) : ()
    )->@*;
    return odds(0.85) ? rarely(@change) : @change;
}

sub wrmsr {
    my ($msr, $low, $high) = @_;
    return (sprintf('mov ecx, %d', $msr), sprintf('mov eax, %d', $low), sprintf('mov edx, %d', $high // 0), 'wrmsr');
}

# Program a counter: mostly an event that happens, near its overflow.
sub program {
    my ($escr, $select, $counter, $event, $mask) = (odds(0.6) ? one(@RARE) : one(@EVENTS))->@*;
    if (odds(0.1)) { $event = any(64); $mask = any(0x10000) }
    if (odds(0.5)) { $escr++; $counter += 2 }
    $counter += any(2) if odds(0.5);
    $counter = one(16, 17) if $counter >= 12 && odds(0.1);
    my $cccr = 1 << 12 | $select << 13 | 3 << 16;
    $cccr = $cccr & ~(3 << 16) | any(4) << 16 if odds(0.1);
    $cccr |= 1 << 18 | any(2) << 19 | one(0, 0, 1, 2, 15) << 20 | any(2) << 24 if odds(0.3);
    $cccr |= 1 << 25 if odds(0.1);
    $cccr |= 1 << 26 if odds(0.5);
    $cccr |= 1 << 30 if odds(0.15);
    $cccr &= ~(1 << 12) if $cccr & 1 << 30 && odds(0.7);
    $cccr |= 1 << 11 if odds(0.05);
    my $who = one(0xC, 0xC, 0xC, 4, 8, 0xF);
    my $escr_value = $event << 25 | ($mask & (odds(0.7) ? 0xFFFF : any(0x10000))) << 9 | $who;
    $escr_value |= any(16) << 5 | 1 << 4 if odds(0.15);
    my $preset = odds(0.7) ? 0xFFFFFFFF - any(one(10, 200, 5000, 50_000)) : any(100);
    my @lines = (wrmsr($escr, $escr_value), wrmsr(0x300 + $counter, $preset, $preset > 100 ? 0xFF : 0), wrmsr(0x360 + $counter, $cccr));
    return ('push ecx', (odds(0.2) ? reverse_groups(@lines) : @lines), 'pop ecx');
}

# Count floating-point and SIMD uops, which execute in an order that chance decides, and something to which each clock matters:
# clocks up to an overflow, or clocks without an event.
sub program_uops {
    my $uops = one(0x02, 0x04, 0x08, 0x0A, 0x1A);    # 64bit_MMX_uop, x87_FP_uop, packed_SP_uop, scalar_SP_uop, 128bit_MMX_uop
    my $clocks = one(1 << 12 | 6 << 13 | 3 << 16 | 1 << 26, 1 << 12 | 6 << 13 | 3 << 16 | 1 << 18 | 1 << 19 | 1 << 24);
    return ('push ecx', wrmsr(0x3A4, $uops << 25 | 1 << 24 | 0xC), wrmsr(0x368, 1 << 12 | 1 << 13 | 3 << 16),
        wrmsr(0x3A2, 0x13 << 25 | 1 << 9 | 0xC), wrmsr(0x300, 0xFFFFFFFF - any(2000), 0xFF), wrmsr(0x360, $clocks), 'pop ecx');
}

# The three WRMSRs the other way round, so that the counter already counts.
sub reverse_groups { return @_[ 8 .. 11, 4 .. 7, 0 .. 3 ] }

sub pmu {
    return one(
        sub { program() }, sub { program() }, sub { rarely(program()) }, sub { rarely(program()) },
        sub { ('push ecx', 'mov ecx, ' . any(18),           'rdpmc', 'pop ecx', 'add ebx, eax') },
        sub { ('push ecx', 'mov ecx, ' . (0x300 + any(18)), 'rdmsr', 'pop ecx', 'add ebx, eax') },
        sub { rarely('push ecx', wrmsr(0x360 + any(18), 3 << 16), 'pop ecx') }
    )->();
}

sub paging { return ('mov eax, cr0', 'xor eax, 80000000h', 'mov cr0, eax') }

my @PLAIN = ((\&arithmetic) x 10, (\&load_store) x 8, (\&stack) x 2, (\&branches) x 5, \&floating);
my @WILD  = (\&strings, \&slow, (\&faults) x 2, \&interrupts, (\&apic) x 3, (\&modify) x 2, (\&stray) x 4, (\&pmu) x 2);

# So many pieces of code.
sub some {
    my ($count) = @_;
    return map { (odds($wild) ? one(@WILD) : one(@PLAIN))->() } 1 .. $count;
}

# ---- Loops ----

# A loop at this depth: 0 outermost, 2 innermost, that executes roughly so many instructions at most.
sub a_loop {
    my ($depth, $budget) = @_;
    my ($label, $counter, $data) = (label(), label(), label());
    local $wild = one(0, 0, 0.05, 0.1, $wild);
    my $in_memory = odds(0.3);
    local $passes = $in_memory ? "dword [counters + $depth * 4]" : $depth < 2 ? 'ebp' : 'ecx';
    my @inside = some(any(one(4, 12, 12, 30, 120)));
    @inside = map { one(\&arithmetic, \&arithmetic, \&load_store)->() } 1 .. 80 + any(200) if odds(0.06); # more than p4sim translates at once
    if (odds(0.6)) {    # something once in a while, in a loop of plain code
        my @once = odds(0.3) ? one(@WILD)->() : odds(0.4) ? stray() : rarely(one(@WILD, (\&modify) x 4, (\&faults) x 2)->());
        @inside = odds(0.5) ? (@inside, @once) : (@once, @inside);
    }
    my $times = 2 + any($depth == 0 ? 40 : one(40, 100, 300, 2000));
    my $most = 2 + int $budget / (@inside + 2);
    $times = $most if $times > $most;
    @inside = (@inside, (map { a_loop($depth + 1, $budget / $times / 2) } 1 .. 1 + any(2)), some(any(6))) if $depth < 2 && odds($depth ? 0.4 : 0.8);
    my @start = odds(0.1) ? ("jmp $label", one('align 4096', 'times 4096 - 3 - ($ - $$) % 4096 nop')) : odds(0.3) ? 'align 16' : ();
    return ("mov dword [$counter], $times", @start, "$label:", @inside, "dec dword [$counter]", "jnz near $label", "jmp near $data", "$counter: dd 0", "$data:")
      if $in_memory && $depth == 2 && odds(0.2);
    return ("mov dword [counters + $depth * 4], $times", @start, "$label:", @inside, "dec dword [counters + $depth * 4]", "jnz near $label")
      if $in_memory;
    return ('push ebp', "mov ebp, $times", @start, "$label:", @inside, 'dec ebp', "jnz near $label", 'pop ebp') if $depth < 2;
    return ('push ecx', "mov ecx, $times", @start, "$label:", @inside, one([ 'dec ecx', "jnz near $label" ], [ "loop $counter", "jmp short $data", "$counter: jmp near $label", "$data:" ], [ 'sub ecx, byte 1', "ja near $label" ])->@*, 'pop ecx');
}

sub a_sub {
    my ($name) = @_;
    local $wild = one(0, 0, 0.1);
    local $passes = 'ecx';
    return ("$name:", some(any(5)), "$name.patch: mov dl, 0", some(any(3)), 'ret', "$name.near: nop");
}

# ---- The kernel ----

# The source of the kernel with this seed, for nasm.
sub random_kernel {
    my ($seed) = @_;
    srand $seed;
    ($labels, $wild, $passes, @subs) = (0, 0.3, 'ebp');
    ($based, $ring3) = (odds(0.15), odds(0.25));
    my $paged = odds(0.04);
    my @ends = map { ($_, a_sub($_)) } ();
    for my $name (map { "sub$_" } 0 .. 3) {
        push @ends, a_sub($name);    # which calls only those before
        push @subs, $name;
    }
    my @body = map {
        my @loop = ((odds(0.3) ? program() : odds(0.15) ? program_uops() : ()), a_loop(0, $BUDGET));
        odds(0.05) ? (paging(), @loop, paging()) : @loop;
    } 0 .. 5 + any(10);
    my $frame = frame();
    my %value = (
        SEED => $seed, BASED => $based ? 1 : 0, RING => $ring3 ? 3 : 0, PAGED => $paged ? 1 : 0, NMI => odds(0.2) ? 1 : 0,
        IF => odds(0.8) ? 0x200 : 0, PERIODIC => odds(0.5) ? 0x20000 : 0, TIMER => one(0, 300 + any(5000), 5000 + any(100_000)), DIVIDE => one(0xB, 0, 3),
        PRESET => any(2000),
    );
    $frame =~ s/\@(\w+)\@/$value{$1} \/\/ die $1/ge;
    my $body = join "\n", map { /:/ ? $_ : "        $_" } map { split /\n/ } @body, 'int END_VECTOR', @ends;
    $body =~ s/^\s*cpuid_kept$/        push ebx\n        push ecx\n        cpuid\n        pop ecx\n        pop ebx/mg;
    $body =~ s/^\s*in_out$/        mov dx, 80h\n        in al, dx/mg;
    $frame =~ s/^; THE BODY$/$body/m;
    return $frame;
}

# Options of p4sim that go with the seed.
sub random_options {
    my ($seed) = @_;
    srand $seed + 1_000_000;
    my @options = ('--cpu', one(qw(0F43 0F43 0F29 0F0A 0F12 0F24 0F34 0F62)));
    push @options, '--timing', one('kind', any(1000)) if odds(0.5);
    push @options, '--noise', any(1000) if odds(0.25);
    push @options, '--ht', one(qw(on off)) if $options[1] =~ /0F(?:43|29)/ && odds(0.3);
    return @options;
}

sub frame {
    return <<'ASM';
; Random code with seed @SEED@ (RandomKernel.pm).
%define COM1       3F8h
%define DEBUG_EXIT 0F4h
%define SKIPPED    13h
%define MB1_MAGIC  1BADB002h
%define APIC       0FEE00000h
%define APIC_EOI   0B0h
%define APIC_TPR   080h
%define APIC_SVR   0F0h
%define APIC_TIMER 320h
%define APIC_PC    340h
%define APIC_COUNT 380h
%define APIC_DIV   3E0h
%define CODE       08h
%define DATA       10h
%define BASED      18h
%define CODE3      23h
%define DATA3      2Bh
%define BASED3     33h
%define TSS        38h
%define CODE_BASE  10000h
%define VECTORS    52h
%define PMI_VECTOR 40h
%define TIMER_VECTOR 41h
%define END_VECTOR 51h
%define MOST_PMIS  60                   ; then the counters are stopped: PMIs on end would be a run without end
%define COUNTERS   18
%define OVF        80000000h

%if @BASED@
 %if @RING@ == 3
  %define MAIN BASED3
 %else
  %define MAIN BASED
 %endif
 %define MAIN_BASE CODE_BASE
%else
 %if @RING@ == 3
  %define MAIN CODE3
 %else
  %define MAIN CODE
 %endif
 %define MAIN_BASE 0
%endif

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

global _start
_start:
        cli
        cld
        mov esp, stack_top
        mov eax, tss
        mov [tss_entry + 2], ax
        shr eax, 16
        mov [tss_entry + 4], al
        mov [tss_entry + 7], ah
        lgdt [gdtr]
        jmp CODE:.flat
.flat:  mov eax, DATA
        mov ds, eax
        mov es, eax
        mov ss, eax
        mov dword [tss + 4], stack_top
        mov dword [tss + 8], DATA
        mov eax, TSS
        ltr ax
        mov edi, idt
        mov eax, stubs
        mov ecx, VECTORS
.gate:  mov [edi], ax
        mov word [edi + 2], CODE
        mov word [edi + 4], 0EE00h      ; present, DPL 3, interrupt gate of 32 bits
        mov edx, eax
        shr edx, 16
        mov [edi + 6], dx
        add eax, 16
        add edi, 8
        loop .gate
        lidt [idtr]
        mov edi, directory              ; identity, 4 MB pages
        mov eax, 87h
.large: mov [edi], eax
        add edi, 4
        add eax, 400000h
        jnc .large
        mov eax, directory
        mov cr3, eax
        mov eax, 310h                   ; PSE, PCE, OSFXSR
        mov cr4, eax
%if @PAGED@
        mov eax, cr0
        or eax, 80000000h
        mov cr0, eax
%endif
        fninit
        mov edi, data
        mov ecx, data_end - data
        mov eax, @SEED@
.fill:  imul eax, 1664525
        add eax, 1013904223
        mov edx, eax
        shr edx, 24
        mov [edi], dl
        inc edi
        loop .fill
        mov dword [APIC + APIC_SVR], 1FFh
        mov dword [APIC + APIC_PC], PMI_VECTOR | (@NMI@ << 10)
        mov dword [APIC + APIC_DIV], @DIVIDE@
        mov dword [APIC + APIC_TIMER], TIMER_VECTOR | @PERIODIC@
        mov dword [APIC + APIC_COUNT], @TIMER@
%if @RING@ == 3
        push dword DATA3
        push dword stack3_top
%endif
        push dword @IF@ | 2
        push dword MAIN
        push dword body - MAIN_BASE
        mov eax, 1
        mov ebx, 2
        mov edx, 3
        mov esi, 4
        mov edi, 5
        mov ebp, 6
        mov ecx, 7
        iretd

; ---- Handlers ----

align 16
stubs:
%assign v 0
%rep VECTORS
align 16
%if v != 8 && (v < 10 || v > 14)
        push dword 0                    ; where the others have an error code
%endif
        push dword v
        jmp near handler
%assign v v + 1
%endrep

; On the stack: vector, error code, EIP, CS, EFLAGS.
handler:
        pushad
        mov ax, DATA
        mov ds, eax
        mov es, eax
        lea ebx, [esp + 40]
        mov esi, [esp + 32]
        rdtsc
        rol dword [trail], 5            ; when and where everything happened
        add [trail], eax
        mov eax, [ebx]
        xor [trail], eax
        inc dword [happened + esi * 4]
        cmp esi, END_VECTOR
        je near finish
        cmp esi, PMI_VECTOR
        je .pmi
        cmp esi, 2
        je .pmi
        cmp esi, 42h
        je .eoi
        cmp esi, TIMER_VECTOR
        je .eoi
        cmp esi, 32
        jae near .return
        cmp esi, 3
        je near .return
        jmp near .skip
.pmi:   inc dword [pmis]
        mov ecx, 360h + COUNTERS - 1
.cccr:  rdmsr
        test eax, OVF
        jz .next
        and eax, ~OVF
        cmp dword [pmis], MOST_PMIS
        jb .write
        and eax, 30000h
.write: wrmsr
        cmp dword [pmis], MOST_PMIS
        jae .next
        push ecx
        sub ecx, 60h
        mov eax, -1 - @PRESET@
        mov edx, 0FFh
        wrmsr
        pop ecx
.next:  dec ecx
        cmp ecx, 360h
        jae .cccr
        mov dword [APIC + APIC_PC], PMI_VECTOR | (@NMI@ << 10)
        cmp esi, 2
        je .return
.eoi:   mov dword [APIC + APIC_EOI], 0
        jmp .return
.skip:  mov edi, [ebx]                  ; the length of the instruction, one of few
        mov edx, [ebx + 4]
        or edx, 3
        cmp edx, BASED3
        je .add
        cmp edx, BASED | 3
        jne .flat
.add:   add edi, CODE_BASE
.flat:  mov al, [edi]
        mov ecx, 2
        cmp al, 0F7h
        je .length
        cmp al, 0CDh
        je .length
        cmp al, 0Fh
        jne .short
        mov al, [edi + 1]
        and al, 0F0h
        cmp al, 20h
        jne .length
        inc ecx
        jmp .length
.short: dec ecx
.length:
        add [ebx], ecx
        inc dword [skips]
        cmp dword [skips], 100000
        ja near finish
.return:
        popad
        add esp, 8
        iretd

; ---- The end: everything is said ----

finish:
        mov dword [APIC + APIC_TIMER], 10000h
        mov ebp, esp
        rdtsc
        call say
        mov ecx, 8
.regs:  mov eax, [ebp + ecx * 4 - 4]
        call say
        loop .regs
        mov eax, [trail]
        call say
        mov ecx, COUNTERS
.counters:
        push ecx
        add ecx, 300h - 1
        rdmsr
        call say
        mov eax, edx
        call say
        add ecx, 60h
        rdmsr
        call say
        pop ecx
        loop .counters
        call new_line
        mov ecx, VECTORS
.vectors:
        mov eax, [happened + ecx * 4 - 4]
        call say
        loop .vectors
        mov esi, _start
        mov ecx, (code_end - _start) / 4
        call checksum
        mov esi, data
        mov ecx, (stack_top - data) / 4
        call checksum
        fnstenv [fp_state]
        fxsave [fp_state]
        mov esi, fp_state
        mov ecx, 128
        call checksum
        rdtsc
        call say
        call new_line
        mov al, SKIPPED
        mov dx, DEBUG_EXIT
        out dx, al
        cli
        hlt
        jmp $ - 1

; In: ESI = start, ECX = double words.
checksum:
        xor eax, eax
.add:   rol eax, 1
        add eax, [esi]
        add esi, 4
        loop .add
; A hexadecimal number in EAX and a blank.
say:
        pushad
        mov ebx, eax
        mov ecx, 8
.digit: rol ebx, 4
        mov eax, ebx
        and eax, 15
        mov al, [digits + eax]
        call put
        loop .digit
        mov al, ' '
        call put
        popad
        ret
put:    mov dx, COM1
        out dx, al
        ret
new_line:
        mov al, 10
        jmp put

digits: db "0123456789ABCDEF"
align 8
gdt:    dq 0
        dq 00CF9B000000FFFFh            ; CODE
        dq 00CF93000000FFFFh            ; DATA
        dq 00CF9B010000FFFFh            ; BASED
        dq 00CFFB000000FFFFh            ; CODE3
        dq 00CFF3000000FFFFh            ; DATA3
        dq 00CFFB010000FFFFh            ; BASED3
tss_entry:
        dq 0000890000000067h
gdtr:   dw gdtr - gdt - 1
        dd gdt
idtr:   dw VECTORS * 8 - 1
        dd idt

times 4096 - ($ - $$) % 4096 db 0       ; what the body stores near itself is not near the frame
body:
; THE BODY
align 4096, db 0
code_end:

section .bss align=4096 nobits alloc noexec write
directory: resd 1024
idt:    resq VECTORS
fp_state: resb 512                      ; on a multiple of 16
tss:    resb 104
data:   resd 2048
copy:   resd 1024
data_end:
trail:  resd 1
pmis:   resd 1
skips:  resd 1
counters: resd 4
happened: resd VECTORS
        resb 4096
stack3_top:
        resb 4096
stack_top:
ASM
}

1;
