//! The outbox of several gateways, in their database. Each writes what it would tell, which has the same ids everywhere;
//! the one that holds the lock tells it. The lock is a connection's, so it is free when that gateway is gone.

use history::{Connect, StoreError, because};
use postgres::Client;

use super::{Firing, FiringChange, FiringKey, KeptMessage, MessageKey, News, Outbox};
use crate::limits::NOTIFICATION_AGE_MS;

pub struct DatabaseOutbox {
    connect: Connect,
    client: Option<Client>,
    leads: bool,
}

/// Held by the gateway that tells webhooks.
const LOCK: i64 = 0x4457_5231;
/// Held while the tables are made.
const LOCK_OF_TABLES: i64 = 0x4457_5232;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS dogwatch_notification (
    receiver text NOT NULL, id text NOT NULL, about text NOT NULL, body text NOT NULL, since_ms bigint NOT NULL,
    ended boolean NOT NULL DEFAULT false, PRIMARY KEY (receiver, id)
);
CREATE TABLE IF NOT EXISTS dogwatch_firing (
    rule text NOT NULL, cluster text NOT NULL, kind text NOT NULL, ns text NOT NULL, grp text NOT NULL, uid text NOT NULL,
    rv text NOT NULL, since_s bigint NOT NULL, PRIMARY KEY (rule, cluster, kind, ns, grp)
)";

impl DatabaseOutbox {
    /// Nothing is connected before it is needed.
    #[must_use]
    pub fn new(connect: Connect) -> Self {
        Self { connect, client: None, leads: false }
    }

    /// Asks on the connection, or on a new one. Where it breaks the lock is lost with it.
    fn ask<T>(
        &mut self,
        ask: impl FnOnce(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T, StoreError> {
        if self.client.as_ref().is_none_or(Client::is_closed) {
            self.leads = false;
            let mut client = (self.connect)()?;
            make_tables(&mut client).map_err(|error| because(&error))?;
            self.client = Some(client);
        }
        let Some(client) = self.client.as_mut() else {
            return Err(StoreError("there is no connection".into()));
        };
        let answer = ask(client);
        if answer.is_err() {
            self.client = None;
            self.leads = false;
        }
        answer.map_err(|error| because(&error))
    }
}

fn make_tables(client: &mut Client) -> Result<(), postgres::Error> {
    let mut transaction = client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK_OF_TABLES])?;
    transaction.batch_execute(TABLES)?;
    transaction.commit()
}

impl Outbox for DatabaseOutbox {
    fn firing(&mut self) -> Result<Vec<Firing>, StoreError> {
        let rows = self.ask(|client| {
            client.query("SELECT rule, cluster, kind, ns, grp, uid, rv, since_s FROM dogwatch_firing", &[])
        })?;
        let firing = rows.iter().map(|row| Firing {
            key: FiringKey {
                rule: row.get::<_, &str>(0).into(),
                cluster: row.get::<_, &str>(1).into(),
                kind: row.get::<_, &str>(2).into(),
                namespace: Some(row.get::<_, &str>(3))
                    .filter(|namespace| !namespace.is_empty())
                    .map(Into::into),
                group: row.get::<_, &str>(4).into(),
            },
            uid: row.get::<_, &str>(5).into(),
            resource_version: shared::resource_version::ResourceVersion::new(row.get(6)),
            since_s: row.get(7),
        });
        Ok(firing.collect())
    }

    fn waiting(&mut self) -> Result<Vec<KeptMessage>, StoreError> {
        let rows = self.ask(|client| {
            let waiting = "SELECT receiver, id, about, body, since_ms FROM dogwatch_notification \
                           WHERE NOT ended ORDER BY since_ms, id";
            client.query(waiting, &[])
        })?;
        let message = rows.iter().map(|row| KeptMessage {
            key: MessageKey { receiver: row.get::<_, &str>(0).into(), id: row.get::<_, &str>(1).into() },
            about: row.get::<_, &str>(2).into(),
            body: row.get(3),
            since_ms: row.get(4),
        });
        Ok(message.collect())
    }

    fn write(&mut self, news: &News) -> Result<(), StoreError> {
        self.ask(|client| {
            let mut transaction = client.transaction()?;
            for KeptMessage { key, about, body, since_ms } in &news.messages {
                transaction.execute(
                    "INSERT INTO dogwatch_notification (receiver, id, about, body, since_ms) VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT DO NOTHING",
                    &[&&*key.receiver, &&*key.id, &&**about, body, since_ms],
                )?;
                // What has ended is known for twice as long as it could wait, for gateways that come to it late.
                transaction.execute(
                    "DELETE FROM dogwatch_notification WHERE since_ms < $1",
                    &[&(since_ms - 2 * NOTIFICATION_AGE_MS)],
                )?;
            }
            for MessageKey { receiver, id } in &news.ended {
                let end = "UPDATE dogwatch_notification SET ended = true WHERE receiver = $1 AND id = $2";
                transaction.execute(end, &[&&**receiver, &&**id])?;
            }
            for change in &news.changes {
                match change {
                    FiringChange::Fires(Firing { key, uid, resource_version, since_s }) => transaction.execute(
                        "INSERT INTO dogwatch_firing (rule, cluster, kind, ns, grp, uid, rv, since_s) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
                        &[
                            &&*key.rule,
                            &&*key.cluster,
                            &&*key.kind,
                            &key.namespace.as_deref().unwrap_or_default(),
                            &&*key.group,
                            &&**uid,
                            &resource_version.as_str(),
                            since_s,
                        ],
                    )?,
                    FiringChange::Over(key) => transaction.execute(
                        "DELETE FROM dogwatch_firing WHERE rule = $1 AND cluster = $2 AND kind = $3 AND ns = $4 \
                         AND grp = $5",
                        &[
                            &&*key.rule,
                            &&*key.cluster,
                            &&*key.kind,
                            &key.namespace.as_deref().unwrap_or_default(),
                            &&*key.group,
                        ],
                    )?,
                };
            }
            transaction.commit()
        })
    }

    fn leads(&mut self) -> Result<bool, StoreError> {
        // One that holds it asks whether the connection still stands.
        let (had, statement) = (self.leads, "SELECT $1::boolean OR pg_try_advisory_lock($2)");
        let leads = self.ask(|client| client.query_one(statement, &[&had, &LOCK]))?.get(0);
        self.leads = leads;
        Ok(leads)
    }

    fn ended_elsewhere(&mut self, waiting: &[MessageKey]) -> Result<Vec<MessageKey>, StoreError> {
        let ids: Vec<&str> = waiting.iter().map(|key| &*key.id).collect();
        let rows = self.ask(|client| {
            let ended = "SELECT receiver, id FROM dogwatch_notification WHERE ended AND id = ANY($1)";
            client.query(ended, &[&ids])
        })?;
        let key = |row: &postgres::Row| MessageKey {
            receiver: row.get::<_, &str>(0).into(),
            id: row.get::<_, &str>(1).into(),
        };
        Ok(rows.iter().map(key).collect())
    }
}
