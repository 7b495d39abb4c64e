//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=16
//: rc20 robust states=16
//: cpp20 robust states=16
// Three threads increment a shared counter. The increments form one chain, so every thread draws
// its own number, and who draws the last one knows that all others are done.
name "counter";
domain 4;
global n;
nonatomic sum;

thread p[3] {
  local r;
  r = n.fadd(1, acqrel);
  if (r == 2) {
    sum = r + 1;
  }
}
