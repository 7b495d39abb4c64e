//: tso robust
//: pso robust
//: pgas robust
//: ra violation copies=3
//: rc20 violation copies=3
//: cpp20 violation copies=3
// Three arrive, and then all go on: whoever comes fourth is not counted and goes on at once.
name "barrier";
domain 4;
global arrived;
nonatomic result;

thread leader {
  local r;
  result = 1;
  r = arrived.fadd(1, acqrel);
  wait(arrived == 3, acq);
}

thread worker[*] {
  local r;
  r = arrived.load(acq);
  if (r < 3) {
    r = arrived.cas(r, r + 1, acqrel, rlx);
    wait(arrived == 3, acq);
    r = result;
  }
}
