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
// Store buffering with fences. A fence is an update of one hidden location (Lahav and Boker
// 2020, example 3.10), and on the machines it empties the buffers.
name "sb-fences";
domain 4;
global x, y, out;

thread p {
  local a;
  x.store(1, rel);
  fence(sc);
  a = y.load(acq);
  out.store(a + 1, rel);
}

thread q {
  local a, b;
  y.store(1, rel);
  fence(sc);
  b = x.load(acq);
  a = wait(out != 0, acq);
  assert(!(a == 1 && b == 0));
}
