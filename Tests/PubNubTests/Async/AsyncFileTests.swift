import ConnectionEngine
import EngineRuntime
import Foundation
import HTTPTransport
import PubNubProtocol
import Testing

@testable import PubNub

/// Files by async functions (rules PL-95 and PL-97), with the answers of ``FilesTests``.
@Suite(.timeLimit(.minutes(1)))
struct AsyncFileTests {
    private static let forbidden = #"{"message":"Forbidden","status":403}"#

    @Test func `a file is uploaded and told about`() async throws {
        let fixture = Fixture(
            calls: ScriptedCalls(
                .status(200, FilesTests.upload), .status(204, "", type: ""), .status(200, FilesTests.sent)))
        let sent = try await fixture.client.sendFile(
            Data("hello".utf8), name: "a.txt", to: "c", message: ["t": 1], options: PNPublishOptions(isStored: false))
        #expect(sent == PNSentFile(identifier: "id-1", name: "a.txt", timetoken: 15))
        #expect(fixture.line(0) == "POST /v1/files/sub/channels/c/generate-upload-url")
        #expect(String(decoding: fixture.calls.sent[1].body, as: UTF8.self).contains("\r\n\r\nhello\r\n--"))
        #expect(
            fixture.line(2).removingPercentEncoding
                == #"GET /v1/files/publish-file/pub/sub/0/c/0/{"message":{"t":1},"file":{"id":"id-1","name":"a.txt"}}?store=0"#)
    }

    @Test func `a file of which nobody could be told is named by the error, and can be told about`() async throws {
        let fixture = Fixture(
            calls: ScriptedCalls(
                .status(200, FilesTests.upload), .status(204, "", type: ""), .status(403, Self.forbidden),
                .status(200, FilesTests.sent))
        ) { $0.fileMessagePublishRetryLimit = 1 }
        let error = await #expect(throws: PNCallError.self) {
            try await fixture.client.sendFile(Data("hello".utf8), name: "a.txt", to: "c")
        }
        #expect(error?.category == .PNAccessDeniedCategory)
        let file = try #require(error?.uploadedFile)
        #expect(file == PNUploadedFile(identifier: "id-1", name: "a.txt"))
        #expect(try await fixture.client.publishFileMessage(file.identifier, name: file.name, to: "c", message: "m") == 15)
        #expect(
            fixture.lastLine.removingPercentEncoding
                == #"GET /v1/files/publish-file/pub/sub/0/c/0/{"message":"m","file":{"id":"id-1","name":"a.txt"}}"#)
    }

    @Test func `files are listed, downloaded with an older key too, and deleted`() async throws {
        let cipher = PubNubCipher(key: "old")
        var generator = SystemRandomNumberGenerator()
        var (stream, sealed) = PubNubCipherStream.encrypting(with: cipher, using: &generator)
        sealed += try stream.update(Array("hello".utf8))
        sealed += try stream.finish()
        let files = BinaryCalls(sealed)
        var values = ConfigurationValues(publishKey: "pub", subscribeKey: "sub", uuid: "me", deviceID: "device")
        values.cipherKey = "new"
        values.readingCipherKeys = ["old"]
        let client = PubNub(
            values, queue: .inline,
            assembly: PubNubEngineAssembly(makeCalls: { _ in files }, makeEngine: { _, _ in ScriptedEngine() }))
        #expect(try await client.fileContent("id-1", name: "a.txt", of: "c") == Data("hello".utf8))
        let error = await #expect(throws: PNCallError.self) {
            _ = try await client.fileContent("id-1", name: "a.txt", of: "c", cipherKey: "strange")
        }
        #expect(error?.category == .PNDecryptionErrorCategory)

        let fixture = Fixture.answering(
            #"{"status":200,"data":[{"name":"a.txt","id":"id-1","size":5,"created":"2020-06-04T19:39:57Z"}],"next":"n","count":1}"#,
            #"{"status":200}"#)
        let page = try await fixture.client.files(of: "c", limit: 3, next: "m")
        #expect(fixture.line() == "GET /v1/files/sub/channels/c/files?limit=3&next=m")
        #expect(page.files.map(\.identifier) == ["id-1"] && page.files.first?.size == 5 && page.next == "n")
        try await fixture.client.deleteFile("id-1", name: "a.txt", of: "c")
        #expect(fixture.lastLine == "DELETE /v1/files/sub/channels/c/files/id-1/a.txt")
    }

    @Test func `cancelling the task ends the sending`() async {
        let fixture = Fixture(calls: ScriptedCalls(.never))
        let task = Task { () async throws(PNCallError) in
            try await fixture.client.sendFile(Data("hello".utf8), name: "a.txt", to: "c")
        }
        while fixture.calls.sent.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: PNCallError.self) { _ = try await task.value }
        #expect(error?.category == .PNCancelledCategory && error?.uploadedFile == nil)
    }
}

/// Answers every request with the same bytes.
private final class BinaryCalls: CallTransport {
    private let body: [UInt8]

    init(_ body: [UInt8]) {
        self.body = body
    }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        completion(.success(HTTPCallAnswer(status: 200, headers: [], body: body, url: "")))
        return {}
    }
}
