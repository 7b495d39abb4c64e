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
// Store buffering with an update of a third location between store and load (Lahav and Boker
// 2020, example 3.10). One of the updates reads from the other, so the thread that comes second
// knows of the first one's store. On the machines an update waits until the buffers are empty.
name "sb-rmws";
domain 4;
global x, y, f, out;

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
  f.fadd(0, acqrel);
  b = x.load(acq);
  a = wait(out != 0, acq);
  assert(!(a == 1 && b == 0));
}
