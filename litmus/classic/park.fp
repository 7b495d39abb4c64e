//: tso violation shape=SB states=41
//: pso violation shape=SB states=44
//: pgas violation shape=SB states=44
//: ra violation states=10
//: rc20 violation states=10
//: cpp20 violation states=10
// The shape of a bug in the parking of Java threads: the sleeper clears its permit and then looks
// at the condition; the waker sets the condition and then looks whether a permit is already there.
// Store buffering: the sleeper misses the condition, the waker believes the old permit, and nobody
// wakes the sleeper.
name "park";
domain 2;
global permit = 1, condition;

thread sleeper {
  local r;
  permit.store(0, rlx);
  r = condition.load(acq);
  if (r == 0) {
    wait(permit == 1, acq);
  }
}

thread waker {
  local r;
  condition.store(1, rel);
  r = permit.load(rlx);
  if (r == 0) {
    permit.store(1, rel);
  }
}
