//! What readers do in the page, and what they then see: each test drives a whole page without a browser.

mod finding;
