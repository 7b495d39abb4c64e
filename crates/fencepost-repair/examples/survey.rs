use std::time::Instant;
use fencepost_repair::*;
use fencepost_verdict::Budget;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let model = fencepost_model::models::by_name(&args[1]).unwrap();
    let limit: usize = args[2].parse().unwrap();
    let costs = Costs::default();
    for path in &args[3..] {
        let text = std::fs::read_to_string(path).unwrap();
        let language = fencepost_ir::Language::from_path(path).unwrap();
        let Some(program) = fencepost_ir::load(language, &text).program else { println!("{path}: no program"); continue };
        let budget = Budget::unlimited();
        let task = Task { language, text: &text, program: &program, model, costs: &costs, options: Options::default(), budget: &budget };
        let start = Instant::now();
        let (r, checks) = repair(&task, limit).unwrap();
        let ms = start.elapsed().as_millis();
        match r {
            Repaired::Nothing => println!("{path}: robust, {checks} checks, {ms} ms"),
            Repaired::Impossible(_) => println!("{path}: impossible, {checks} checks, {ms} ms"),
            Repaired::Unknown(r) => println!("{path}: unknown {r}"),
            Repaired::Plans { plans, rest } => {
                println!("{path}: {} plans, {rest:?}, cost {}, {} edits, {checks} checks, {ms} ms", plans.len(), plans[0].cost, plans[0].edits.len());
                if limit > 1 || args.len() == 4 {
                for p in &plans { println!("cost {}\n{}", p.cost, diff(path, &text, &p.text)); }
                }
            }
        }
    }
}
