//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=109
//: rc20 robust states=109
//: cpp20 robust states=109
// Coherence of four reads and two writers: both readers must agree on the order in which one
// location was written. With a single location, release/acquire is SC.
name "corr2";
domain 4;
global x;

thread w1 { x.store(1, rlx); }
thread w2 { x.store(2, rlx); }

thread reader[2] {
  local r, s;
  r = x.load(rlx);
  s = x.load(rlx);
}
