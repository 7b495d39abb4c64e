//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// The same, and each side loads its own index, relaxed: nobody else writes it.
name "spsc-own-index";
domain 8;
const SIZE = 2;
global head, tail;
nonatomic buf[SIZE];

thread producer {
  local h, t, v = 1;
  while (1) {
    t = tail.load(rlx);
    h = head.load(acq);
    if (t - h < SIZE) {
      buf[t % SIZE] = v;
      tail.store(t + 1, rel);
      v = v % 7 + 1;
    }
  }
}

thread consumer {
  local h, t, r, want = 1;
  while (1) {
    h = head.load(rlx);
    t = tail.load(acq);
    if (t != h) {
      r = buf[h % SIZE];
      assert(r == want);
      want = want % 7 + 1;
      head.store(h + 1, rel);
    }
  }
}
