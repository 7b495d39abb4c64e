//: tso robust states=0
//: pso violation shape=MP states=61
//: pgas violation shape=MP states=61
//: ra robust states=71
//: rc20 robust states=71
//: cpp20 robust states=71
// Two locks, always taken in the same order, protect one cell each. Locking discipline means no
// races, and no races means no weak behaviour.
name "two-locks";
domain 4;
const N = 2;
global lock[N];
nonatomic cell[N];

proc acquire(l) { l.bcas(0, 1, acq); }
proc release(l) { l.store(0, rel); }

thread mover {
  local r;
  acquire(lock[0]);
  acquire(lock[1]);
  r = cell[0];
  cell[1] = r;
  release(lock[1]);
  release(lock[0]);
}

thread filler {
  acquire(lock[0]);
  cell[0] = 1;
  release(lock[0]);
}

thread checker {
  local r;
  acquire(lock[1]);
  r = cell[1];
  release(lock[1]);
  assert(r <= 1);
}
