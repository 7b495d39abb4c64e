//: tso robust states=0
//: pso robust states=40
//: pgas violation shape=MP states=47
//: ra robust states=11
//: rc20 violation shape=MP states=9
//: cpp20 violation shape=MP states=9
// Message passing with a light fence that lists another location. Under PSO lists mean nothing, so the
// fence is enough; under PGAS it does not concern the data, and the flag can overtake them.
name "mp+lwfence-wrong-list";
domain 2;
global data, flag, other;

thread send {
  other.store(1, rlx);
  data.store(1, rlx);
  lwfence(other);
  flag.store(1, rlx);
}

thread receive {
  local r;
  r = flag.load(rlx);
  if (r == 1) {
    r = data.load(rlx);
    r = other.load(rlx);
  }
}
