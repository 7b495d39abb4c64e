//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=16
//: rc20 robust states=16
//: cpp20 robust states=16
// Two producers with data of their own count up a flag by release updates. The second update
// continues the sequence that the first one heads, so the consumer that sees both has the data of
// both.
name "mp+rs-two-heads";
domain 4;
global a, b, flag;

thread first {
  a.store(1, rlx);
  flag.fadd(1, rel);
}

thread second {
  b.store(1, rlx);
  flag.fadd(1, rel);
}

thread consumer {
  local r, s;
  wait(flag == 2, acq);
  r = a.load(rlx);
  s = b.load(rlx);
  assert(r == 1 && s == 1);
}
