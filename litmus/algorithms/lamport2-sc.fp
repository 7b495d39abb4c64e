//: tso violation shape=SB states=466
//: pso violation shape=SB states=572
//: pgas violation shape=SB states=572
//: ra violation shape=SB states=52
//: rc20 violation shape=SB states=52
//: cpp20 violation shape=SB states=52
// Lamport's fast mutual exclusion, second algorithm (1987), for two threads: without contention a
// thread touches five locations only, however many threads there are. Writing x and then reading
// y, and the reverse, are store buffering.
name "lamport2-sc";
domain 4;
const N = 2;
global b[N], x, y;
nonatomic owner;

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
    owner = me;
    y.store(0, rel);
    b[me].store(0, rel);
  }
}
