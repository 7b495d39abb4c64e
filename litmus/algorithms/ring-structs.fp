//: tso robust
//: pso violation shape=MP
//: pgas violation shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// A ring of two slots between two threads: the producer waits for a free slot, the consumer for a
// full one. What a slot holds is plain data; its `full` says whose it is. Buffers per location
// (pso, pgas) let `full` overtake the data.
name "ring-structs";
domain 4;
const N = 2;
const ROUNDS = 3;
struct slot[N] {
  global full;
  nonatomic value;
}

proc put(s, v) {
  wait(s.full == 0, acq);
  s.value = v;
  s.full.store(1, rel);
}

proc take(s) {
  local v;
  wait(s.full == 1, acq);
  v = s.value;
  s.full.store(0, rel);
  return v;
}

thread producer {
  for (local i = 0; i < ROUNDS; i = i + 1) {
    put(slot[i % N], i);
  }
}

thread consumer {
  local v;
  for (local i = 0; i < ROUNDS; i = i + 1) {
    v = take(slot[i % N]);
    assert(v == i);
  }
}
