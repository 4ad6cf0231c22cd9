import ChatProtocol
import ConnectionEngine
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// What arrives is kept, then acknowledged, in order with everything else.
@Suite struct InboxTests {
    private func acknowledged(_ fixture: EngineFixture) -> [String] {
        fixture.sent.filter { $0.contains(#""ack""#) }
    }

    @Test func `a package is kept before it is acknowledged`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.open()
        fixture.welcome()
        fixture.say(.package([EngineFixture.message(1), EngineFixture.message(2)], hasMore: true))
        #expect(fixture.intake.words == ["received 1,2 offline more"])
        #expect(acknowledged(fixture).count == 1)
        #expect(fixture.engine.client?.database?.place == ChatPlace(epoch: "e", sequence: 2))
        fixture.say(.package([EngineFixture.message(3)], hasMore: false), .event(EngineFixture.message(4)))
        #expect(fixture.intake.words.dropFirst() == ["received 3 offline", "caughtUp", "received 4"])
        #expect(fixture.engine.client?.database?.place?.sequence == 4)
    }

    @Test func `live events that come together are kept together`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.say(.event(EngineFixture.message(1)), .event(EngineFixture.message(2)), .event(EngineFixture.message(3)))
        #expect(fixture.intake.words == ["caughtUp", "received 1,2,3"])
    }

    @Test func `what cannot be kept is not acknowledged, and kept later, in order`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.open()
        fixture.welcome()
        fixture.intake.fail(2)
        fixture.say(.package([EngineFixture.message(1)], hasMore: false))
        fixture.say(.event(EngineFixture.message(2)))
        #expect(acknowledged(fixture).isEmpty && fixture.intake.words == ["caughtUp"])
        #expect(fixture.engine.client?.database?.place == nil)
        fixture.advance(.seconds(2))
        fixture.advance(.seconds(2))
        #expect(fixture.intake.words == ["caughtUp", "received 1 offline", "received 2"])
        #expect(acknowledged(fixture).first?.contains("1") == true)
        #expect(fixture.engine.client?.database?.place?.sequence == 2)
    }

    @Test func `NC-73: beyond a bound, events that cannot be kept are a gap, which is told before they are acknowledged`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.intake.fail(.max)
        let most = UInt64(ChatClient.mostUnkept)
        func say(_ numbers: ClosedRange<UInt64>) {
            fixture.report(.received(numbers.map { .event(EngineFixture.message($0)) }))
        }
        for start in stride(from: 1, to: most, by: 1_000) { say(start...start + 999) }
        say(most + 1...most + 1)
        say(most + 2...most + 2)
        #expect(acknowledged(fixture).isEmpty)
        fixture.intake.fail(0)
        fixture.advance(.seconds(2))
        #expect(fixture.intake.words.count == 13, "caughtUp, ten batches, the gap and its place")
        #expect(fixture.intake.words.suffix(2) == ["received ", "missed"])
        #expect(fixture.engine.client?.database?.place?.sequence == most + 2)
        say(most + 3...most + 3)
        #expect(fixture.intake.words.last == "received \(most + 3)")
    }

    @Test func `messages that may be missing are told`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.say(.event(EngineFixture.message(5)))
        fixture.lose()
        fixture.waitForAttempt()
        fixture.open()
        fixture.welcome(epoch: "other", lost: true)
        #expect(fixture.intake.words.last == "missed")
    }

    @Test func `answers come in one order with events, and fail when nobody is signed in any more`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        let seen = NIOLockedValueBox<[String]>([])
        let client = fixture.engine.client
        for id in ["a", "b", "c"] {
            let draft = ChatMessageDraft(
                clientID: id, conversation: .direct, to: "u2", type: "RC:TxtMsg", content: Array("{}".utf8))
            client?.send(draft) { result in
                let word = (try? result.get()).map { "\($0.id)" } ?? "failed"
                seen.withLockedValue { $0.append("\(id) \(word)") }
            }
        }
        #expect(fixture.sent.filter { $0.contains(#""send""#) }.count == 3, "\(fixture.sent)")
        fixture.say(
            .answer(number: 1, ChatAnswer(json: Array(#"{"t":"ok","n":1,"id":"11","time":1}"#.utf8))),
            .refusal(number: 2, ChatRequestRefusal(.tooManySends, "Too many.")))
        #expect(seen.withLockedValue { $0 } == ["a 11", "b failed"])
        fixture.disconnect()
        #expect(seen.withLockedValue { $0 } == ["a 11", "b failed", "c failed"])
        client?.request(.settings) { _ in seen.withLockedValue { $0.append("late") } }
        fixture.settle()
        #expect(seen.withLockedValue { $0.last } == "late")
    }
}
