//: ra violation states=46
//: rc20 violation states=9
//: cpp20 violation states=9
//: tso violation states=84
//: pso violation states=37
//: pgas violation states=37
//: ra consequence none
//: rc20 consequence race
//: cpp20 consequence race
//: tso consequence none
//: pso consequence failure
//: pgas consequence failure
// The ring of one producer and one consumer, but `tail` is stored without release order. That both
// can find the other's index as it was does no harm. That the consumer reads what nobody has handed
// over is a data race under the models that tell orders apart, in an SC run. With a buffer for each
// location the index overtakes the data. The domain is small: nothing but the verdicts depends on it.
name "spsc-rlx";
domain 4;
const SIZE = 2;
global head, tail;
nonatomic buf[SIZE];

thread producer {
  local h, t, v = 1;
  while (1) {
    h = head.load(acq);
    if (t - h < SIZE) {
      buf[t % SIZE] = v;
      t = t + 1;
      tail.store(t, rlx);
      v = v % 3 + 1;
    }
  }
}

thread consumer {
  local h, t, r, want = 1;
  while (1) {
    t = tail.load(acq);
    if (t != h) {
      r = buf[h % SIZE];
      assert(r == want);
      want = want % 3 + 1;
      h = h + 1;
      head.store(h, rel);
    }
  }
}
