/* No vectors: for the programs that link tests/suite and have no list of their own. */
#include "tests/suite/vector.h"

const struct vector_group *const VECTOR_GROUPS[] = {NULL};
