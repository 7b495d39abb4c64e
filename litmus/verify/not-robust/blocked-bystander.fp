//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation states=66
//: rc20 violation states=66
//: cpp20 violation states=40
//: tso violation states=125
//: pso violation states=128
//: pgas violation states=128
// Store buffering between `left` and `right`, which goes on only if `left` has not seen the door
// closed. It has not only if the bystander came later and waits for ever: if the bystander had seen the
// gate open, `left` would have seen the door. So something goes wrong only beside a thread that never
// ends.
name "blocked-bystander";
domain 4;
global gate, door, a, b, seen;

thread bystander {
  door.store(1, rlx);
  fence(sc);
  wait(gate == 0, rlx);
}

thread left {
  local r, s;
  gate.store(1, rlx);
  fence(sc);
  r = door.load(rlx);
  if (r == 0) {
    a.store(1, rel);
    s = b.load(acq);
    seen.store(s + 1, rel);
  }
}

thread right {
  local q;
  b.store(1, rel);
  q = a.load(acq);
  if (q == 0) {
    wait(seen == 1, acq);
    assert(0);
  }
}
