//: tso robust states=0
//: pso violation shape=MP states=45
//: pgas violation shape=MP states=45
//: ra robust states=226
//: rc20 robust states=226
//: cpp20 robust states=226
// Three threads increment a non-atomic counter under a lock taken by a blocking compare-and-swap:
// no race, no lost update.
name "bcas-lock";
domain 4;
global lock, done;
nonatomic count;

proc acquire(l) { l.bcas(0, 1, acq); }
proc release(l) { l.store(0, rel); }

thread p[3] {
  local r;
  acquire(lock);
  r = count;
  count = r + 1;
  release(lock);
  r = done.fadd(1, acqrel);
  if (r == 2) {
    r = count;
    assert(r == 3);
  }
}
