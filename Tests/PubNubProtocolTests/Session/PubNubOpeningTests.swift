import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Opening a PubNub subscription (rules PX-1 to PX-5, PX-9 and PX-10)")
struct PubNubOpeningTests {
    @Test("The handshake asks for the whole list; its answer is announced after the first poll has left")
    func order() {
        let script = PubNubScript()
        script.subscribe(["a", "b-pnpres"], groups: ["g"])
        script.subscribe(["c"])
        #expect(script.sent() == [])
        script.connect()
        #expect(script.sent() == ["handshake a,b-pnpres,c,:g"])
        #expect(script.told() == ["<connecting>"])
        script.answer(100)
        #expect(script.sent() == ["poll a,b-pnpres,c,:g 100/1"])
        #expect(script.told() == ["<connected>", "subscribed a,b-pnpres,c,:g 0->100/1"])
        #expect(script.answers() == ["1 subscribed", "2 subscribed"])
    }

    @Test("Filter, presence timeout and state go with every subscribe request")
    func parameters() {
        var options = PubNubOptions()
        options.heartbeatValue = 60
        let script = PubNubScript(options)
        script.perform(.setFilter("a == 'b'"))
        script.subscribe(["a"], groups: ["g"], state: ["a": #"{"x":1}"#, "g": "{}"])
        script.connect()
        let rest = #" filter-expr=a == 'b' heartbeat=60 state={"a":{"x":1},"g":{}}"#
        #expect(script.sent() == ["handshake a,:g" + rest])
        script.answer(100)
        #expect(script.sent() == ["poll a,:g 100/1" + rest])
    }

    @Test("Every request has a number and a request id of its own, and its own limit")
    func identity() throws {
        let script = PubNubScript()
        script.subscribe(["a"])
        script.connect()
        let handshake = try #require(script.poll)
        #expect(handshake.timeout == .seconds(10))
        script.answer(100)
        let poll = try #require(script.poll)
        #expect(poll.timeout == .seconds(310))
        #expect(poll.id != handshake.id)
        let ids = [handshake, poll].map { $0.target.split(separator: "&").first { $0.hasPrefix("requestid=") } }
        #expect(ids[0] != ids[1])
        let id = try #require(ids[0]?.dropFirst("requestid=".count))
        #expect(id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    }

    @Test("Signed requests carry the time and a signature")
    func signature() throws {
        var settings = PubNubScript.settings
        settings.secretKey = "secret"
        var memory = PubNubMemory(settings: settings, seed: 1, unixTime: { 1_577_840_400 })
        #expect(memory.list.isEmpty)
        var machine = ConnectionMachine<PubNubSession>(policy: .standard, memory: memory, seed: 1)
        var effects: [Effect<PubNubSession>] = []
        machine.handle(
            .perform(.subscribe(PubNubList(channels: ["a"]), timetoken: nil, state: [:]), nil), at: .zero, into: &effects)
        machine.handle(.connect(within: nil), at: .zero, into: &effects)
        machine.handle(.opened(AttemptID(1)), at: .zero, into: &effects)
        guard case .send(_, .poll(let exchange))? = effects.last(where: { if case .send = $0 { true } else { false } }) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(exchange.target.contains("timestamp=1577840400"))
        #expect(exchange.target.contains("signature=v2."))
        memory = machine.memory
        #expect(memory.list.channels == ["a"])
    }

    @Test("With nothing to subscribe the connection ends at once")
    func nothing() {
        let script = PubNubScript()
        script.connect()
        #expect(script.sent() == [])
        #expect(script.told() == ["<connecting>", "<disconnected>"])
    }

    @Test("Or it stays, if wished: then the service's time is what proves it, and a subscription is asked for at once")
    func staysWithoutList() {
        var options = PubNubOptions()
        options.endsWhenEmpty = false
        let script = PubNubScript(options)
        script.connect()
        #expect(script.sent() == ["time"])
        script.answerCall()
        #expect(script.told() == ["<connecting>", "<connected>"])
        script.advance(.seconds(20))
        #expect(script.sent() == ["time"])
        script.answerCall()
        script.subscribe(["a"])
        #expect(script.sent() == ["handshake a"])
        script.answer(100)
        #expect(script.told() == ["subscribed a 0->100/1"])
        #expect(script.sent() == ["poll a 100/1"])
        script.unsubscribe("a")
        #expect(script.sent() == ["leave a", "cancel poll"])
        #expect(script.told() == ["unsubscribed a left "])
        script.subscribe(["b"])
        script.answer(200)
        #expect(script.told() == ["subscribed b 0->200/1"])
    }

    @Test("After a failure of the network the time is asked for first", arguments: [StatusCategory.networkUnavailable, .timeout])
    func timeProbe(_ category: StatusCategory) {
        let script = PubNubScript.connected("a")
        script.lose(category)
        #expect(script.told() == ["problem \(category)", "<waiting>"])
        script.reopen()
        #expect(script.sent() == ["time"])
        script.answerCall(.failure(ConnectionFailure(.networkUnavailable, "Refused.", errno: 111)))
        #expect(script.told() == ["<connecting>", "<waiting>"])
        script.reopen()
        script.answerCall()
        #expect(script.sent() == ["time", "handshake a"])
        script.answer(200)
        #expect(script.sent() == ["poll a 100/1"])
        #expect(script.told() == ["<connecting>", "<connected>", "subscribed a 100/1->100/1 again"])
    }

    @Test("The time is asked for 1 s after the loss and then every 10 s; in the fast profile after 0.5 s and every 1 s")
    func pauses() {
        for (base, first, next) in [(ConnectionPolicy.standard, 1000, 10_000), (.fast, 500, 1000)] {
            let script = PubNubScript.connected("a", base: base)
            script.lose(.networkUnavailable)
            script.advance(.milliseconds(first - 1))
            #expect(script.told() == ["problem networkUnavailable", "<waiting>"])
            script.advance(.milliseconds(1))
            for _ in 0..<5 {
                #expect(script.told() == ["<connecting>"])
                script.open()
                script.answerCall(.failure(ConnectionFailure(.networkUnavailable, "Refused.")))
                #expect(script.told() == ["<waiting>"])
                script.advance(.milliseconds(next - 1))
                #expect(script.told() == [])
                script.advance(.milliseconds(1))
            }
        }
    }

    @Test("An unanswered question for the time ends the attempt after 5 s; in the fast profile after 1.5 s")
    func timeProbeLimit() {
        for (base, limit) in [(ConnectionPolicy.standard, 5000), (.fast, 1500)] {
            let script = PubNubScript.connected("a", base: base)
            script.lose(.timeout)
            script.reopen()
            script.forget()
            script.advance(.milliseconds(limit - 1))
            #expect(script.told() == [])
            script.advance(.milliseconds(1))
            #expect(script.told() == ["<waiting>"])
        }
    }

    @Test("With a seed pauses are drawn from wide intervals after a loss, and callers' own rows stay (PX-5)")
    func policy() {
        var base = ConnectionPolicy.standard
        base.overrides[.accessDenied] = .never
        let policy = PubNubSession.policy(base, seed: 1)
        #expect(policy.overrides[.accessDenied] == .never)
        var random = SeededRandom(seed: 7)
        for (failures, range) in [(1, 0.5...5.0), (2, 2.5...10), (7, 2.5...10)] {
            let pauses = (0..<500).compactMap { _ in
                policy.overrides[.networkUnavailable]?.pause(afterFailures: failures, wasConnected: true, using: &random)?
                    .inSeconds
            }
            #expect(pauses.count == 500 && pauses.allSatisfy { range.contains($0) })
            #expect(pauses.contains { $0 > range.upperBound * 0.95 } && pauses.contains { $0 < range.lowerBound * 1.2 })
        }
        #expect(PubNubSession.policy(base).overrides[.networkUnavailable] == .sequence([.seconds(1), .seconds(10)]))
    }

    @Test("A portal that answers the question for the time is not the service")
    func portal() {
        let script = PubNubScript.connected("a")
        script.lose(.networkUnavailable)
        script.reopen()
        script.answerCall(.success(.problem(.malformed("HTML", status: 200))))
        #expect(script.told().last == "<waiting>")
        #expect(script.machine.snapshot.lastFailure?.category == .malformedResponse)
    }

    @Test("A handshake that says nothing of the position is no answer")
    func zero() {
        let script = PubNubScript()
        script.subscribe(["a"])
        script.connect()
        script.answer(0)
        #expect(script.told() == ["<connecting>", "problem malformedResponse", "<waiting>"])
    }

    @Test("A refusal names channels before the phase changes; it is retried until the caller cancels")
    func accessDenied() {
        let script = PubNubScript()
        script.subscribe(["a", "b"])
        script.connect()
        script.forget()
        for _ in 0..<5 {
            script.refuse(.accessDenied, status: 403, channels: ["b"])
            #expect(script.told() == ["problem accessDenied b", "<waiting>"])
            script.reopen()
            #expect(script.sent() == ["handshake a,b"])
            #expect(script.told() == ["<connecting>"])
        }
        script.perform(.setAuth("token"))
        script.refuse(.accessDenied, status: 403, channels: ["b"])
        script.handle(.cancelRetry)
        #expect(script.told() == ["problem accessDenied b", "<waiting>", "<failed>"])
        script.connect()
        #expect(script.sent() == ["handshake a,b auth=token"])
    }

    @Test(
        "What retrying does not mend ends in failed, until the filter or the list is another",
        arguments: [StatusCategory.malformedFilter, .requestTooLong])
    func hopeless(_ category: StatusCategory) {
        let script = PubNubScript.connected("a")
        script.perform(.setFilter("bad"))
        script.refuse(category)
        #expect(script.told() == ["problem \(category)", "<failed>"])
        script.forget()
        script.perform(.setFilter("good"))
        script.connect()
        script.answer(200)
        #expect(script.sent() == ["handshake a filter-expr=good", "poll a 100/1 filter-expr=good"])
        #expect(script.told() == ["<connecting>", "<connected>", "subscribed a 100/1->100/1 again"])
    }

    @Test("A request beyond 32 KiB is not sent")
    func tooLong() {
        let script = PubNubScript()
        script.subscribe((0..<4000).map { "channel-\($0)" })
        script.connect()
        #expect(script.sent() == [])
        #expect(script.told() == ["<connecting>", "problem requestTooLong", "<failed>"])
    }
}
