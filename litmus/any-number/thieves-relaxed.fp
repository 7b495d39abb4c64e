//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 violation copies=1
//: cpp20 violation copies=1
// The same with a thief that takes without acquiring: it races with the owner.
name "thieves-relaxed";
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
  r = slot.cas(FULL, TAKEN, rlx, rlx);
  if (r == FULL) {
    r = task;
    assert(r == 1);
    slot.store(EMPTY, rel);
  }
}
