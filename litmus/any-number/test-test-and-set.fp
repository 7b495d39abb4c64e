//: tso robust
//: pso violation copies=2 shape=S
//: pgas violation copies=2 shape=S
//: ra robust
//: rc20 robust
//: cpp20 robust
// A lock that reads until it looks free before it tries. The loop reads stale values of the only
// location there is, which is no difference to SC.
name "test-test-and-set";
domain 2;
global lock;
nonatomic data;

thread worker[*] {
  local r, got;
  while (1) {
    got = 0;
    while (!got) {
      do { r = lock.load(rlx); } while (r != 0);
      r = lock.cas(0, 1, acq, rlx);
      got = r == 0;
    }
    data = 1;
    lock.store(0, rel);
  }
}
