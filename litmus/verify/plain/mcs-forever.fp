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
// The queue lock of Mellor-Crummey and Scott, for ever. Robust also with a buffer for each
// location: every thread updates `tail` between its data and what lets others go.
name "mcs-forever";
domain 4;
const N = 2;
global tail, next[N], go[N];
nonatomic data;

thread p[N] {
  local r, s;
  while (1) {
    next[me].store(0, rlx);
    go[me].store(0, rlx);
    r = tail.xchg(me + 1, acqrel);
    if (r != 0) {
      next[r - 1].store(me + 1, rel);
      wait(go[me] == 1, acq);
    }
    r = data;
    data = r + 1;
    s = data;
    assert(s == int((r + 1) % 4));
    r = tail.cas(me + 1, 0, rel, rlx);
    if (r != me + 1) {
      r = wait(next[me] != 0, acq);
      go[r - 1].store(1, rel);
    }
  }
}
