//: tso robust states=68
//: pso violation shape=2+2W states=59
//: pgas violation shape=2+2W states=59
//: ra violation shape=2+2W states=12
//: rc20 violation shape=2+2W states=12
//: cpp20 violation shape=2+2W states=12
// Two threads that each write both locations, in opposite order, and then look at the second one
// (Lahav and Margalit 2019, example 3.4). Release/acquire lets the two orders of writes contradict
// the program: each thread can see its own second write overwritten by the other's first. TSO
// cannot do that.
name "2+2w";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  y.store(2, rel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, rel);
  x.store(2, rel);
  r = x.load(acq);
}
