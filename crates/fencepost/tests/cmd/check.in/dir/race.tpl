max_value 3;
na d;
fn left { d.nastore(1); }
fn right { local r; r = d.naload(); }
