//! The page's own connection: the socket, and the exchange of the code that opens the page. It
//! hands over what came and sends what it is given; what a frame means is the replica's to know.

pub(crate) mod login;
pub(crate) mod socket;
