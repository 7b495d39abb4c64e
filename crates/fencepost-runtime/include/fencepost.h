/* What a program can tell the sanitizer. Nothing in ordinary builds. */
#ifndef FENCEPOST_H
#define FENCEPOST_H
#endif
