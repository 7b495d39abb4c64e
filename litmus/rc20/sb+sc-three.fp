//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with three SC accesses out of four. The release store is not in the total order,
// so the load of the other thread may ignore it.
name "sb+sc-three";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  r = y.load(sc);
}

thread right {
  local r;
  y.store(1, rel);
  r = x.load(sc);
}
