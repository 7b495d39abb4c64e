//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// The same with three threads.
name "tas-three";
domain 4;
global lock;
nonatomic data;

thread p[3] {
  local r, s;
  while (1) {
    do {
      r = lock.xchg(1, acq);
    } while (r == 1);
    r = data;
    data = r + 1;
    s = data;
    assert(s == int((r + 1) % 4));
    lock.store(0, rel);
  }
}
