//: sc safe
//: sra racy
//: ra racy
//: rc20 racy
//: cpp20 racy
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// Plain data that a test-and-set lock protects, and a reader who does not care for locks. Its
// read and a write are not ordered. Machines do not tell plain accesses from others, and one read
// of one location is never strange.
name "unlocked-reader";
domain 4;
global lock;
nonatomic data;

thread writer[2] {
  local r, v;
  while (1) {
    do {
      r = lock.xchg(1, acqrel);
    } while (r == 1);
    v = data;
    data = v + 1;
    lwfence();
    lock.store(0, rel);
  }
}

thread reader {
  local v;
  while (1) {
    v = data;
  }
}
