//! What is drawn, as a value that only the piece of the program with the logs knows: the signals of the page hold it, and have
//! no code for it.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

/// One value. Another one is drawn because something has changed, so no two are compared.
#[derive(Default)]
pub struct LogsShown(Option<Rc<dyn Any>>);

impl LogsShown {
    pub(crate) fn new<T: 'static>(value: T) -> Self {
        Self(Some(Rc::new(value)))
    }

    /// `None`: it is something else.
    pub fn read<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

// The signals of the first table clone and compare it in several places: one code for all is smaller.
impl Clone for LogsShown {
    #[inline(never)]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl PartialEq for LogsShown {
    #[inline(never)]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for LogsShown {}

impl fmt::Debug for LogsShown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LogsShown")
    }
}
