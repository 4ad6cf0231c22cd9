import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Answers that cannot be read, and a clock that is off (rules PX-50, PX-51 and PX-53)")
struct PubNubDamageTests {
    @Test("What can be read of an answer is told, then how much cannot; the position moves on (PX-50)")
    func part() {
        let script = PubNubScript.connected("a")
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: 110), region: 1)
        script.answer(
            script.poll,
            .success(.partlyRead(cursor, [PubNubScript.message("a", 105), PubNubScript.message("a", 109)], unreadable: 2)))
        #expect(script.sent() == ["poll a 110/1"])
        #expect(script.told() == ["messages a@105 a@109", "unreadable 2 100/1->110/1"])
        script.answer(
            script.poll, .success(.partlyRead(PubNubCursor(timetoken: Timetoken(rawValue: 120), region: 1), [], unreadable: 1)))
        #expect(script.sent() == ["poll a 120/1"])
        #expect(script.told() == ["unreadable 1 110/1->120/1"])
    }

    @Test("A position whose answer is malformed three times in a row is given up with a gap (PX-51)")
    func wedge() {
        let script = PubNubScript.connected("a")
        for _ in 0..<2 {
            script.refuse(.malformed("Broken.", status: 200))
            script.reopen()
            script.answer(200)
            #expect(script.sent().last == "poll a 100/1")
        }
        script.lose(.malformedResponse)
        script.reopen()
        script.forget()
        script.answer(200)
        #expect(script.sent() == ["poll a 200/1"])
        #expect(script.told() == ["<connected>", "subscribed a 100/1->200/1 again", "gap a since 1 after 100"])
        // From then on it counts anew.
        script.refuse(.malformed("Broken.", status: 200))
        script.reopen()
        script.answer(300)
        #expect(script.sent().last == "poll a 200/1")
    }

    @Test("A signed request that is refused for its timestamp is made again with the service's time (PX-53)")
    func clock() {
        var settings = PubNubScript.settings
        settings.secretKey = "hush"
        let memory = PubNubMemory(settings: settings, seed: 1, unixTime: { 1_700_000_000 - 3600 })
        let script = PubNubScript(memory: memory)
        func timestamp(_ exchange: HTTPExchange?) -> String? {
            exchange?.target.split(separator: "&").first { $0.hasPrefix("timestamp=") }.map { String($0.dropFirst(10)) }
        }
        script.subscribe(["a"])
        script.connect()
        #expect(timestamp(script.poll) == "1699996400")
        script.refuse(
            PubNubProblem(
                ConnectionFailure(.badRequest, "No.", origin: .server, httpStatus: 400), information: "Invalid Timestamp"))
        script.reopen()
        script.answerCall(.success(.other(body: Array("[17000000000000000]".utf8))))
        #expect(timestamp(script.poll) == "1700000000")
        script.answer(100)
        #expect(timestamp(script.poll) == "1700000000")
    }

    @Test("Any other answer to a poll, and any other failure of one, begins the count anew (PX-51)")
    func inARow() {
        let script = PubNubScript.connected("a")
        for round in 0..<6 {
            if round % 2 == 0 { script.refuse(.malformed("Broken.", status: 200)) } else { script.lose() }
            script.reopen()
            script.answer(200)
            #expect(script.sent().last == "poll a 100/1")
        }
        // A portal answers the handshake as well, and says nothing about the position.
        for _ in 0..<4 {
            script.refuse(.malformed("HTML.", status: 200))
            script.reopen()
            if script.sent().last == "time" { script.answerCall() }
        }
        script.answer(200)
        #expect(script.sent().last == "poll a 100/1")
    }

    @Test("Two spellings of one name are two channels (HB-11)")
    func spellings() {
        let script = PubNubScript.connected("caf\u{E9}")
        script.subscribe(["cafe\u{301}"], state: ["cafe\u{301}": "{}", "caf\u{E9}": #"{"a":1}"#])
        #expect(script.machine.memory.list.channels.count == 2 && script.machine.memory.states.count == 2)
        script.answer(110)
        script.answer(120, [PubNubScript.message("caf\u{E9}", 111), PubNubScript.message("cafe\u{301}", 111)])
        #expect(script.told().last == "messages caf\u{E9}@111 cafe\u{301}@111")
        script.unsubscribe("caf\u{E9}")
        #expect(script.machine.memory.list.channels.map { Array($0.utf8) } == [Array("cafe\u{301}".utf8)])
    }
}
