// Who drops the last reference frees the object.
// run: --schedule random --seeds 0..60
// case relaxed-drop: -DDROP=rlx -DLAST=(void)0
// expect: anything
// rank: race
// case no-fence: -DDROP=rel -DLAST=(void)0
// expect: anything
// rank: race
// case right: -DDROP=rel -DLAST=atomic_thread_fence(acq) -DHINT
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int references = 2;
_Atomic int uses[2];
int content[2], sum;
int kept[2];

static void either(int me) {
#ifdef HINT
  atomic_store_explicit(&uses[me], 1, rlx);
  kept[me] = atomic_load_explicit(&uses[1 - me], rlx);
#endif
  content[me] = 1;
  if (atomic_fetch_sub_explicit(&references, 1, DROP) == 1) {
    LAST;
    sum = content[0] + content[1];
    CHECK(sum == 2);
  }
}

int main(void) {
  run_all(2, either);
  return 0;
}
