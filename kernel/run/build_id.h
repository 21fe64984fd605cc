/* The identity of this build. */
#ifndef KERNEL_RUN_BUILD_ID_H
#define KERNEL_RUN_BUILD_ID_H

/* The commit's name in version control, which the Makefile passes in BUILD_ID_TEXT. */
extern const char BUILD_ID[];

/* The version as tools/identity prints it, which the Makefile passes in VERSION_TEXT: "1.0", "1.0+7.3f2a91c".
 */
extern const char VERSION[];

/* Both, for people: "pmuproof 1.0, build 3f2a91c0b7de". iso/menu finds it in the image. */
extern const char NAME[];

#endif
