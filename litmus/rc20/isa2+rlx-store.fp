//: tso robust states=0
//: pso violation shape=ISA2 states=55
//: pgas violation shape=ISA2 states=55
//: ra robust states=32
//: rc20 violation states=29
//: cpp20 violation states=29
// Message passing through an intermediary that acquires the data but raises its own flag by a
// relaxed store.
name "isa2+rlx-store";
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
    g.store(1, rlx);
  }
}

thread last {
  local r, s;
  r = g.load(acq);
  s = data.load(rlx);
}
