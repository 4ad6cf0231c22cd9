import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Commands (rules PX-18 to PX-24, PX-31)")
struct PubNubCommandTests {
    @Test("Unsubscribing says so, leaves, and goes on with the rest from where it was")
    func unsubscribe() {
        let script = PubNubScript()
        script.subscribe(["a", "a-pnpres", "b"], groups: ["g"], state: ["a": #"{"x":1}"#, "b": #"{"y":2}"#])
        script.connect()
        script.answer(100)
        script.forget()
        script.unsubscribe("a", "a-pnpres", "never", groups: ["g"])
        #expect(script.sent() == ["leave a,:g", #"poll b 100/1 state={"b":{"y":2}}"#])
        #expect(script.told() == ["unsubscribed a,a-pnpres,:g left b"])
        #expect(script.answers() == ["2 unsubscribed"])
        script.answerCall()
        #expect(script.told() == [])
        script.answer(110, PubNubScript.messages("b", 105...105))
        #expect(script.told() == ["messages b@105"])
    }

    @Test("Presence names alone are left without a word to the service")
    func presenceOnly() {
        let script = PubNubScript.connected("a", "a-pnpres")
        script.unsubscribe("a-pnpres")
        #expect(script.sent() == ["poll a 100/1"])
        #expect(script.told() == ["unsubscribed a-pnpres left a"])
    }

    @Test("Names that are not subscribed are no reason to do anything")
    func unknownName() {
        let script = PubNubScript.connected("a")
        script.unsubscribe("b")
        #expect(script.sent() == [])
        #expect(script.told() == [])
        #expect(script.answers() == ["2 unsubscribed"])
    }

    @Test("Leaves may be suppressed")
    func suppressed() {
        var options = PubNubOptions()
        options.suppressesLeave = true
        let script = PubNubScript.connected("a", "b", options: options)
        script.unsubscribe("a")
        script.perform(.unsubscribeAll)
        #expect(script.sent() == ["poll b 100/1"])
    }

    @Test("With nothing left the connection ends, after the leave")
    func last() {
        let script = PubNubScript.connected("a", "b")
        script.perform(.unsubscribeAll)
        #expect(script.sent() == ["leave a,b"])
        #expect(script.told() == ["unsubscribed a,b left ", "<disconnecting>"])
        #expect(script.answers() == ["2 unsubscribed"])
        script.handle(.closed(script.attempt, .disconnectedOnRequest))
        script.forget()
        // From now on, not from where it was.
        script.subscribe(["c"])
        script.connect()
        script.answer(300)
        #expect(script.sent() == ["handshake c", "poll c 300/1"])
        #expect(script.told() == ["<connecting>", "<connected>", "subscribed c 0->300/1"])
    }

    @Test("Disconnecting leaves everything")
    func disconnect() {
        let script = PubNubScript.connected("a", "a-pnpres")
        script.handle(.disconnect)
        #expect(script.sent() == ["leave a"])
        script.handle(.closed(script.attempt, .disconnectedOnRequest))
        script.connect()
        script.answer(300)
        #expect(script.sent() == ["handshake a,a-pnpres", "poll a,a-pnpres 300/1"])
        #expect(script.told().last == "subscribed a,a-pnpres 0->300/1")
    }

    @Test("A subscription that was taken back before it was confirmed is answered so")
    func takenBack() {
        let script = PubNubScript.connected("a")
        script.subscribe(["b"])
        script.subscribe(["b", "c"])
        script.unsubscribe("b")
        #expect(script.answers() == ["4 unsubscribed", "2 failed cancelled"])
        #expect(script.sent() == ["handshake a,b", "handshake a,b,c", "leave b", "handshake a,c"])
        script.answer(200)
        #expect(script.answers() == ["3 subscribed"])
    }

    @Test("Commands without a connection are remembered")
    func offline() {
        let script = PubNubScript()
        script.subscribe(["a", "b"])
        script.unsubscribe("a")
        script.perform(.setFilter("f"))
        script.perform(.setAuth("k"))
        script.perform(.setState(#"{"s":1}"#, of: "b"))
        #expect(script.answers() == ["2 unsubscribed", "3 done", "4 done", "5 done"])
        #expect(script.told() == ["unsubscribed a left b"])
        script.connect()
        #expect(script.sent() == [#"handshake b filter-expr=f state={"b":{"s":1}} auth=k"#])
        script.answer(100)
        #expect(script.answers() == ["1 subscribed"])
    }

    @Test("What is subscribed while the link is down is confirmed with the rest, and has no gap")
    func whileWaiting() {
        var options = PubNubOptions()
        options.catchesUpOnRestore = false
        let script = PubNubScript.connected("a", options: options)
        script.lose()
        script.subscribe(["b"])
        #expect(script.answers() == [])
        script.reopen()
        script.answer(200)
        #expect(script.answers() == ["2 subscribed"])
        #expect(script.told().suffix(2) == ["subscribed a,b 100/1->200/1 again", "gap a since 1 after 100"])
    }

    @Test("Taking everything back while the link is down makes the next attempt say so and nothing else")
    func nothingLeftWhileWaiting() {
        let script = PubNubScript.connected("a")
        script.lose()
        script.forget()
        script.perform(.unsubscribeAll)
        script.reopen()
        script.answerCall()
        #expect(script.sent() == ["leave a"])
        #expect(script.told() == ["unsubscribed a left ", "<connecting>", "<disconnected>"])
    }

    @Test("Commands while the service is being reached go into the handshake")
    func whileReaching() {
        let script = PubNubScript.connected("a")
        script.lose(.timeout)
        script.reopen()
        script.subscribe(["b"])
        script.unsubscribe("a")
        script.perform(.setFilter("f"))
        script.answerCall()
        #expect(script.sent() == ["time", "leave a", "handshake b filter-expr=f"])
    }

    @Test("State is merged, kept, sent with heartbeats too, and dropped with its name")
    func state() {
        var options = PubNubOptions()
        options.heartbeatValue = 30
        options.heartbeatInterval = 14
        let script = PubNubScript.connected("a", "b", options: options)
        script.perform(.setState(#"{"x":1}"#, of: "a"))
        script.perform(.setState("{}", of: "not-subscribed"))
        script.perform(.setState(#"{"y":1}"#, of: "b"))
        script.perform(.setState(nil, of: "b"))
        #expect(script.sent() == [])
        script.advance(.seconds(14))
        #expect(script.sent() == [#"heartbeat a,b heartbeat=30 state={"a":{"x":1}}"#])
        script.answer(110)
        #expect(script.sent() == [#"poll a,b 110/1 heartbeat=30 state={"a":{"x":1}}"#])
        script.unsubscribe("a")
        script.subscribe(["a"])
        #expect(script.sent().last == "handshake b,a heartbeat=30")
    }

    @Test("Names in the state are escaped")
    func escapedState() {
        let script = PubNubScript()
        script.subscribe([#"a"b"#], state: [#"a"b"#: "{}"])
        script.connect()
        #expect(script.sent() == [#"handshake a"b state={"a\"b":{}}"#])
    }

    @Test("What cannot be asked for is refused, and nothing else changes")
    func refused() {
        let script = PubNubScript.connected("a")
        script.subscribe([""])
        script.subscribe(["b"], state: ["b": "{"])
        script.subscribe(["b"], state: ["b": "1"])
        script.perform(.setState("[]", of: "a"))
        script.perform(.setPresent(true, PubNubList(channels: ["a"])))
        #expect(script.answers() == (2...6).map { "\($0) failed badRequest" })
        #expect(script.sent() == [])
        let empty = PubNubScript()
        empty.subscribe([])
        #expect(empty.answers() == ["1 failed badRequest"])
    }

    @Test("A new auth key goes into the next request, and interrupts nothing")
    func auth() {
        let script = PubNubScript.connected("a")
        script.perform(.setAuth("k"))
        #expect(script.sent() == [])
        script.answer(110)
        script.perform(.setAuth(nil))
        script.answer(120)
        #expect(script.sent() == ["poll a 110/1 auth=k", "poll a 120/1"])
    }

    @Test("Presence by hand: heartbeats speak for a list of its own, at once and then regularly")
    func presenceByHand() {
        var options = PubNubOptions()
        options.managesPresenceManually = true
        options.heartbeatInterval = 10
        let script = PubNubScript.connected("a", options: options)
        script.advance(.seconds(10))
        #expect(script.sent() == [])
        script.perform(.setPresent(true, PubNubList(channels: ["p"], groups: ["q"])))
        #expect(script.sent() == ["heartbeat p,:q"])
        script.answerCall()
        script.advance(.seconds(10))
        #expect(script.sent() == ["heartbeat p,:q"])
        script.perform(.setPresent(false, PubNubList(channels: ["p"])))
        #expect(script.sent() == ["leave p"])
        #expect(script.answers() == ["2 done", "3 done"])
        // Being present is a reason to stay.
        script.unsubscribe("a")
        #expect(script.sent() == ["leave a", "cancel poll"])
        #expect(script.told() == ["heartbeat", "unsubscribed a left "])
        script.perform(.setPresent(false, PubNubList(groups: ["q"])))
        #expect(script.sent() == ["leave :q"])
        #expect(script.told() == ["<disconnecting>"])
    }

    @Test("Whatever is pending is answered when the connection ends")
    func pending() {
        let script = PubNubScript()
        script.subscribe(["a"])
        script.connect()
        script.handle(.disconnect)
        #expect(script.answers() == ["1 failed disconnected"])
        let failed = PubNubScript()
        failed.subscribe(["a"])
        failed.connect()
        failed.refuse(.malformedFilter)
        #expect(failed.answers() == ["1 failed malformedFilter"])
    }
}
