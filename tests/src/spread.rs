//! Median, 99th percentile and maximum of measured values, in whatever unit they have.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub count: usize,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
}

impl Spread {
    pub fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (figures.len() as f64 * share) as usize;
            figures.get(place.min(figures.len().saturating_sub(1))).copied().unwrap_or_default()
        };
        Self { count: figures.len(), p50: at(0.5), p99: at(0.99), max: at(1.0) }
    }

    pub fn json(&self) -> Value {
        json!({ "count": self.count, "p50": self.p50, "p99": self.p99, "max": self.max })
    }
}
