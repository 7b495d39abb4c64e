//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=23
//: rc20 violation states=11
//: cpp20 violation states=11
// As counter+rlx, but the total is read twice, once before waiting, and the workers count in two
// places. The early reads are relaxed: they may see the second count of a worker and not its first.
name "counter+rlx-early";
domain 8;
global a, b, done;

thread worker {
  a.fadd(1, rlx);
  b.fadd(1, rlx);
  done.store(1, rel);
}

thread main {
  local r, s;
  s = b.load(rlx);
  r = a.load(rlx);
  wait(done == 1, acq);
  r = a.load(rlx);
  s = b.load(rlx);
  assert(r == 1 && s == 1);
}
