//: ra violation states=12
//: rc20 violation states=12
//: cpp20 violation states=12
//: tso violation states=51
//: pso violation states=53
//: pgas violation states=53
//: ra consequence race
//: rc20 consequence race
//: cpp20 consequence race
//: tso consequence nothing-to-check
//: pso consequence nothing-to-check
//: pgas consequence nothing-to-check
// A lock that store buffering breaks, around data that is not atomic: the race needs the stale load.
// Machines know no races, and nothing is asserted.
name "dekker+data";
global x, y;
nonatomic data;

thread left {
  local r;
  x.store(1, rel);
  r = y.load(acq);
  if (r == 0) { data = 1; }
}
thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
  if (r == 0) { data = 2; }
}
