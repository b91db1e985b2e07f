//! The listeners of a hub, which hear what it hears: a record, and the readers of a Kubernetes API that the gateway
//! serves.

use super::heard::Heard;

/// Listens to one hub, until it is dropped with it.
pub trait Listen: Send {
    /// `false`: it couldn't take it all, and wants to hear everything anew.
    fn hear(&mut self, heard: Vec<Heard>) -> bool;

    /// It needs nothing more.
    fn is_over(&self) -> bool {
        false
    }
}

/// The listeners of one hub.
#[derive(Default)]
pub(super) struct Listeners {
    all: Vec<Listener>,
}

struct Listener {
    listener: Box<dyn Listen>,
    /// It has to hear everything anew.
    is_behind: bool,
}

impl Listeners {
    /// `None`: there is no record.
    pub(super) fn of(first: Option<Box<dyn Listen>>) -> Self {
        let mut listeners = Self::default();
        first.into_iter().for_each(|first| listeners.add(first, false));
        listeners
    }

    /// `is_behind`: it comes after the hub's beginning.
    pub(super) fn add(&mut self, listener: Box<dyn Listen>, is_behind: bool) {
        self.all.push(Listener { listener, is_behind });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// `beginning`: all that there is, for those who are behind.
    pub(super) fn tell(&mut self, heard: Vec<Heard>, mut beginning: impl FnMut() -> Vec<Heard>) {
        self.all.retain(|one| !one.listener.is_over());
        let last = self.all.len().saturating_sub(1);
        let mut heard = Some(heard);
        for (at, one) in self.all.iter_mut().enumerate() {
            let told = if one.is_behind {
                beginning()
            } else {
                let all = if at == last { heard.take() } else { heard.clone() };
                all.unwrap_or_default()
            };
            if !told.is_empty() {
                one.is_behind = !one.listener.hear(told);
            }
        }
    }
}
