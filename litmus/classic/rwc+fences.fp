//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=75
//: rc20 robust states=75
//: cpp20 robust states=36
// Read-to-write causality with SC fences in the second and the third thread.
name "rwc+fences";
domain 2;
global x, y;

thread writer { x.store(1, rel); }

thread middle {
  local r, s;
  r = x.load(acq);
  fence(sc);
  s = y.load(acq);
}

thread last {
  local r;
  y.store(1, rel);
  fence(sc);
  r = x.load(acq);
}
