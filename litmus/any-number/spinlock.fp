//: tso robust
//: pso violation copies=2 shape=S
//: pgas violation copies=2 shape=S
//: ra robust
//: rc20 robust
//: cpp20 robust
// A test-and-set lock for any number of threads. The lock word is the only atomic location, and who
// takes the lock acquires what the last holder released.
name "spinlock";
domain 2;
global lock;
nonatomic data;

thread worker[*] {
  local r;
  while (1) {
    lock.bcas(0, 1, acq);
    data = 1;
    r = data;
    assert(r == 1);
    data = 0;
    lock.store(0, rel);
  }
}
