//: ra robust states=10
//: rc20 violation states=9
//: cpp20 violation states=9
//: tso robust states=0
//: pso violation states=32
//: pgas violation states=32
//: rc20 consequence race
//: cpp20 consequence race
//: pso consequence nothing-to-check
//: pgas consequence nothing-to-check
// A relaxed hint comes late, and then the data is touched without the lock that guards it. What the
// stale load reads passes nothing on: with the last value it would acquire, and there is no race.
name "lock+stale-handover";
global ready, asked;
nonatomic data;

thread owner {
  data = 1;
  ready.store(1, rel);
  asked.store(1, rlx);
}

thread guest {
  local a, r;
  a = asked.load(rlx);
  if (a == 1) {
    r = ready.load(acq);
    if (r == 0) { data = 2; }
  }
}
