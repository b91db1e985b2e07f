//! The binary before a team: a real identity provider, and several gateways behind one name, as behind a reverse proxy
//! that ends TLS. Needs Node 20, npm and nginx.

mod behind_nginx;
mod clients;
mod credentials;
mod replicas;
mod rights;
mod roll;
mod sign_in;
mod through_proxy;
