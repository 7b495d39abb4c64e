//: tso robust states=4339
//: pso violation shape=MP states=216
//: pgas violation shape=MP states=216
//: ra violation states=807
//: rc20 violation states=816
//: cpp20 violation states=565
// The Chase-Lev deque with the owner's fences that TSO needs: in pop between bottom and top, and
// before push looks at top. Under release/acquire a fence needs a partner, and the thieves have
// none: they may see a new top next to an old bottom.
name "chase-lev-tso";
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
