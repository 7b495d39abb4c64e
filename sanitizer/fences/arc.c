// Reference counting as in Rust's Arc: count up relaxed, count down with a release, acquire by a fence only
// when one was the last. Without the fence, the last one is not ordered after the others' uses.
// case fence: -DFENCE=atomic_thread_fence(acq)
// expect: silent
// twin: litmus/rc20/ref-count+fence.fp
// case no-fence: -DFENCE=(void)0
// expect: race of heap at @use and @destroy
// allow: race of heap
// twin: litmus/algorithms/arc-no-fence.fp
// run: --schedule random --seeds 0..20
// run: --schedule os --runs 5
#include "../threads.h"

enum { THREADS = 4 };
struct object {
  _Atomic int strong;
  int used[THREADS];
  volatile int content; /* or the write before the end would be left out */
};
static struct object *shared;

static void drop(struct object *object) {
  if (atomic_fetch_sub_explicit(&object->strong, 1, rel) == 1) {
    FENCE;
    object->content = 0;  // @destroy
    free(object);
  }
}

static void use_and_drop(int me) {
  struct object *object = shared;
  atomic_fetch_add_explicit(&object->strong, 1, rlx);
  object->used[me] = object->content;  // @use
  drop(object);
  CHECK(object == shared);
  drop(object);
}

int main(void) {
  shared = calloc(1, sizeof *shared);
  atomic_init(&shared->strong, THREADS);
  shared->content = 1;
  run_all(THREADS, use_and_drop);
  return 0;
}
