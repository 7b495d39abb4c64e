//: tso robust states=0
//: pso robust states=0
//: pgas violation shape=MP states=38
//: ra robust states=18
//: rc20 violation shape=MP states=16
//: cpp20 violation shape=MP states=16
// As array+lwfence.fp, with one of the two slots in the list: it covers the store or does not, depending on the index.
name "array+lwfence-one-slot";
domain 4;
global slot[2], flag;

thread send {
  local i;
  i = nondet(0, 1);
  slot[i].store(1, rlx);
  lwfence(slot[0]);
  flag.store(i + 1, rlx);
}

thread receive {
  local i, r;
  i = flag.load(rlx);
  if (i != 0) {
    r = slot[i - 1].load(rlx);
  }
}
