//! What lies below an error, also where an I/O error wraps it.

use std::error::Error;
use std::io;

/// This error and every one that it wraps. `source` doesn't show what an `io::Error` wraps.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |cause: &&'a (dyn Error + 'static)| {
        let cause: &'a (dyn Error + 'static) = *cause;
        let wrapped = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        match wrapped {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => cause.source(),
        }
    })
}
