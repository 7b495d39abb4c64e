//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Load buffering with relaxed accesses. C++ permits both loads to return 1, and ARMv8 can do it.
// The model excludes it, because it also excludes values out of thin air: program order together
// with reads-from has no cycles.
name "lb+rlx";
domain 2;
global x, y;

thread left {
  local r;
  r = x.load(rlx);
  y.store(1, rlx);
}

thread right {
  local r;
  r = y.load(rlx);
  x.store(1, rlx);
}
