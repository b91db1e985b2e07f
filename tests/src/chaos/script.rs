//! Which fault comes when: everything is decided by the seed. Never how a fault is made.

use std::fmt;

use simulation::chance::Chance;

/// What is done to the control plane and the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Begins, stands for a while, and ends.
    Outage(Outage, Lasts),
    /// The gateway's resourceVersions expire while it is cut off: etcd is compacted and the
    /// kube-apiserver's cache is gone.
    Expire,
    /// etcd comes back from an earlier snapshot: resourceVersions go back.
    Restore,
    /// The gateway's token is exchanged, and the former one is refused from then on.
    Rotate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// kube-apiserver: kill -9, and later a new one.
    KilledApiserver,
    /// kube-apiserver: SIGSTOP, and later SIGCONT.
    FrozenApiserver,
    /// etcd is gone behind a living kube-apiserver.
    KilledEtcd,
    /// Connections between gateway and kube-apiserver end, and new ones too.
    CutUpstream,
    /// They stay, and nothing passes.
    SilentUpstream,
    /// The same between some viewers and the gateway.
    CutViewers,
    SilentViewers,
}

/// How long an outage lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasts {
    Seconds(u64),
    /// Until no viewer that it concerns calls itself live any more.
    UntilNoticed,
}

impl Fault {
    /// Every fault once, in an order and for times that the seed decides.
    pub fn round(chance: &mut Chance) -> Vec<Self> {
        let mut seconds = |from: u64, to: u64| Lasts::Seconds(from + chance.below(to - from));
        let mut faults = vec![
            Self::Outage(Outage::KilledApiserver, seconds(1, 20)),
            Self::Outage(Outage::FrozenApiserver, Lasts::Seconds(40)),
            Self::Outage(Outage::KilledEtcd, seconds(5, 30)),
            Self::Expire,
            Self::Restore,
            Self::Outage(Outage::CutUpstream, seconds(1, 10)),
            Self::Outage(Outage::SilentUpstream, seconds(5, 25)),
            Self::Outage(Outage::CutViewers, seconds(1, 10)),
            Self::Outage(Outage::SilentViewers, seconds(5, 25)),
            Self::Rotate,
        ];
        chance.shuffle(&mut faults);
        faults
    }

    /// A few, none of which lasts longer than it must: for a test.
    pub fn few(chance: &mut Chance) -> Vec<Self> {
        let mut faults = vec![
            Self::Outage(Outage::KilledApiserver, Lasts::Seconds(1)),
            Self::Expire,
            Self::Restore,
            Self::Outage(Outage::CutViewers, Lasts::UntilNoticed),
            Self::Outage(Outage::SilentUpstream, Lasts::UntilNoticed),
            Self::Rotate,
        ];
        chance.shuffle(&mut faults);
        faults
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expire => f.write_str("resourceVersions expired"),
            Self::Restore => f.write_str("etcd restored from a snapshot"),
            Self::Rotate => f.write_str("credential rotated"),
            Self::Outage(outage, lasts) => {
                f.write_str(match outage {
                    Outage::KilledApiserver => "kube-apiserver killed",
                    Outage::FrozenApiserver => "kube-apiserver stopped",
                    Outage::KilledEtcd => "etcd killed",
                    Outage::CutUpstream => "upstream cut",
                    Outage::SilentUpstream => "upstream silent",
                    Outage::CutViewers => "viewers cut",
                    Outage::SilentViewers => "viewers' line silent",
                })?;
                match lasts {
                    Lasts::Seconds(seconds) => write!(f, " for {seconds} s"),
                    Lasts::UntilNoticed => f.write_str(" until every viewer noticed"),
                }
            }
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
