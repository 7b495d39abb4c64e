global x;
proc give(l) {
  local i;
  for (i) {
    skip;
  }
  for (i = 0; i < 3) { skip; }
  for (i = 0, i < 3, i = i + 1) { skip; }
  for (i = 0; i < 3; i = i + 1; i = 2) { skip; }
  for (int i = 0; i < 3; i++) { skip; }
  for (i = 0; i < 3; i++) { skip; }
  for (i = 0; l.load() < 3; i = i + 1) skip;
  for (i = 0; i < 3; break) { skip; }
  for (i = 0; i < 3; local j = 1) { skip; }
  for i in 0..3 { skip; }
  for (1; 2; 3) { skip; }
  return x.load();
  return 1 + x.load();
  return pop(x);
  return i i;
  for(i);
  while (i) { return }
}
thread t {
  local r, return, for;
  return = 1;
  for = return + 1;
  r = x.for(1);
  give(x);
}
