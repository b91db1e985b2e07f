//! The page's own connection: the socket, and the exchange of the code that opens the page.
