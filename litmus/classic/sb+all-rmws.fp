//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Store buffering where every access is an update. All writes of a location form one chain, each
// reading from the one before, so there is nothing stale to read.
name "sb+all-rmws";
domain 2;
global x, y;

thread left {
  local r;
  x.xchg(1, acqrel);
  r = y.fadd(0, acqrel);
}

thread right {
  local r;
  y.xchg(1, acqrel);
  r = x.fadd(0, acqrel);
}
