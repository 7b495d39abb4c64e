//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=108
//: rc20 violation states=108
//: cpp20 violation states=108
// Independent reads of independent writes with updates in place of all loads. Both writers store
// blindly, and such a store may be ordered after an update that did not see it, so the readers can
// still disagree.
name "iriw+rmw-reads";
domain 2;
global x, y;

thread wx { x.store(1, rel); }
thread wy { y.store(1, rel); }

thread xy {
  local r, s;
  r = x.fadd(0, acqrel);
  s = y.fadd(0, acqrel);
}

thread yx {
  local r, s;
  r = y.fadd(0, acqrel);
  s = x.fadd(0, acqrel);
}
