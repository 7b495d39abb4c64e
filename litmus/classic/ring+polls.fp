//: tso violation shape=SB states=111
//: pso violation shape=MP states=37
//: pgas violation shape=MP states=37
//: ra violation states=53
//: rc20 violation states=53
//: cpp20 violation states=53
// The ring buffer with polling: each side reads the other's index once and gives up when there is
// no room or no data. Now both sides can find an outdated index at the same moment, producer
// "full" and consumer "empty", which no SC run shows. Harmless: giving up too early loses nothing.
// Compare ring, where waiting hides it.
name "ring+polls";
domain 4;
const SIZE = 2;
global head, tail;
nonatomic slot[SIZE];

thread producer {
  local t, h;
  while (1) {
    h = head.load(acq);
    if (h != t + SIZE) {
      slot[t % SIZE] = 1;
      t = t + 1;
      tail.store(t, rel);
    }
  }
}

thread consumer {
  local h, t, r;
  while (1) {
    t = tail.load(acq);
    if (t != h) {
      r = slot[h % SIZE];
      assert(r == 1);
      slot[h % SIZE] = 0;
      h = h + 1;
      head.store(h, rel);
    }
  }
}
