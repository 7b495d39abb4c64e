//: tso violation shape=SB states=22
//: pso violation shape=SB states=22
//: pgas violation shape=SB states=22
//: ra violation states=18
//: rc20 violation states=18
//: cpp20 violation states=11
// Store buffering where a thread looks a second time behind a fence. The second look cannot be
// stale, the first one still can.
name "sb+recheck";
domain 2;
global x, y;

thread p[2] {
  local r;
  if (me == 0) {
    x.store(1, rlx);
    r = y.load(rlx);
    fence(sc);
    r = y.load(rlx);
  } else {
    y.store(1, rlx);
    fence(sc);
    r = x.load(rlx);
  }
}
