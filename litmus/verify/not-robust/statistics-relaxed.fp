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
// The statistics with relaxed accesses throughout, as one would write them: coherence of each
// counter is all that is needed, and RC20 gives it to relaxed accesses too. The observers only
// read, so there are finitely many executions but for reads that change nothing, and a search
// comes to its end.
name "statistics-relaxed";
domain 8;
global count[2];

thread worker[2] {
  local v;
  while (v < 2) {
    v = v + 1;
    count[me].store(v, rlx);
  }
}

thread observer[2] {
  local a, b, sum;
  while (1) {
    a = count[0].load(rlx);
    b = count[1].load(rlx);
    assert(a + b >= sum);
    sum = a + b;
  }
}
