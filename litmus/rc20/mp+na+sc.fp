//: tso robust states=0
//: pso violation shape=MP states=15
//: pgas violation shape=MP states=15
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Non-atomic data published and seen by SC accesses.
name "mp+na+sc";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, sc);
}

thread consumer {
  local r, s;
  r = flag.load(sc);
  if (r == 1) {
    s = data;
    assert(s == 1);
  }
}
