//: tso robust states=654
//: pso violation shape=MP states=58
//: pgas violation shape=MP states=58
//: ra robust states=356
//: rc20 robust states=356
//: cpp20 robust states=356
// The ring buffer for one producer and one consumer from Boost's examples (Bahmann and Blechmann
// 2012; Margalit and Lahav 2021, figure 6): each side reads its own index by a relaxed load, the
// other's by an acquire load, and publishes by a release store. One slot stays free to tell full
// from empty. Each side waits where the original would return "full" or "empty" and try again.
name "wait-free-ring";
domain 4;
const SIZE = 3;
global head, tail;
nonatomic slot[SIZE];

thread producer {
  local h, n;
  while (1) {
    h = head.load(rlx);
    n = (h + 1) % SIZE;
    wait(tail != n, acq);
    slot[h] = 1;
    head.store(n, rel);
  }
}

thread consumer {
  local t, r;
  while (1) {
    t = tail.load(rlx);
    wait(head != t, acq);
    r = slot[t];
    assert(r == 1);
    slot[t] = 0;
    tail.store((t + 1) % SIZE, rel);
  }
}
