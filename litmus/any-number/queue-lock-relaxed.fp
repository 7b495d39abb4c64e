//: tso robust
//: pso violation copies=2 shape=S
//: pgas violation copies=2 shape=S
//: ra robust
//: rc20 violation copies=2
//: cpp20 violation copies=2
// The same with a node that is released without telling what was done: the next one races.
name "queue-lock-relaxed";
domain 4;
global tail = 1;
global free[4] = { 0, 0, 1, 1 };
global locked[4];
nonatomic data;

thread worker[*] {
  local mine, before;
  mine = nondet(1, 3);
  free[mine].bcas(1, 0, acq);
  locked[mine].store(1, rlx);
  before = tail.xchg(mine, acqrel);
  wait(locked[before] == 0, acq);
  data = 1;
  locked[mine].store(0, rlx);
  free[before].store(1, rel);
}
