#include "parts.h"

#include <stdatomic.h>

extern _Atomic int flag;

int part(void) { return atomic_load_explicit(&flag, memory_order_relaxed); }
