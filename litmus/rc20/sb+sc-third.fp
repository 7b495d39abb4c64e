//: tso violation shape=SB
//: pso violation shape=SB
//: pgas violation shape=SB
//: ra violation states=20
//: rc20 robust states=41
// Store buffering with SC accesses and a third thread that writes x by a release store. Whichever
// way its store is ordered, the SC stores keep the loads from being stale.
name "sb+sc-third";
domain 4;
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

thread third {
  x.store(2, rel);
}
