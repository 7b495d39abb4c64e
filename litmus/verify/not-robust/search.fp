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
// A search with early exit: two workers look for a value in halves of the data; who finds it
// stores where and tells; both look now and then whether the other has told. Missing that costs
// time, not correctness. Not robust: telling and looking is store buffering. Who is told finds a
// place. With a buffer for each location the word may overtake the place.
name "search";
domain 4;
global place[2], told[2];

thread worker[2] {
  local found, t, p;
  found = nondet(0, 1);
  if (found) {
    place[me].store(me + 1, rel);
    told[me].store(1, rel);
  }
  t = told[1 - me].load(acq);
  if (t == 1) {
    p = place[1 - me].load(acq);
    assert(p == 2 - me);
  }
}
