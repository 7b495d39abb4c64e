//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 violation copies=1
//: cpp20 violation copies=1
// The author releases nothing: one reader is enough for a data race.
name "message-board-relaxed";
domain 2;
global ready;
nonatomic text;

thread author {
  text = 1;
  ready.store(1, rlx);
}

thread reader[*] {
  local r;
  wait(ready == 1, acq);
  r = text;
}
