/*
 * What a board has outside of its processors: memory and what is loaded into it, and the devices behind the
 * I/O ports.
 */
#ifndef SIM_BOARD_BOARD_H
#define SIM_BOARD_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ---- ram.c ----
 * The memory of the board: RAM_SIZE bytes from address 0. A pointer to byte 0 stands for it.
 */

#define RAM_SIZE (64u * 1024 * 1024)

/* Allocate RAM_SIZE bytes, all 0, at a page boundary of the host, between two pages that cannot be accessed.
 * Null when out of memory. */
uint8_t *ram_new(void);
void ram_free(uint8_t *ram); /* null is allowed */

/*
 * ---- elf_loader.c ----
 * Multiboot 1 loader: finds and checks the header, checks an ELF32 image and copies its segments into the
 * simulated memory. It works on a byte array and trusts no value in it.
 * Source: Multiboot specification 0.6.96, sections 3.1 and 3.2; ELF32 as in the System V ABI.
 */

#define LOADER_LOWEST \
    0x100000u /* segments below 1 MiB are refused: firmware tables and boot information lie there */

struct loaded_image {
    uint32_t entry; /* physical address of the first instruction */
    uint32_t end;   /* first byte after the highest segment */
};

/*
 * Check the file image file[0..file_size) and load it into ram[0..ram_size). Returns true and fills *image,
 * or returns false with one line of text in error[0..error_size); ram may then be partly written.
 */
bool loader_load(struct loaded_image *image, const uint8_t *file, size_t file_size, uint8_t *ram,
                 size_t ram_size, char *error, size_t error_size);

/*
 * ---- firmware.c ----
 * What the BIOS and the boot loader leave in memory before the kernel starts: BIOS data area, ACPI tables,
 * multiboot 1 information.
 */

#define FIRMWARE_BOOT_MAGIC 0x2BADB002u /* EAX at the entry of a multiboot 1 kernel */
#define FIRMWARE_LINE_MAX   1024u       /* longest boot line, with its terminating NUL */

enum firmware_tables {
    TABLES_SOUND,
    TABLES_TRUNCATED,
    TABLES_CHECKSUM,
    TABLES_LOOP,
    TABLES_NO_MADT,
    TABLES_NONE
};

struct firmware {
    uint32_t ram_size;           /* bytes, a multiple of 64 KiB above 1 MiB */
    uint16_t uart_port;          /* COM1 for the BIOS data area, 0 when there is none */
    uint32_t spcr_base;          /* the console that ACPI's SPCR names, at 19200 baud; 0: no such table */
    unsigned spcr_stride;        /* 0: spcr_base is a port; otherwise as in struct board */
    unsigned processors;         /* local APICs that the MADT lists */
    uint8_t first_apic_id;       /* ID of the first of them; the others follow, */
    unsigned ids_apart;          /* by this distance */
    bool two_packages;           /* the MADT also lists the local APICs of a second package */
    uint16_t acpi_timer;         /* the port of ACPI's timer that the FADT names; 0: no such table */
    enum firmware_tables tables; /* what is wrong with the ACPI tables */
    bool int13;                  /* there is INT 13H, and the loader says that it came from drive 80H */
    const char *boot_line;       /* shorter than FIRMWARE_LINE_MAX */
};

/* Write all of it into ram. Returns the physical address of the multiboot information (EBX at entry). */
uint32_t firmware_install(const struct firmware *firmware, uint8_t *ram);

/* ---- ram.c: The text screen of a VGA card: 80x25 characters with attributes in memory at B8000H ---- */

#define SCREEN_ROWS    25u
#define SCREEN_COLUMNS 80u
#define SCREEN_BYTES   (2 * SCREEN_ROWS * SCREEN_COLUMNS)

/* The SCREEN_BYTES of the screen in ram: for each cell the character and its attribute. */
const uint8_t *screen_bytes(const uint8_t *ram);

/*
 * Copy a row (0..24) of the screen in ram to text, without trailing blanks. A full block (DBH) becomes '#',
 * any other character that does not print a blank.
 */
void screen_row(const uint8_t *ram, unsigned row, char text[SCREEN_COLUMNS + 1]);

/*
 * ---- pit.c ----
 * The 8254 interval timer, for software that polls it: counts, latches, gate and output of channel 2. It
 * raises no interrupts. Time is the core clock of the processor that makes the access.
 */

#define PIT_HZ       1193182u
#define PIT_CHANNELS 3

struct pit_channel {
    uint8_t mode, access; /* of the last control word */
    uint16_t reload;      /* 0 means 65536 */
    uint16_t latch;
    uint8_t latched_bytes; /* bytes of the latch still to be read */
    bool second_byte;      /* the next access is the second of a two-byte write or unlatched read */
    uint8_t low;
    bool loaded, gate;
    uint64_t counted; /* ticks counted before start */
    uint64_t start;   /* tick at which counting last started or resumed */
};

struct pit {
    uint64_t clock_hz;
    struct pit_channel channel[PIT_CHANNELS];
    bool output2_dead; /* the output of channel 2 never rises */
};

/* clock_hz: core clocks per second. Channels 0 and 1 have their gate tied high. */
void pit_init(struct pit *pit, uint64_t clock_hz);

/* Access to register 0 to 2 (a channel) or 3 (control) at core clock `clock`. */
uint8_t pit_read(struct pit *pit, unsigned reg, uint64_t clock);
void pit_write(struct pit *pit, unsigned reg, uint8_t value, uint64_t clock);

/* Gate and output of channel 2, as port 61H has them. */
void pit_set_gate2(struct pit *pit, bool gate, uint64_t clock);
bool pit_output2(const struct pit *pit, uint64_t clock);

/*
 * ---- uart.c ----
 * A 16550 UART. Its transmitter is always ready: a byte that is written goes to a sink at once. Registers,
 * FIFO identification, scratch and loopback are those of the PC16550D data sheet; no byte is received from
 * outside. A defective board may start it while it is transmitting: a byte that is still being sent when
 * loopback is switched on is received damaged.
 */

#define UART_NEVER_STOPS UINT32_MAX
#define UART_PORTS       8 /* number of I/O ports */

typedef void uart_sink_fn(void *context, uint8_t byte);

#define UART_FIFO_BYTES 16u

struct uart {
    uart_sink_fn *sink;
    void *context;
    uint8_t ier, fcr, lcr, mcr, scratch, dll, dlm;
    uint8_t received[UART_FIFO_BYTES]; /* what loopback received, the oldest first */
    unsigned receives;
    uint32_t takes; /* at the last of so many bytes it stops for good */
    uint32_t
        sending; /* reads of the line status register until it has sent the bytes that it had at power-up */
    bool cut_short; /* a byte that loopback interrupted comes first */
    bool hangs_up;  /* the other side hangs up for good when DTR falls */
    bool hung_up;   /* the other side has hung up */
};

void uart_init(struct uart *uart, uart_sink_fn *sink, void *context);

/* Access to register 0 to 7. */
uint8_t uart_read(struct uart *uart, unsigned reg);
void uart_write(struct uart *uart, unsigned reg, uint8_t value);

/*
 * ---- ich.c ----
 * A small PCI bus: configuration mechanism 1, a host bridge, and the LPC bridge of an ICH5 with its watchdog,
 * the TCO timer (Intel 252516, 82801EB, 9.1 and 9.10). At power-up the BIOS has assigned the watchdog's
 * ports, halted the timer and set NO_REBOOT. ACPI's timer is a part of the LPC bridge, too (9.8.3.3): 24
 * bits, from 0 at power-up.
 */

#define ICH_ACPI_TIMER    0x408u /* its port, 32 bits wide */
#define ICH_ACPI_TIMER_HZ 3579545u

#define ICH_NEVER UINT64_MAX

/* Bits of SMI_EN: SMIs are enabled at all; a time-out of the TCO timer is an SMI. */
#define ICH_GBL_SMI_EN 0x0001u
#define ICH_TCO_EN     0x2000u

struct ich {
    bool absent;      /* a board without PCI */
    bool strapped;    /* NO_REBOOT is strapped to 1 and cannot be cleared */
    bool smi_handler; /* the BIOS handles SMIs of the timer, and clears the first time-out each time */
    uint32_t smi_en;
    uint64_t clock_hz;
    uint32_t acpi_timer_hz; /* ICH_ACPI_TIMER_HZ, except on some boards of sim/inject/ */
    uint32_t config_address;
    bool no_reboot;
    uint8_t initial; /* TCO_TMR */
    bool halted;
    bool timed_out, second_timeout; /* status bits */
    uint8_t watchdog_status;        /* TCO_WDSTATUS, which does nothing */
    uint64_t tick;                  /* length of a tick in core clocks */
    uint64_t expiry;                /* core clock of the next time-out, ICH_NEVER while halted */
    bool reset_asked;               /* the timer has expired twice: the board resets */
};

void ich_init(struct ich *ich, uint64_t clock_hz);

/* Take over what is in the resume well, which a reset leaves as it is (9.10.4, 9.10.8): SECOND_TO_STS and
 * TCO_WDSTATUS. */
void ich_resume(struct ich *ich, const struct ich *before);

/* IN and OUT of 1, 2 or 4 bytes at core clock `clock`. False: the port does not belong to the ICH. */
bool ich_in(struct ich *ich, uint16_t port, unsigned size, uint64_t clock, uint32_t *value);
bool ich_out(struct ich *ich, uint16_t port, unsigned size, uint32_t value, uint64_t clock);

/* Let time pass up to core clock `clock`; afterwards the caller checks reset_asked. It is to be called again
 * at ich_next(). */
void ich_run(struct ich *ich, uint64_t clock);
uint64_t ich_next(const struct ich *ich);

/*
 * ---- io_apic.c ----
 * An I/O APIC (82093AA): its registers. No device of the board has an interrupt line; a defective board may
 * ask what an entry would deliver.
 */

#define IO_APIC_BASE    0xFEC00000u
#define IO_APIC_SIZE    0x1000u
#define IO_APIC_APART   0x100u /* it answers again so far on: a board may call that a second one */
#define IO_APIC_ENTRIES 24u

#define IO_APIC_MASKED (1u << 16)
#define IO_APIC_LEVEL  (1u << 15)

struct io_apic {
    uint8_t select;
    bool forgets; /* a read of the window clears `select`, as on SiS chip sets (Linux: sis_apic_bug) */
    uint32_t id, entry[2 * IO_APIC_ENTRIES]; /* low word, high word */
};

/* Put the registers into their state after power-up: all entries are masked. */
void io_apic_init(struct io_apic *io_apic);

uint32_t io_apic_read(struct io_apic *io_apic, uint32_t offset);
void io_apic_write(struct io_apic *io_apic, uint32_t offset, uint32_t value);

/*
 * ---- ports.c ----
 * The I/O ports of the board: COM1, PCI and the LPC bridge (ich.c), 8259 pair, 8254, port 61H, keyboard
 * controller, A20 gate, reset (CF9H), and QEMU's isa-debug-exit at F4H. A port without a device reads as ones
 * and ignores writes.
 */

#define BOARD_COM1       0x3F8u
#define BOARD_UART       0xFE030000u /* instead of COM1, on boards of sim/inject/ whose UART is in memory */
#define BOARD_DEBUG_EXIT 0xF4u

struct pic {
    uint8_t mask;       /* OCW1 */
    uint8_t base;       /* ICW2: interrupt vector of its first line */
    bool base_follows;  /* the next data byte is ICW2 */
    unsigned icw_count; /* ICW2..ICW4 still expected */
};

/* The CMOS clock: none; its seconds are no time; the update in progress never ends. */
enum cmos { CMOS_NONE, CMOS_ODD, CMOS_STUCK };

struct board {
    bool has_uart;
    uint32_t uart_base;   /* BOARD_COM1, except on some boards of sim/inject/ */
    unsigned uart_stride; /* of its registers in memory, which are as wide: 1 or 4; 0: uart_base is a port */
    struct uart uart;
    struct pit pit;
    struct ich ich;
    struct io_apic io_apic;
    struct pic pic[2];
    enum cmos cmos;
    uint8_t cmos_index;
    uint8_t port61;
    uint64_t clock_hz;
    bool reset_asked;  /* the keyboard controller or CF9H was written to with a request to reset the board */
    bool exit_written; /* isa-debug-exit was written */
    uint32_t exit_value;
};

/* sink takes what COM1 transmits; clock_hz is core clocks per second. */
void board_init(struct board *board, bool has_uart, uint64_t clock_hz, uart_sink_fn *sink, void *context);

/*
 * IN and OUT of 1, 2 or 4 bytes at core clock `clock`. After an OUT the caller checks reset_asked and
 * exit_written, each of which ends the run.
 */
uint32_t board_in(struct board *board, uint16_t port, unsigned size, uint64_t clock);
void board_out(struct board *board, uint16_t port, unsigned size, uint32_t value, uint64_t clock);

/* The register of the UART in memory that an access of `size` bytes reaches there; UART_PORTS: none. */
unsigned board_uart_register(const struct board *board, uint64_t offset, unsigned size);

#endif
