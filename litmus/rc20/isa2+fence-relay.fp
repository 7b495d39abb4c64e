//: tso robust states=0
//: pso violation shape=ISA2 states=67
//: pgas violation shape=ISA2 states=67
//: ra robust states=32
//: rc20 robust states=32
//: cpp20 robust states=32
// Message passing through an intermediary with relaxed accesses and one acquire-release fence
// between them. The fence synchronises in both directions.
name "isa2+fence-relay";
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
    fence(acqrel);
    g.store(1, rlx);
  }
}

thread last {
  local r, s;
  r = g.load(acq);
  s = data.load(rlx);
}
