//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=6
//: rc20 robust states=6
//: cpp20 robust states=6
// Message passing with fences and a loop that waits for the flag (Margalit and Lahav 2021, example
// 3.6). The loop may spin on relaxed loads; one acquire fence behind it is enough.
name "mp+loop+fences";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(rel);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  do { r = flag.load(rlx); } while (r == 0);
  fence(acq);
  s = data.load(rlx);
  assert(s == 1);
}
