import ServerStorage
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("What the server signs for uploads and downloads (rules FI-10 and FI-15)")
struct FileTicketTests {
    private static let upload = FileTicket.Upload(
        subscribeKey: "demo", channel: "room", id: "i", name: "a \"b\"", expires: 100, maximumBytes: 5)

    private static func check(
        _ policy: String, _ signature: String, key: String = "demo", secrets: [Secret] = ["s"], now: Int = 99
    ) throws -> FileTicket.Upload {
        try FileTicket.Upload.check(policy: policy, signature: signature, subscribeKey: key, secrets: secrets, now: now)
    }

    @Test("An upload is good until it ends, for its keyset, also while the secret is being changed")
    func uploads() throws {
        let (policy, signature) = (Self.upload.policy, Self.upload.signature("s"))
        #expect(try Self.check(policy, signature) == Self.upload)
        #expect(try Self.check(policy, signature, secrets: ["new", "s"]) == Self.upload)
        #expect(throws: FileTicket.Problem.expired) { try Self.check(policy, signature, now: 100) }
        #expect(throws: FileTicket.Problem.wrongSignature) { try Self.check(policy, signature, secrets: ["new"]) }
        #expect(throws: FileTicket.Problem.malformed) { try Self.check(policy, signature, key: "other") }
    }

    @Test("No byte of a policy or signature can be changed")
    func changed() {
        let (policy, signature) = (Self.upload.policy, Self.upload.signature("s"))
        for index in policy.utf8.indices {
            var bytes = Array(policy.utf8)
            bytes[policy.utf8.distance(from: policy.startIndex, to: index)] ^= 1
            #expect(throws: FileTicket.Problem.wrongSignature) {
                try Self.check(String(decoding: bytes, as: UTF8.self), signature)
            }
        }
        for bad in ["", String(signature.dropLast()), signature.uppercased(), signature + "0"] {
            #expect(throws: FileTicket.Problem.wrongSignature) { try Self.check(policy, bad) }
        }
    }

    @Test("A link is good for its file and time; no signature of one kind is one of the other")
    func links() throws {
        let signature = FileTicket.link("i", subscribeKey: "demo", expires: 100, "s")
        func check(
            _ given: String?, id: String = "i", key: String = "demo", expires: String = "100", now: Int = 99
        ) throws(FileTicket.Problem) {
            try FileTicket.checkLink(
                id, subscribeKey: key, expires: expires, signature: given, secrets: ["old", "s"], now: now)
        }
        try check(signature)
        #expect(throws: FileTicket.Problem.expired) { try check(signature, now: 100) }
        #expect(throws: FileTicket.Problem.wrongSignature) { try check(signature, id: "j") }
        #expect(throws: FileTicket.Problem.wrongSignature) { try check(signature, key: "other") }
        #expect(throws: FileTicket.Problem.wrongSignature) { try check(signature, expires: "101") }
        #expect(throws: FileTicket.Problem.malformed) { try check(signature, expires: "x") }
        #expect(throws: FileTicket.Problem.malformed) { try check(nil) }
        #expect(throws: FileTicket.Problem.wrongSignature) {
            try Self.check("content\ndemo\ni\n100", FileTicket.link("i", subscribeKey: "demo", expires: 100, "s"))
        }
    }
}
