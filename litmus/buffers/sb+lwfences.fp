//: tso violation shape=SB states=31
//: pso violation shape=SB states=37
//: pgas violation shape=SB states=37
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with light fences: they order stores with stores, and it is a load that overtakes here.
name "sb+lwfences";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  lwfence;
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  lwfence;
  r = x.load(rlx);
}
