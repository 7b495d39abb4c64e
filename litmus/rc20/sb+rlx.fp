//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with relaxed accesses: no better than with release and acquire.
name "sb+rlx";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  r = x.load(rlx);
}
