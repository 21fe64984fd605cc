/* The build id: the only object that is rebuilt when nothing but the commit changes. */
#include "build_id.h"

#ifndef BUILD_ID_TEXT
#define BUILD_ID_TEXT "unversioned"
#endif

const char BUILD_ID[] = BUILD_ID_TEXT;
