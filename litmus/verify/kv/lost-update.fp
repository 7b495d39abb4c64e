//: sc assertion-fails
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// A counter in one key, incremented by reading and writing: one of two increments may be lost,
// under SC as everywhere. The second client waits for the first to be done and then looks.
name "lost-update";
domain 4;
global counter, done;

thread client {
  local r;
  r = counter.load(acq);
  counter.store(r + 1, rel);
  done.store(1, rel);
}

thread other {
  local r;
  r = counter.load(acq);
  counter.store(r + 1, rel);
  wait(done == 1, acq);
  r = counter.load(acq);
  assert(r == 2);
}
