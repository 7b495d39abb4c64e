//: sc safe
//: sra safe
//: ra safe
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// The queue lock of Mellor-Crummey and Scott for two threads, once each, in which the successor
// is woken by a relaxed store. Under RC20 it does not know that the owner before it has written
// owner, and that write may come after its own. Elsewhere this is mcs: on machines the failed
// compare-and-swap in front empties the buffers.
name "mcs-relaxed";
domain 4;
const N = 2;
global tail, next[N], go[N], owner;

thread p[N] {
  local r;
  r = tail.xchg(me + 1, acqrel);
  if (r != 0) {
    next[r - 1].store(me + 1, rel);
    wait(go[me] == 1, rlx);
  }
  owner.store(me, rlx);
  r = owner.load(rlx);
  assert(r == me);
  r = tail.cas(me + 1, 0, acqrel, rlx);
  if (r != me + 1) {
    r = wait(next[me] != 0, acq);
    go[r - 1].store(1, rlx);
  }
}
