//! What a standing control plane must have again when its folder is started again: in one JSON file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::fleet::Fleet;
use crate::layout::Ports;
use crate::ports::Port;
use crate::program::Version;

/// What has to be the same when the folder is started again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) version: Version,
    pub(crate) ports: Ports,
    pub(crate) fleet: Option<Fleet>,
}

impl Record {
    pub(crate) fn decide(
        folder: &Path,
        before: Option<&Record>,
        version: Option<Version>,
        port: Option<u16>,
        fleet: Option<Fleet>,
    ) -> Result<Record> {
        let (last_version, ports, last_fleet) = match before {
            Some(record) => (record.version.clone(), record.ports, record.fleet),
            None => {
                // Held together, so that the three differ.
                let free = || Port::of_folder(folder);
                let free = [free()?, free()?, free()?];
                let [apiserver, etcd_client, etcd_peer] = free.each_ref().map(|port| port.number);
                (Version::default(), Ports { apiserver, etcd_client, etcd_peer }, None)
            }
        };
        Ok(Record {
            version: version.unwrap_or(last_version),
            ports: Ports { apiserver: port.unwrap_or(ports.apiserver), ..ports },
            // A folder that has one keeps it: its objects would stand still without.
            fleet: fleet.or(last_fleet),
        })
    }

    pub(crate) fn same(&self, other: &Record) -> bool {
        self.version == other.version
            && self.ports.apiserver == other.ports.apiserver
            && self.fleet == other.fleet
    }

    pub(crate) fn read(folder: &Path) -> Result<Option<Record>> {
        let path = folder.join(RECORD);
        if !path.exists() {
            return Ok(None);
        }
        let parse = || anyhow::Ok(serde_json::from_slice(&fs::read(&path)?)?);
        parse().map(Some).with_context(|| format!("{} can't be read; remove the folder", path.display()))
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        fs::write(folder.join(RECORD), serde_json::to_string(self)?).context("write the record")
    }
}

const RECORD: &str = "control-plane.json";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_what_is_named_wins() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Record::read(folder.path()).unwrap().is_none());
        let first =
            Record::decide(folder.path(), None, None, None, Some(Fleet { speed: 3, ..Fleet::default() }))
                .unwrap();
        first.write(folder.path()).unwrap();
        let read = Record::read(folder.path()).unwrap().unwrap();
        assert!(read.same(&first));
        let other = Version::parse("1.35.4").unwrap();
        let second = Record::decide(folder.path(), Some(&read), Some(other.clone()), Some(1), None).unwrap();
        assert_eq!((second.version, second.ports.apiserver), (other, 1));
        assert_eq!(second.ports.etcd_client, first.ports.etcd_client);
        assert_eq!(second.fleet, first.fleet);
        fs::write(folder.path().join(RECORD), "{").unwrap();
        assert!(Record::read(folder.path()).is_err());
    }
}
