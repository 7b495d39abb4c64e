//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// Statistics: two workers count what they have done, each in a counter of its own, and two
// observers add the counters up, again and again; the sum never goes down. Each counter has one
// writer and is read coherently, so the observers' sums are monotonic in every model, and writes
// do not race: RA reaches what SRA reaches. The observers may see the counters advance in
// different orders, which makes the program not robust against release/acquire. RC20 permits no
// more than RA where every access is a release or an acquire. On the machines workers only store
// and observers only load.
name "statistics";
domain 8;
global count[2];

thread worker[2] {
  local v;
  while (v < 2) {
    v = v + 1;
    count[me].store(v, rel);
  }
}

thread observer[2] {
  local a, b, sum;
  while (1) {
    a = count[0].load(acq);
    b = count[1].load(acq);
    assert(a + b >= sum);
    sum = a + b;
  }
}
