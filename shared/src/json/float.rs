//! The float that is nearest to a decimal number. The standard library's own is exact, too, and has a table of 10 KB that
//! doesn't compress; here what isn't simple is divided as whole numbers, because cells seldom are such floats.

/// Digits behind these only say that there is more.
const DIGITS_MAX: usize = 800;
/// What is 1 followed by more zeros is no float, and one by so many more places is 0.
const EXPONENT_MAX: i64 = 400;

/// `None`: it is too large. `written`: a number as JSON has it.
pub(super) fn nearest(written: &str) -> Option<f64> {
    let (sign, unsigned) = match written.strip_prefix('-') {
        Some(unsigned) => (-1.0, unsigned),
        None => (1.0, written),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // An exponent that doesn't fit into a number leaves no doubt either.
    let far = if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 };
    let mut exponent = exponent.parse().unwrap_or(far) - i64::try_from(fraction.len()).ok()?;
    let mut digits: Vec<u8> =
        whole.bytes().chain(fraction.bytes()).skip_while(|digit| *digit == b'0').collect();
    while digits.last() == Some(&b'0') {
        digits.pop();
        exponent += 1;
    }
    if digits.len() > DIGITS_MAX {
        exponent += i64::try_from(digits.len() - DIGITS_MAX - 1).ok()?;
        digits.truncate(DIGITS_MAX);
        digits.push(b'1');
    }
    let count = i64::try_from(digits.len()).ok()?;
    if digits.is_empty() || count.saturating_add(exponent) < -EXPONENT_MAX {
        return Some(0.0 * sign);
    }
    if count.saturating_add(exponent) > EXPONENT_MAX {
        return None;
    }
    let positive = simple(&digits, exponent).or_else(|| divided(&digits, exponent))?;
    Some(positive * sign)
}

/// Both numbers are floats without an error, so one multiplication rounds once.
fn simple(digits: &[u8], exponent: i64) -> Option<f64> {
    const DIGITS: usize = 15;
    const EXPONENT: u64 = 22;
    if digits.len() > DIGITS || exponent.unsigned_abs() > EXPONENT {
        return None;
    }
    let number = digits.iter().fold(0.0, |number, digit| number * 10.0 + f64::from(digit - b'0'));
    let power = (0..exponent.unsigned_abs()).fold(1.0, |power, _| power * 10.0);
    Some(if exponent < 0 { number / power } else { number * power })
}

/// `None`: it is too large.
fn divided(digits: &[u8], exponent: i64) -> Option<f64> {
    let (mut over, mut under) = (Whole(Vec::new()), Whole(vec![1]));
    for digit in digits {
        over.multiply(10, u32::from(digit - b'0'));
    }
    let scaled = if exponent < 0 { &mut under } else { &mut over };
    (0..exponent.unsigned_abs()).for_each(|_| scaled.multiply(10, 0));
    // So that the quotient has 63 or 64 bits.
    let shift = 63 - (i64::from(over.bits()) - i64::from(under.bits()));
    if shift < 0 { &mut under } else { &mut over }.double(shift.unsigned_abs());
    under.double(63);
    let mut quotient = 0_u64;
    for bit in (0..64).rev() {
        if over.subtract(&under) {
            quotient |= 1 << bit;
        }
        under.halve();
    }
    rounded(quotient, -shift, !over.0.iter().all(|part| *part == 0))
}

/// The float nearest to `number` · 2^`exponent` and a little more, if there `is_more`.
fn rounded(number: u64, exponent: i64, is_more: bool) -> Option<f64> {
    const MANTISSA_BITS: i64 = 53;
    const EXPONENT_MIN: i64 = -1074;
    /// Behind it is infinity.
    const EXPONENT_MAX_RAISED: u64 = 2046;
    let bits = i64::from(u64::BITS - number.leading_zeros());
    let dropped = (bits - MANTISSA_BITS).max(EXPONENT_MIN - exponent);
    if dropped > i64::from(u64::BITS) {
        return Some(0.0);
    }
    let dropped = u32::try_from(dropped).ok()?;
    let number = u128::from(number);
    let (mut kept, rest, half) = (number >> dropped, number & ((1 << dropped) - 1), (1_u128 << dropped) >> 1);
    if rest > half || rest == half && half > 0 && (is_more || kept & 1 == 1) {
        kept += 1;
    }
    // The first bit of a normal float isn't written, and what is carried into the exponent is right there.
    let raised = u64::try_from(exponent + i64::from(dropped) - EXPONENT_MIN).ok()?;
    if raised > EXPONENT_MAX_RAISED {
        return None;
    }
    let float = f64::from_bits((raised << (MANTISSA_BITS - 1)).checked_add(u64::try_from(kept).ok()?)?);
    Some(float).filter(|float| float.is_finite())
}

/// A whole number of any size, its lowest part first.
struct Whole(Vec<u32>);

impl Whole {
    /// Times a number, and another one more.
    fn multiply(&mut self, factor: u32, more: u32) {
        let mut carried = u64::from(more);
        for part in &mut self.0 {
            carried += u64::from(*part) * u64::from(factor);
            *part = low(carried);
            carried >>= u32::BITS;
        }
        if carried > 0 {
            self.0.push(low(carried));
        }
    }

    fn double(&mut self, times: u64) {
        (0..times).for_each(|_| self.multiply(2, 0));
    }

    fn halve(&mut self) {
        let mut carried = 0;
        for part in self.0.iter_mut().rev() {
            (*part, carried) = (*part >> 1 | carried << 31, *part & 1);
        }
    }

    fn bits(&self) -> u32 {
        let used = self.0.iter().rposition(|part| *part > 0);
        used.and_then(|last| {
            Some((u32::try_from(last).ok()? + 1) * u32::BITS - self.0.get(last)?.leading_zeros())
        })
        .unwrap_or_default()
    }

    /// Whether the other one could be taken off: it isn't larger.
    fn subtract(&mut self, other: &Self) -> bool {
        let count = self.0.len().max(other.0.len());
        let parts = |of: &Self, at: usize| of.0.get(at).copied().unwrap_or_default();
        let differs = (0..count).rev().find(|at| parts(self, *at) != parts(other, *at));
        if differs.is_some_and(|at| parts(self, at) < parts(other, at)) {
            return false;
        }
        let mut borrowed = false;
        for (at, part) in self.0.iter_mut().enumerate() {
            let (first, is_under) = part.overflowing_sub(parts(other, at));
            let (second, is_under_again) = first.overflowing_sub(u32::from(borrowed));
            (*part, borrowed) = (second, is_under || is_under_again);
        }
        true
    }
}

/// Its lower half.
fn low(number: u64) -> u32 {
    (number & u64::from(u32::MAX)) as u32
}
