/* What the parts of the program give each other. */
#ifndef PARTS_H
#define PARTS_H
#ifndef __FENCEPOST__
#error not built by fencepost
#endif
#ifdef __cplusplus
extern "C" {
#endif
/* In the static library: has the other thread come? */
int part(void);
/* In the shared library, which starts a thread of its own: 1. */
int move(void);
#ifdef __cplusplus
}
#endif
#endif
