/* The build id and the version: the only object of the kernel that is rebuilt when nothing but the commit
 * changes. */
#include "run.h"

#ifndef BUILD_ID_TEXT
#define BUILD_ID_TEXT "unversioned"
#endif

#ifndef VERSION_TEXT
#define VERSION_TEXT "unversioned"
#endif

const char BUILD_ID[] = BUILD_ID_TEXT;
const char VERSION[] = VERSION_TEXT;
const char NAME[] = "pmuproof " VERSION_TEXT ", build " BUILD_ID_TEXT;
