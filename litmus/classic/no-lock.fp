//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation kind=data-race states=6
//: rc20 violation kind=data-race states=9
//: cpp20 violation kind=data-race states=9
// Two threads increment a non-atomic counter and only one of them takes the lock: a data race.
name "no-lock";
domain 4;
global lock;
nonatomic count;

thread careful {
  local r;
  lock.bcas(0, 1, acq);
  r = count;
  count = r + 1;
  lock.store(0, rel);
}

thread careless {
  local r;
  r = count;
  count = r + 1;
}
