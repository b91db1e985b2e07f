//! The user of this process, as whom the gateway runs in mode `local`.

use crate::access::identity::Identity;

/// The user of this process: the name that they log in with, else that of the password database, else their number.
pub fn identity() -> Option<Identity> {
    let named = ["USER", "LOGNAME"].iter().filter_map(|name| std::env::var(name).ok());
    let number = format!("uid {}", rustix::process::geteuid().as_raw());
    named.chain(std::iter::once_with(account).flatten()).chain([number]).find_map(|name| Identity::new(&name))
}

/// `id` reads the database as the system is set up to, which may be over the network.
fn account() -> Option<String> {
    let said = std::process::Command::new("id").arg("-un").output().ok()?;
    let name = String::from_utf8(said.stdout).ok().filter(|_| said.status.success())?;
    Some(name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_user_has_a_name_where_no_variable_says_it() {
        let name = super::account().expect("this user is in the database");
        assert!(!name.is_empty() && !name.contains("uid") && !name.contains('\n'), "{name:?}");
    }
}
