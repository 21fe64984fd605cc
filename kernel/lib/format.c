/*
 * The formatter. A conversion is parsed completely before any argument is taken, so that a wrong one can be
 * shown as it stands.
 */
#include "lib.h"
#include <stdbool.h>
#include <stdint.h>
#include "pmc/count_of.h"

#define WIDTH_DIGITS 4  /* a longer width or precision is a mistake */
#define NUMBER_CHARS 20 /* decimal digits of 2^64 - 1 */

struct output {
    char *text;
    size_t size, length;
    struct named *named; /* may be null */
};

struct conversion {
    bool left, zeros, has_precision;
    unsigned width, precision;
    char length; /* 0, 'l', 'L' for ll, 'z' */
    char letter;
};

static void put(struct output *out, char c)
{
    if (out->length + 1 < out->size)
        out->text[out->length] = c;
    out->length++;
}

static void put_many(struct output *out, char c, unsigned count)
{
    for (; count > 0; count--)
        put(out, c);
}

/* Text in a field: padded with blanks, or with zeros after the first `sign` characters. */
static void put_field(struct output *out, const struct conversion *conv, const char *text, unsigned length,
                      unsigned sign)
{
    unsigned padding = conv->width > length ? conv->width - length : 0;

    if (!conv->left && !conv->zeros)
        put_many(out, ' ', padding);
    for (unsigned i = 0; i < sign; i++)
        put(out, text[i]);
    if (!conv->left && conv->zeros)
        put_many(out, '0', padding);
    for (unsigned i = sign; i < length; i++)
        put(out, text[i]);
    if (conv->left)
        put_many(out, ' ', padding);
}

static void put_number(struct output *out, const struct conversion *conv, uint64_t value, bool negative,
                       unsigned base, const char *digits)
{
    char text[NUMBER_CHARS + 1];
    unsigned at = sizeof text;

    do {
        uint32_t digit;
        value = div64(value, base, &digit);
        text[--at] = digits[digit];
    } while (value > 0);
    if (negative)
        text[--at] = '-';
    put_field(out, conv, text + at, (unsigned)sizeof text - at, negative);
}

static void put_string(struct output *out, const struct conversion *conv, const char *text)
{
    unsigned length = 0;

    if (text == NULL)
        text = "(null)";
    while ((!conv->has_precision || length < conv->precision) && text[length] != '\0')
        length++;
    put_field(out, conv, text, length, 0);
}

/* Returns false for more than WIDTH_DIGITS digits. */
static bool parse_number(const char **at, unsigned *value)
{
    const char *first = *at;

    *value = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        if (*at - first == WIDTH_DIGITS)
            return false;
        *value = *value * 10 + (unsigned)(**at - '0');
    }
    return true;
}

static bool known(const struct conversion *conv)
{
    switch (conv->letter) {
    case 'd':
    case 'u':
    case 'x':
    case 'X':
    case 'H':
        return !conv->has_precision;
    case 's':
    case 'R':
        return conv->length == 0 && !conv->zeros;
    case 'C':
    case 'c':
        return conv->length == 0 && !conv->zeros && !conv->has_precision;
    default:
        return false;
    }
}

/* Parse what follows a '%'. Returns the place after the conversion, or null when lib.h has no such
 * conversion. */
static const char *parse(const char *at, struct conversion *conv)
{
    *conv = (struct conversion){0};
    if (*at == '-') {
        conv->left = true;
        at++;
    } else if (*at == '0') {
        conv->zeros = true;
        at++;
    }
    if (!parse_number(&at, &conv->width))
        return NULL;
    if (*at == '.') {
        at++;
        conv->has_precision = true;
        if (!parse_number(&at, &conv->precision))
            return NULL;
    }
    if (*at == 'z') {
        conv->length = 'z';
        at++;
    } else if (*at == 'l') {
        conv->length = 'l';
        at++;
        if (*at == 'l') {
            conv->length = 'L';
            at++;
        }
    }
    conv->letter = *at;
    return known(conv) ? at + 1 : NULL;
}

/* va_list may be an array type, so it is wrapped in a structure and passed by pointer. */
struct arguments {
    va_list list;
};

static uint64_t take_unsigned(struct arguments *args, char length)
{
    switch (length) {
    case 'l':
        return va_arg(args->list, unsigned long);
    case 'L':
        return va_arg(args->list, unsigned long long);
    case 'z':
        return va_arg(args->list, size_t);
    default:
        return va_arg(args->list, unsigned);
    }
}

static int64_t take_signed(struct arguments *args, char length)
{
    switch (length) {
    case 'l':
        return va_arg(args->list, long);
    case 'L':
        return va_arg(args->list, long long);
    case 'z':
        return va_arg(args->list, ptrdiff_t);
    default:
        return va_arg(args->list, int);
    }
}

static void convert(struct output *out, struct conversion *conv, struct arguments *args)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    int64_t number;
    const char *text;
    char c;

    switch (conv->letter) {
    case 'R':
        text = va_arg(args->list, const char *);
        if (out->named && !out->named->name)
            out->named->name = text;
        put_string(out, conv, text);
        break;
    case 's':
        put_string(out, conv, va_arg(args->list, const char *));
        break;
    case 'c':
        c = (char)va_arg(args->list, int);
        put_field(out, conv, &c, 1, 0);
        break;
    case 'd':
        number = take_signed(args, conv->length);
        put_number(out, conv, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0, 10, lower);
        break;
    case 'C':
        number = va_arg(args->list, unsigned);
        if (out->named && out->named->numbers < COUNT_OF(out->named->number))
            out->named->number[out->named->numbers++] = (uint8_t)number;
        put_number(out, conv, (uint64_t)number, false, 10, lower);
        break;
    case 'u':
        put_number(out, conv, take_unsigned(args, conv->length), false, 10, lower);
        break;
    case 'x':
        put_number(out, conv, take_unsigned(args, conv->length), false, 16, lower);
        break;
    case 'X':
        put_number(out, conv, take_unsigned(args, conv->length), false, 16, upper);
        break;
    case 'H':
        conv->left = false;
        conv->zeros = true;
        put_number(out, conv, take_unsigned(args, conv->length), false, 16, upper);
        put(out, 'H');
        break;
    }
}

size_t vformat_named(char *out, size_t size, struct named *named, const char *fmt, va_list list)
{
    struct output output = {out, size, 0, named};
    struct arguments args;

    va_copy(args.list, list);
    while (*fmt != '\0') {
        struct conversion conv;
        const char *after;

        if (*fmt != '%') {
            put(&output, *fmt++);
        } else if (fmt[1] == '%') {
            put(&output, '%');
            fmt += 2;
        } else if ((after = parse(fmt + 1, &conv)) != NULL) {
            convert(&output, &conv, &args);
            fmt = after;
        } else {
            put(&output, *fmt++); /* the rest of the wrong conversion follows as plain text */
        }
    }
    va_end(args.list);
    if (size > 0)
        out[output.length < size ? output.length : size - 1] = '\0';
    return output.length;
}

size_t vformat(char *out, size_t size, const char *fmt, va_list list)
{
    return vformat_named(out, size, NULL, fmt, list);
}

size_t format(char *out, size_t size, const char *fmt, ...)
{
    va_list args;
    size_t length;

    va_start(args, fmt);
    length = vformat(out, size, fmt, args);
    va_end(args);
    return length;
}
