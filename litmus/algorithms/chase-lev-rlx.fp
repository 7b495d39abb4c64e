//: tso robust states=637
//: pso violation shape=MP states=183
//: pgas violation shape=MP states=183
//: ra robust states=21082
//: rc20 robust states=54305
//: cpp20 robust states=17034
// The Chase-Lev deque with relaxed accesses after Kang (2018; Margalit and Lahav 2021, figure 6,
// chase-lev). A thief takes the task by a blocking compare-and-swap, which stands for giving up
// when it fails. Beyond the fences that correctness needs there are one before push reads top and
// one in front of the thief's loads, and the store of bottom in pop releases: the price of having
// no other runs than SC. One task at a time; with two it is robust as well (872 071 states).
name "chase-lev-rlx";
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
    t = top.load(rlx);
    fence(sc);
    b = bottom.load(rlx);
    if (t < b) {
      fence(acq);
      top.bcas(t, t + 1, rel);
      run(t);
    }
  }
}
