//: tso robust states=0
//: pso violation shape=MP states=36
//: pgas violation shape=MP states=36
//: ra robust states=11
//: rc20 violation shape=MP states=9
//: cpp20 violation shape=MP states=9
// Message passing of two words: the flag can overtake either of them under PSO and PGAS, and the words each other. One
// delayed store is enough for an attack, whatever else the sender stores.
name "mp-two-words";
domain 2;
global data[2], flag;

thread send {
  data[0].store(1, rlx);
  data[1].store(1, rlx);
  flag.store(1, rlx);
}

thread receive {
  local r;
  r = flag.load(rlx);
  if (r == 1) {
    r = data[0].load(rlx);
    r = data[1].load(rlx);
  }
}
