//: tso robust states=340
//: pso violation shape=MP states=37
//: pgas violation shape=MP states=37
//: ra robust states=243
//: rc20 robust states=243
//: cpp20 robust states=243
// A ring buffer for one producer and one consumer (Lamport 1977) with two non-atomic slots,
// indices modulo four, and waits for room and for data. Each index has one writer, and each side
// waits only for values that hand a slot over.
name "ring";
domain 4;
const SIZE = 2;
global head, tail;
nonatomic slot[SIZE];

thread producer {
  local t;
  while (1) {
    wait(head != t + SIZE, acq);
    slot[t % SIZE] = 1;
    t = t + 1;
    tail.store(t, rel);
  }
}

thread consumer {
  local h, r;
  while (1) {
    wait(tail != h, acq);
    r = slot[h % SIZE];
    assert(r == 1);
    slot[h % SIZE] = 0;
    h = h + 1;
    head.store(h, rel);
  }
}
