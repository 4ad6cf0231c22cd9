import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import TransportCommon

/// RSA keys of certificates, which the system reads on Apple platforms and swift-crypto elsewhere.
@Suite struct RSAPublicKeyTests {
    private let signed = Data("what is signed".utf8)

    @Test func `A signature with each of the digests is valid for its key and its content only`() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let other = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        func check(_ digest: some Digest, _ wrong: some Digest) throws {
            let signature = Array(try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)[...]
            let read = try #require(RSAPublicKey(Array(key.publicKey.derRepresentation)[...]))
            #expect(read.isValid(signature, for: digest))
            #expect(!read.isValid(signature, for: wrong))
            #expect(!read.isValid(signature.dropLast(), for: digest))
            #expect(RSAPublicKey(Array(other.publicKey.derRepresentation)[...])?.isValid(signature, for: digest) == false)
        }
        try check(SHA256.hash(data: signed), SHA256.hash(data: Data()))
        try check(SHA384.hash(data: signed), SHA384.hash(data: Data()))
        try check(SHA512.hash(data: signed), SHA256.hash(data: signed))
    }

    @Test func `The key within its information is what Security takes`() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey
        let content = RSAPublicKey.content(Array(key.derRepresentation)[...])
        #expect(content.map { Array($0) } == Array(key.pkcs1DERRepresentation))
    }

    @Test func `What is no key is refused`() throws {
        let key = Array(try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.derRepresentation)
        for bytes in [[], [0x30], Array(key.dropLast()), Array(key.dropFirst())] {
            #expect(RSAPublicKey(bytes[...]) == nil)
        }
        #expect(RSAPublicKey.content([]) == nil && RSAPublicKey.content([0x30, 0x80]) == nil)
    }
}
