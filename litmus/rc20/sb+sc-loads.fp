//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with relaxed stores and SC loads. The store may be delayed beyond the load.
name "sb+sc-loads";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  r = y.load(sc);
}

thread right {
  local r;
  y.store(1, rlx);
  r = x.load(sc);
}
