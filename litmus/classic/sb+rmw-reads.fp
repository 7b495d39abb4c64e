//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=10
//: rc20 violation states=10
//: cpp20 violation states=10
// Store buffering with the loads strengthened to fetch-and-adds of 0. An update must read the
// write just before its own, but the other thread's plain store may come later in the order of
// writes than that update: both still get 0.
name "sb+rmw-reads";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  r = y.fadd(0, acqrel);
}

thread right {
  local r;
  y.store(1, rel);
  r = x.fadd(0, acqrel);
}
