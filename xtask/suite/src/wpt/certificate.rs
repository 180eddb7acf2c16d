/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The certificates of the test hosts.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// Files with certificates for the test hosts.
#[derive(Clone, Debug)]
pub struct Certificates {
    /// The authority, which browsers must trust.
    pub authority: PathBuf,
    pub host: PathBuf,
    pub host_key: PathBuf,
}

impl Certificates {
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            authority: folder.join("authority.pem"),
            host: folder.join("host.pem"),
            host_key: folder.join("host.key"),
        }
    }

    /// Makes an authority, lets it vouch for the hosts, and forgets its key.
    pub fn make(&self, hosts: &[String]) -> Result<()> {
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority
            .distinguished_name
            .push(DnType::CommonName, "Servo WebMCP test authority");
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority_key = KeyPair::generate()?;
        let authority_certificate = authority.self_signed(&authority_key)?;
        let issuer = Issuer::new(authority, authority_key);

        let mut host = CertificateParams::new(hosts)?;
        host.distinguished_name
            .push(DnType::CommonName, "Servo WebMCP test hosts");
        host.use_authority_key_identifier_extension = true;
        host.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        host.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let host_key = KeyPair::generate()?;
        let host_certificate = host.signed_by(&host_key, &issuer)?;

        fs::write(&self.authority, authority_certificate.pem())?;
        fs::write(&self.host, host_certificate.pem())?;
        fs::write(&self.host_key, host_key.serialize_pem())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_makes_three_files_in_pem() {
        let folder = tempfile::tempdir().unwrap();
        let certificates = Certificates::in_folder(folder.path());
        certificates
            .make(&[
                "web-platform.test".to_owned(),
                "www.web-platform.test".to_owned(),
            ])
            .unwrap();
        for (path, label) in [
            (&certificates.authority, "CERTIFICATE"),
            (&certificates.host, "CERTIFICATE"),
            (&certificates.host_key, "PRIVATE KEY"),
        ] {
            let text = fs::read_to_string(path).unwrap();
            assert!(
                text.starts_with(&format!("-----BEGIN {label}-----")),
                "{}",
                path.display()
            );
        }
    }
}
