//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso unsettled
//: pgas unsettled
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Store buffering again and again: each thread publishes that it is in an even or an odd round,
// for ever, and looks at the other's. What it finds is a round. Not robust, and the buffers of
// the machines have no bound; SRA decides it, and RA follows, since every location has one
// writer, and RC20, since every access is a release or an acquire. It is safe on TSO since SRA
// can do all that TSO can. It is safe with a buffer for each location too, as each thread writes
// one, but no general argument says so.
name "sb-rounds";
domain 4;
global round[2] = 1;

thread p[2] {
  local v = 1, r;
  while (1) {
    v = 3 - v;
    round[me].store(v, rel);
    r = round[1 - me].load(acq);
    assert(r == 1 || r == 2);
  }
}
