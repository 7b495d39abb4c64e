//: tso robust
//: pso robust
//: pgas robust
//: ra violation copies=3
//: rc20 violation copies=3
//: cpp20 violation copies=3
// A barrier that counts to three, for any number of threads. Whoever comes fourth finds the count
// full, and reads the result without having waited for it: three workers and the leader show it.
name "counting-barrier";
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
