//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// A queue with one producer, one consumer and two slots (Lamport 1983), for ever: what is taken
// out is what was put in. Values are 1 and 2 in turn. Head and tail have one writer each, slots
// are handed over by them. With a buffer for each location the tail overtakes what is in the
// slot.
name "ring";
domain 4;
global head, tail, slot[2];

thread producer {
  local t, v = 1;
  while (1) {
    wait(head != (t + 2) % 4, acq);
    slot[t % 2].store(v, rlx);
    t = t + 1;
    tail.store(t, rel);
    v = 3 - v;
  }
}

thread consumer {
  local h, r, v = 1;
  while (1) {
    wait(tail != h, acq);
    r = slot[h % 2].load(rlx);
    assert(r == v);
    h = h + 1;
    head.store(h, rel);
    v = 3 - v;
  }
}
