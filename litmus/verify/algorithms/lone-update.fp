//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// Two threads that would look alike but for the blocking compare-and-swap. It can never happen, so
// the rest has a symmetry that maps a location with an update to one without.
name "lone-update";
domain 2;
global x, y;

thread left {
  x.store(0, rel);
}

thread right {
  y.store(1, rel);
  y.bcas(0, 1, rlx);
}
