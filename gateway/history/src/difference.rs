//! The difference of two texts that resemble each other: stretches of the former one, and what stands between them. A
//! patch of a few fields takes a twentieth of the time of compressing it. It never tries to be small where much differs.

use memchr::memmem;

/// The first byte. A frame of zstd begins with another one.
pub(crate) const MARK: u8 = 1;

/// Texts that are equal so far are the same stretch: a shorter one takes as much room as its bytes do.
const SAME_MIN: usize = 6;
/// A stretch that moved is told apart from a chance by its length.
const MOVED_MIN: usize = 10;
/// A value of this length may have been replaced by another one as long: a time.
const REPLACED_MAX: usize = 24;
/// What follows it is longer than what lists repeat by chance at the same place.
const REPLACED_MIN: usize = 16;
/// Values that are longer are looked for like everything else.
const VALUE_MAX: usize = 64;
/// How far a stretch is looked for, before and after its place.
const NEAR: usize = 512;

/// The text from its former one. `None`: it takes more than `bytes_max`.
///
/// It is the length of the text, then in turn: how far the next stretch has moved, its length, and the number of the
/// bytes that follow it, with these.
pub(crate) fn difference(text: &[u8], former: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let mut written = vec![MARK];
    write_number(&mut written, text.len() as u64);
    let (mut at, mut place, mut moved) = (0, 0, 0);
    while at < text.len() {
        let same = same_length(text.get(at..)?, former.get(place..)?);
        (at, place) = (at + same, place + same);
        let fresh_max = bytes_max.checked_sub(written.len())?;
        let (fresh, next) = meets(text.get(at..)?, former, place, fresh_max)?;
        write_number(&mut written, zigzag(moved));
        write_number(&mut written, same as u64);
        write_number(&mut written, fresh as u64);
        written.extend_from_slice(text.get(at..at + fresh)?);
        at += fresh;
        moved = i64::try_from(next).ok()? - i64::try_from(place + fresh).ok()?;
        place = next;
    }
    (written.len() <= bytes_max).then_some(written)
}

/// `None` if it isn't what [`difference`] made of this former text, or is longer than `bytes_max`.
pub(crate) fn text_of(difference: &[u8], former: &[u8], bytes_max: u64) -> Option<Vec<u8>> {
    let mut rest = difference.strip_prefix(&[MARK])?;
    let length = read_number(&mut rest).filter(|length| *length <= bytes_max)?;
    let length = usize::try_from(length).ok()?;
    let mut text = Vec::with_capacity(length);
    let mut place = 0_i64;
    while !rest.is_empty() {
        place = place.checked_add(unzigzag(read_number(&mut rest)?))?;
        let (same, fresh) = (read_number(&mut rest)?, read_number(&mut rest)?);
        let begin = usize::try_from(place).ok()?;
        let stretch = former.get(begin..begin.checked_add(usize::try_from(same).ok()?)?)?;
        let (fresh, after) = rest.split_at_checked(usize::try_from(fresh).ok()?)?;
        rest = after;
        if text.len() + stretch.len() + fresh.len() > length {
            return None;
        }
        text.extend_from_slice(stretch);
        text.extend_from_slice(fresh);
        place = i64::try_from(begin + stretch.len() + fresh.len()).ok()?;
    }
    (text.len() == length).then_some(text)
}

/// How many bytes of the text stand nowhere near, and where the former text goes on after them. `None`: more than
/// `fresh_max` do.
fn meets(text: &[u8], former: &[u8], place: usize, fresh_max: usize) -> Option<(usize, usize)> {
    let fresh_max = fresh_max.min(text.len());
    // Most values are replaced by ones of their length, and this takes less time than looking around.
    if let Some(fresh) =
        (1..=fresh_max.min(REPLACED_MAX)).find(|fresh| goes_on((text, former), place, *fresh, REPLACED_MIN))
    {
        return Some((fresh, place + fresh));
    }
    // Most other values are replaced by ones of another length, and what follows both is alike.
    if let Some((fresh, old)) = value_length(text).zip(value_length(former.get(place..).unwrap_or_default()))
        && fresh <= fresh_max
        && let Some(next) = text.get(fresh..fresh + REPLACED_MIN)
        && former.get(place + old..place + old + REPLACED_MIN) == Some(next)
    {
        return Some((fresh, place + old));
    }
    let begin = place.saturating_sub(NEAR);
    let before = former.get(begin..place).unwrap_or_default();
    let after = former.get(place..former.len().min(place + NEAR)).unwrap_or_default();
    for fresh in 0..=fresh_max {
        if goes_on((text, former), place, fresh, SAME_MIN) {
            return Some((fresh, place + fresh));
        }
        let Some(next) = text.get(fresh..fresh + MOVED_MIN) else { continue };
        let found = |near, begin| memmem::find(near, next).map(|found| (fresh, begin + found));
        if let Some(met) = found(after, place).or_else(|| found(before, begin)) {
            return Some(met);
        }
    }
    (text.len() <= fresh_max).then_some((text.len(), place))
}

/// Where a value of JSON ends, if that is near.
fn value_length(text: &[u8]) -> Option<usize> {
    text.iter().take(VALUE_MAX).position(|byte| matches!(byte, b'"' | b',' | b'}' | b']'))
}

/// Whether the former text goes on for so long as this one does, after as many bytes.
fn goes_on((text, former): (&[u8], &[u8]), place: usize, fresh: usize, length: usize) -> bool {
    let next = text.get(fresh..fresh + length);
    next.is_some() && former.get(place + fresh..place + fresh + length) == next
}

/// How many bytes two texts begin with alike.
pub(crate) fn same_length(these: &[u8], those: &[u8]) -> usize {
    const STEP: usize = 32;
    let steps = these.chunks_exact(STEP).zip(those.chunks_exact(STEP));
    let whole = STEP * steps.take_while(|(this, that)| this == that).count();
    let rest = these.iter().skip(whole).zip(those.iter().skip(whole));
    whole + rest.take_while(|(this, that)| this == that).count()
}

fn write_number(written: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        written.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    written.push((number & 0x7f) as u8);
}

fn read_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Small numbers of both signs take one byte.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    fn pod(version: usize, phase: &str) -> String {
        let settings: String =
            (0..90).map(|n| format!("{{\"name\":\"SETTING_{n}\",\"value\":\"service-{n}:80\"}},")).collect();
        format!(
            "{{\"metadata\":{{\"resourceVersion\":\"{version}\"}},\"env\":[{settings}],\"phase\":\"{phase}\",\"at\":\"14:02:{version}\"}}"
        )
    }

    #[test]
    fn a_text_comes_back_and_takes_little_room_where_few_fields_changed() {
        let (former, now) = (pod(10_417, "Running"), pod(9_988, "CrashLoopBackOff"));
        let written = difference(now.as_bytes(), former.as_bytes(), 160).expect("a small difference");
        assert!(written.len() < 50, "{}", written.len());
        assert_eq!(text_of(&written, former.as_bytes(), 10_000).as_deref(), Some(now.as_bytes()));
        assert_eq!(text_of(&written, former.as_bytes(), 100), None, "it is longer than that");
        assert_eq!(difference(now.as_bytes(), b"{}", 160), None, "all of it is fresh");
    }

    #[test]
    fn whatever_is_cut_out_or_put_in_is_told_and_what_is_damaged_does_no_harm() {
        let (mut rng, mut bytes) = (Rng::with_seed(7), 0);
        for _ in 0..500 {
            let former = pod(rng.usize(..100_000), "Running").into_bytes();
            let mut now = former.clone();
            for _ in 0..rng.usize(..5) {
                let at = rng.usize(..now.len());
                let end = (at + rng.usize(..40)).min(now.len());
                let length = rng.usize(..20);
                let fresh = std::iter::repeat_with(|| rng.alphanumeric() as u8).take(length);
                let fresh: Vec<u8> = fresh.collect();
                now.splice(at..end, fresh);
            }
            let written = difference(&now, &former, 1_000).expect("room");
            bytes += written.len();
            assert_eq!(text_of(&written, &former, 1 << 20).as_ref(), Some(&now));
            let mut damaged = written.clone();
            let at = rng.usize(..damaged.len());
            damaged[at] = rng.u8(..);
            drop(text_of(&damaged, &former, 1 << 20));
            if written.len() > 1 {
                let cut = rng.usize(1..written.len());
                assert_ne!(text_of(&written[..cut], &former, 1 << 20).as_ref(), Some(&now));
            }
        }
        assert!(bytes / 500 < 100, "{}", bytes / 500);
    }
}
