//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// The queue lock of Mellor-Crummey and Scott (1991) for three threads, each of which enters
// once: join by an exchange of the tail, wait on a flag of one's own, wake the successor. Values
// are thread numbers plus one. The successor is woken behind a failed compare-and-swap, which
// empties the buffers of a machine.
name "mcs";
domain 4;
const N = 3;
global tail, next[N], go[N], owner;

thread p[N] {
  local r;
  r = tail.xchg(me + 1, acqrel);
  if (r != 0) {
    next[r - 1].store(me + 1, rel);
    wait(go[me] == 1, acq);
  }
  owner.store(me, rlx);
  r = owner.load(rlx);
  assert(r == me);
  r = tail.cas(me + 1, 0, acqrel, rlx);
  if (r != me + 1) {
    r = wait(next[me] != 0, acq);
    go[r - 1].store(1, rel);
  }
}
