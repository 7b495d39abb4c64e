//: tso robust states=637
//: pso violation shape=MP states=183
//: pgas violation shape=MP states=183
//: ra robust states=29377
//: rc20 robust states=55034
//: cpp20 robust states=14785
// The Chase-Lev deque with the fences of chase-lev-ra, where all stores to bottom release, the ones
// that put it back included. Then who has seen bottom knows which compare-and-swap of top came
// before, and the relaxed loads do no harm. One task at a time; with two it is robust as well (1
// 050 835 states).
name "chase-lev-rel";
domain 8;
const LAST = 2;
const SIZE = 2;
global top = 1, bottom = 1;
nonatomic task[LAST];

proc run(i) {
  local r;
  r = task[i];
  assert(r == 1);
  task[i] = 0;
}

thread owner {
  local b = 1, t, r;
  while (1) {
    choose {
      fence(sc);
      t = top.load(acq);
      if (b < LAST && b - t < SIZE) {
        task[b] = 1;
        b = b + 1;
        bottom.store(b, rel);
      }
    } or {
      b = b - 1;
      bottom.store(b, rel);
      fence(sc);
      t = top.load(rlx);
      if (b > t) {
        run(b);
      } else if (b < t) {
        b = t;
        bottom.store(b, rel);
      } else {
        r = top.cas(t, t + 1, acqrel, rlx);
        b = t + 1;
        bottom.store(b, rel);
        if (r == t) {
          run(t);
        }
      }
    }
  }
}

thread thief[2] {
  local b, t, r;
  while (1) {
    fence(sc);
    t = top.load(rlx);
    fence(sc);
    b = bottom.load(acq);
    if (t < b) {
      fence(sc);
      r = top.cas(t, t + 1, acqrel, rlx);
      if (r == t) {
        run(t);
      }
    }
  }
}
