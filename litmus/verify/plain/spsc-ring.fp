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
//: ra consequence none
//: rc20 consequence none
//: cpp20 consequence none
//: tso consequence none
//: pso consequence failure
//: pgas consequence failure
// The textbook ring of one producer and one consumer, for ever. Not robust: both can find the
// other's index as it was. Safe, since an index that is behind is only too careful. With a buffer
// for each location the index can overtake the data.
name "spsc-ring";
domain 8;
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
      tail.store(t, rel);
      v = v % 7 + 1;
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
      want = want % 7 + 1;
      h = h + 1;
      head.store(h, rel);
    }
  }
}
