import ChatProtocol
import ConnectionEngine
import Dispatch
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// Applications that go to the background and come back (rules NC-16 and NC-17).
@Suite struct BackgroundTests {
    /// A server that answers, while the application is away for two minutes.
    private func background(_ fixture: EngineFixture) {
        fixture.engine.enterBackground()
        for _ in 0..<12 {
            fixture.advance(.seconds(10))
            fixture.say(.pong([]))
        }
    }

    @Test func `after two minutes the link is given up, and the return connects at once`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.engine.enterBackground()
        for _ in 0..<11 {
            fixture.advance(.seconds(10))
            fixture.say(.pong([]))
        }
        #expect(fixture.heard == [10, 0])
        fixture.advance(.seconds(10))
        #expect(fixture.heard == [10, 0, 13] && fixture.live == 0 && fixture.engine.status == .suspend)
        fixture.advance(.seconds(86_400))
        #expect(fixture.heard == [10, 0, 13] && fixture.dials == 1)
        fixture.engine.enterForeground()
        fixture.settle()
        #expect(fixture.heard == [10, 0, 13, 10] && fixture.dials == 2)
        fixture.confirm(resumed: true)
        #expect(fixture.heard == [10, 0, 13, 10, 0])
    }

    @Test func `a shorter absence changes nothing, and the link is probed`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.engine.enterBackground()
        fixture.advance(.seconds(5))
        fixture.engine.enterForeground()
        fixture.settle()
        #expect(fixture.heard == [10, 0])
        let pings = (fixture.transport?.sent ?? []).filter { if case .ping = $0 { true } else { false } }
        #expect(pings.count == 1)
        fixture.advance(.milliseconds(1))
        fixture.say(.pong([]))
        for _ in 0..<20 {
            fixture.advance(.seconds(10))
            fixture.say(.pong([]))
        }
        #expect(fixture.heard == [10, 0])
    }

    @Test func `the return ends a pause, and the pauses start anew`() {
        let fixture = EngineFixture()
        fixture.connect()
        for _ in 0..<10 {
            fixture.lose(.networkUnavailable)
            fixture.advance(.seconds(64))
        }
        fixture.lose(.networkUnavailable)
        let dials = fixture.dials
        fixture.engine.enterBackground()
        fixture.engine.enterForeground()
        fixture.settle()
        #expect(fixture.dials == dials + 1)
        fixture.lose(.networkUnavailable)
        fixture.advance(.milliseconds(50))
        #expect(fixture.dials == dials + 2, "the first pause is at most 0.05 s again")
    }

    @Test func `news of the network in the background wake nothing, and count afterwards`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        background(fixture)
        fixture.network.withLockedValue { $0 }?(.unavailable)
        fixture.network.withLockedValue { $0 }?(.available)
        fixture.settle()
        #expect(fixture.dials == 1)
        fixture.engine.enterForeground()
        fixture.settle()
        #expect(fixture.dials == 2)
    }

    @Test func `messages wait while the link is given up`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        background(fixture)
        let results = NIOLockedValueBox<[Bool]>([])
        let draft = ChatMessageDraft(clientID: "a", conversation: .direct, to: "u2", type: "RC:TxtMsg", content: Array("{}".utf8))
        fixture.engine.client?.send(draft) { result in
            let isSent = (try? result.get()) != nil
            results.withLockedValue { $0.append(isSent) }
        }
        fixture.engine.enterForeground()
        fixture.settle()
        fixture.confirm(resumed: true)
        fixture.say(.answer(number: 1, ChatAnswer(json: Array(#"{"t":"ok","n":1,"id":"11","time":1}"#.utf8))))
        #expect(results.withLockedValue { $0 } == [true])
    }

    @Test func `messages that wait too long are given up, also without a link`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        background(fixture)
        let codes = NIOLockedValueBox<[Int]>([])
        let draft = ChatMessageDraft(clientID: "a", conversation: .direct, to: "u2", type: "RC:TxtMsg", content: Array("{}".utf8))
        fixture.engine.client?.send(draft) { result in
            if case .failure(let error) = result { codes.withLockedValue { $0.append(error.code) } }
        }
        for _ in 0..<20 { fixture.advance(.seconds(2)) }
        #expect(codes.withLockedValue { $0 } == [30002])
    }

    @Test func `signing in again in the background connects`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        background(fixture)
        #expect(fixture.connect().words == ["33006"])
        #expect(fixture.heard == [10, 0, 13, 10])
    }

    @Test func `leaving and coming back without anybody signed in does nothing`() {
        let fixture = EngineFixture()
        background(fixture)
        fixture.engine.enterForeground()
        fixture.settle()
        #expect(fixture.heard.isEmpty && fixture.timers.runningCount == 0)
    }

    @Test func `NC-74: a session that is dialled again with the database's place stays in the background`() {
        let fixture = EngineFixture(configure: { $0.backgroundGrace = 1 })
        fixture.connect("first")
        fixture.confirm()
        fixture.say(.event(EngineFixture.message(5)))
        fixture.disconnect()
        fixture.connect("second")
        fixture.open()
        // The welcome arrives in the moment in which the grace ends.
        let gate = DispatchSemaphore(value: 0)
        fixture.engine.work.async { gate.wait() }
        fixture.engine.enterBackground()
        fixture.timers.advance(by: .seconds(1))
        let welcome = ChatWelcome(
            user: "u1", session: "s", time: 1_763_710_000_000, place: ChatPlace(epoch: "e", sequence: 9), isResumed: false)
        fixture.transport?.report(.received([.welcome(welcome)]))
        gate.signal()
        fixture.settle()
        let dials = fixture.dials
        fixture.advance(.seconds(5))
        #expect(fixture.heard.last == 13 && fixture.dials == dials)
        fixture.engine.enterForeground()
        fixture.settle()
        #expect(fixture.dials == dials + 1)
        fixture.open()
        #expect(fixture.sent.first?.contains(#""q":5"#) == true, "\(fixture.sent)")
    }
}
