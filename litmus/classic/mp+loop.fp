//: tso robust states=0
//: pso violation shape=MP states=12
//: pgas violation shape=MP states=12
//: ra robust states=6
//: rc20 robust states=6
//: cpp20 robust states=6
// Message passing with a busy loop on the flag. Only one thread writes, so every stale read is a
// read that could have happened earlier: spinning on old values is not a violation here, unlike in
// bar+loops.
name "mp+loop";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
}

thread consumer {
  local f, d;
  do { f = flag.load(acq); } while (f == 0);
  d = data.load(rlx);
  assert(d == 1);
}
