//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// A slot for one task. Its owner fills it and takes the task back, unless one of any number of thieves
// has been quicker. Whoever has the task empties it and tells the owner that it may come again.
name "thieves";
domain 3;
const EMPTY = 0;
const FULL = 1;
const TAKEN = 2;
global slot;
nonatomic task;

thread owner {
  local r;
  while (1) {
    task = 1;
    slot.store(FULL, rel);
    r = slot.cas(FULL, EMPTY, acqrel, acq);
    if (r != FULL) {
      wait(slot == EMPTY, acq);
    }
  }
}

thread thief[*] {
  local r;
  r = slot.cas(FULL, TAKEN, acqrel, rlx);
  if (r == FULL) {
    r = task;
    assert(r == 1);
    slot.store(EMPTY, rel);
  }
}
