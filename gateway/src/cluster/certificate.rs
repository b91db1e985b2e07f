//! When a certificate ends. Never a judgement about trust: rustls makes that.

use jiff::Timestamp;
use x509_parser::pem::Pem;

/// `notAfter` of the first certificate of a PEM file; `None` if it holds none that can be read.
pub(super) fn not_after(pem: &[u8]) -> Option<Timestamp> {
    let block = Pem::iter_from_buffer(pem).flatten().find(|block| block.label == "CERTIFICATE")?;
    Timestamp::from_second(block.parse_x509().ok()?.validity().not_after.timestamp()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pem(year: i32) -> String {
        let mut parameters = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        parameters.not_after = rcgen::date_time_ymd(year, 2, 3);
        let key = rcgen::KeyPair::generate().expect("a key");
        key.serialize_pem() + &parameters.self_signed(&key).expect("a certificate").pem()
    }

    #[test]
    fn the_end_of_a_certificate_is_read_in_both_of_its_forms_also_behind_a_key() {
        for (year, expected) in [(2021, "2021-02-03T00:00:00Z"), (2055, "2055-02-03T00:00:00Z")] {
            assert_eq!(not_after(pem(year).as_bytes()).expect("a date").to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        let whole = pem(2030);
        let cut = whole.replace("-----END CERTIFICATE-----", "");
        for text in [
            "",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----",
            &cut,
        ] {
            assert_eq!(not_after(text.as_bytes()), None, "{text}");
        }
    }
}
