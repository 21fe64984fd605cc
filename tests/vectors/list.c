/* All vectors in the order of the log: from the state of the registers to what needs most of the machine. */
#include "vector.h"

extern const struct vector_group state, access, privilege, count, overflow, filter, qualify, pmi, pmi_forms,
    cascade, forms, negative, extended;

const struct vector_group *const VECTOR_GROUPS[] = {
    &state, &access,    &privilege, &count, &overflow, &filter,   &qualify,
    &pmi,   &pmi_forms, &cascade,   &forms, &negative, &extended, 0,
};
