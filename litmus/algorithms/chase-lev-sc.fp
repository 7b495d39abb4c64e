//: tso violation shape=RWC states=943
//: pso violation shape=MP states=348
//: pgas violation shape=MP states=348
//: ra violation location=top states=562
//: rc20 violation location=top states=564
//: cpp20 violation location=top states=564
// The work-stealing deque of Chase and Lev (2005) without resizing: one owner works at the bottom,
// thieves take from the top by compare-and-swap, and the owner competes with them only for the
// last task. The owner's pop (store bottom, load top) against a steal is store buffering, so the
// last task can be run twice.
name "chase-lev-sc";
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
      t = top.load(acq);
      if (b < LAST && b - t < SIZE) {
        task[b] = 1;
        b = b + 1;
        bottom.store(b, rel);
      }
    } or {
      b = b - 1;
      bottom.store(b, rlx);
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
    t = top.load(acq);
    b = bottom.load(acq);
    if (t < b) {
      r = top.cas(t, t + 1, acqrel, rlx);
      if (r == t) {
        run(t);
      }
    }
  }
}
