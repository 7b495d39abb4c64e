//: sc assertion-fails
//: tso robust
//: pso robust
//: pgas robust
//: ra robust
//: rc20 robust
//: cpp20 robust
// There are three threads or more. An assertion fails as soon as two are at the same place: the
// smallest number that is shown is three all the same.
name "at-least-three";
domain 4;
global inside;

thread worker[3..*] {
  local r;
  r = inside.fadd(1, acqrel);
  assert(r == 0);
  r = inside.fsub(1, acqrel);
}
