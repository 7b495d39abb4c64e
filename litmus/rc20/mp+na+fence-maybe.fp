//: tso robust states=0
//: pso violation shape=MP states=12
//: pgas violation shape=MP states=12
//: ra robust states=5
//: rc20 robust states=5
//: cpp20 robust states=5
// The acquire fence only where it is needed: after the flag was seen. Polling costs no more than a
// relaxed load.
name "mp+na+fence-maybe";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rel);
}

thread consumer {
  local r, s;
  do { r = flag.load(rlx); } while (r == 0);
  fence(acq);
  s = data;
  assert(s == 1);
}
