//: tso robust states=0
//: pso violation shape=ISA2 states=57
//: pgas violation shape=ISA2 states=57
//: ra robust states=32
//: rc20 robust states=32
//: cpp20 robust states=32
// Message passing through an intermediary: the flag is handed on from thread to thread, and the
// data with it.
name "isa2";
domain 2;
global data, f, g;

thread first {
  data.store(1, rlx);
  f.store(1, rel);
}

thread relay {
  local r;
  r = f.load(acq);
  if (r == 1) {
    g.store(1, rel);
  }
}

thread last {
  local r, d;
  r = g.load(acq);
  d = data.load(rlx);
  assert(r == 0 || d == 1);
}
