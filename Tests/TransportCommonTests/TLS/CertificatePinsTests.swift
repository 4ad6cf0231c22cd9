import NIOSSL
import Testing

@testable import TransportCommon

/// Rule WT-17: what is a pin. The certificate and its pin were made with OpenSSL 3, with the command in the documentation of the type.
@Suite struct CertificatePinsTests {
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIB8zCCAZmgAwIBAgIUNDynPQZZX3EbcrNed0oMAxuBVVMwCgYIKoZIzj0EAwIw
        FzEVMBMGA1UEAwwMUkwgVGVzdCBSb290MB4XDTI2MTEyMDExMTUyNFoXDTI3MTEy
        MTExMTUyNFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZI
        zj0DAQcDQgAEKIi/RdGSZ3GjiFHYxVo/rLM0A9nT7b5aimlbw748pSXdqurjB4pX
        d0j1VXBe7kG/cGJLzlw829s8zMShQ6yfb6OBxTCBwjAMBgNVHRMBAf8EAjAAMA4G
        A1UdDwEB/wQEAwIFoDATBgNVHSUEDDAKBggrBgEFBQcDATBNBgNVHREERjBEggls
        b2NhbGhvc3SCB3JsLnRlc3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAGHBMYSAAGH
        EP0AABgAAAAAAAAAAAAAAAEwHQYDVR0OBBYEFMXJ+VpKGnPHibJeDiO4FwL0+8If
        MB8GA1UdIwQYMBaAFACtHSTEuTftGaJMgtEQtkGiRiHAMAoGCCqGSM49BAMCA0gA
        MEUCIHjYxfbVCWTAcbAimaFREZ4/eh3vKDSheiB+Gu4741ZvAiEA5X8OQXUJuPGs
        kaVzzXPoVyDET8nHQGOuJxT9X4ksR/s=
        -----END CERTIFICATE-----
        """
    private static let pin = "LnhhzMK6tbRND732lEBOgtvFe741bTg7WCFf+vo2e1Q="
    private static let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test func `The pin of a certificate is that of OpenSSL`() throws {
        let certificate = try NIOSSLCertificate(bytes: Array(Self.certificate.utf8), format: .pem)
        #expect(CertificatePins.pin(of: certificate) == "sha256/\(Self.pin)")
    }

    @Test(arguments: ["", "sha256/", "sha256//"])
    func `A pin may have its prefix or not`(prefix: String) throws {
        let certificate = try NIOSSLCertificate(bytes: Array(Self.certificate.utf8), format: .pem)
        #expect(try CertificatePins([prefix + Self.pin]).fit([certificate]))
        #expect(try CertificatePins([prefix + Self.other, prefix + Self.pin]).fit([certificate]))
        #expect(try !CertificatePins([prefix + Self.other]).fit([certificate]))
        #expect(try !CertificatePins([prefix + Self.pin]).fit([]))
    }

    @Test func `A digest that begins with a slash is not mistaken for a prefix`() throws {
        let digest = "/" + Self.other.dropFirst()
        #expect(try CertificatePins(["sha256/\(digest)"]) == CertificatePins([digest]))
        #expect(try CertificatePins(["sha256//\(digest)"]) == CertificatePins([digest]))
        #expect(try CertificatePins([digest]) != CertificatePins([Self.other]))
    }

    @Test(arguments: [
        "", "sha256/", "sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "AAAA", String(other.dropLast()), other + "=", " " + other,
        other + "\n", "sha256/" + other.dropLast() + "!", "SHA256/" + other, String(repeating: "A", count: 1_000_000),
        "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e",
    ])
    func `What is no pin is refused with a short reason`(text: String) {
        let error = #expect(throws: CertificatePins.Malformed.self) { try CertificatePins([Self.pin, text]) }
        #expect(error?.pin == text && (error?.description.utf8.count ?? 0) < 400)
    }

    @Test func `No pins at all are refused, since no server could satisfy them`() {
        let error = #expect(throws: CertificatePins.Malformed.self) { try CertificatePins([]) }
        #expect(error?.pin == nil && error?.description == "The list of certificate pins is empty.")
    }
}
