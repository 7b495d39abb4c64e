//: tso violation shape=SB states=20
//: pso violation shape=SB states=20
//: pgas violation shape=SB states=20
//: ra violation shape=SB states=14
//: rc20 violation shape=SB states=14
//: cpp20 robust states=13
// Store buffering with SC accesses in one thread and an SC fence between relaxed accesses in the
// other. C++ orders SC fences and SC accesses among each other, so it rules the weak outcome out;
// rc20 orders them by happens-before only, and reports it.
name "sb+sc+fence";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  r = y.load(sc);
}

thread right {
  local r;
  y.store(1, rlx);
  fence(sc);
  r = x.load(rlx);
}
