//: tso robust
//: pso robust
//: pgas robust
//: ra violation copies=4 shape=IRIW
//: rc20 robust
//: cpp20 robust
// The same with SC accesses, which all threads see in one order.
name "iriw-sc";
domain 2;
global x, y;

thread worker[*] {
  choose {
    x.bcas(0, 1, sc);
  } or {
    y.bcas(0, 1, sc);
  } or {
    wait(x == 1, sc);
    wait(y == 0, sc);
  } or {
    wait(y == 1, sc);
    wait(x == 0, sc);
  }
}
