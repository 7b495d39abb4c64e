/// What is said when every schedule of a test was explored.
#[derive(Clone, Debug, PartialEq)]
pub struct Exploration {
    /// `exhausted`, `bounded`, `bug` or `unknown`.
    pub verdict: &'static str,
    /// Executions that came to an end, each of another class.
    pub executions: u64,
    /// Of these, those that are not SC, where such executions were explored.
    pub not_sc: Option<u64>,
    /// Executions in which nobody could go on, or that do not count.
    pub blocked: u64,
    /// Runs that turned out to be like others.
    pub redundant: u64,
    /// All schedules with at most so many preemptions were seen, if they were counted.
    pub preemptions: Option<u32>,
    /// Executions in which one access uses an overwritten value and everything else is as under SC,
    /// if they were explored.
    pub one_stale_step: Option<u64>,
    /// How long it took.
    pub seconds: f64,
    /// How much of that it took until the first run was over.
    pub starting: f64,
    /// What stands in the way of an exact answer.
    pub why: Vec<String>,
    /// What is wrong, and the decisions that show it.
    pub bugs: Vec<(String, String)>,
    /// What was found and is not to be told: suppressed, or a library's own affair.
    pub left_out: u64,
    /// All of it for people.
    pub text: String,
    /// What was found when executions were explored that are not SC, because the test is not robust
    /// and nothing has failed.
    pub beyond: Option<Box<Exploration>>,
}
