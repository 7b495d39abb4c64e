global x;
proc give(l) {
  local i;
  for (i = 0; i < 3; i = i + 1) {
    l.store(i);
  }
  for (i) {
    skip;
  }
  for (i = 0; i < 3; i = i + 1)
    l.store(i);
  return;
  return i;
  return (i + 1);
  for(i);
  while (i) { return }
}
thread t {
  local r, return;
  return = 1;
  r = x.for(1);
  give(x);
}
