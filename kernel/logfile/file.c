/* The wanted content is composed a few sectors at a time, compared with what the file holds, and written
 * where it differs. */
#include "logfile.h"
#include "kernel/lib/lib.h"
#include "pmc/count_of.h"

/* Offsets in the master boot record and in an entry of its partition table. */
#define MBR_TABLE       446
#define MBR_ENTRIES     4u
#define MBR_ENTRY_BYTES 16u
#define MBR_TYPE        4
#define MBR_START       8
#define MBR_SECTORS     12
#define MBR_SIGNATURE   510 /* 55H, AAH */

#define MARK_START "pmuproof log file, "
#define MARK_END   " bytes reserved\n"
#define MARK_CHARS 60u

#define STATE_CHARS 64u /* with its line end; the length is fixed, so that the log after it does not move */
#define NOTICE_MOST 80u

#define CHUNK (DISK_MOST_COUNT * DISK_SECTOR)

static uint8_t wanted[CHUNK], present[CHUNK];

/* ---- Finding the file ---- */

static bool is_fat_type(uint8_t type)
{
    static const uint8_t types[] = {0x01, 0x04, 0x06, 0x0B, 0x0C, 0x0E, 0xEF};

    for (unsigned i = 0; i < sizeof types; i++)
        if (types[i] == type)
            return true;
    return false;
}

/* Make the mark of a file of this many bytes; returns the length of the mark. */
static size_t make_mark(char *mark, uint32_t bytes)
{
    return format(mark, MARK_CHARS, MARK_START "%u" MARK_END, bytes);
}

static bool has_mark(const uint8_t *first_sector, uint32_t bytes)
{
    char mark[MARK_CHARS];

    return memcmp(first_sector, mark, make_mark(mark, bytes)) == 0;
}

static bool is_text(const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if ((bytes[i] < ' ' || bytes[i] > '~') && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
            return false;
    return true;
}

/* Read sectors [first, first + count) of the file into `present`. Returns null, or why they must not be
 * overwritten. */
static const char *verify_sectors(const struct logfile *file, uint32_t first, uint32_t count)
{
    if (!disk_read(file->lba + first, count, present))
        return "PMULOG.TXT cannot be read";
    if (first == 0 && !has_mark(present, file->bytes))
        return "PMULOG.TXT does not begin with the mark of a log file of its size";
    if (!is_text(present, count * DISK_SECTOR))
        return "PMULOG.TXT holds something else than text";
    return NULL;
}

/* How many of the sectors [first, end) the next call reads or writes. */
static uint32_t chunk_of(uint32_t first, uint32_t end)
{
    return end - first < DISK_MOST_COUNT ? end - first : DISK_MOST_COUNT;
}

static const char *verify_range(const struct logfile *file, uint32_t first, uint32_t end)
{
    const char *why = NULL;

    for (; why == NULL && first < end; first += chunk_of(first, end))
        why = verify_sectors(file, first, chunk_of(first, end));
    return why;
}

static const char *take(struct logfile *file, const struct fat_extent *extent)
{
    if (extent->bytes < LOGFILE_LEAST || extent->bytes % DISK_SECTOR != 0)
        return "PMULOG.TXT is not a multiple of 512 bytes from 1024 to 1048576";
    file->lba = extent->lba;
    file->bytes = file->text_end = extent->bytes;
    file->log_end = 0;
    file->cut = false;
    return verify_range(file, 0, file->bytes / DISK_SECTOR);
}

const char *logfile_find(struct logfile *file)
{
    static uint8_t mbr[DISK_SECTOR];
    const char *why = "it has no FAT partition";

    if (!disk_read(0, 1, mbr))
        return "its first sector cannot be read";
    if (mbr[MBR_SIGNATURE] != 0x55 || mbr[MBR_SIGNATURE + 1] != 0xAA)
        return "it has no partition table";
    for (file->partition = 1; file->partition <= MBR_ENTRIES; file->partition++) {
        const uint8_t *entry = mbr + MBR_TABLE + (file->partition - 1) * MBR_ENTRY_BYTES;
        struct fat_extent extent;

        if (!is_fat_type(entry[MBR_TYPE]) || load32le(entry + MBR_START) == 0)
            continue;
        why = fat_find(&extent, load32le(entry + MBR_START), load32le(entry + MBR_SECTORS));
        if (why == NULL)
            why = take(file, &extent);
        if (why == NULL)
            break;
    }
    return why;
}

/* ---- Writing the file ---- */

/* A piece of the wanted content. */
struct piece {
    const char *text;
    size_t length;
};

#define PIECES 4 /* mark, state, log, notice */

/* Compose the bytes [at, at + size) of a file that holds the pieces, followed by padding up to `bytes`. */
static void compose(uint8_t *to, uint32_t at, uint32_t size, const struct piece *pieces, uint32_t bytes)
{
    uint32_t begin = 0;

    for (uint32_t i = 0; i < size; i++)
        to[i] = at + i == bytes - 1 ? '\n' : ' ';
    for (unsigned p = 0; p < PIECES; begin += pieces[p++].length) {
        uint32_t from = begin > at ? begin : at, end = begin + pieces[p].length;

        if (end > at + size)
            end = at + size;
        if (from < end)
            memcpy(to + (from - at), pieces[p].text + (from - begin), end - from);
    }
}

/* Write sectors [first, first + count) of the file. They are verified first, because the drive may have been
 * exchanged. */
static const char *write_chunk(const struct logfile *file, uint32_t first, uint32_t count,
                               const struct piece *pieces)
{
    uint32_t size = count * DISK_SECTOR;
    const char *why = verify_sectors(file, first, count);

    if (why != NULL)
        return why;
    compose(wanted, first * DISK_SECTOR, size, pieces, file->bytes);
    if (memcmp(wanted, present, size) != 0 && !disk_write(file->lba + first, count, wanted))
        return "PMULOG.TXT cannot be written";
    return NULL;
}

/* Length of the whole lines at the start of the text that fit into `room` bytes. */
static size_t whole_lines(const char *text, size_t length, size_t room)
{
    if (length <= room)
        return length;
    while (room > 0 && text[room - 1] != '\n')
        room--;
    return room;
}

/*
 * Write the sectors that may differ from what is on the drive: from the end of the log, old or new, whichever
 * comes first, to the end of the text, old or new, whichever comes last. The first sector holds the state.
 * The state "running" is written first, then the log, and the state "ended" last: a file that says "ended" is
 * complete. All sectors are read and verified before the first is written.
 */
static const char *write_changes(struct logfile *file, uint32_t log_end, uint32_t text_end,
                                 const struct piece *pieces, bool ended)
{
    uint32_t first = (file->log_end < log_end ? file->log_end : log_end) / DISK_SECTOR;
    uint32_t end = ((file->text_end > text_end ? file->text_end : text_end) - 1) / DISK_SECTOR + 1;
    const char *why = verify_sectors(file, 0, 1);

    if (first == 0)
        first = 1;
    if (why == NULL)
        why = verify_range(file, first, end);
    if (why == NULL && !ended)
        why = write_chunk(file, 0, 1, pieces);
    for (; why == NULL && first < end; first += chunk_of(first, end))
        why = write_chunk(file, first, chunk_of(first, end), pieces);
    if (why == NULL && ended)
        why = write_chunk(file, 0, 1, pieces);
    if (why == NULL) {
        file->log_end = log_end;
        file->text_end = text_end;
    }
    return why;
}

const char *logfile_write(struct logfile *file, const char *text, size_t length, bool ended)
{
    char mark[MARK_CHARS], state[STATE_CHARS + 1], notice[NOTICE_MOST] = "";
    size_t head = make_mark(mark, file->bytes) + STATE_CHARS, shown = length, said, noticed = 0;

    said = format(state, sizeof state, "state: %s",
                  ended ? "the run has ended" : "saved during the run, which has not ended here");
    memset(state + said, ' ', STATE_CHARS - said);
    state[STATE_CHARS - 1] = '\n';
    if (file->cut && !ended)
        return NULL;
    if (length > file->bytes - head) {
        file->cut = true;
        shown = whole_lines(text, length, file->bytes - head - NOTICE_MOST);
        noticed = format(notice, sizeof notice,
                         "# the copy in the file is full: %u bytes more went to the consoles\r\n",
                         (unsigned)(length - shown));
    }
    const struct piece pieces[PIECES] = {
        {mark, head - STATE_CHARS}, {state, STATE_CHARS}, {text, shown}, {notice, noticed}};
    /* The last line may change: when the copy in memory is full, it says how much is missing (log_text()). */
    size_t settled = shown > 0 ? whole_lines(text, shown, shown - 1) : 0;
    return write_changes(file, (uint32_t)(head + settled), (uint32_t)(head + shown + noticed), pieces, ended);
}

static bool keeps(uint32_t lba, const uint8_t *bytes)
{
    const bool written = disk_write(lba, 1, bytes);

    return disk_read(lba, 1, present) && written && memcmp(bytes, present, DISK_SECTOR) == 0;
}

const char *logfile_try(struct logfile *file)
{
    static uint8_t before[DISK_SECTOR];
    const uint32_t tried[] = {1, file->bytes / DISK_SECTOR - 1};

    for (unsigned i = 0; i < COUNT_OF(tried); i++) {
        const char *why = verify_sectors(file, tried[i], 1);

        if (why != NULL)
            return why;
        memcpy(before, present, DISK_SECTOR);
        memset(wanted, '0' + (int)i, DISK_SECTOR);
        const bool kept = keeps(file->lba + tried[i], wanted);
        if (!keeps(file->lba + tried[i], before) || !kept) {
            file->log_end = 0;
            file->text_end = file->bytes;
            return "PMULOG.TXT does not keep what is written";
        }
    }
    return NULL;
}
