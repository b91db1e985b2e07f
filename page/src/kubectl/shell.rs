//! Words of a command as a POSIX shell takes them. They come from links and from the cluster, so none may begin a second
//! command.

/// The command with the name of an object. One that begins with a dash follows `--`, or kubectl would read it as a
/// flag.
pub(crate) fn with_name(command: &str, name: &str, flags: &str) -> String {
    let quoted = quoted(name);
    if name.starts_with('-') {
        format!("{command}{flags} -- {quoted}")
    } else {
        format!("{command} {quoted}{flags}")
    }
}

/// For a POSIX shell: in single quotes, unless all characters are plain there.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |b: u8| {
        b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'=' | b',' | b':' | b'@')
    };
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
