/* The version, in a section of its own: the Makefile puts the text there when p4sim has been linked. */
#include "about.h"

const char P4SIM_VERSION[P4SIM_VERSION_SIZE] __attribute__((section(".version_text"))) = "unversioned\n";
