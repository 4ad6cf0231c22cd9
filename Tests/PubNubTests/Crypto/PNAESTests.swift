import Foundation
import PubNub
import Testing

@Suite("PNAES (rules PC-1 to PC-12)")
struct PNAESTests {
    static let message = Data(#"{"hello":"world"}"#.utf8)

    @Test("Data is encrypted with the constant vector and decrypted from it, as the vendor's class does")
    func constantVector() {
        let sealed = PNAES.encrypt(Self.message, withKey: "enigma")
        #expect(sealed == "VPBUKFwZx3Sab/2T8rSV30tRcDSQK5ZLmNRgTXGpBzc=")
        #expect(PNAES.decrypt("VPBUKFwZx3Sab/2T8rSV30tRcDSQK5ZLmNRgTXGpBzc=", withKey: "enigma") == Self.message)
        #expect(
            PNAES.decrypt(
                "UE5FRAFBQ1JIEAABAgMEBQYHCAkKCwwNDg+3yJZliFKF1LxOhb655PHSb0wdR0xWnKlG1wgCpsHGNw==", withKey: "enigma")
                == Self.message)
        for object in ["", "no base64", "AAAA", "VPBUKFwZx3Sab/2T8rSV3w=="] {
            #expect(PNAES.decrypt(object, withKey: "enigma") == nil)
        }
        #expect(PNAES.encrypt(Data(), withKey: "enigma") == nil)
        #expect(PNAES.encrypt(Self.message, withKey: "") == nil)
    }

    @Test("With a random vector equal data is encrypted differently each time")
    func randomVector() throws {
        let first = try #require(PNAES.encrypt(Self.message, withRandomIV: true, cipherKey: "enigma"))
        #expect(first != PNAES.encrypt(Self.message, withRandomIV: true, cipherKey: "enigma"))
        #expect(PNAES.decrypt(first, withRandomIV: true, cipherKey: "enigma") == Self.message)
        #expect(
            PNAES.decrypt(
                "AAECAwQFBgcICQoLDA0OD/jcPswR8UNRHmX4zRnBnwQgTD8VO0w7n3H7F/bivb9j", withRandomIV: true, cipherKey: "enigma")
                == Self.message)
    }

    @Test("Files come back whole, also where something lay before, and leave nothing else behind")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let plain = folder.appendingPathComponent("plain")
        let sealed = folder.appendingPathComponent("sealed")
        let opened = folder.appendingPathComponent("opened")
        let contents = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try contents.write(to: plain)
        try Data("old".utf8).write(to: opened)
        #expect(try await PNAES.encryptFile(at: plain, to: sealed, withCipherKey: "enigma") == sealed)
        #expect(try Data(contentsOf: sealed).count == 16 + 600_016)
        #expect(try await PNAES.decryptFile(at: sealed, to: opened, withCipherKey: "enigma") == opened)
        #expect(try Data(contentsOf: opened) == contents)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["opened", "plain", "sealed"])
        let temporary = try await PNAES.encryptFile(at: plain, to: nil, withCipherKey: "enigma")
        #expect(temporary != plain)
        try FileManager.default.removeItem(at: temporary)
    }

    @Test("A file that cannot be decrypted gives an error of the domain and leaves nothing behind")
    func wrongKey() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("sealed")
        try Data(count: 47).write(to: source)
        let (place, error) = await withCheckedContinuation { continuation in
            PNAES.decryptFile(at: source, to: folder.appendingPathComponent("opened"), withCipherKey: "enigma") {
                continuation.resume(returning: ($0, $1.map { $0 as NSError }))
            }
        }
        #expect(place == source)
        #expect(error?.domain == kPNAESErrorDomain)
        #expect(error?.code == kPNAESDecryptionError)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["sealed"])
        let missing = folder.appendingPathComponent("missing")
        await #expect(throws: (any Error).self) { try await PNAES.encryptFile(at: missing, to: nil, withCipherKey: "x") }
        try Data().write(to: missing)
        let empty = await #expect(throws: NSError.self) {
            try await PNAES.encryptFile(at: missing, to: nil, withCipherKey: "x")
        }
        #expect(empty?.code == kPNAESEmptyObjectError)
    }
}
