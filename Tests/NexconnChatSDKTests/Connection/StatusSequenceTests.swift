import ChatProtocol
import ConnectionEngine
import Testing

@testable import NexconnChatSDK

/// The exact sequences of statuses: every row of the vendor's table.
@Suite struct StatusSequenceTests {
    @Test func `a first connection is unconnected, connecting, connected`() {
        let fixture = EngineFixture()
        #expect(fixture.engine.status == .unconnected)
        let outcome = fixture.connect()
        #expect(fixture.engine.status == .connecting && fixture.heard == [10])
        fixture.confirm()
        #expect(fixture.heard == [10, 0])
        #expect(fixture.engine.status == .connected)
        #expect(outcome.words == ["u1"])
    }

    @Test(arguments: [
        (StatusCategory.unexpectedDisconnect, 13), (.timeout, 13), (.networkUnavailable, 1), (.tlsFailed, 1),
    ])
    func `a lost link is suspended or without network, connecting, connected`(category: StatusCategory, status: Int) {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.lose(category)
        #expect(fixture.heard == [10, 0, status])
        fixture.waitForAttempt()
        #expect(fixture.heard == [10, 0, status, 10])
        fixture.confirm(resumed: true)
        #expect(fixture.heard == [10, 0, status, 10, 0])
    }

    @Test func `a loss of all routes is no network until there is one`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.network.withLockedValue { $0 }?(.unavailable)
        fixture.settle()
        fixture.lose(.networkUnavailable)
        fixture.advance(.seconds(30))
        #expect(fixture.heard == [10, 0, 1] && fixture.dials == 1)
        fixture.network.withLockedValue { $0 }?(.available)
        fixture.settle()
        fixture.confirm(resumed: true)
        #expect(fixture.heard == [10, 0, 1, 10, 0])
    }

    @Test(arguments: [
        (31010, 6), (31023, 6), (31004, 15), (31020, 15), (31009, 16), (31011, 16), (31029, 19), (31002, 11), (31025, 11),
    ])
    func `a final word while connecting ends everything, with one completion`(code: Int, status: Int) {
        let fixture = EngineFixture()
        let outcome = fixture.connect()
        fixture.open()
        fixture.bye(code)
        #expect(fixture.heard == [10, status])
        #expect(fixture.engine.status.rawValue == status && fixture.engine.status.isTerminal)
        #expect(outcome.words == ["\(code)"])
        fixture.advance(.seconds(3600))
        #expect(fixture.dials == 1 && fixture.heard == [10, status])
    }

    @Test(arguments: [(31010, 6), (31020, 15), (31011, 16), (31029, 19)])
    func `a final word while connected ends everything`(code: Int, status: Int) {
        let fixture = EngineFixture()
        let outcome = fixture.connect()
        fixture.confirm()
        fixture.bye(code)
        #expect(fixture.heard == [10, 0, status])
        #expect(outcome.words == ["u1"])
        fixture.advance(.seconds(3600))
        #expect(fixture.dials == 1 && fixture.heard == [10, 0, status])
        #expect(fixture.engine.client?.database != nil, "what is kept locally can still be read")
        let again = fixture.connect("another")
        fixture.confirm()
        #expect(fixture.heard == [10, 0, status, 10, 0] && again.words == ["u1"])
    }

    @Test func `a proxy that does not work is final`() {
        let fixture = EngineFixture()
        let outcome = fixture.connect()
        fixture.lose(.proxyUnavailable)
        #expect(fixture.heard == [10, 17] && outcome.words == ["34245"])
        fixture.advance(.seconds(3600))
        #expect(fixture.dials == 1)
    }

    @Test func `the time limit ends with its status and its code`() {
        let fixture = EngineFixture()
        let outcome = fixture.connect(timeout: 5)
        fixture.lose(.networkUnavailable)
        #expect(outcome.words.isEmpty)
        fixture.advance(.seconds(6))
        #expect(fixture.heard.first == 10 && fixture.heard.last == 14)
        #expect(outcome.words == ["34006"])
        let dials = fixture.dials
        fixture.advance(.seconds(3600))
        #expect(fixture.dials == dials && outcome.words.count == 1)
    }

    @Test func `the time limit is for the first connection only`() {
        let fixture = EngineFixture()
        let outcome = fixture.connect(timeout: 5)
        fixture.confirm()
        fixture.advance(.seconds(10))
        fixture.lose()
        for _ in 0..<4 {
            fixture.waitForAttempt()
            fixture.lose(.networkUnavailable)
        }
        #expect(!fixture.heard.contains(14))
        fixture.waitForAttempt()
        fixture.confirm(resumed: true)
        #expect(fixture.heard.last == 0 && outcome.words == ["u1"])
    }

    @Test func `signing out is told, and nothing after it`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.disconnect()
        #expect(fixture.heard == [10, 0, 12] && fixture.engine.status == .signOut)
        #expect(fixture.sent.last?.contains(#""leave""#) == true)
        fixture.lose()
        fixture.advance(.seconds(3600))
        #expect(fixture.heard == [10, 0, 12] && fixture.dials == 1 && fixture.live == 0)
        fixture.disconnect()
        #expect(fixture.heard == [10, 0, 12], "a status is told only when it differs")
    }

    @Test func `without anybody to sign out nothing is told`() {
        let fixture = EngineFixture()
        fixture.disconnect()
        #expect(fixture.heard.isEmpty && fixture.engine.status == .unconnected)
    }

    @Test func `details say why, how often and when again`() async {
        let fixture = EngineFixture()
        var updates = fixture.engine.board.updates.stream().makeAsyncIterator()
        fixture.connect()
        fixture.lose(.networkUnavailable)
        #expect(await updates.next()?.status == .connecting)
        let waiting = await updates.next()
        #expect(waiting?.status == .networkUnavailable && waiting?.category == "networkUnavailable")
        #expect(waiting?.attempt == 1 && waiting?.willRetry == true)
        #expect((waiting?.retryIn).map { (0.01...0.05).contains($0) } == true)
        #expect(waiting?.reason == "Scripted.")
    }

    @Test func `the numbers are the seed's`() {
        #expect(
            NCConnectionStatus.allCases.map(\.rawValue) == [-1, 0, 1, 6, 10, 11, 12, 13, 14, 15, 16, 17, 19])
        #expect(
            NCConnectionStatus.allCases.map { "\($0)" } == ChatStatusCode.allCases.map(\.name))
        for code in ChatStatusCode.allCases {
            #expect(NCConnectionStatus(rawValue: code.rawValue)?.isTerminal == code.isFinal)
        }
    }
}
