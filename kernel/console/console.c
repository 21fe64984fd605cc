/* Every byte goes to the UART, when there is one, and to the screen. */
#include "console.h"
#include "kernel/board/board.h"

void console_init(const struct serial_request *request, const struct screen_device *device)
{
    serial_open(request);
    screen_init(device != NULL ? device : vga_open());
}

void console_write(const char *text, size_t length)
{
    progress();
    screen_write(text, length);
    while (length > 0) {
        size_t plain = 0;

        while (plain < length && text[plain] != '\n')
            plain++;
        uart_write(text, plain);
        if (plain < length) {
            uart_write("\r\n", 2);
            plain++;
        }
        text += plain;
        length -= plain;
    }
}
