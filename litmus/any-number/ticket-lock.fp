//: sc assertion-fails
//: tso robust
//: pso robust
//: pgas robust
//: ra robust
//: rc20 robust
//: cpp20 robust
// A ticket lock with four tickets, which are used again. Four threads are served well. The fifth one
// draws the ticket of the first, and both are served at once: for any number of threads there would
// have to be any number of tickets. So an assertion fails under SC, with five copies and no fewer.
name "ticket-lock";
domain 4;
global next, serving, inside;

thread worker[*] {
  local t, r;
  t = next.fadd(1, acqrel);
  wait(serving == t, acq);
  r = inside.fadd(1, acqrel);
  assert(r == 0);
  r = inside.fsub(1, acqrel);
  serving.store(t + 1, rel);
}
