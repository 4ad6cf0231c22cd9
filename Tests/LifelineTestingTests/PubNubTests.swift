import Dispatch
import LifelineTesting
import NIOConcurrencyHelpers
import PubNub
import Testing

/// The script behind PubNub's own API.
@Suite(.timeLimit(.minutes(5))) struct PubNubScriptTests {
    /// An app's listener.
    final class Listener: PNObjectEventListener {
        let words = NIOLockedValueBox<[String]>([])
        let denied = NIOLockedValueBox<PNErrorStatus?>(nil)

        func client(_ client: PubNub, didReceive status: PNStatus) {
            add(status.stringifiedCategory())
            if status.category == .PNAccessDeniedCategory, let status = status as? PNErrorStatus {
                denied.withLockedValue { $0 = status }
            }
        }

        func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) { add("message \(message.data.message ?? "")") }

        func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult) {
            add("\(event.data.presenceEvent) \(event.data.presence.uuid ?? "")")
        }

        func client(_ client: PubNub, mayHaveMissedMessages gap: PNGap) { add("gap") }

        func add(_ word: String) { words.withLockedValue { $0.append(word) } }

        func take() -> [String] {
            words.withLockedValue { words in
                defer { words = [] }
                return words
            }
        }
    }

    struct App {
        let service = TestService()
        let client: PubNub
        let listener = Listener()

        init() {
            let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
            configuration.uuid = "me"
            service.attach(to: configuration)
            client = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "app"))
            client.addListener(listener)
        }
    }

    @Test func `LT-25: statuses, messages, presence and a reconnect`() async throws {
        let app = App()
        app.client.subscribeToChannels(["room"], withPresence: true)
        try await app.service.settle()
        #expect(app.listener.take() == ["Connected"])
        try await app.service.deliver("hello", on: "room", from: "ann")
        try await app.service.join("ann", to: "room")
        #expect(app.listener.take() == ["message hello", "join ann"])
        try await app.service.drop(.reset)
        try await app.service.deliver("missed", on: "room")
        #expect(app.listener.take() == ["Unexpected Disconnect"])
        try await app.service.advance(by: .seconds(30))
        #expect(app.listener.take() == ["Reconnected", "message missed"])
        app.service.loseMessages()
        try await app.service.drop(.reset)
        try await app.service.advance(by: .seconds(30))
        #expect(app.listener.take().contains("gap"))
    }

    @Test func `LT-25: a denied channel is tried again until that is cancelled`() async throws {
        let app = App()
        app.service.deny("room")
        app.client.subscribeToChannels(["room"], withPresence: false)
        try await app.service.settle()
        #expect(app.listener.take() == ["Access Denied"])
        try await app.service.advance(by: .seconds(60))
        let retries = app.listener.take()
        #expect(!retries.isEmpty && Set(retries) == ["Access Denied"])
        let status = try #require(app.listener.denied.withLockedValue { $0 })
        #expect(status.errorData.channels == ["room"])
        status.cancelAutomaticRetry()
        try await app.service.settle()
        _ = app.listener.take()
        app.service.allow("room")
        try await app.service.advance(by: .seconds(600))
        #expect(app.listener.take() == [])
    }

    @Test func `LT-25: publishing, history and who is there`() async throws {
        let app = App()
        app.client.subscribeToChannels(["room"], withPresence: false)
        try await app.service.settle()
        let words = NIOLockedValueBox<[String]>([])
        app.client.publish(["text": "one"], toChannel: "room") { status in
            words.withLockedValue { $0.append(status.isError ? "refused" : "accepted") }
        }
        try await app.service.settle()
        app.service.answerPublishing(.refused(reason: "Not today."))
        app.client.publish(["text": "two"], toChannel: "room") { status in
            words.withLockedValue { $0.append(status.isError ? "refused" : "accepted") }
        }
        try await app.service.settle()
        app.service.answerPublishing(.unanswered)
        app.client.publish(["text": "three"], toChannel: "room") { status in
            words.withLockedValue { $0.append(status.isError ? "\(status.stringifiedCategory())" : "accepted") }
        }
        try await app.service.advance(by: .seconds(11))
        #expect(words.withLockedValue { $0 } == ["accepted", "refused", "Timeout"])
        app.client.historyForChannel("room") { result, _ in
            words.withLockedValue { $0.append("\(result?.data.messages.count ?? 0)") }
        }
        app.client.hereNowForChannel("room") { result, _ in
            words.withLockedValue { $0.append("\(result?.data.occupancy ?? 0)") }
        }
        try await app.service.settle()
        #expect(Array(words.withLockedValue { $0 }.suffix(2)).sorted() == ["1", "2"])
    }

    @Test func `LT-25: a silent link is noticed, and a lost network`() async throws {
        let app = App()
        app.client.subscribeToChannels(["room"], withPresence: false)
        try await app.service.settle()
        _ = app.listener.take()
        app.service.goSilent()
        try await app.service.advance(by: .milliseconds(25_100))
        #expect(app.listener.take() == ["Unexpected Disconnect"])
        try await app.service.accept()
        try await app.service.advance(by: .seconds(120))
        #expect(app.listener.take().last == "Reconnected")
        try await app.service.loseNetwork()
        #expect(app.listener.take().first == "Unexpected Disconnect")
        try await app.service.findNetwork()
        try await app.service.advance(by: .seconds(60))
        #expect(app.listener.take().last == "Reconnected")
    }
}
