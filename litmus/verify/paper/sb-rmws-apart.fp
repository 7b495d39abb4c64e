//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// Store buffering with updates of two different locations (compare Lahav and Boker 2020, example
// 3.10, where it is one): they meet no partner and order nothing. The machines do not mind where
// an update is: buffers are empty behind it.
name "sb-rmws-apart";
domain 4;
global x, y, f, g, out;

thread p {
  local a;
  x.store(1, rel);
  f.fadd(0, acqrel);
  a = y.load(acq);
  out.store(a + 1, rel);
}

thread q {
  local a, b;
  y.store(1, rel);
  g.fadd(0, acqrel);
  b = x.load(acq);
  a = wait(out != 0, acq);
  assert(!(a == 1 && b == 0));
}
