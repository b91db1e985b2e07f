//! Numbers and letters as Go writes them, because kubectl prints cells with `%v` and titles with `strings.ToUpper`. The
//! tests compare with what Go itself wrote (`go/table.go`).

/// Go's `%v` of a float64: its shortest digits, with an exponent from 1e6 on and below 1e-4.
#[must_use]
pub fn float(value: f64) -> String {
    let text = format!("{value:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    if exponent.parse().is_ok_and(|exponent: i32| (-4..=5).contains(&exponent)) || value == 0.0 {
        return value.to_string();
    }
    let (sign, figures) = exponent.strip_prefix('-').map_or(('+', exponent), |figures| ('-', figures));
    // The exponent has two figures at least.
    format!("{digits}e{sign}{figures:0>2}")
}

/// Go's `strings.ToUpper`, which maps each letter to one: `ß` stays.
#[must_use]
pub fn upper(text: &str) -> String {
    text.chars().map(upper_letter).collect()
}

fn upper_letter(letter: char) -> char {
    let mut mapped = letter.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(upper), None) => upper,
        // Greek letters with an iota below have capitals of their own; the other letters that become several have none.
        _ => {
            let step = match letter {
                '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => 8,
                '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => 9,
                _ => 0,
            };
            char::from_u32(u32::from(letter) + step).unwrap_or(letter)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_what_go_prints() {
        let mut count = 0;
        for line in include_str!("go/floats.txt").lines() {
            let (bits, expected) = line.split_once(' ').expect("two words");
            let value = f64::from_bits(u64::from_str_radix(bits, 16).expect("bits"));
            assert_eq!(float(value), expected, "{bits}");
            count += 1;
        }
        assert!(count > 500);
    }

    #[test]
    fn each_letter_has_the_capital_that_go_gives_it() {
        let mut expected: Vec<i64> = vec![0; 0x11_0000];
        for line in include_str!("go/upper.txt").lines().skip(1) {
            let words: Vec<&str> = line.split(' ').collect();
            let code = |at: usize| usize::from_str_radix(words[at], 16).expect("hexadecimal");
            expected[code(0)..=code(1)].fill(words[2].parse().expect("a step"));
        }
        // Rust has the capitals of a later Unicode; Go leaves these letters as they are, until it follows.
        let is_later = |letter: char| {
            let of_later = [
                '\u{19b}', '\u{264}', '\u{1c8a}', '\u{a7cd}', '\u{a7cf}', '\u{a7d3}', '\u{a7d5}', '\u{a7db}',
            ];
            of_later.contains(&letter)
                || ('\u{10d70}'..='\u{10d85}').contains(&letter)
                || ('\u{16ebb}'..='\u{16ed3}').contains(&letter)
        };
        for letter in ('\0'..=char::MAX).filter(|letter| !is_later(*letter)) {
            let step = i64::from(u32::from(upper_letter(letter))) - i64::from(u32::from(letter));
            assert_eq!(step, expected[u32::from(letter) as usize], "{}", letter.escape_unicode());
        }
    }

    #[test]
    fn a_title_keeps_its_length() {
        assert_eq!(upper("straße ŉ ǆ ᾳ Größe"), "STRAßE ŉ Ǆ ᾼ GRÖßE");
    }
}
