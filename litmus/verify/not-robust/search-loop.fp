//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// The search with early exit, with workers that go on until one of them has found the value.
// Places and words have one writer each: RA reaches what SRA reaches, and RC20 no more. Every
// thread stores twice at most, so the machines are finite.
name "search-loop";
domain 4;
global place[2], told[2];

thread worker[2] {
  local found, t, p;
  while (!t && !found) {
    found = nondet(0, 1);
    if (found) {
      place[me].store(me + 1, rel);
      told[me].store(1, rel);
    }
    t = told[1 - me].load(acq);
  }
  if (t == 1) {
    p = place[1 - me].load(acq);
    assert(p == 2 - me);
  }
}
