//: tso robust
//: pso violation copies=2 shape=S
//: pgas violation copies=2 shape=S
//: ra unknown
//: rc20 unknown
//: cpp20 unknown
// The same lock, modelled only while there are more tickets than threads that wait: `bound` says so.
// What goes wrong beyond it is not found, and the answer is UNKNOWN rather than ROBUST.
name "ticket-lock-bounded";
domain 4;
global next, serving, waiting;
nonatomic data;

thread worker[*] {
  local t, r;
  r = waiting.fadd(1, acqrel);
  bound(r < 3);
  t = next.fadd(1, acqrel);
  wait(serving == t, acq);
  data = 1;
  serving.store(t + 1, rel);
  r = waiting.fsub(1, acqrel);
}
