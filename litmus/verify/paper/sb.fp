//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Store buffering (Lahav and Boker 2020, example 3.5): can both threads miss the other's store?
// The first thread hands on what it has read, plus one, so that one place knows both. Under SC
// one store comes first. Under SRA no store happens before the read that misses it, and a bug
// under SRA is one under RA and, with these orders, under RC20. On the machines both stores wait
// in their buffers.
name "sb";
domain 4;
global x, y, out;

thread p {
  local a;
  x.store(1, rel);
  a = y.load(acq);
  out.store(a + 1, rel);
}

thread q {
  local a, b;
  y.store(1, rel);
  b = x.load(acq);
  a = wait(out != 0, acq);
  assert(!(a == 1 && b == 0));
}
