//: tso robust states=0
//: pso violation shape=MP states=51
//: pgas violation shape=MP states=51
//: ra robust states=15
//: rc20 robust states=15
//: cpp20 robust states=15
// Message passing where the consumer waits until a counter has passed a threshold. Only the values
// that satisfy the comparison matter: once one of them is seen, so are both pieces of data.
name "mp+wait-ge";
domain 4;
global count, a, b;

thread producer {
  a.store(1, rlx);
  count.store(1, rel);
  b.store(1, rlx);
  count.store(2, rel);
  count.store(3, rel);
}

thread consumer {
  local r, s;
  wait(count >= 2, acq);
  r = a.load(rlx);
  s = b.load(rlx);
  assert(r == 1 && s == 1);
}
