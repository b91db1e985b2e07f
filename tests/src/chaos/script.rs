//! Which fault comes when: everything is decided by the seed. Never how a fault is made.

use std::fmt;

use simulation::chance::Chance;

/// What is done to the control plane and the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// kube-apiserver: kill -9, and later a new one.
    Kill(Hold),
    /// kube-apiserver: SIGSTOP, and later SIGCONT.
    Freeze(Hold),
    /// etcd is gone behind a living kube-apiserver.
    LoseEtcd(Hold),
    /// The gateway's resourceVersions expire while it is cut off: etcd is compacted and the
    /// kube-apiserver's cache is gone.
    Expire,
    /// etcd comes back from an earlier snapshot: resourceVersions go back.
    Restore,
    /// Connections between gateway and kube-apiserver end, and new ones too.
    CutUpstream(Hold),
    /// They stay, and nothing passes.
    SilenceUpstream(Hold),
    /// The same between some viewers and the gateway.
    CutViewers(Hold),
    SilenceViewers(Hold),
    /// The gateway's token is exchanged, and the former one is refused from then on.
    Rotate,
}

/// How long a fault lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Seconds(u64),
    /// Until nobody whom it hits calls itself live any more.
    Told,
}

impl Fault {
    /// Every fault once, in an order and for times that the seed decides.
    pub fn round(chance: &mut Chance) -> Vec<Self> {
        let mut seconds = |from: u64, to: u64| Hold::Seconds(from + chance.below(to - from));
        let mut faults = vec![
            Self::Kill(seconds(1, 20)),
            Self::Freeze(Hold::Seconds(40)),
            Self::LoseEtcd(seconds(5, 30)),
            Self::Expire,
            Self::Restore,
            Self::CutUpstream(seconds(1, 10)),
            Self::SilenceUpstream(seconds(5, 25)),
            Self::CutViewers(seconds(1, 10)),
            Self::SilenceViewers(seconds(5, 25)),
            Self::Rotate,
        ];
        chance.shuffle(&mut faults);
        faults
    }

    /// A few, none of which lasts longer than it must: for a test.
    pub fn few(chance: &mut Chance) -> Vec<Self> {
        let mut faults = vec![
            Self::Kill(Hold::Seconds(1)),
            Self::Expire,
            Self::Restore,
            Self::CutViewers(Hold::Told),
            Self::SilenceUpstream(Hold::Told),
            Self::Rotate,
        ];
        chance.shuffle(&mut faults);
        faults
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill(hold) => write!(f, "kube-apiserver killed {hold}"),
            Self::Freeze(hold) => write!(f, "kube-apiserver stopped {hold}"),
            Self::LoseEtcd(hold) => write!(f, "etcd killed {hold}"),
            Self::Expire => f.write_str("resourceVersions expired"),
            Self::Restore => f.write_str("etcd restored from a snapshot"),
            Self::CutUpstream(hold) => write!(f, "upstream cut {hold}"),
            Self::SilenceUpstream(hold) => write!(f, "upstream silent {hold}"),
            Self::CutViewers(hold) => write!(f, "viewers cut {hold}"),
            Self::SilenceViewers(hold) => write!(f, "viewers' line silent {hold}"),
            Self::Rotate => f.write_str("credential rotated"),
        }
    }
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds(seconds) => write!(f, "for {seconds} s"),
            Self::Told => f.write_str("until everybody is told"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_faults_again_and_another_seed_others() {
        let round = |seed| Fault::round(&mut Chance::new(seed, 0));
        assert_eq!(round(7), round(7));
        assert_ne!(round(7), round(8));
    }
}
