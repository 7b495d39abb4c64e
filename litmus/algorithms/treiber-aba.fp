//: sc assertion-fails
//: tso robust
//: pso robust
//: pgas robust
//: ra robust
//: rc20 robust
//: cpp20 robust
// The stack of Treiber with nodes that are used again. `slow` has read the top and its successor
// when `fast` pops both nodes and pushes the first one back: the compare-and-swap of `slow` finds
// the top that it has read (ABA), and makes a node the top that `fast` still has. Wrong under SC
// already, and robust: weak memory has nothing to do with it.
name "treiber-aba";
domain 4;

// Nodes are 1 to 3, 0 is none; the stack is 1, 2.
const N = 4;
global top = 1;
struct node[N] {
  global next = {0, 2, 0, 0};
  global taken; // 1 while a thread has it
}

proc pop() {
  local t, n, seen;
  do {
    t = top.load();
    if (t == 0) return 0;
    n = node[t].next.load();
    seen = top.cas(t, n);
  } while (seen != t);
  seen = node[t].taken.xchg(1);
  assert(seen == 0); // nobody else has it
  return t;
}

proc push(n) {
  local t, seen;
  node[n].taken.store(0);
  do {
    t = top.load();
    node[n].next.store(t);
    seen = top.cas(t, n);
  } while (seen != t);
}

thread slow {
  pop();
}

thread fast {
  local a;
  a = pop();
  pop();
  if (a != 0) { push(a); }
  pop();
}
