/* A layer over atomics in a library of its own, which shared.c loads. Its functions call each other as others
   could call them: through a table. */
#include <stdatomic.h>

int load(const atomic_int *a);
void store(atomic_int *a, int value);
int get(const atomic_int *a);
void set(atomic_int *a, int value);

int load(const atomic_int *a) { return atomic_load_explicit(a, memory_order_relaxed); }

void store(atomic_int *a, int value) { atomic_store_explicit(a, value, memory_order_relaxed); }

int get(const atomic_int *a) { return load(a); }

void set(atomic_int *a, int value) { store(a, value); }
