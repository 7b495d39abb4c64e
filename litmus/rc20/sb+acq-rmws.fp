//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 violation states=16
//: cpp20 violation states=16
// As sb+rlx-rmws with acquire updates. Half of a fence: the later one acquires, but the earlier one
// has not released.
name "sb+acq-rmws";
domain 2;
global x, y, f;

thread left {
  local r;
  x.store(1, rlx);
  f.fadd(0, acq);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  f.fadd(0, acq);
  r = x.load(rlx);
}
