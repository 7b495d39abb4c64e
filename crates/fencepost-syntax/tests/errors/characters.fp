name "no end;
thread t { skip; @@ § skip; }
/* never closed
