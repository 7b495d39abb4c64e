//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// A barrier for whoever comes in time: a leader publishes a result and opens the gate when it likes;
// any number of workers announce themselves before, and wait for it.
name "barrier";
domain 2;
global gate, announced;
nonatomic result;

thread leader {
  result = 1;
  wait(announced == 1, acq);
  gate.store(1, rel);
}

thread worker[*] {
  local r;
  announced.store(1, rel);
  wait(gate == 1, acq);
  r = result;
  assert(r == 1);
}
