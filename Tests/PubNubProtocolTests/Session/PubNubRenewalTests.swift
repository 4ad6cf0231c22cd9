import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Silent polls are asked again (rules PX-40 and PX-41)")
struct PubNubRenewalTests {
    /// Lets seconds pass in which every test of the link is answered and nothing else comes; says in which of them the poll was asked
    /// again.
    private func quiet(_ script: PubNubScript, seconds: Int) -> [Int] {
        (1...seconds).filter { _ in
            script.advance(.seconds(1))
            // An answer takes a moment: at the moment of its question it would be an older sign of life.
            script.advance(.milliseconds(1))
            while !script.calls.isEmpty { script.answerCall() }
            return script.sent().contains { $0.hasPrefix("again poll a") }
        }
    }

    @Test(
        "PX-40: after the profile's time, or what the user chose; never when that is zero",
        arguments: [
            (ConnectionPolicy.standard, nil, [60, 120]), (.fast, nil, [6, 12, 18]), (.fast, .seconds(50), [50, 100]),
            (.fast, .milliseconds(1), [1, 2, 3]), (.standard, .zero, []), (.standard, .seconds(-1), []),
        ] as [(ConnectionPolicy, Duration?, [Int])])
    func times(_ base: ConnectionPolicy, _ chosen: Duration?, _ seconds: [Int]) {
        var options = PubNubOptions()
        options.pollRenewal = chosen
        let script = PubNubScript.connected("a", options: options, base: base)
        let first = script.poll
        let renewed = quiet(script, seconds: 130)
        #expect(Array(renewed.prefix(seconds.count)) == seconds && renewed.isEmpty == seconds.isEmpty)
        // Nothing was lost, so that nothing is told.
        #expect(script.told() == [])
        #expect(script.poll?.timeout == first?.timeout)
        // A request of its own, so that a signature is not older than the request.
        #expect((script.poll?.id == first?.id) == seconds.isEmpty && (script.poll?.target == first?.target) == seconds.isEmpty)
    }

    @Test("PX-40: the time of each poll begins with it, and a poll that is answered in time is never asked again")
    func busy() {
        let script = PubNubScript.connected("a", base: .fast)
        for timetoken in UInt64(101)...120 {
            script.advance(.seconds(1))
            script.answer(timetoken, PubNubScript.messages("a", timetoken...timetoken))
        }
        #expect(!script.sent().contains { $0.hasPrefix("again") })
        #expect(quiet(script, seconds: 7) == [6])
    }

    @Test("PX-41: the first answer counts, to whichever request it is; each message comes once", arguments: [true, false])
    func once(isOld: Bool) {
        let script = PubNubScript.connected("a", base: .fast)
        let old = script.poll
        #expect(quiet(script, seconds: 6) == [6])
        let new = script.poll
        let messages = PubNubScript.messages("a", 101...103)
        script.answer(103, messages, to: isOld ? old : new)
        #expect(script.told() == ["messages a@101 a@102 a@103"])
        #expect(script.sent() == ["poll a 103/1"])
        let next = script.poll?.id
        script.answer(103, messages, to: isOld ? new : old)
        #expect(script.told() == [] && script.sent() == [] && script.poll?.id == next)
        script.answer(104, PubNubScript.messages("a", 104...104))
        #expect(script.told() == ["messages a@104"])
    }

    @Test("PX-41: a failure of either request ends the attempt; the position stays")
    func failure() {
        for isOld in [true, false] {
            let script = PubNubScript.connected("a", base: .fast)
            let old = script.poll
            #expect(quiet(script, seconds: 6) == [6])
            script.answer(isOld ? old : script.poll, .failure(ConnectionFailure(.networkUnavailable, "Refused.")))
            #expect(script.told() == ["problem networkUnavailable", "<waiting>"])
            script.reopen()
            script.answerCall()
            script.answer(500)
            #expect(script.sent().last == "poll a 100/1")
        }
    }

    @Test("PX-41: a call whose number lies between those of the poll is answered as a call")
    func numbers() {
        var options = PubNubOptions()
        options.heartbeatInterval = 5
        let script = PubNubScript.connected("a", options: options, base: .fast)
        #expect(quiet(script, seconds: 4) == [])
        script.advance(.seconds(2))
        let sent = script.sent()
        #expect(sent.first == "heartbeat a" && sent.contains("again poll a 100/1"))
        script.answerCall()
        #expect(script.told() == ["heartbeat"])
        script.answer(101, PubNubScript.messages("a", 101...101))
        #expect(script.told() == ["messages a@101"])
    }

    @Test("PX-41: asking again is no sign of life: the link is tested all the same, and found dead")
    func liveness() {
        var options = PubNubOptions()
        options.pollRenewal = .seconds(1)
        let script = PubNubScript.connected("a", options: options, base: .fast)
        script.advance(.seconds(2))
        #expect(script.sent().filter { $0 == "time" }.count == 1)
        script.advance(.seconds(1))
        #expect(script.told() == ["<waiting>"])
        #expect(script.machine.snapshot.lastFailure?.category == .timeout)
    }

    @Test("PX-40: handshakes and an empty list are not asked again")
    func others() {
        var options = PubNubOptions()
        options.pollRenewal = .seconds(1)
        options.endsWhenEmpty = false
        let script = PubNubScript(options)
        script.connect()
        script.answerCall()
        #expect(quiet(script, seconds: 5) == [])
        script.subscribe(["a"])
        #expect(script.sent() == ["handshake a"])
        script.advance(.seconds(5))
        #expect(script.sent() == [])
        script.answer(100)
        #expect(quiet(script, seconds: 3) == [1, 2, 3])
    }
}
