import ConnectionEngine
import Foundation
import PubNubProtocol
import Testing
import WireCoding

@testable import PubNub

/// Files by the Cocoa SDK's methods and builders (rules PL-55 to PL-58, PL-79 to PL-81).
@Suite(.timeLimit(.minutes(1)))
struct FilesTests {
    static let upload = #"""
        {"status":200,"data":{"id":"id-1","name":"a.txt"},"file_upload_request":{"url":"http://storage.example:8080/bucket?x=1",
        "method":"POST","form_fields":[{"key":"k","value":"v"}]}}
        """#
    static let sent = #"[1,"Sent","15"]"#

    /// How the sending ended.
    private func status(
        _ fixture: Fixture, _ send: (PubNub, @escaping PNSendFileCompletionBlock) -> Void
    ) async -> HandedOver<PNSendFileStatus> {
        await withCheckedContinuation { continuation in
            send(fixture.client) { continuation.resume(returning: HandedOver($0)) }
        }
    }

    private func download(
        _ fixture: Fixture, _ ask: (PubNub, @escaping PNDownloadFileCompletionBlock) -> Void
    ) async -> HandedOver<(PNDownloadFileResult?, PNErrorStatus?)> {
        await withCheckedContinuation { continuation in
            ask(fixture.client) { continuation.resume(returning: HandedOver(($0, $1))) }
        }
    }

    @Test func `a file is uploaded to where the service says, and told about`() async throws {
        let fixture = Fixture(
            calls: ScriptedCalls(.status(200, Self.upload), .status(204, "", type: ""), .status(200, Self.sent)))
        let status = await status(fixture) { client, block in
            let request = PNSendFileRequest(channel: "c", fileName: "a.txt", data: Data("hello".utf8))
            request.message = ["t": 1]
            request.fileMessageStore = false
            client.sendFile(with: request, completion: block)
        }.value
        #expect(status.category == .PNAcknowledgmentCategory && !status.isError && status.operation == .sendFileOperation)
        #expect(status.data.fileIdentifier == "id-1" && status.data.fileName == "a.txt" && status.data.fileUploaded)
        #expect(status.data.timetoken == 15)
        #expect(fixture.line(0) == "POST /v1/files/sub/channels/c/generate-upload-url")
        let form = fixture.calls.sent[1]
        #expect(form.target == "/bucket?x=1")
        let text = String(decoding: form.body, as: UTF8.self)
        #expect(
            text.contains("name=\"k\"\r\n\r\nv\r\n") && text.contains("filename=\"a.txt\"")
                && text.contains("\r\n\r\nhello\r\n--"))
        #expect(
            form.headers.contains { $0.name == "Content-Type" && $0.value.hasPrefix("multipart/form-data; boundary=lifeline-") })
        let message = fixture.line(2).removingPercentEncoding
        #expect(
            message
                == #"GET /v1/files/publish-file/pub/sub/0/c/0/{"message":{"t":1},"file":{"id":"id-1","name":"a.txt"}}?store=0"#)
    }

    @Test func `with a cipher key the file and its message are encrypted`() async throws {
        let fixture = Fixture(
            calls: ScriptedCalls(.status(200, Self.upload), .status(204, "", type: ""), .status(200, Self.sent))
        ) { $0.cipherKey = "enigma" }
        _ = await status(fixture) { client, block in
            client.files().sendFile("c", "a.txt").data(Data("hello".utf8)).message("m").performWithCompletion(block)
        }
        let cipher = PubNubCipher(key: "enigma")
        let form = fixture.calls.sent[1].body
        let start = try #require(form.firstRange(of: Array("octet-stream\r\n\r\n".utf8))).upperBound
        let end = try #require(form[start...].firstRange(of: Array("\r\n--lifeline-".utf8))).lowerBound
        #expect(try cipher.decrypt(Array(form[start..<end])) == Array("hello".utf8))
        let sealed = try #require(fixture.line(2).split(separator: "/").last?.removingPercentEncoding)
        #expect(
            try cipher.decrypt(message: sealed) == #"{"message":"m","file":{"id":"id-1","name":"a.txt"}}"#)
    }

    @Test func `telling about a file is tried again, and the upload stands`() async {
        let fixture = Fixture(
            calls: ScriptedCalls(.status(200, Self.upload), .status(204, "", type: ""), .status(500, "{}"))
        ) {
            $0.fileMessagePublishRetryLimit = 3
            $0.fileMessageRetryPause = .zero
        }
        let status = await status(fixture) { client, block in
            client.files().sendFile("c", "a.txt").data(Data([1])).performWithCompletion(block)
        }.value
        #expect(fixture.calls.sent.count == 5)
        #expect(status.category == .PNPublishFileMessageErrorCategory && status.isError)
        #expect(status.data.fileUploaded && status.data.fileIdentifier == "id-1" && status.data.timetoken == nil)
    }

    @Test func `PL-100: a cancelled file message is not tried again`() async {
        let fixture = Fixture(
            calls: ScriptedCalls(.status(200, Self.upload), .status(204, "", type: ""), .failure(.cancelledByCaller))
        ) { $0.fileMessageRetryPause = .zero }
        let status = await status(fixture) { client, block in
            client.files().sendFile("c", "a.txt").data(Data([1])).performWithCompletion(block)
        }.value
        #expect(fixture.calls.sent.count == 3)
        #expect(status.category == .PNCancelledCategory && status.data.fileUploaded)
    }

    @Test func `a refused upload is told as one`() async {
        let refused = ScriptedCalls.Answer.status(403, "<Error/>", type: "application/xml")
        let fixture = Fixture(calls: ScriptedCalls(.status(200, Self.upload), refused))
        let status = await status(fixture) { client, block in
            client.files().sendFile("c", "a.txt").data(Data([1])).performWithCompletion(block)
        }.value
        #expect(status.category == .PNSendFileErrorCategory && status.statusCode == 403 && !status.data.fileUploaded)
    }

    @Test func `files come from disk and streams, and what is missing is refused`() async throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).txt")
        try Data("disk".utf8).write(to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        let fixture = Fixture(
            calls: ScriptedCalls(
                .status(200, Self.upload), .status(204, "", type: ""), .status(200, Self.sent), .status(200, Self.upload),
                .status(204, "", type: ""), .status(200, Self.sent), .status(200, Self.upload)))
        _ = await status(fixture) { $0.sendFile(with: PNSendFileRequest(channel: "c", fileURL: place), completion: $1) }
        #expect(String(decoding: fixture.calls.sent[1].body, as: UTF8.self).contains("\r\n\r\ndisk\r\n"))
        _ = await status(fixture) { client, block in
            let stream = InputStream(data: Data("stream".utf8))
            client.files().sendFile("c", "a.txt").stream(stream, 6).performWithCompletion(block)
        }
        #expect(String(decoding: fixture.calls.sent[4].body, as: UTF8.self).contains("\r\n\r\nstream\r\n"))
        let missing = await status(fixture) { client, block in
            client.sendFile(
                with: PNSendFileRequest(channel: "c", fileURL: place.appendingPathExtension("none")), completion: block)
        }.value
        #expect(missing.category == .PNBadRequestCategory)
        // Opening a directory works, reading it does not (rule PL-98).
        for unreadable in [FileManager.default.temporaryDirectory, URL(fileURLWithPath: "/proc/self/mem")] {
            let status = await status(fixture) { client, block in
                client.sendFile(with: PNSendFileRequest(channel: "c", fileURL: unreadable), completion: block)
            }.value
            #expect(status.isError && status.category == .PNBadRequestCategory, "\(unreadable.path)")
        }
        let nothing = await status(fixture) { $0.files().sendFile("c", "a.txt").performWithCompletion($1) }.value
        #expect(nothing.errorData.information == "There is no file to send. Pass a URL, data or a stream.")
    }

    @Test func `a file is downloaded from where the service points`() async throws {
        let fixture = Fixture(
            calls: ScriptedCalls(.redirect("http://storage.example/f?sig=1"), .status(200, "hello", type: "text/plain")))
        let outcome = await download(fixture) {
            $0.files().downloadFile("c", "id-1", "a.txt").performWithCompletion($1)
        }.value
        let data = try #require(outcome.0).data
        let place = try #require(data.location)
        defer { try? FileManager.default.removeItem(at: place) }
        #expect(data.isTemporary && outcome.1 == nil)
        #expect(try Data(contentsOf: place) == Data("hello".utf8))
        #expect(fixture.line(0) == "GET /v1/files/sub/channels/c/files/id-1/a.txt")
        #expect(fixture.calls.sent[1].target == "/f?sig=1")
    }

    @Test func `a download that fails has a status that retries`() async throws {
        let fixture = Fixture(
            calls: ScriptedCalls(
                .status(404, #"{"status":404,"error":{"message":"Not found."}}"#), .status(200, "ok", type: "text/plain")))
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: target) }
        let request = PNDownloadFileRequest(channel: "c", identifier: "id-1", name: "a.txt")
        request.targetURL = target
        let outcomes = Outcomes<PNDownloadFileResult>()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        fixture.client.downloadFile(with: request) { result, status in
            outcomes.add((result, status))
            continuation.yield(())
        }
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
        let status = try #require(outcomes.last?.status)
        #expect(status.category == .PNDownloadErrorCategory && status.errorData.information == "Not found.")
        status.retry()
        await iterator.next()
        #expect(outcomes.last?.result?.data.location == target && outcomes.last?.result?.data.isTemporary == false)
        #expect(try Data(contentsOf: target) == Data("ok".utf8))
    }

    @Test func `what the cipher key does not open is no file`() async {
        let fixture = Fixture(calls: ScriptedCalls(.status(200, "plain text, not encrypted at all", type: "text/plain"))) {
            $0.cipherKey = "enigma"
        }
        let outcome = await download(fixture) { $0.files().downloadFile("c", "i", "n").performWithCompletion($1) }.value
        #expect(outcome.0 == nil && outcome.1?.category == .PNDecryptionErrorCategory)
    }

    @Test func `files are listed, found, deleted and told about`() throws {
        let fixture = Fixture.answering(
            #"{"status":200,"data":[{"name":"n","id":"i","size":5,"created":"2020-07-06T14:19:33Z"}],"next":"x","count":1}"#,
            #"{"status":200}"#, Self.sent)
        let listed = Outcomes<PNListFilesResult>()
        fixture.client.listFiles(with: PNListFilesRequest(channel: "c")) { listed.add(($0, $1)) }
        #expect(fixture.line() == "GET /v1/files/sub/channels/c/files?limit=100")
        let data = try #require(listed.last?.result).data
        let file = try #require(data.files?.first)
        #expect(file.name == "n" && file.identifier == "i" && file.size == 5 && data.next == "x" && data.count == 1)
        #expect(file.downloadURL.path == "/v1/files/sub/channels/c/files/i/n")
        #expect(fixture.client.downloadURLForFile(withName: "n", identifier: "i", inChannel: "c")?.host == "ps.pndsn.com")

        let deleted = Heard<PNAcknowledgmentStatus>()
        fixture.client.files().deleteFile("c", "i", "n").performWithCompletion { deleted.add($0) }
        #expect(fixture.lastLine == "DELETE /v1/files/sub/channels/c/files/i/n")
        #expect(deleted.last?.category == .PNAcknowledgmentCategory)

        let told = Heard<PNPublishStatus>()
        fixture.client.publishFileMessage().channel("c").fileIdentifier("i").fileName("n").message("m").ttl(2)
            .performWithCompletion { told.add($0) }
        #expect(
            fixture.lastLine.removingPercentEncoding
                == #"GET /v1/files/publish-file/pub/sub/0/c/0/{"message":"m","file":{"id":"i","name":"n"}}?ttl=2"#)
        #expect(told.last?.data.timetoken == 15)
        fixture.client.publishFileMessage().channel("c").message("m").performWithCompletion { told.add($0) }
        #expect(told.last?.category == .PNBadRequestCategory)
        let urls = Heard<URL?>()
        fixture.client.files().fileURL("c", "i", "n").performWithCompletion { urls.add($0) }
        #expect(urls.last??.path == "/v1/files/sub/channels/c/files/i/n")
    }
}
