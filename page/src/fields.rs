//! The fields of a model are declared once. `page` fills them with values. The frontend puts a signal in the place of
//! each value, so that a change wakes only the readers of its field. Never a signal itself.

use std::fmt::Debug;
use std::sync::Arc;

/// What stands in the place of each field.
pub trait Holder: Clone + Debug + PartialEq {
    type Of<T: Value>: Clone + Debug + PartialEq;
}

/// What a field may hold.
pub trait Value: Clone + Debug + Default + PartialEq + 'static {}

impl<T: Clone + Debug + Default + PartialEq + 'static> Value for T {}

/// The values themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {}

impl Holder for Plain {
    type Of<T: Value> = T;
}

/// Signals in place of the values. Setting one wakes its readers, so only those that differ are set.
pub trait Signals: Holder {
    fn new<T: Value>(value: T) -> Self::Of<T>;

    fn write<T: Value>(held: &Self::Of<T>, value: &T);

    /// One allocation is equal to itself without a comparison.
    fn write_shared<T: Value>(held: &Self::Of<Arc<T>>, value: &Arc<T>);
}

/// Declares a model: `$fields<Plain>`, called `$model`, has the values, and `$fields<H>` the same fields with signals.
/// Those in `shared` are held in an `Arc`; those in `nested` are models themselves.
macro_rules! model {
    (
        $(#[$about:meta])*
        pub struct $model:ident = $fields:ident {
            $($(#[$doc:meta])* $name:ident: $type:ty,)*
        } shared {
            $($(#[$shared_doc:meta])* $shared:ident: $inner:ty,)*
        } nested {
            $($(#[$nested_doc:meta])* $nested:ident: $($of:ident)::+,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $fields<H: $crate::fields::Holder> {
            $($(#[$doc])* pub $name: H::Of<$type>,)*
            $($(#[$shared_doc])* pub $shared: H::Of<std::sync::Arc<$inner>>,)*
            $($(#[$nested_doc])* pub $nested: $($of)::+<H>,)*
        }

        $(#[$about])*
        pub type $model = $fields<$crate::fields::Plain>;

        impl<H: $crate::fields::Holder> Copy for $fields<H>
        where
            $(H::Of<$type>: Copy,)*
            $(H::Of<std::sync::Arc<$inner>>: Copy,)*
            $($($of)::+<H>: Copy,)*
        {
        }

        impl Default for $fields<$crate::fields::Plain> {
            fn default() -> Self {
                Self {
                    $($name: Default::default(),)*
                    $($shared: Default::default(),)*
                    $($nested: Default::default(),)*
                }
            }
        }

        impl<S: $crate::fields::Signals> $fields<S> {
            pub fn new(model: $fields<$crate::fields::Plain>) -> Self {
                Self {
                    $($name: S::new(model.$name),)*
                    $($shared: S::new(model.$shared),)*
                    $($nested: $($of)::+::<S>::new(model.$nested),)*
                }
            }

            /// The order matters: a table must have its rows before one of them is asked to take the focus.
            pub fn write(&self, model: &$fields<$crate::fields::Plain>) {
                $(self.$nested.write(&model.$nested);)*
                $(S::write_shared(&self.$shared, &model.$shared);)*
                $(S::write(&self.$name, &model.$name);)*
            }
        }
    };
}

pub(crate) use model;
