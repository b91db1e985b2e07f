//! A user: a name, groups, and the token that identifies the user. It never holds rights.

/// A user, as the lines of `--token-auth-file` describe one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    pub name: String,
    pub uid: String,
    pub groups: Vec<String>,
    /// Empty for a user who is only impersonated.
    pub token: String,
}

/// Members may do everything.
pub const MASTERS: &str = "system:masters";
pub const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// A line of a token file that can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the token file isn't `token,user,uid` or `token,user,uid,\"group1,group2\"`")]
pub struct TokenFileError {
    line: usize,
}

impl User {
    pub fn new(name: &str, token: &str, groups: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            uid: String::new(),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            token: token.to_owned(),
        }
    }

    /// The user of every request if no users are configured, with all rights.
    pub fn everybody() -> Self {
        Self::new("playground", "", &[MASTERS]).authenticated()
    }

    /// The user of a request without a credential.
    pub fn anonymous() -> Self {
        Self::new("system:anonymous", "", &[UNAUTHENTICATED])
    }

    /// Adds the groups of every authenticated user.
    #[must_use]
    pub fn authenticated(mut self) -> Self {
        let mut also = vec![AUTHENTICATED.to_owned()];
        if let Some((namespace, _)) = self.service_account() {
            also.push("system:serviceaccounts".to_owned());
            also.push(format!("system:serviceaccounts:{namespace}"));
        }
        for group in also {
            if !self.groups.contains(&group) {
                self.groups.push(group);
            }
        }
        self
    }

    /// Namespace and name of the ServiceAccount that this is.
    pub fn service_account(&self) -> Option<(&str, &str)> {
        self.name.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')
    }

    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|found| found == group)
    }

    /// The format of kube-apiserver's `--token-auth-file`.
    ///
    /// # Errors
    /// The first line that isn't of it.
    pub fn read_file(text: &str) -> Result<Vec<Self>, TokenFileError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(at, line)| Self::read_line(line).ok_or(TokenFileError { line: at + 1 })).collect()
    }

    fn read_line(line: &str) -> Option<Self> {
        let mut parts = line.trim().splitn(4, ',').map(|part| part.trim().trim_matches('"'));
        let (token, name, uid) = (parts.next()?, parts.next()?, parts.next()?);
        let groups = parts.next().unwrap_or_default();
        if token.is_empty() || name.is_empty() {
            return None;
        }
        let groups: Vec<&str> = groups.split(',').map(str::trim).filter(|group| !group.is_empty()).collect();
        Some(Self { uid: uid.to_owned(), ..Self::new(name, token, &groups) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_file_is_read_as_the_real_server_reads_it() {
        let users = User::read_file("t1,alice,1,\"dev,ops\"\n\nt2,bob,2\n").expect("users");
        assert_eq!(users[0], User { uid: "1".into(), ..User::new("alice", "t1", &["dev", "ops"]) });
        assert_eq!(users[1], User { uid: "2".into(), ..User::new("bob", "t2", &[]) });
        assert_eq!(User::read_file("t1,alice,1\nnonsense"), Err(TokenFileError { line: 2 }));
    }

    #[test]
    fn a_service_account_is_in_its_groups() {
        let account = User::new("system:serviceaccount:shop:viewer", "", &[]).authenticated();
        assert_eq!(account.service_account(), Some(("shop", "viewer")));
        assert!(account.is_in("system:serviceaccounts:shop") && account.is_in(AUTHENTICATED));
    }
}
