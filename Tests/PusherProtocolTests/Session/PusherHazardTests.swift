import ConnectionEngine
import Foundation
import PusherProtocol
import Testing

/// What is known to break Pusher clients. Those that are tested elsewhere: hazard 2 (`pusher:ping` is answered), 9 (the shorter activity
/// timeout) and 11 (close codes by range) in `PusherHandshakeTests`, 7 and 8 (authorisers without an answer, capitals in keys) in
/// `PusherSwiftTests`, 12 (the additions) by suites of their own.
@Suite("Known hazards of clients")
struct PusherHazardTests {
    static let shapes = [
        ("pusher_internal:subscription_count", #"{"subscription_count":3}"#, "count presence-a 3"),
        ("pusher_internal:member_added", #"{"user_id":"z"}"#, "joined presence-a z -"),
        ("pusher_internal:member_removed", #"{"user_id":"1"}"#, "left presence-a 1 -"),
        ("e", #"{"a":[1]}"#, #"message presence-a e {"a":[1]}"#), ("e", "[1,2]", "message presence-a e [1,2]"),
    ]

    private static func presence() -> PusherScript {
        let script = PusherScript.connected("presence-a")
        script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":"1"}"#)))
        return script
    }

    // Proof of P1.
    @Test("Hazard 1: data is read as a string, an object or an array everywhere", arguments: shapes)
    func dataShapes(_ event: String, _ data: String, _ expected: String) {
        let quoted = data.replacing("\"", with: "\\\"")
        for data in [data, "\"\(quoted)\""] {
            let script = Self.presence()
            script.receive(
                #"{"event":"pusher_internal:subscription_succeeded","channel":"presence-a","#
                    + #""data":{"presence":{"ids":["1"],"hash":{"1":null},"count":1}}}"#)
            #expect(script.told().last == "subscribed presence-a 1 me=1")
            script.receive(#"{"event":"\#(event)","channel":"presence-a","data":\#(data)}"#)
            #expect(script.told() == [expected])
        }
    }

    // Proof of P3.
    @Test("Hazard 3: a confirmation without data confirms", arguments: ["", #","data":null"#, #","data":"""#, #","data":{}"#])
    func noData(_ data: String) {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: "a")))
        script.connect()
        script.receive(#"{"event":"pusher_internal:subscription_succeeded","channel":"a"\#(data)}"#)
        #expect(script.answers() == ["1 subscribed"])
    }

    // Proof of P4.
    @Test("Hazard 4: members are those of the latest confirmation, not of all")
    func membersReset() {
        let script = Self.presence()
        script.receive(PusherFrames.subscriptionSucceeded(channel: "presence-a", members: [PusherMember(userID: "old")]))
        script.reconnect()
        script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":"1"}"#)))
        script.forget()
        script.receive(PusherFrames.subscriptionSucceeded(channel: "presence-a", members: [PusherMember(userID: "new")]))
        #expect(script.told().first == "subscribed presence-a again new me=1")
        #expect(script.told().contains("left presence-a old -") == false)
    }

    // Proof of P5.
    @Test("Hazard 5: disconnecting works while dialling, waiting and confirming, and leaves no timer")
    func disconnectAnywhere() {
        let dialling = PusherScript()
        dialling.handle(.connect(within: nil))
        let opened = PusherScript()
        opened.handle(.connect(within: nil))
        opened.handle(.opened(opened.attempt))
        let waiting = PusherScript()
        waiting.connect()
        waiting.close(4100)
        #expect(waiting.machine.snapshot.phase == .waiting)
        let confirming = PusherScript.connected("a", "private-b")
        for script in [dialling, opened, waiting, confirming] {
            script.handle(.disconnect)
            script.advance(.seconds(600))
            #expect(script.machine.snapshot.phase == .disconnected)
            #expect(script.running.isEmpty)
        }
    }

    // Proof of P6.
    @Test("Hazard 6: unsubscribing before the confirmation works, and the late confirmation revives nothing")
    func earlyUnsubscribe() {
        let script = PusherScript.connected("a")
        script.forget()
        script.unsubscribe("a")
        script.confirm("a")
        script.receive(PusherFrames.event(name: "e", channel: "a", data: "1"))
        #expect(script.sent() == [PusherClientFrames.unsubscribe(channel: "a")])
        #expect(script.told() == ["unsubscribed a"])
    }

    // Proof of P10.
    @Test("Hazard 10: a link on which pings stay unanswered is closed before another one is opened")
    func pongTimeout() {
        let script = PusherScript.connected()
        let first = script.attempt
        script.advance(.seconds(20) + .milliseconds(10))
        #expect(script.sent().contains(PusherClientFrames.ping))
        script.advance(.seconds(5) + .milliseconds(10))
        #expect(script.closed == [first])
    }
}

@Suite("X13: a server that lies")
struct PusherLyingServerTests {
    private static func connected() -> PusherScript {
        let script = PusherScript.connected("a")
        script.confirm("a")
        script.forget()
        return script
    }

    // Proof of X13.
    @Test("Channels that were never asked for are nobody's business")
    func unasked() {
        let script = Self.connected()
        let frames = [
            PusherFrames.subscriptionSucceeded(channel: "b"),
            PusherFrames.subscriptionSucceeded(channel: "presence-b", members: [PusherMember(userID: "1")]),
            PusherFrames.memberAdded(channel: "presence-b", member: PusherMember(userID: "1")),
            PusherFrames.memberRemoved(channel: "presence-b", userID: "1"), PusherFrames.cacheMiss(channel: "b"),
            PusherFrames.subscriptionCount(channel: "b", count: 9), PusherFrames.event(name: "e", channel: "b", data: "1"),
            PusherFrames.event(name: "e", channel: "#server-to-user-ann", data: "1"),
            PusherFrames.subscriptionSucceeded(channel: "#server-to-user-ann"),
            PusherFrames.signinSuccess(userData: PusherUserTests.userData),
        ]
        for frame in frames { script.receive(frame) }
        #expect(script.told() == [])
        #expect(script.sent() == [])
        #expect(script.machine.memory.wantedChannels == ["a"])
    }

    // Proof of X13.
    @Test("A member list without end is cut and told so, and members who come later are not kept without end")
    func endlessMembers() {
        let script = PusherScript.connected("presence-a")
        script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":"1"}"#)))
        script.forget()
        let ids = (0..<PusherLimits.membersKept + 100_000).map { "\"\($0)\"" }.joined(separator: ",")
        script.receive(
            #"{"event":"pusher_internal:subscription_succeeded","channel":"presence-a","#
                + #""data":{"presence":{"ids":[\#(ids)],"hash":{},"count":10000000}}}"#)
        let told = script.told()
        #expect(told.first == "malformed")
        #expect(told.last?.split(separator: ",").count == PusherLimits.membersKept)
        script.receive(PusherFrames.memberAdded(channel: "presence-a", member: PusherMember(userID: "one too many")))
        #expect(script.told() == [])
        script.receive(PusherFrames.memberRemoved(channel: "presence-a", userID: "5"))
        script.receive(PusherFrames.memberAdded(channel: "presence-a", member: PusherMember(userID: "fits")))
        #expect(script.told() == ["left presence-a 5 -", "joined presence-a fits -"])
    }

    // Proof of X13.
    @Test(
        "A socket id with a line break is not sent on, to nobody who vouches either", arguments: [#"1.1\r\nX: y"#, #"1.1\u0000"#])
    func socketID(_ id: String) {
        let script = PusherScript()
        script.subscribe("private-a")
        script.handle(.perform(.signIn, nil))
        script.connect(socketID: id.replacing("\\", with: "\\\\"))
        #expect(script.jobs.isEmpty)
        #expect(script.sent() == [])
        #expect(script.machine.snapshot.lastFailure?.category == .malformedResponse)
    }

    // Proof of X13.
    @Test("An activity timeout that is no time is clamped", arguments: ["-1", "1e300", "0", "-1e300", "1e-300"])
    func activity(_ timeout: String) {
        let script = PusherScript()
        script.connect(timeout: timeout)
        script.forget()
        script.advance(.milliseconds(990))
        #expect(script.sent() == [])
        script.advance(.seconds(20))
        #expect(script.sent().first == "ping 1")
    }

    // Proof of X13.
    @Test("A nonce that is used again opens what it opens, and what it does not is told; other channels go on")
    func nonceReuse() throws {
        let script = PusherEncryptedChannelTests.subscribed(key: PusherEncryptedChannelTests.good)
        script.subscribe("b")
        script.confirm("b")
        script.forget()
        // The fixture's nonce is the same for all.
        let event = try PusherEncryptedChannelTests.event("e", "1")
        script.receive(event)
        script.receive(event)
        script.receive(try PusherEncryptedChannelTests.event("f", "2"))
        script.receive(try PusherEncryptedChannelTests.event("g", "3", key: PusherEncryptedChannelTests.old))
        script.receive(PusherFrames.event(name: "x", channel: "b", data: "0"))
        script.authorize(.success(PusherEncryptedChannelTests.authorization(PusherEncryptedChannelTests.good)))
        let name = PusherEncryptedChannelTests.name
        #expect(
            script.told() == [
                "message \(name) e 1", "message \(name) e 1", "message \(name) f 2", "message b x 0", "undecryptable \(name) g",
            ])
    }
}
