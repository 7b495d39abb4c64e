//: tso robust states=68
//: pso violation shape=2+2W states=59
//: pgas violation shape=2+2W states=59
//: ra violation shape=2+2W states=12
//: rc20 robust states=34
//: cpp20 robust states=34
// As 2+2w with SC stores; the loads that look at the result may be relaxed, since a thread cannot
// miss its own store.
name "2+2w+sc+rlx";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  y.store(2, sc);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, sc);
  x.store(2, sc);
  r = x.load(rlx);
}
