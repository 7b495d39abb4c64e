//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Lamport's fast mutual exclusion (1987, second algorithm) for two threads, for ever, without
// fences. Each may find y still 0 and its own number in x: writing x and reading y, writing y
// and reading x are store buffering.
name "lamport";
domain 4;
const N = 2;
global b[N], x, y, owner;

thread p[N] {
  local r;
  while (1) {
    start:
    b[me].store(1, rel);
    x.store(me + 1, rel);
    r = y.load(acq);
    if (r != 0) {
      b[me].store(0, rel);
      wait(y == 0, acq);
      goto start;
    }
    y.store(me + 1, rel);
    r = x.load(acq);
    if (r != me + 1) {
      b[me].store(0, rel);
      wait(b[1 - me] == 0, acq);
      r = y.load(acq);
      if (r != me + 1) {
        wait(y == 0, acq);
        goto start;
      }
    }
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    y.store(0, rel);
    b[me].store(0, rel);
  }
}
