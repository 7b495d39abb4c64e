//: tso violation
//: pso violation
//: pgas violation
//: ra violation
//: rc20 violation
//: cpp20 robust
// The entry of Dekker's algorithm, as code with hazard pointers or epochs has it: the frequent side uses
// SC accesses, the rare side relaxed ones and a fence. S orders SC accesses and SC fences together.
name "dekker+fence+sc";
domain 2;
global announced, removed;

thread often {
  local r;
  announced.store(1, sc);
  r = removed.load(sc);
}

thread rarely {
  local r;
  removed.store(1, rlx);
  fence(sc);
  r = announced.load(rlx);
}
