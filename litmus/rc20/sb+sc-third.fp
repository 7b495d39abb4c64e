//: tso violation shape=SB states=67
//: pso violation shape=SB states=67
//: pgas violation shape=SB states=67
//: ra violation states=20
//: rc20 robust states=41
//: cpp20 robust states=41
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
