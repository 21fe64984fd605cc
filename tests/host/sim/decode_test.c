/* sim/decode/decode.c where versions of libcapstone disagree: what the SDM says of the instruction (volume
 * 2). */
#include "tests/host/support/host_test.h"
#include "sim/decode/insn.h"

#define ASKED (INSN_LOADS | INSN_STORES | INSN_SERIALISES | INSN_FLUSHES | INSN_DIVIDES | INSN_STORES_EAX)

TEST(what_an_instruction_does)
{
    static const struct {
        uint8_t code[16];
        unsigned flags;
    } rows[] = {
        {{0xF6, 0x00, 0x01}, INSN_LOADS},                    /* TEST byte [eax], 1 */
        {{0xF7, 0x00, 0x01}, INSN_LOADS},                    /* TEST dword [eax], 1 */
        {{0x84, 0x08}, INSN_LOADS},                          /* TEST [eax], cl */
        {{0x85, 0x08}, INSN_LOADS},                          /* TEST [eax], ecx */
        {{0x66, 0x0F, 0x6F, 0x00}, INSN_LOADS},              /* MOVDQA xmm0, [eax] */
        {{0x66, 0x0F, 0x7F, 0x00}, INSN_STORES},             /* MOVDQA [eax], xmm0 */
        {{0xF2, 0x0F, 0x2D, 0x00}, INSN_LOADS},              /* CVTSD2SI eax, [eax] */
        {{0xF3, 0x0F, 0x2D, 0x00}, INSN_LOADS},              /* CVTSS2SI eax, [eax] */
        {{0x01, 0x08}, INSN_LOADS | INSN_STORES},            /* ADD [eax], ecx */
        {{0xDD, 0x18}, INSN_STORES},                         /* FSTP qword [eax] */
        {{0x8D, 0x00}, 0},                                   /* LEA eax, [eax] */
        {{0x0F, 0x6F, 0x00}, INSN_LOADS},                    /* MOVQ mm0, [eax] */
        {{0x0F, 0x7F, 0x00}, INSN_STORES},                   /* MOVQ [eax], mm0 */
        {{0x0F, 0xAE, 0x38}, INSN_FLUSHES},                  /* CLFLUSH [eax] */
        {{0xF7, 0xF1}, INSN_DIVIDES},                        /* DIV ecx */
        {{0xF7, 0xF9}, INSN_DIVIDES},                        /* IDIV ecx */
        {{0x89, 0x08}, INSN_STORES},                         /* MOV [eax], ecx */
        {{0x89, 0x01}, INSN_STORES | INSN_STORES_EAX},       /* MOV [ecx], eax */
        {{0xA3, 0, 0, 1, 0}, INSN_STORES | INSN_STORES_EAX}, /* MOV [10000H], eax */
        {{0x0F, 0x00, 0xD8}, INSN_SERIALISES},               /* LTR ax */
    };
    struct decoder *decoder = decoder_new();
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        struct insn insn;
        decode_instruction(decoder, &insn, rows[i].code, 0x1000, false);
        assert_int_equal(insn.flags & ASKED, rows[i].flags);
    }
    decoder_free(decoder);
}

TEST(far_and_near_transfers_by_way_of_memory)
{
    static const struct {
        uint8_t operation;
        enum insn_branch branch;
        enum insn_intercept intercept;
    } rows[] = {
        {2, BRANCH_INDIRECT_CALL, INSN_PLAIN},
        {3, BRANCH_FAR, INSN_FAR},
        {4, BRANCH_INDIRECT_JUMP, INSN_PLAIN},
        {5, BRANCH_FAR, INSN_FAR},
    };
    struct decoder *decoder = decoder_new();
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        const uint8_t code[16] = {0xFF, (uint8_t)(rows[i].operation << 3)};
        struct insn insn;
        decode_instruction(decoder, &insn, code, 0x1000, false);
        assert_int_equal(insn.branch, rows[i].branch);
        assert_int_equal(insn.intercept, rows[i].intercept);
    }
    decoder_free(decoder);
}
