//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=68
//: rc20 robust states=68
//: cpp20 robust states=68
//: sc assertion-fails
// Two increments done as a load and a store: both threads may load 0, and the final value is 1. An
// ordinary SC bug; the program is robust, so looking at SC runs is all it takes to find it.
name "lost-update";
domain 4;
global x, done;

thread p[2] {
  local r;
  r = x.load(acq);
  x.store(r + 1, rel);
  done.fadd(1, acqrel);
  wait(done == 2, acq);
  r = x.load(acq);
  assert(r == 2);
}
