//! What is said where there are no logs to show.

pub const OFF: &str = "This gateway shows no logs.";
pub const OFF_WHY: &str = "Whoever runs it can switch them on with --logs.";
pub const OF_NO_PODS: &str = "This kind has no pods, so it has no logs.";
pub const NOT_RECORDED: &str = "Logs aren't recorded.";
pub const NOT_RECORDED_WHY: &str = "Go back to live to read them (h).";
