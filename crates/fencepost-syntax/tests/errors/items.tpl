max_valu 3;
global x = ;
track x 0;
fun t { skip; }
fn t { skip; }
