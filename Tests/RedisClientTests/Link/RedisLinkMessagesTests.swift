import ConnectionEngine
import NIOCore
import RedisClient
import Testing

@Suite struct RedisLinkMessagesTests {
    typealias Effect = RedisLinkMachine.Effect

    private let ok = Result<RedisValue, RedisFailure>.success(.null)

    @Test func `RC-30 After a loss the owner is told before any message, and again when messages are complete`() {
        var run = LinkRun.ready()
        _ = run.subscribe(1, ["a"])
        #expect(run.answer(.messages, ok) == [.answer(1, ok)])
        #expect(run.push("a", "1") == [.deliver(.message(message("a", "1")))])
        #expect(run.lose(.messages).first == .deliver(.interrupted(LinkRun.lost)))
        #expect(run.push("a", "2") == [])
        _ = run.waitForDial(.messages)
        #expect(!run.lose(.messages).contains(.deliver(.interrupted(LinkRun.lost))))
        _ = run.waitForDial(.messages)
        #expect(run.becomeReady(.messages) == [.deliver(.status(.messages, .ready(LinkRun.server))), .deliver(.restored)])
    }

    @Test func `RC-31 Subscriptions survive reconnects, a thousand in each command`() {
        var run = LinkRun.ready()
        _ = run.subscribe(1, (0..<2_500).map { "c\($0)" })
        _ = run.answer(.messages, ok)
        _ = run.lose(.messages)
        _ = run.waitForDial(.messages)
        let attempt = run.attempts[.messages] ?? 0
        var effects: [Effect] = []
        run.machine.ready(.messages, attempt: attempt, server: LinkRun.server, at: run.now, into: &effects)
        let counts = effects.compactMap { effect -> Int? in
            guard case .submit(.messages, _, _, let request, _) = effect else { return nil }
            return request.command.arguments.count
        }
        // One more for the probe.
        #expect(counts == [1_000, 1_000, 501])
    }

    @Test func `RC-31 A subscription without a connection is confirmed by the next one`() {
        var run = LinkRun.ready()
        _ = run.lose(.messages)
        #expect(run.subscribe(1, ["a"]) == [] && run.subscribe(2, ["b"], within: .milliseconds(1)) == [])
        #expect(run.wait(.milliseconds(1)).contains(.answer(2, .failure(.unanswered))))
        if run.machine.status(.messages) != .connecting { _ = run.waitForDial(.messages) }
        #expect(run.becomeReady(.messages).suffix(2) == [.deliver(.restored), .answer(1, ok)])
        #expect(run.push("b", "x") == [.deliver(.message(message("b", "x")))])
    }

    @Test func `RC-31 A subscription whose connection is lost before it was confirmed is confirmed by the next one`() {
        var run = LinkRun.ready()
        _ = run.subscribe(1, ["a"])
        #expect(!run.lose(.messages).contains { if case .answer = $0 { true } else { false } })
        _ = run.waitForDial(.messages)
        #expect(run.becomeReady(.messages).contains(.answer(1, ok)))
    }

    @Test func `RC-32 A refused subscription is told, and not repeated`() {
        var run = LinkRun.ready()
        let refused = Result<RedisValue, RedisFailure>.failure(.refused(RedisErrorReply("NOPERM no")))
        _ = run.subscribe(1, ["a"])
        #expect(run.answer(.messages, refused) == [.answer(1, refused)])
        #expect(run.push("a", "x") == [])
        _ = run.lose(.messages)
        _ = run.waitForDial(.messages)
        _ = run.subscribe(2, ["b"])
        let effects = run.becomeReady(.messages)
        #expect(effects.contains(.answer(2, ok)))
    }

    @Test func `RC-32 A refusal after a reconnect stops the messages, and says so`() {
        var run = LinkRun.ready()
        _ = run.lose(.messages)
        _ = run.waitForDial(.messages)
        let (attempt, now) = (run.attempts[.messages] ?? 0, run.now)
        var effects: [Effect] = []
        run.machine.ready(.messages, attempt: attempt, server: LinkRun.server, at: now, into: &effects)
        guard case .submit(_, _, let id, _, _) = effects.last else {
            Issue.record("\(effects)")
            return
        }
        effects = []
        let reply = RedisErrorReply("NOPERM no")
        run.machine.answered(.messages, attempt: attempt, id: id, result: .failure(.refused(reply)), at: now, into: &effects)
        #expect(effects == [.cut(.messages, attempt, .refused(reply))])
        #expect(run.lose(.messages, .refused(reply)).contains(.deliver(.status(.messages, .stopped(.refused(reply))))))
    }

    @Test func `RC-33 A channel that was left delivers nothing`() {
        var run = LinkRun.ready()
        _ = run.subscribe(1, ["a"])
        _ = run.answer(.messages, ok)
        var effects: [Effect] = []
        run.machine.unsubscribe(.channel, [ByteBuffer(string: "a"), ByteBuffer(string: "b")], at: run.now, into: &effects)
        guard case .submit(.messages, _, _, let request, _) = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(request.command == RedisCommand("UNSUBSCRIBE", .bytes(ByteBuffer(string: "a"))))
        #expect(run.push("a", "x") == [])
    }

    @Test func `RC-34 When nothing came for 2 s a probe is published, and its echo proves both connections`() {
        var run = LinkRun.ready()
        #expect(run.wait(.milliseconds(1_999)) == [] && run.sent.isEmpty)
        #expect(run.wait(.milliseconds(1)) == [])
        #expect(run.sent.map(\.command) == [RedisCommand("PUBLISH", .bytes(LinkRun.probe.name), .bytes(ByteBuffer(string: "1")))])
        _ = run.answer(.success(.integer(1)))
        #expect(run.push("probe", "1") == [])
        #expect(run.wait(.milliseconds(1_999)) == [] && run.sent.isEmpty)
        _ = run.wait(.milliseconds(1))
        #expect(run.names() == ["PUBLISH"])
    }

    @Test func `RC-34 Without an echo the messages connect anew, and the commands too without an answer`() {
        var run = LinkRun.ready()
        _ = run.wait(.seconds(2))
        _ = run.answer(.success(.integer(0)))
        #expect(run.push("probe", "0") == [])
        #expect(run.wait(.seconds(2)) == [.cut(.messages, 1, .noEcho)])
        run = .ready()
        _ = run.wait(.seconds(2))
        #expect(run.wait(.milliseconds(1_999)) == [])
        #expect(run.wait(.milliseconds(1)) == [.cut(.messages, 1, .noEcho), .cut(.commands, 1, .noEcho)])
    }

    @Test func `RC-34 While messages come a probe has 30 s, and is published every 10 s`() {
        var run = LinkRun.ready()
        _ = run.subscribe(1, ["a"])
        _ = run.answer(.messages, ok)
        for _ in 0..<9 { _ = run.wait(.seconds(1)) + run.push("a", "x") }
        #expect(run.sent.isEmpty)
        _ = run.wait(.seconds(1)) + run.push("a", "x")
        #expect(run.names() == ["PUBLISH"])
        _ = run.answer(.success(.integer(1)))
        for _ in 0..<29 { #expect(run.wait(.seconds(1)) == [] && run.push("a", "x").count == 1) }
        #expect(run.wait(.seconds(1)) == [.cut(.messages, 1, .noEcho)])
    }

    @Test func `RC-35 While the owner does not read there are no probes`() {
        var run = LinkRun.ready()
        _ = run.wait(.seconds(2))
        _ = run.answer(.success(.integer(1)))
        run.machine.setReading(false, at: run.now)
        #expect(run.wait(.seconds(60)) == [] && run.sent.isEmpty)
        run.machine.setReading(true, at: run.now)
        _ = run.wait(.seconds(2))
        #expect(run.names() == ["PUBLISH"])
    }

    @Test func `RC-34 A refused probe is repeated later, and one without rights stops the link`() {
        var run = LinkRun.ready()
        _ = run.wait(.seconds(2))
        _ = run.refuse("BUSY Redis is busy running a script.")
        #expect(run.wait(.milliseconds(1_999)) == [] && run.sent.isEmpty)
        _ = run.wait(.milliseconds(1))
        let reply = RedisErrorReply("NOPERM no")
        #expect(run.refuse("NOPERM no") == [.cut(.commands, 1, .refused(reply))])
    }

    private func message(_ channel: String, _ payload: String) -> RedisMessage {
        let subscription = RedisChannel(.channel, channel)
        return RedisMessage(subscription: subscription, channel: subscription.name, payload: ByteBuffer(string: payload))
    }
}
