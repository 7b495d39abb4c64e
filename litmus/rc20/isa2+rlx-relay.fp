//: tso robust states=0
//: pso violation shape=ISA2 states=55
//: pgas violation shape=ISA2 states=55
//: ra robust states=32
//: rc20 violation shape=ISA2 states=29
//: cpp20 violation shape=ISA2 states=29
// Message passing through an intermediary that reads the first flag by a relaxed load. It passes
// its own flag on, but not the data, which it has never acquired.
name "isa2+rlx-relay";
domain 2;
global data, f, g;

thread first {
  data.store(1, rlx);
  f.store(1, rel);
}

thread relay {
  local r;
  r = f.load(rlx);
  if (r == 1) {
    g.store(1, rel);
  }
}

thread last {
  local r, s;
  r = g.load(acq);
  s = data.load(rlx);
}
