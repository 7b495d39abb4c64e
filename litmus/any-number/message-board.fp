//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// One author and any number of readers: message passing, done well.
name "message-board";
domain 2;
global ready;
nonatomic text;

thread author {
  text = 1;
  ready.store(1, rel);
}

thread reader[*] {
  local r;
  wait(ready == 1, acq);
  r = text;
  assert(r == 1);
}
