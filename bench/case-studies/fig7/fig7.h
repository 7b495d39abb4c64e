/* What the programs of this folder share: threads, and orders that make a program robust or leave it as it is. */
#ifndef FIG7_H
#define FIG7_H

#include "../../sanitizer/bench.h"
#include <stdatomic.h>

#ifdef ROBUST
#define READ memory_order_seq_cst
#define WRITE memory_order_seq_cst
#define UPDATE memory_order_seq_cst
#else
#define READ memory_order_acquire
#define WRITE memory_order_release
#define UPDATE memory_order_acq_rel
#endif

/* Touched by the thread that is in the critical section. */
static long inside;

static inline void critical_section(void) { inside++; }

#endif
