//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=203
//: rc20 robust states=203
//: cpp20 robust states=51
// The ring of three with an SC fence in every thread. Fences are totally ordered, so the thread
// whose fence comes last sees its neighbour's store.
name "sb3+fences";
domain 4;
const N = 3;
global x[N];

thread p[N] {
  local r;
  x[me].store(1, rlx);
  fence(sc);
  r = x[(me + 1) % N].load(rlx);
}
