//! Who is it, and what may they watch. Never a cookie in mode `local`.
