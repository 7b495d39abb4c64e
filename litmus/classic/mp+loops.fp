//: tso robust states=0
//: pso violation shape=MP states=42
//: pgas violation shape=MP states=42
//: ra robust states=60
//: rc20 violation states=26
//: cpp20 violation states=26
// A stream of messages: the producer publishes an odd and an even version for ever, the consumer
// keeps polling. With a single writer all writes are ordered by happens-before, and nothing a pure
// reader does can close a cycle. With the orders as written it can: the relaxed load may return data
// of the next round without synchronising, and the flag read after it may still be the old one. An
// acquire load of data does not help while its store is relaxed.
name "mp+loops";
domain 4;
global data, flag;

thread producer {
  local v;
  while (1) {
    v = v + 1;
    data.store(v, rlx);
    flag.store(v, rel);
  }
}

thread consumer {
  local f, d;
  while (1) {
    f = flag.load(acq);
    d = data.load(rlx);
  }
}
