//: tso violation shape=R states=22
//: pso violation shape=R states=35
//: pgas violation shape=R states=35
//: ra violation shape=R states=10
//: rc20 violation shape=R states=10
//: cpp20 violation shape=R states=10
// The R shape: a store that comes second in the order of writes, followed by a load. The load may
// still miss what came before the first store, since being overwritten is not a way to be seen.
name "r";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  y.store(1, rel);
}

thread right {
  local r;
  y.store(2, rel);
  r = x.load(acq);
}
