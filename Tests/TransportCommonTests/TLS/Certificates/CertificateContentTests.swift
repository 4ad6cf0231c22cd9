import Foundation
import NIOSSL
import Testing
import X509

@testable import TransportCommon

/// What is read from certificates is what swift-certificates reads.
@Suite struct CertificateContentTests {
    private static let authorities = "/etc/ssl/certs/ca-certificates.crt"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: authorities), "the package ca-certificates is not installed"))
    func `All authorities of the system are read as swift-certificates reads them`() throws {
        let certificates = try NIOSSLCertificate.fromPEMFile(Self.authorities)
        var compared = 0
        for certificate in certificates {
            let der = try certificate.toDERBytes()
            let content = try CertificateContent(der: der)
            guard let known = try? Certificate(derEncoded: der) else {
                #expect(content.signatureAlgorithm == nil || CertificateKey(content.key) == nil)
                continue
            }
            compared += 1
            #expect(content.signatureAlgorithm != nil && content.isSelfIssued == (known.issuer == known.subject))
            #expect(content.validity.lowerBound == Int64(known.notValidBefore.timeIntervalSince1970))
            #expect(content.validity.upperBound == Int64(known.notValidAfter.timeIntervalSince1970))
            #expect(try Array(content.key) == certificate.extractPublicKey().toSPKIBytes())
            // One authority has bits that DER does not allow; they are read all the same.
            if let usage = try? known.extensions.keyUsage {
                let signs = content.extensions.keyUsage.map { $0 & CertificateExtensions.certificateSigning != 0 }
                #expect(signs == usage.keyCertSign)
            }
            let key = try #require(CertificateKey(content.key))
            // SHA-1 counts for nothing, even where a root has signed itself.
            let isSound = content.signatureAlgorithm != .rsaSHA1
            #expect(key.hasSigned(content) == (isSound && content.isSelfIssued), "\(known.subject)")
        }
        #expect(compared > 50)
    }

    @Test func `Every cut and every changed byte is refused or read, and nothing else`() throws {
        let issuer = try TestIssuer("Root")
        let der = try issuer.server(issuer, names: [.dnsName("host.test"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))])
            .toDERBytes()
        let key = try #require(CertificateKey(CertificateContent(der: der).key))
        #expect(try key.hasSigned(CertificateContent(der: der)))
        for count in 0..<der.count {
            #expect(throws: DERReader.Malformed.self) { try CertificateContent(der: Array(der.prefix(count))) }
        }
        #expect(throws: DERReader.Malformed.self) { try CertificateContent(der: der + [0]) }
        for index in der.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var changed = der
                changed[index] ^= change
                guard let content = try? CertificateContent(der: changed) else { continue }
                #expect(!key.hasSigned(content), "byte \(index)")
            }
        }
    }

    @Test(
        arguments: [
            ("700101000000Z", 0x17, 0), ("491231235959Z", 0x17, 2_524_607_999), ("500101000000Z", 0x17, -631_152_000),
            ("20500101000000Z", 0x18, 2_524_608_000), ("20240229120000Z", 0x18, 1_709_208_000),
        ] as [(String, UInt8, Int64)])
    func `Times are seconds since 1970`(text: String, tag: UInt8, seconds: Int64) throws {
        let bytes = [tag, UInt8(text.utf8.count)] + Array(text.utf8)
        var reader = DERReader(bytes[...])
        #expect(try CertificateTime.read(&reader) == seconds)
    }

    /// An extension of this number, critical by this byte, with this value.
    private func extensions(_ number: UInt8, critical: UInt8, _ value: [UInt8]) throws -> CertificateExtensions {
        let octets = [DERReader.Tag.octetString, UInt8(value.count)] + value
        let entry = [6, 3, 0x55, 0x1D, number, DERReader.Tag.boolean, 1, critical] + octets
        let list = [0x30, UInt8(entry.count)] + entry
        return try CertificateExtensions(DERReader(([0x30, UInt8(list.count)] + list)[...]))
    }

    @Test func `Only the truth values of DER are read, since others take any byte but 0 for true`() throws {
        #expect(try extensions(99, critical: 0xFF, []).hasUnknownCritical)
        #expect(try !extensions(99, critical: 0, []).hasUnknownCritical)
        #expect(try extensions(19, critical: 0xFF, [0x30, 3, 1, 1, 0xFF]).authority == .init(pathLength: nil))
        for byte in [1, 0x7F, 0xFE] as [UInt8] {
            #expect(throws: DERReader.Malformed.self) { try extensions(99, critical: byte, []) }
            #expect(throws: DERReader.Malformed.self) { try extensions(19, critical: 0xFF, [0x30, 3, 1, 1, byte]) }
        }
    }

    @Test(
        arguments: [(15, [3, 2, 0, 4]), (17, [0x30, 0]), (19, [0x30, 0]), (30, [0x30, 0]), (37, [0x30, 0])] as [(UInt8, [UInt8])])
    func `Nothing may follow the value of an extension`(number: UInt8, value: [UInt8]) throws {
        _ = try extensions(number, critical: 0xFF, value)
        #expect(throws: DERReader.Malformed.self) { try extensions(number, critical: 0xFF, value + [5, 0]) }
    }

    @Test(arguments: ["7001010000Z", "700101000000", "701301000000Z", "700132000000Z", "700101240000Z", "70010100000AZ", "Z", ""])
    func `What is no time is refused`(text: String) {
        let bytes = [0x17, UInt8(text.utf8.count)] + Array(text.utf8)
        #expect(throws: DERReader.Malformed.self) {
            var reader = DERReader(bytes[...])
            _ = try CertificateTime.read(&reader)
        }
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 1], [0x30, 0x80, 0, 0], [0x30, 0x81, 1, 0], [0x30, 0x82, 0, 1, 0], [0x1F, 1, 0],
            [0x30, 0x85, 0, 0, 0, 0, 1, 0],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0],
        ] as [[UInt8]])
    func `Lengths are there, as short as possible, and not longer than the bytes`(bytes: [UInt8]) {
        #expect(throws: DERReader.Malformed.self) {
            var reader = DERReader(bytes[...])
            _ = try reader.next()
        }
    }
}
