//: tso robust states=628
//: pso robust states=628
//: pgas robust states=628
//: ra robust states=589
//: rc20 robust states=589
//: cpp20 robust states=589
// The queue lock of Mellor-Crummey and Scott (1991) for three threads: each waits on a flag of its
// own and is woken by its predecessor. Threads join by an exchange of the tail; the links have one
// writer each. Values are thread numbers plus one.
name "mcs-lock";
domain 4;
const N = 3;
global tail, next[N], go[N];
nonatomic owner;

thread p[N] {
  local r;
  r = tail.xchg(me + 1, acqrel);
  if (r != 0) {
    next[r - 1].store(me + 1, rel);
    wait(go[me] == 1, acq);
  }
  owner = me;
  r = owner;
  assert(r == me);
  r = tail.cas(me + 1, 0, acqrel, rlx);
  if (r != me + 1) {
    r = wait(next[me] != 0, acq);
    go[r - 1].store(1, rel);
  }
}
