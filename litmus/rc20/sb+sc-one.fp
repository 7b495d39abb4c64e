//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with SC accesses in one thread and release/acquire in the other. A total order of
// accesses of one thread only is nothing new.
name "sb+sc-one";
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
  r = x.load(acq);
}
