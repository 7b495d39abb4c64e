//: tso robust states=0
//: pso violation shape=MP states=42
//: pgas violation shape=MP states=42
//: ra robust states=39
//: rc20 violation shape=MP states=20
//: cpp20 violation shape=MP states=20
// As mp+rs, but the store of the flag is relaxed: a chain of updates releases nothing unless its
// head, or an update in it, does.
name "mp+rs-rlx-head";
domain 4;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread updater {
  flag.fadd(2, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(acq);
  s = data.load(rlx);
}
