//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=18
//: rc20 violation shape=MP states=16
//: cpp20 violation shape=MP states=16
// A message in one of two slots, the slot chosen by the sender; the light fence covers the slots.
name "array+lwfence";
domain 4;
global slot[2], flag;

thread send {
  local i;
  i = nondet(0, 1);
  slot[i].store(1, rlx);
  lwfence(slot);
  flag.store(i + 1, rlx);
}

thread receive {
  local i, r;
  i = flag.load(rlx);
  if (i != 0) {
    r = slot[i - 1].load(rlx);
  }
}
