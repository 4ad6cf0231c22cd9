import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Leaving without a connection, and presence by hand (rules PX-31 and PX-52)")
struct PubNubLeavingTests {
    /// A subscription that was asked for and denied.
    static func denied(_ channels: [String], options: PubNubOptions = PubNubOptions()) -> PubNubScript {
        let script = PubNubScript(options)
        script.subscribe(channels)
        script.connect()
        script.refuse(.accessDenied, status: 403)
        script.forget()
        return script
    }

    @Test(
        "After a denial, or when retries were cancelled, the next connection says who has left and ends (PX-52)",
        arguments: [false, true])
    func last(_ isCancelled: Bool) {
        let script = Self.denied(["a", "a-pnpres", "b"])
        if isCancelled { script.handle(.cancelRetry) }
        script.perform(.unsubscribeAll)
        script.forget()
        script.connect()
        #expect(script.sent() == ["leave a,b"])
        #expect(script.told() == ["<connecting>"])
        script.answerCall()
        #expect(script.told() == ["<disconnected>"])
        // Said once.
        script.subscribe(["c"])
        script.connect()
        #expect(script.sent() == ["handshake c"])
    }

    @Test("The leave goes before the handshake for the rest (PX-52)")
    func rest() {
        let script = Self.denied(["a", "b", "c"])
        script.unsubscribe("a")
        script.unsubscribe("b")
        script.reopen()
        #expect(script.sent() == ["leave a,b", "handshake c"])
        script.answer(100)
        #expect(script.told().last == "subscribed c 0->100/1")
        // The answer to it ends nothing.
        script.answerCall()
        script.answer(110)
        #expect(script.sent() == ["poll c 100/1", "poll c 110/1"])
    }

    @Test("A leave that nobody answers, or that is refused, ends the connection all the same (PX-52)")
    func unanswered() {
        for isRefused in [false, true] {
            let script = Self.denied(["a"])
            script.unsubscribe("a")
            script.connect()
            script.forget()
            if isRefused {
                script.answerCall(.failure(ConnectionFailure(.networkUnavailable, "Refused.")))
                #expect(script.told() == ["leave failed networkUnavailable", "<disconnected>"])
            } else {
                script.advance(.seconds(5))
                #expect(script.told() == ["<disconnected>"])
            }
        }
    }

    @Test("Nothing is said about what is wanted again, was never asked for, or when leaves are suppressed (PX-52)")
    func nothing() {
        let script = Self.denied(["a", "b"])
        script.unsubscribe("a")
        script.subscribe(["a", "c"])
        script.unsubscribe("c")
        script.reopen()
        #expect(script.sent() == ["handshake b,a"])

        var options = PubNubOptions()
        options.suppressesLeave = true
        let silent = Self.denied(["a"], options: options)
        silent.unsubscribe("a")
        silent.forget()
        silent.connect()
        #expect(silent.sent() == [])
        #expect(silent.told() == ["<connecting>", "<disconnected>"])
    }

    @Test("A subscription that is taken back during the handshake is left before the connection ends (PX-52)")
    func duringHandshake() {
        let script = PubNubScript()
        script.subscribe(["a"])
        script.connect()
        script.unsubscribe("a")
        #expect(script.sent() == ["handshake a", "leave a", "cancel poll"])
        #expect(script.told() == ["<connecting>", "unsubscribed a left "])
        script.answerCall()
        #expect(script.told() == ["<disconnected>"])
        // Meanwhile something else may be wanted.
        script.subscribe(["a"])
        script.connect()
        script.unsubscribe("a")
        script.subscribe(["b"])
        #expect(script.sent() == ["handshake a", "leave a", "cancel poll", "handshake b"])
        script.answerCall()
        script.answer(100)
        #expect(script.told().suffix(2) == ["<connected>", "subscribed b 0->100/1"])
    }

    @Test("Presence by hand that was said before there was a connection is announced with it, also without an interval (PX-31)")
    func presence() {
        var options = PubNubOptions()
        options.managesPresenceManually = true
        let script = PubNubScript(options)
        script.perform(.setPresent(true, PubNubList(channels: ["p"], groups: ["q"])))
        script.connect()
        #expect(script.sent() == ["time"])
        script.answerCall()
        #expect(script.sent() == ["heartbeat p,:q"])
        script.answerCall()
        #expect(script.told() == ["<connecting>", "<connected>", "heartbeat"])
        script.perform(.setPresent(true, PubNubList(channels: ["r"])))
        #expect(script.sent() == ["heartbeat p,r,:q"])
        script.answerCall()
        // After a loss as well: the service may have taken the user for gone.
        script.advance(.seconds(20))
        script.answerCall(.failure(ConnectionFailure(.networkUnavailable, "Lost.")))
        script.reopen()
        script.forget()
        script.answerCall()
        #expect(script.sent() == ["heartbeat p,r,:q"])
    }
}
