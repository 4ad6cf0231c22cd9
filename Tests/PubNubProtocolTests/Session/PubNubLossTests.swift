import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Losing and finding the service (rules PX-5, PX-9, PX-25 to PX-30)")
struct PubNubLossTests {
    struct Row: CustomTestStringConvertible {
        var category: StatusCategory
        var phase = "<waiting>"
        var asksForTime = false
        var testDescription: String { category.rawValue }
    }

    /// Who retries by itself, and how it begins, as in the Cocoa SDK 4.17.
    static let rows = [
        Row(category: .accessDenied), Row(category: .malformedResponse), Row(category: .tlsFailed),
        Row(category: .unexpectedDisconnect), Row(category: .unknown), Row(category: .badRequest), Row(category: .overloaded),
        Row(category: .tlsUntrusted), Row(category: .timeout, asksForTime: true),
        Row(category: .networkUnavailable, asksForTime: true), Row(category: .proxyUnavailable, asksForTime: true),
        Row(category: .malformedFilter, phase: "<failed>"), Row(category: .requestTooLong, phase: "<failed>"),
    ]

    @Test("Every failure of a poll is told, ends the attempt, and goes by the table; the position is kept", arguments: rows)
    func failures(_ row: Row) {
        for isAnswer in [true, false] {
            let script = PubNubScript.connected("a")
            if isAnswer { script.refuse(row.category) } else { script.lose(row.category) }
            #expect(script.told() == ["problem \(row.category)", row.phase])
            if row.phase == "<failed>" { script.connect() } else { script.reopen() }
            if row.asksForTime { script.answerCall() }
            #expect(script.sent() == (row.asksForTime ? ["time", "handshake a"] : ["handshake a"]))
            script.answer(500)
            #expect(script.sent() == ["poll a 100/1"])
            #expect(script.told() == ["<connecting>", "<connected>", "subscribed a 100/1->100/1 again"])
        }
    }

    @Test("A loss of the link is announced as such, and so is its return (S18)")
    func categories() {
        let script = PubNubScript.connected("a")
        script.lose()
        #expect(script.machine.snapshot.lastFailure?.category == .unexpectedDisconnect)
        var effects: [Effect<PubNubSession>] = []
        script.reopen()
        guard let poll = script.poll else {
            Issue.record("no handshake")
            return
        }
        let answer = PubNubAnswer.subscribed(PubNubCursor(timetoken: Timetoken(rawValue: 200), region: 1), [])
        script.machine.handle(
            .received(script.attempt, LongPollInbound(id: poll.id, result: .success(answer))), at: script.now, into: &effects)
        let announced = effects.compactMap { if case .announce(let change) = $0 { change } else { nil } }
        #expect(announced.map(\.category) == [.reconnected])
    }

    @Test("Two losses in a row before anything is confirmed keep the position and the promise")
    func twice() {
        let script = PubNubScript.connected("a")
        script.advance(.seconds(2))
        script.lose()
        script.reopen()
        script.lose()
        script.reopen()
        script.answer(90, region: 9)
        #expect(script.told().suffix(2) == ["subscribed a 100/1->90/9 again", "gap a since 1 after 100"])
    }

    @Test(
        "What the service has dropped meanwhile is declared: after 16 min (PX-33)",
        arguments: [(959, false), (960, false), (961, true)])
    func awayTooLong(_ seconds: Int, _ isGap: Bool) {
        let script = PubNubScript.connected("a")
        script.handle(.networkChanged(.unavailable))
        script.answerCall(.failure(ConnectionFailure(.networkUnavailable, "No route.")))
        script.forget()
        script.advance(.seconds(seconds))
        script.handle(.networkChanged(.available))
        script.open()
        if script.calls.isEmpty == false { script.answerCall() }
        script.answer(500)
        #expect(script.sent().last == "poll a 100/1")
        #expect(script.told().last == (isGap ? "gap a since 1 after 100" : "subscribed a 100/1->100/1 again"))
        // A channel that comes before anything was read starts from the same old position.
        script.subscribe(["b"])
        script.answer(500)
        #expect(script.told().last?.hasPrefix("gap a,b") == isGap)
        script.answer(510)
        script.subscribe(["c"])
        script.answer(520)
        #expect(script.told().last == "subscribed a,b,c 510/1->510/1")
    }

    @Test func `PX-33: with an unlimited stream no absence is too long`() {
        var options = PubNubOptions()
        options.streamLifetime = .zero
        let script = back(after: 86_400, options: options)
        #expect(script.poll?.target.contains("lifeline-after") == false)
        script.answer(500)
        #expect(script.told().last == "subscribed a 100/1->100/1 again")
    }

    /// A script whose connection was lost for this time and is open again, with the handshake sent.
    private func back(
        after seconds: Int, _ channel: String = "a", options: PubNubOptions = PubNubOptions()
    ) -> PubNubScript {
        let script = PubNubScript.connected(channel, options: options)
        script.handle(.networkChanged(.unavailable))
        script.answerCall(.failure(ConnectionFailure(.networkUnavailable, "No route.")))
        script.advance(.seconds(seconds))
        script.handle(.networkChanged(.available))
        script.open()
        if !script.calls.isEmpty { script.answerCall() }
        return script
    }

    @Test func `PX-111: after 16 min the handshake asks, and a service that knows that nothing is missing is believed`() {
        #expect(back(after: 960).poll?.target.contains("lifeline-after") == false)
        for isComplete in [true, false] {
            let script = back(after: 961)
            #expect(script.poll?.target.contains("lifeline-after=100") == true)
            script.forget()
            let cursor = PubNubCursor(timetoken: Timetoken(rawValue: 500), region: 1, isComplete: isComplete)
            script.answer(script.poll, .success(.subscribed(cursor, [])))
            #expect(script.sent().last == "poll a 100/1")
            #expect(script.poll?.target.contains("lifeline-after") == false)
            #expect(script.told().last == (isComplete ? "subscribed a 100/1->100/1 again" : "gap a since 1 after 100"))
            // What the service drops between the two answers is told with the second one.
            let dropped = PubNubCursor(timetoken: Timetoken(rawValue: 510), region: 1, followsGap: true)
            script.answer(script.poll, .success(.subscribed(dropped, [])))
            #expect(script.told().contains { $0.hasPrefix("gap") } == isComplete)
        }
    }

    @Test func `PX-111: in another region nothing is known about the position`() {
        let script = back(after: 961)
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: 500), region: 2, isComplete: true)
        script.answer(script.poll, .success(.subscribed(cursor, [])))
        #expect(script.told().last == "gap a since 1 after 100")
    }

    @Test func `PX-111: a request that the question would make too long goes without it`() {
        let spare = 32 * 1024 - (PubNubScript.connected("a").poll?.target.utf8.count ?? 0)
        let name = String(repeating: "a", count: spare + 1)
        let script = back(after: 961, name)
        #expect(script.poll?.target.contains("lifeline-after") == false)
        script.answer(500)
        #expect(script.told().last == "gap \(name) since 1 after 100")
    }

    @Test("Without restoring, a failure of the network ends everything and forgets the lists")
    func noRestore() {
        var options = PubNubOptions()
        options.restoresSubscription = false
        for category: StatusCategory in [.networkUnavailable, .timeout, .unexpectedDisconnect, .proxyUnavailable] {
            let script = PubNubScript.connected("a", options: options)
            script.perform(.setState("{}", of: "a"))
            script.lose(category)
            #expect(script.told() == ["problem \(category)", "<failed>"])
            #expect(script.machine.memory.list.isEmpty)
            #expect(script.machine.memory.states.isEmpty)
            script.forget()
            script.subscribe(["b"])
            script.connect()
            script.answer(300)
            #expect(script.sent() == ["handshake b", "poll b 300/1"])
            #expect(script.told().last == "subscribed b 0->300/1")
        }
        // Anything else is retried as ever.
        let script = PubNubScript.connected("a", options: options)
        script.refuse(.accessDenied)
        #expect(script.told() == ["problem accessDenied", "<waiting>"])
        #expect(script.machine.memory.list.channels == ["a"])
    }

    @Test("Silence is tested with a question for the time; without an answer the link is lost after 25 s, 3 s when fast (S19)")
    func halfOpen() {
        for (base, silence, probe) in [(ConnectionPolicy.standard, 20, 5), (.fast, 2, 1)] {
            let script = PubNubScript.connected("a", base: base)
            script.advance(.seconds(silence) - .milliseconds(1))
            #expect(script.sent() == [])
            script.advance(.milliseconds(1))
            #expect(script.sent() == ["time"])
            script.advance(.seconds(probe) - .milliseconds(1))
            #expect(script.told() == [])
            script.advance(.milliseconds(1))
            #expect(script.told() == ["<waiting>"])
            #expect(script.machine.snapshot.lastFailure?.category == .timeout)
            // Back within 4 s of the path: a pause and a question that may both be under way when it returns.
            script.reopen()
            #expect(script.sent() == ["time"])
        }
    }

    @Test("An answered test leaves the poll alone, and the next comes after the next silence")
    func tested() {
        var options = PubNubOptions()
        options.pollRenewal = .zero
        let script = PubNubScript.connected("a", options: options)
        for _ in 0..<5 {
            script.advance(.seconds(20))
            #expect(script.sent() == ["time"])
            script.advance(.milliseconds(1))
            script.answerCall()
        }
        script.answer(110)
        #expect(script.sent() == ["poll a 110/1"])
        #expect(script.told() == [])
    }

    @Test("A shorter liveness interval tests sooner; a test that fails, or that a portal answers, ends the attempt")
    func livenessInterval() {
        var options = PubNubOptions()
        options.livenessInterval = .seconds(3)
        for answer: Result<PubNubAnswer, ConnectionFailure> in [
            .failure(ConnectionFailure(.networkUnavailable, "Refused.")), .success(.problem(.malformed("HTML"))),
        ] {
            let script = PubNubScript.connected("a", options: options)
            script.advance(.seconds(3))
            #expect(script.sent() == ["time"])
            script.answerCall(answer)
            #expect(script.told() == ["<waiting>"])
        }
        // Another refusal comes from the service itself.
        let script = PubNubScript.connected("a", options: options)
        script.advance(.seconds(3))
        script.answerCall(.success(.problem(PubNubProblem(ConnectionFailure(.accessDenied, "No.", httpStatus: 403)))))
        script.advance(.seconds(2))
        #expect(script.told() == [])
    }

    @Test("News of the network tests the link at once")
    func network() {
        let script = PubNubScript.connected("a")
        script.handle(.networkChanged(.unavailable))
        #expect(script.sent() == ["time"])
        script.advance(.seconds(5))
        #expect(script.told() == ["<suspended>"])
        script.handle(.networkChanged(.available))
        script.open()
        #expect(script.told() == ["<connecting>"])
        #expect(script.sent() == ["time"])
    }

    @Test("Heartbeats keep their time under traffic, to the tenth, and speak for no presence names (F70)")
    func heartbeats() {
        var options = PubNubOptions()
        options.heartbeatInterval = 5
        options.heartbeatValue = 12
        let script = PubNubScript.connected("a", "a-pnpres", options: options)
        var beats = 0
        var timetoken: UInt64 = 100
        for step in 1...3000 {
            script.advance(.milliseconds(10))
            timetoken += 1
            script.answer(timetoken, [PubNubScript.message("a", timetoken)])
            if step == 777 { script.subscribe(["b"]) }
            if step == 777 { script.answer(timetoken) }
            for request in script.sent() where request.hasPrefix("heartbeat") {
                beats += 1
                #expect(request == (step < 777 ? "heartbeat a heartbeat=12" : "heartbeat a,b heartbeat=12"))
                #expect(abs(Double(step) / 100 - Double(beats) * 5) <= 0.5)
                script.answerCall()
            }
        }
        #expect(beats == 6)
        #expect(script.told().filter { $0 == "heartbeat" }.count == 6)
    }

    @Test("Heartbeats start with the connection, and again after a loss")
    func heartbeatStart() {
        var options = PubNubOptions()
        options.heartbeatInterval = 5
        let script = PubNubScript(options)
        script.subscribe(["a"])
        script.connect()
        script.advance(.seconds(9))
        #expect(script.sent() == ["handshake a"])
        script.answer(100)
        script.advance(.seconds(5))
        #expect(script.sent() == ["poll a 100/1", "heartbeat a"])
        script.lose()
        script.reopen()
        script.advance(.seconds(6))
        #expect(script.sent() == ["handshake a"])
        script.answer(100)
        script.advance(.seconds(5))
        #expect(script.sent() == ["poll a 100/1", "heartbeat a"])
    }

    @Test(
        "A heartbeat that does not get through ends the hanging poll (F10)",
        arguments: [StatusCategory.timeout, .networkUnavailable])
    func heartbeatFails(_ category: StatusCategory) {
        var options = PubNubOptions()
        options.heartbeatInterval = 5
        let script = PubNubScript.connected("a", options: options)
        script.advance(.seconds(5))
        script.answerCall(.failure(ConnectionFailure(category, "Lost.")))
        #expect(script.told() == ["heartbeat \(category)", "<waiting>"])
    }

    @Test("A heartbeat that is refused is told, and the poll goes on")
    func heartbeatRefused() {
        var options = PubNubOptions()
        options.heartbeatInterval = 5
        let script = PubNubScript.connected("a", options: options)
        script.advance(.seconds(5))
        script.answerCall(.success(.problem(PubNubProblem(ConnectionFailure(.accessDenied, "No.", httpStatus: 403)))))
        #expect(script.told() == ["heartbeat accessDenied"])
        script.answer(110)
        #expect(script.sent() == ["heartbeat a", "poll a 110/1"])
    }

    @Test("A leave that fails is told; one that does not get through has the link tested")
    func leaveFails() {
        let script = PubNubScript.connected("a", "b", "c")
        script.unsubscribe("a")
        script.answerCall(.success(.problem(PubNubProblem(ConnectionFailure(.accessDenied, "No.", httpStatus: 403)))))
        #expect(script.told() == ["unsubscribed a left b,c", "leave failed accessDenied"])
        script.unsubscribe("b")
        script.forget()
        script.answerCall(.failure(ConnectionFailure(.timeout, "Lost.")))
        #expect(script.told() == ["leave failed timeout"])
        #expect(script.sent() == ["time"])
        script.advance(.seconds(5))
        #expect(script.told() == ["<waiting>"])
    }
}
