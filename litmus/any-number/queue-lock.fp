//: tso robust
//: pso violation copies=2 shape=S
//: pgas violation copies=2 shape=S
//: ra robust
//: rc20 robust
//: cpp20 robust
// A queue lock in the manner of Craig, Landin and Hagersten, with a pool of three nodes. Each thread
// takes a free node, puts it at the end of the queue by an exchange, waits until its predecessor's
// node is released, and gives the predecessor's node back to the pool. Whoever finds no free node
// waits for one, so there can be any number of threads.
name "queue-lock";
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
  locked[mine].store(0, rel);
  free[before].store(1, rel);
}
