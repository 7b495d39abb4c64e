//: tso robust
//: pso violation copies=2 shape=S
//: pgas violation copies=2 shape=S
//: ra robust
//: rc20 violation copies=2
//: cpp20 violation copies=2
// The same lock with an unlock that releases nothing: the second one to come races with the first.
name "spinlock-relaxed";
domain 2;
global lock;
nonatomic data;

thread worker[*] {
  lock.bcas(0, 1, acq);
  data = 1;
  lock.store(0, rlx);
}
