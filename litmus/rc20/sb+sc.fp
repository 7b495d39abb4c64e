//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 robust states=13
//: cpp20 robust states=13
// Store buffering with SC accesses. They are totally ordered, so the load that comes last sees the
// other store. (Under ra every access counts as release/acquire, and the program is sb.)
name "sb+sc";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  r = y.load(sc);
}

thread right {
  local r;
  y.store(1, sc);
  r = x.load(sc);
}
