//: tso robust states=2714
//: pso violation shape=MP states=215
//: pgas violation shape=MP states=215
//: ra robust states=176604
//: rc20 violation states=6408
//: cpp20 violation states=3350
// The Chase-Lev deque with fences on both sides (compare Le et al. 2013). For correctness a thief
// needs the one between its two loads; the one in front of them makes polling agree with SC, and
// the last one is there because a failed compare-and-swap is a stale read. The two are harmless to
// leave out, but then there are runs that SC does not have. With the relaxed orders that are written
// here there are such runs again: the owner's store that puts bottom back does not carry its
// compare-and-swap of top along, so thieves may know the former and not the latter. Harmless too, but
// see chase-lev-rel for what it takes to be robust.
name "chase-lev-ra";
domain 8;
const LAST = 3;
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
      bottom.store(b, rlx);
      fence(sc);
      t = top.load(rlx);
      if (b > t) {
        run(b);
      } else if (b < t) {
        b = t;
        bottom.store(b, rlx);
      } else {
        r = top.cas(t, t + 1, acqrel, rlx);
        b = t + 1;
        bottom.store(b, rlx);
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
    t = top.load(acq);
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
