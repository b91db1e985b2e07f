//! The binary before a team: a real identity provider, and several gateways behind one name, as behind a reverse proxy
//! that ends TLS. Needs Node 20 and npm.

mod replicas;
mod rig;
mod sign_in;
