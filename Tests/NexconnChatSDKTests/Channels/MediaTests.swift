import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// An uploader whose uploads end when the test says so.
private final class GateUploader: MediaUploader {
    private let state = NIOLockedValueBox<[CheckedContinuation<String, any Error>]>([])
    let files = NIOLockedValueBox<[MediaFile]>([])
    let began = AsyncStream<Void>.makeStream()

    func upload(_ file: MediaFile, progress: @escaping @Sendable (Int) -> Void) async throws -> String {
        files.withLockedValue { $0.append(file) }
        for percent in [0, 40, 30, 100, 170] { progress(percent) }
        return try await withCheckedThrowingContinuation { continuation in
            state.withLockedValue { $0.append(continuation) }
            began.continuation.yield()
        }
    }

    func end(_ result: Result<String, any Error>) {
        let waiting = state.withLockedValue { state in
            defer { state = [] }
            return state
        }
        for continuation in waiting { continuation.resume(with: result) }
    }

    func waitForBegin() async { for await _ in began.stream { return } }
}

/// Messages with files (rules NH-17 to NH-19).
@Suite(.timeLimit(.minutes(2))) struct MediaTests {
    private func withFile(_ body: (String) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("note-\(UUID().uuidString).txt")
        try Data("hello".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url.path)
    }

    @Test func `a file on a server is sent by reference at once`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let content = FileMessage(remoteUrl: "https://files.example/a.pdf", name: "a.pdf", size: 9)
            try await ann.direct("bob").send(SendMediaMessageParams(content: content))
            let received = try await bob.log.wait("file") { $0.lazy.compactMap(\.received).first }
            let file = try #require(received.message.content as? FileMessage)
            #expect(file.remoteUrl == "https://files.example/a.pdf" && file.name == "a.pdf" && file.size == 9)
        }
    }

    @Test func `a file of this device is uploaded first, and its progress rises`() async throws {
        try await ChatWorld.run { world in
            try await withFile { path in
                let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
                let uploader = GateUploader()
                ann.run { NCEngine.setMediaUploader(uploader) }
                let words = NIOLockedValueBox<[String]>([])
                let channel = try ann.direct("bob")
                let params = SendMediaMessageParams(content: FileMessage(localPath: path))
                async let end: (Message?, NCError?) = completion { end in
                    channel.sendMediaMessage(
                        params: params, attachedHandler: { _ in words.withLockedValue { $0.append("attached") } },
                        progressHandler: { percent, _ in words.withLockedValue { $0.append("\(percent)") } },
                        completionHandler: end, cancelHandler: nil)
                }
                await uploader.waitForBegin()
                uploader.end(.success("https://files.example/1"))
                let (message, error) = await end
                #expect(error == nil && message?.sentStatus == .sent)
                #expect(words.withLockedValue { $0 } == ["attached", "0", "40", "100"])
                let received = try await bob.log.wait("file") { $0.lazy.compactMap(\.received).first }
                let file = try #require(received.message.content as? FileMessage)
                #expect(file.remoteUrl == "https://files.example/1" && file.localPath == nil && file.size == 5)
                let kept = try await channel.history().data.first?.content as? FileMessage
                #expect(kept?.remoteUrl == "https://files.example/1" && kept?.localPath == path)
                #expect(uploader.files.withLockedValue { $0.map(\.localPath) } == [path])
            }
        }
    }

    @Test func `cancelling an upload ends the sending, once`() async throws {
        try await ChatWorld.run { world in
            try await withFile { path in
                let ann = try await world.user("ann")
                let uploader = GateUploader()
                ann.run { NCEngine.setMediaUploader(uploader) }
                let channel = try ann.direct("bob")
                let attached = NIOLockedValueBox<Message?>(nil)
                let completed = NIOLockedValueBox(0)
                async let cancelled: Message? = completion { end in
                    channel.sendMediaMessage(
                        params: SendMediaMessageParams(content: FileMessage(localPath: path)),
                        attachedHandler: { message in attached.withLockedValue { $0 = message } },
                        completionHandler: { _, _ in completed.withLockedValue { $0 += 1 } }, cancelHandler: end)
                }
                await uploader.waitForBegin()
                await ann.flush()
                let message = try #require(attached.withLockedValue { $0 })
                let (error): (NCError?) = await completion { channel.cancelSendingMediaMessage(message, completion: $0) }
                #expect(error == nil)
                #expect(await cancelled?.sentStatus == .canceled)
                uploader.end(.success("https://too.late"))
                let (again): (NCError?) = await completion { channel.cancelSendingMediaMessage(message, completion: $0) }
                #expect(again?.code == -101)
                await ann.flush()
                #expect(completed.withLockedValue { $0 } == 0)
                #expect(try await channel.history().data.first?.sentStatus == .canceled)
            }
        }
    }

    @Test func `a failed upload fails the message, and it can be sent again`() async throws {
        try await ChatWorld.run { world in
            try await withFile { path in
                let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
                let channel = try ann.direct("bob")
                let content = ImageMessage(localPath: path)
                let without: (Message?, NCError?) = await completion { end in
                    channel.sendMediaMessage(params: SendMediaMessageParams(content: content), completionHandler: end)
                }
                #expect(without.1?.code == 34011 && without.0?.sentStatus == .failed)
                let uploader = GateUploader()
                ann.run { NCEngine.setMediaUploader(uploader) }
                let message = try #require(without.0)
                async let again: (Message?, NCError?) = completion { channel.resendMessage(message, completionHandler: $0) }
                await uploader.waitForBegin()
                uploader.end(.success("https://files.example/2"))
                #expect(await again.0?.sentStatus == .sent)
                let received = try await bob.log.wait("image") { $0.lazy.compactMap(\.received).first }
                #expect((received.message.content as? ImageMessage)?.remoteUrl == "https://files.example/2")
            }
        }
    }

    @Test func `a file that is not there is refused at once`() async throws {
        let user = ChatTestUser("ann", token: "t", port: 1)
        let channel = try user.direct("bob")
        let end: (Message?, NCError?) = await completion { end in
            channel.sendMediaMessage(
                params: SendMediaMessageParams(content: FileMessage(localPath: "/no/such/file")), completionHandler: end)
        }
        #expect(end.0 == nil && end.1?.code == 34018)
    }
}
