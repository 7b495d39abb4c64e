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
// Independent reads of independent writes (Lahav and Boker 2020, example 3.8): may two readers
// see two stores in opposite orders? Under SRA they may: it is not multi-copy atomic. Store
// buffers are: a store that somebody else sees is in memory for all. The first reader hands on 1
// + 2a + b, which is 3 when it saw the store to x and not the one to y.
name "iriw";
domain 8;
global x, y, out;

thread p {
  x.store(1, rel);
}

thread q {
  local a, b;
  a = x.load(acq);
  b = y.load(acq);
  out.store(1 + 2 * a + b, rel);
}

thread r {
  local c, d, e;
  c = y.load(acq);
  d = x.load(acq);
  e = wait(out != 0, acq);
  assert(!(e == 3 && c == 1 && d == 0));
}

thread s {
  y.store(1, rel);
}
