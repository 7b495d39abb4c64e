//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=33
//: rc20 robust states=33
//: cpp20 robust states=17
// The parking shape with an SC fence on each side between the store and the look at the other's
// location.
name "park+fences";
domain 2;
global permit = 1, condition;

thread sleeper {
  local r;
  permit.store(0, rlx);
  fence(sc);
  r = condition.load(acq);
  if (r == 0) {
    wait(permit == 1, acq);
  }
}

thread waker {
  local r;
  condition.store(1, rel);
  fence(sc);
  r = permit.load(rlx);
  if (r == 0) {
    permit.store(1, rel);
  }
}
