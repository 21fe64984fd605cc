/* CRC-32 and size of the image in memory, for the inventory and for the check that it is what was built. */
#include "run.h"
#include "boot/boot.h"

struct image image_loaded(void)
{
    return (struct image){.crc32 = image_crc[0],
                          .bytes = (uint32_t)((const uint8_t *)image_crc - image_begin)};
}
