//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 robust states=26
//: cpp20 robust states=26
// Store buffering with a fetch-and-add of 0 on a location of its own between store and load (Lahav
// and Margalit 2019, example 3.6). The two updates read one from the other, so the later thread
// knows the earlier store: this is what an SC fence amounts to under release/acquire.
name "sb+rmws";
domain 2;
global x, y, f;

thread left {
  local r;
  x.store(1, rel);
  f.fadd(0, acqrel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, rel);
  f.fadd(0, acqrel);
  r = x.load(acq);
}
