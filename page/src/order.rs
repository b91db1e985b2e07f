//! Which of some elements stay in place when all are put in order. As many as possible stay, because an element
//! that moves is laid out again and loses the focus. Never an element.

/// For each element whether it stays; the others are put between them. `fixed` always stays.
///
/// # Examples
/// ```
/// use page::order::stay;
/// // Of five rows the last two belong to the top: they move, because they are fewer.
/// assert_eq!(stay(&[5, 6, 7, 3, 4], None), [true, true, true, false, false]);
/// assert_eq!(stay(&[5, 6, 7, 3, 4], Some(3)), [false, false, false, true, true]);
/// ```
pub fn stay(places: &[usize], fixed: Option<usize>) -> Vec<bool> {
    let held = fixed.and_then(|at| Some((at, *places.get(at)?)));
    let may_stay = |at: usize, place: usize| match held {
        Some((fixed, fixed_place)) if at < fixed => place < fixed_place,
        Some((fixed, fixed_place)) if at > fixed => place > fixed_place,
        _ => true,
    };
    // For each element the longest run of growing places that ends there: its length, and the element before.
    let mut runs: Vec<(usize, Option<usize>)> = Vec::with_capacity(places.len());
    for (at, place) in places.iter().enumerate() {
        let before = runs
            .iter()
            .zip(places)
            .enumerate()
            .filter(|(_, ((length, _), former))| *length > 0 && *former < place);
        let longest = before.max_by_key(|(_, ((length, _), _))| *length);
        runs.push(match longest {
            _ if !may_stay(at, *place) => (0, None),
            Some((former, ((length, _), _))) => (length + 1, Some(former)),
            None => (1, None),
        });
    }
    let mut stays = vec![false; places.len()];
    let longest = runs.iter().enumerate().max_by_key(|(_, (length, _))| *length).map(|(at, _)| at);
    let run = std::iter::successors(longest, |at| runs.get(*at)?.1);
    for at in run {
        if let Some(stays) = stays.get_mut(at) {
            *stays = true;
        }
    }
    stays
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::stay;

    /// The size of the largest subset that is in order and has the fixed element, found by trying all.
    fn most(places: &[usize], fixed: Option<usize>) -> usize {
        (0_u32..1 << places.len())
            .filter(|set| fixed.is_none_or(|at| set & (1 << at) != 0))
            .filter(|set| {
                let chosen = places.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0);
                chosen.map(|(_, place)| place).is_sorted()
            })
            .map(u32::count_ones)
            .max()
            .map_or(0, |most| most as usize)
    }

    proptest! {
        #[test]
        fn as_many_stay_as_can_and_they_are_in_order(
            places in Just((0..9).collect::<Vec<usize>>()).prop_shuffle(),
            length in 0..=9_usize,
            fixed in proptest::option::of(0..9_usize),
        ) {
            let places = &places[..length];
            let fixed = fixed.filter(|at| *at < length);
            let stays = stay(places, fixed);
            let kept: Vec<usize> =
                places.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(place, _)| *place).collect();
            prop_assert!(kept.is_sorted());
            prop_assert!(fixed.is_none_or(|at| stays[at]));
            prop_assert_eq!(kept.len(), most(places, fixed));
        }
    }
}
