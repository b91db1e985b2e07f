//! `dogwatch history purge`: removes from the record what should never have been in it. It works on the files or the tables
//! while no gateway writes to them, and leaves a line in the audit log. Never a question to a cluster.

mod path;

use std::io::{BufRead, IsTerminal, Write};

use clap::{Args, Subcommand};
use history::{Head, KindKey, Purge, Purged, StoreError, purge_folder, purge_tables};
use shared::cell::Cell;
use shared::column::Column;
use shared::json_path::JsonPath;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::access::auth_mode::wrong;
use crate::audit::{AuditFile, purged};
use crate::clock::wall_ms;
use crate::cluster::Pattern;
use crate::config::{RecordConfig, ServeFlags};
use crate::feed::{Redaction, masked_again};
use crate::past::{Place, connect};
use crate::since::PastTime;

#[derive(Args, Clone, Debug)]
pub struct HistoryArgs {
    #[command(subcommand)]
    command: HistoryCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum HistoryCommand {
    /// Remove from the record what should never have been in it
    Purge(Box<PurgeFlags>),
}

/// What is removed: versions that are meant by all filters. With --path or --masked they stay, without what is meant of them
#[derive(Args, Clone, Debug)]
struct PurgeFlags {
    #[command(flatten)]
    serve: ServeFlags,

    /// Of this kind, such as pods, deployments.apps or *.example.org
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,

    /// Of the objects in this namespace
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    /// The value at this path, such as .spec.containers[*].args, or .metadata.annotations['example.org/note']
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// What the settings mask now, in versions that were recorded under others
    #[arg(long, conflicts_with = "path")]
    masked: bool,

    /// What another version had replaced by then, such as 2026-11-29T14:02:10Z or 2h; with --path and --masked, all that is older
    #[arg(long, value_name = "TIME")]
    before: Option<String>,

    /// Only count
    #[arg(long)]
    dry_run: bool,

    /// Don't ask
    #[arg(long)]
    yes: bool,
}

/// What is to be printed.
///
/// # Errors
/// One sentence: a flag that can't be used, a record that a gateway has, or what failed.
pub fn execute(args: &HistoryArgs) -> Result<String, Problem> {
    let HistoryCommand::Purge(flags) = &args.command;
    let config = flags.serve.record()?;
    let asked = Asked::of(flags, &config, wall_ms())?;
    if flags.dry_run {
        return Ok(format!("{}\n", asked.would_be(purge(&config.history.place, &asked, true)?)));
    }
    // A removal that can't be written down isn't made.
    let audit = config.audit_log.as_ref().map(AuditFile::open).transpose()?;
    if !flags.yes && !confirmed(&asked.would_be(purge(&config.history.place, &asked, true)?))? {
        return Ok("Nothing was removed.\n".to_owned());
    }
    let done = purge(&config.history.place, &asked, false);
    let said = match &done {
        Ok(done) => asked.was(*done),
        Err(problem) => format!("{}: it failed: {}", asked.what, problem.message),
    };
    write_down(audit, &purged(wall_ms(), &said))?;
    done.map(|_| format!("{said}\n"))
}

/// What is to be removed, as the flags say it.
struct Asked<'a> {
    kind: Option<Pattern>,
    namespace: Option<&'a str>,
    before_ms: Option<UnixMillis>,
    path: Option<JsonPath>,
    masks: Option<Redaction>,
    path_text: Option<&'a str>,
    now_ms: UnixMillis,
    /// The same for people.
    what: String,
}

impl<'a> Asked<'a> {
    fn of(flags: &'a PurgeFlags, config: &RecordConfig, now_ms: UnixMillis) -> Result<Self, Problem> {
        let said = [
            ("kind", flags.kind.as_deref()),
            ("namespace", flags.namespace.as_deref()),
            ("path", flags.path.as_deref()),
            ("before", flags.before.as_deref()),
        ];
        let mut what: Vec<String> =
            said.iter().filter_map(|(name, text)| Some(format!("{name} {}", (*text)?))).collect();
        if flags.masked {
            what.push("what is masked now".to_owned());
        }
        if what.is_empty() {
            return Err(wrong(
                "history purge needs to know what to remove: at least one of --kind, --namespace, --path, --masked and --before",
            ));
        }
        let kind = flags.kind.as_ref().map(|text| {
            Pattern::parse(text).ok_or_else(|| {
                wrong(format!("--kind {text:?} is no kind, such as pods, deployments.apps or *.example.org"))
            })
        });
        let path = flags.path.as_ref().map(|text| {
            JsonPath::parse(text).map_err(|error| {
                wrong(format!("--path {text:?}: {} at character {}", error.message, error.character))
            })
        });
        let path = path.transpose()?;
        if path.as_ref().is_some_and(JsonPath::is_root) {
            return Err(wrong("--path names the whole object; leave it out to remove versions as a whole"));
        }
        let before = flags.before.as_ref().map(|text| {
            let time = PastTime::parse(text).and_then(|time| time.ms(now_ms));
            time.map_err(|problem| wrong(format!("--before: {}", problem.message)))
        });
        Ok(Self {
            kind: kind.transpose()?,
            namespace: flags.namespace.as_deref(),
            before_ms: before.transpose()?,
            path,
            path_text: flags.path.as_deref(),
            now_ms,
            masks: flags.masked.then(|| Redaction::of(&config.redaction)),
            what: what.join(", "),
        })
    }

    fn names(&self, key: &KindKey) -> bool {
        let resource = &key.resource;
        let named = |pattern: &Pattern| {
            pattern.names(resource.resource.as_str()) || pattern.names(&resource.to_string())
        };
        self.kind.as_ref().is_none_or(named)
    }

    fn change(&self, key: &KindKey, columns: &[Column], head: &mut Head, body: &mut Vec<u8>) -> bool {
        match (&self.path, &self.masks) {
            (Some(path), _) => path::remove(path, head, body),
            (None, Some(masks)) => mask_again(masks, key, columns, head, body),
            (None, None) => false,
        }
    }

    fn stay(&self) -> bool {
        self.path.is_some() || self.masks.is_some()
    }

    fn was(&self, done: Purged) -> String {
        let of = if self.stay() { "something was removed from" } else { "removed" };
        format!("{of} {} ({})", counted(done), self.what)
    }

    fn would_be(&self, done: Purged) -> String {
        let of = if self.stay() { "something would be removed from" } else { "to be removed:" };
        format!("{of} {} ({})", counted(done), self.what)
    }
}

fn counted(done: Purged) -> String {
    let of = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!("{} of {}", of(done.versions, "version"), of(done.objects, "object"))
}

/// Masks what the rules of now hide, where a version was redacted by others. Whether it was.
pub(crate) fn mask_again(
    masks: &Redaction,
    key: &KindKey,
    columns: &[Column],
    head: &mut Head,
    body: &mut Vec<u8>,
) -> bool {
    if head.rules == masks.digest() {
        return false;
    }
    let mut cells: Vec<Cell> = std::mem::take(&mut head.cells);
    let again = masked_again(masks, &key.resource, (columns, &mut cells), body);
    head.cells = cells;
    let Some((again, places)) = again else { return false };
    *body = again.to_vec();
    (head.masks, head.run, head.rules) = (places.parts(), 0, masks.digest());
    true
}

fn purge(place: &Place, asked: &Asked<'_>, is_dry: bool) -> Result<Purged, Problem> {
    let names = |key: &KindKey| asked.names(key);
    let change = |key: &KindKey, columns: &[Column], head: &mut Head, body: &mut Vec<u8>| {
        asked.change(key, columns, head, body)
    };
    let purge = Purge {
        kind: &names,
        namespace: asked.namespace,
        before_ms: asked.before_ms,
        change: if asked.stay() { Some(&change) } else { None },
        path: asked.path_text,
        removed_ms: asked.now_ms,
    };
    let done = match place {
        Place::Folder(folder) => purge_folder(folder, &purge, is_dry),
        Place::Postgres(database) => purge_tables(&connect(database)?, &purge, is_dry),
        Place::Memory | Place::File | Place::Nowhere => {
            return Err(wrong(
                "a record is kept in a folder or in PostgreSQL, which --history names as it does for `dogwatch serve`; one \
                 in memory ends with its gateway",
            ));
        }
    };
    done.map_err(|StoreError(why)| Problem::new(Reason::Conflict, why.to_string()))
}

/// Asks whoever has the terminal.
fn confirmed(question: &str) -> Result<bool, Problem> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Err(wrong(format!("{question}. Say --yes to remove it, or --dry-run to count alone")));
    }
    let mut answer = String::new();
    let asked = write!(std::io::stderr(), "{question}. Remove it? [y/N] ");
    let read = asked.and_then(|()| input.lock().read_line(&mut answer));
    read.map_err(|error| {
        Problem::new(Reason::InternalError, format!("the terminal can't be read: {error}"))
    })?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn write_down(audit: Option<AuditFile>, line: &str) -> Result<(), Problem> {
    match audit {
        Some(mut file) => file.append(line).map_err(|error| {
            Problem::new(
                Reason::InternalError,
                format!("the audit log can't be written, and {line}: {error}"),
            )
        }),
        None => {
            crate::tail::to_stderr(line);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
