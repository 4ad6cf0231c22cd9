import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// The server goes away and comes back (rules NH-14, NH-15, NH-33, NH-61).
@Suite(.timeLimit(.minutes(2))) struct OutageTests {
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("outage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url.path)
    }

    @Test func `what is sent without a connection waits, and arrives in order and once`() async throws {
        try await withDirectory { directory in
            try await ChatWorld.run(dataDirectory: directory) { world in
                let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
                let channel = try ann.direct("bob")
                try await channel.send(TextMessage(text: "before"))
                try await bob.expect("before")
                try await world.server.stop()
                let words = NIOLockedValueBox<[String]>([])
                for number in 1...5 {
                    channel.sendMessage(
                        params: SendMessageParams(content: TextMessage(text: "\(number)")),
                        attachedHandler: { message in
                            words.withLockedValue { $0.append("\(message?.sentStatus == .sending)") }
                        },
                        completionHandler: { message, error in
                            words.withLockedValue { $0.append("\(number) \(error?.code ?? 0) \(message?.sentStatus == .sent)") }
                        })
                }
                await ann.flush()
                #expect(words.withLockedValue { $0 } == Array(repeating: "true", count: 5))
                #expect(try await channel.history().data.map(\.sentStatus).prefix(5) == Array(repeating: .sending, count: 5)[...])
                try await world.restart()
                try await bob.expect("5")
                #expect(bob.texts == ["before", "1", "2", "3", "4", "5"])
                try await channel.send(TextMessage(text: "after"))
                await ann.flush()
                #expect(words.withLockedValue { $0.dropFirst(5) } == (1...5).map { "\($0) 0 true" }[...])
                #expect(try await channel.history().data.allSatisfy { $0.sentStatus == .sent })
            }
        }
    }

    @Test func `an open channel is entered again, and what was missed comes`() async throws {
        try await withDirectory { directory in
            try await ChatWorld.run(dataDirectory: directory) { world in
                let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
                for user in [ann, bob] { try await user.open("lobby").enter() }
                try await ann.open("lobby").send(TextMessage(text: "one"))
                try await bob.expect("one")
                try await world.server.stop()
                try await world.restart()
                for user in [ann, bob] {
                    try await user.log.wait("\(user.name) is back") { events in
                        events.count(where: { if case .entered = $0.open { true } else { false } }) == 2 ? true : nil
                    }
                }
                try await ann.open("lobby").send(TextMessage(text: "two"))
                try await bob.expect("two")
                #expect(bob.texts == ["one", "two"])
            }
        }
    }

    @Test func `what was read without a connection reaches the other device later`() async throws {
        try await withDirectory { directory in
            try await ChatWorld.run(dataDirectory: directory) {
                $0.syncsDevices = true
            } _: { world in
                let phone = try await world.user("bob")
                let desk = try await world.user("bob", device: .desktop)
                let ann = try await world.user("ann")
                try await ann.direct("bob").send(TextMessage(text: "read me"))
                for device in [phone, desk] { try await device.expect("read me") }
                try await world.server.stop()
                await phone.waitUntilLost()
                #expect(try await phone.direct("ann").clearUnread())
                try await world.restart()
                try await desk.log.wait("read elsewhere") { events in
                    events.lazy.compactMap { if case .channelUnreadStatus(let event) = $0 { event } else { nil } }.first
                }
                #expect(try await desk.direct("ann").reloaded().unreadCount == 0)
            }
        }
    }

    @Test func `events are a sequence as well, in the same order`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let events = bob.run { NCEngine.events }
            for number in 1...20 { try await ann.direct("bob").send(TextMessage(text: "\(number)")) }
            var texts: [String] = []
            for await event in events {
                if case .messageReceived(let event) = event, let text = event.message.content as? TextMessage {
                    texts.append(text.text)
                }
                if texts.count == 20 { break }
            }
            #expect(texts == (1...20).map(String.init))
        }
    }
}

extension ChatTestUser {
    /// Waits until the loss of the connection has been noticed.
    func waitUntilLost() async {
        // Ends with the suite's time limit at the latest.
        while engine.status == .connected, !Task.isCancelled { await Task.yield() }
    }
}
