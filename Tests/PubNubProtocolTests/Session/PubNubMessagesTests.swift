import ConnectionEngine
import Testing

@testable import PubNubProtocol

@Suite("Answers to polls (rules PX-12, PX-15 to PX-17)")
struct PubNubMessagesTests {
    @Test("The next poll leaves before messages are told")
    func pollsFirst() {
        var options = PubNubOptions()
        options.messageCountThreshold = 2
        let memory = PubNubMemory(settings: PubNubScript.settings, options: options, seed: 1)
        var machine = ConnectionMachine<PubNubSession>(policy: .standard, memory: memory, seed: 1)
        var effects: [Effect<PubNubSession>] = []
        func handle(_ input: Input<PubNubSession>) {
            effects = []
            machine.handle(input, at: .zero, into: &effects)
        }
        handle(.perform(.subscribe(PubNubList(channels: ["a"]), timetoken: nil, state: [:]), nil))
        handle(.connect(within: nil))
        handle(.opened(AttemptID(1)))
        func answer(_ id: UInt64, _ timetoken: UInt64, _ messages: [PubNubMessage]) {
            let cursor = PubNubCursor(timetoken: Timetoken(rawValue: timetoken), region: 1)
            handle(.received(AttemptID(1), LongPollInbound(id: id, result: .success(.subscribed(cursor, messages)))))
        }
        answer(1, 100, [])
        answer(2, 202, PubNubScript.messages("a", 103...202))
        let kinds = effects.map { effect in
            switch effect {
            case .send(_, .poll): "poll"
            case .deliver(let event): String(PubNubScript.text(event).prefix { $0 != " " })
            default: "else"
            }
        }
        #expect(kinds == ["poll", "gap", "exceeded", "messages"])
    }

    @Test("150 messages while away: 100 come, the loss of the others is declared, and the count is told (S20)")
    func full() {
        var options = PubNubOptions()
        options.messageCountThreshold = 100
        let script = PubNubScript.connected("a", options: options)
        script.advance(.seconds(4))
        script.lose()
        script.reopen()
        script.answer(260)
        script.forget()
        script.answer(250, PubNubScript.messages("a", 151...250))
        #expect(
            script.told() == [
                "gap a since 1 after 100", "exceeded 100 100/1->250/1",
                "messages a@151 a@152 a@153 a@154 a@155 a@156 (100)",
            ])
    }

    @Test("99 messages are all there were")
    func almostFull() {
        let script = PubNubScript.connected("a")
        script.answer(250, PubNubScript.messages("a", 151...249))
        #expect(script.told() == ["messages a@151 a@152 a@153 a@154 a@155 a@156 (99)"])
    }

    @Test("A full answer on a live link may have lost messages as well: since the answer before it")
    func fullLive() {
        let script = PubNubScript.connected("a", "b")
        script.advance(.seconds(2))
        script.answer(110)
        script.advance(.seconds(2))
        script.answer(250, PubNubScript.messages("a", 151...250))
        #expect(script.told().first == "gap a,b since 3 after 110")
    }

    @Test("A service that says that messages may be missing is believed, once for each answer (PX-110)")
    func declaredGap() {
        let script = PubNubScript.connected("a")
        func answer(_ timetoken: UInt64, followsGap: Bool) {
            let cursor = PubNubCursor(timetoken: Timetoken(rawValue: timetoken), region: 1, followsGap: followsGap)
            script.answer(script.poll, .success(.subscribed(cursor, PubNubScript.messages("a", timetoken...timetoken))))
        }
        answer(110, followsGap: true)
        #expect(script.told() == ["gap a since 1 after 100", "messages a@110"])
        script.forget()
        answer(120, followsGap: false)
        #expect(script.told() == ["messages a@120"])
    }

    @Test("The threshold counts what came, whatever the caller chose", arguments: [(0, false), (3, true), (4, false)])
    func threshold(_ threshold: Int, _ isTold: Bool) {
        var options = PubNubOptions()
        options.messageCountThreshold = threshold
        let script = PubNubScript.connected("a", options: options)
        script.answer(110, PubNubScript.messages("a", 103...105))
        let messages = "messages a@103 a@104 a@105"
        #expect(script.told() == (isTold ? ["exceeded 3 100/1->110/1", messages] : [messages]))
    }

    @Test("Repetitions are not told again: same timetoken, channel and payload (F59)")
    func repetitions() {
        let script = PubNubScript.connected("a", "b")
        script.answer(110, PubNubScript.messages("a", 101...103))
        script.forget()
        script.answer(
            120,
            [
                PubNubScript.message("a", 102), PubNubScript.message("b", 102), PubNubScript.message("a", 103, "2"),
                PubNubScript.message("a", 111),
            ])
        #expect(script.told() == ["messages b@102 a@103 a@111"])
        script.answer(130, [PubNubScript.message("a", 111)])
        #expect(script.told() == [])
    }

    @Test("Repetitions are recognised over a loss")
    func repetitionsAfterLoss() {
        let script = PubNubScript.connected("a")
        script.answer(110, PubNubScript.messages("a", 101...103))
        script.lose()
        script.reopen()
        script.answer(200)
        script.forget()
        script.answer(210, PubNubScript.messages("a", 103...104))
        #expect(script.told() == ["messages a@104"])
    }

    @Test("With a timetoken of the user's, what was delivered after it comes again")
    func replay() {
        let script = PubNubScript.connected("a")
        script.answer(110, PubNubScript.messages("a", 101...103))
        script.subscribe([], at: 101)
        script.answer(200)
        script.forget()
        script.answer(210, PubNubScript.messages("a", 101...103))
        #expect(script.told() == ["messages a@102 a@103"])
    }

    @Test("Presence, objects, actions and files are never taken for repetitions")
    func otherKinds() {
        let script = PubNubScript.connected("a")
        let kinds: [PubNubMessageKind] = [.object, .action, .file]
        let once =
            kinds.map { PubNubMessage(channel: "a", kind: $0, timetoken: Timetoken(rawValue: 101), payload: "1") }
            + [PubNubScript.message("a-pnpres", 101)]
        script.answer(
            110, once + once + [PubNubMessage(channel: "a", kind: .signal, timetoken: Timetoken(rawValue: 101), payload: "1")])
        #expect(script.told() == ["messages a@101 a@101 a@101 a-pnpres@101 a@101 a@101 (9)"])
    }

    @Test("No memory of messages, no repetitions")
    func noCache() {
        var options = PubNubOptions()
        options.dedupCapacity = 0
        let script = PubNubScript.connected("a", options: options)
        script.answer(110, PubNubScript.messages("a", 101...101))
        script.answer(120, PubNubScript.messages("a", 101...101))
        #expect(script.told() == ["messages a@101", "messages a@101"])
    }

    @Test("Only the latest messages are remembered, in whatever order they came")
    func capacity() {
        var seen = SeenMessages(capacity: 3)
        func areNew(_ timetokens: UInt64...) -> [Bool] {
            timetokens.map { seen.insert([PubNubScript.message("a", $0)]).isEmpty }
        }
        #expect(areNew(5, 1, 4, 2) == [true, true, true, true])
        #expect(areNew(1, 4, 2) == [false, false, false])
        #expect(areNew(5) == [true])
        seen.forget(after: Timetoken(rawValue: 3))
        #expect(areNew(4, 2, 6, 2) == [true, false, true, false])
        #expect(areNew(7, 2) == [true, true])
    }

    @Test("PX-17: repetitions of one answer are found by their places, and presence is none")
    func repetitionsOfOneAnswer() {
        var seen = SeenMessages(capacity: 3)
        let presence = PubNubScript.message("a-pnpres", 1)
        let messages = [
            PubNubScript.message("a", 1), presence, PubNubScript.message("a", 1), presence, PubNubScript.message("b", 1),
            PubNubScript.message("a", 2), PubNubScript.message("b", 1),
        ]
        #expect(seen.insert(messages) == [2, 6])
        #expect(seen.insert([]).isEmpty)
        var nothing = SeenMessages(capacity: 0)
        #expect(nothing.insert(messages).isEmpty && nothing.insert(messages).isEmpty)
    }

    @Test("A service that answers at once with nothing is asked ever more slowly, down to once a second")
    func fruitless() {
        let script = PubNubScript.connected("a")
        var answered: UInt64 = 0
        var polls = 0
        for _ in 0..<1000 {
            if let poll = script.poll, poll.id != answered {
                answered = poll.id
                polls += 1
                script.answer(100)
            }
            script.advance(.milliseconds(10))
        }
        #expect((15...25).contains(polls))
        #expect(script.told() == [])
        // The first answer that brings something ends it.
        script.advance(.seconds(1))
        script.answer(101, [PubNubScript.message("a", 101)])
        script.forget()
        script.answer(102, [PubNubScript.message("a", 102)])
        #expect(script.sent() == ["poll a 102/1"])
    }

    @Test("A pause between polls gives way to a new list")
    func pauseEnds() {
        let script = PubNubScript.connected("a", "b")
        for _ in 0..<15 {
            script.answer(100)
            script.advance(.seconds(1))
        }
        for _ in 0..<4 { script.answer(100) }
        script.forget()
        script.unsubscribe("a")
        #expect(script.sent() == ["leave a", "poll b 100/1"])
        script.answer(100)
        script.subscribe(["c"])
        #expect(script.sent() == ["handshake b,c"])
        script.advance(.seconds(5))
        #expect(script.sent() == [])
    }
}
