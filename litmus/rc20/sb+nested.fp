//: tso violation shape=SB states=120
//: pso violation shape=SB states=130
//: pgas violation shape=SB states=130
//: ra violation states=23
//: rc20 violation states=23
//: cpp20 violation states=23
//: rc20 observational violation
//: cpp20 observational violation
// Two instances of store buffering, one inside the other (after Margalit and Lahav 2021, example
// 4.18). If the inner loads are stale the outer ones may be; if they are not, they make the thread
// aware of the outer store.
// not observationally robust (POPL 2021, example 4.18)
name "sb+nested";
domain 2;
global x, y, z, w;

thread left {
  local r, s, t;
  x.store(1, rel);
  y.store(1, rel);
  r = z.load(acq);
  s = w.load(acq);
  if (s == 0) {
    t = 1;
  }
}

thread right {
  local r, s, t;
  w.store(1, rel);
  z.store(1, rel);
  r = y.load(acq);
  s = x.load(acq);
  if (s == 0) {
    t = 1;
  }
}
