import ConnectionEngine
import PusherProtocol
import Testing

/// Some servers add a subscriber to the channel first and confirm later, so events come in between.
@Suite("Events between the subscription and its confirmation (rules PS-36 and PS-37)")
struct PusherEarlyEventTests {
    private static func event(_ data: String, _ channel: String = "a") -> String {
        #"{"event":"e","channel":"\#(channel)","data":"\#(data)"}"#
    }

    private static func presence(_ ids: [String]) -> [UInt8] {
        PusherFrames.subscriptionSucceeded(channel: "presence-a", members: ids.map { PusherMember(userID: $0) })
    }

    private static func added(_ id: String) -> [UInt8] {
        PusherFrames.memberAdded(channel: "presence-a", member: PusherMember(userID: id))
    }

    @Test("Messages, cached values and cache misses are told before the subscription is")
    func early() {
        let script = PusherScript.connected("a", "cache-b")
        script.forget()
        script.receive(Self.event("1"))
        script.receive(#"{"event":"pusher:cache_miss","channel":"cache-b"}"#)
        script.receive(Self.event("2"))
        script.confirm("a")
        script.receive(Self.event("3"))
        let told = script.told().filter { !$0.hasPrefix("cache missed") && !$0.contains("cache_miss") }
        #expect(told == ["message a e 1", "message a e 2", "subscribed a", "message a e 3"])
    }

    @Test("Events of a channel that nobody has asked for on this connection are none of ours")
    func unasked() {
        let script = PusherScript.connected("private-a")
        script.forget()
        script.receive(Self.event("1", "private-a"))
        script.receive(Self.event("1", "b"))
        #expect(script.told() == [])
    }

    @Test("What may be an earlier subscription's is dropped, and a gap is declared when there is a confirmation")
    func takenBack() {
        let script = PusherScript.connected("a")
        script.confirm("a")
        script.advance(.seconds(3))
        script.unsubscribe("a")
        script.subscribe("a")
        script.forget()
        script.receive(Self.event("old or new"))
        script.advance(.seconds(1))
        script.confirm("a")
        #expect(script.told() == ["subscribed a", "gap a 3.0"])
    }

    @Test("Once the server has answered a later ping, events are the present subscription's")
    func answered() {
        let script = PusherScript.connected("a")
        script.confirm("a")
        script.unsubscribe("a")
        script.perform(.subscribe(PusherSubscription(channel: "private-x")))
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.confirm("private-x")
        script.perform(.publish(channel: "private-x", event: "client-e", json: "1"))
        script.pong("1")
        script.subscribe("a")
        script.forget()
        script.receive(Self.event("new"))
        script.confirm("a")
        #expect(script.told() == ["message a e new", "subscribed a"])
    }

    @Test("What is remembered of subscriptions that were taken back has a bound: a ping is sent, whose answer clears it")
    func bound() {
        let script = PusherScript.connected()
        for number in 0..<1000 {
            script.subscribe("c\(number)")
            script.unsubscribe("c\(number)")
        }
        let pings = script.sent().filter { $0.hasPrefix("ping ") }
        #expect(pings == ["ping 1"])
        script.pong("1")
        script.subscribe("c7")
        script.forget()
        script.receive(Self.event("1", "c7"))
        #expect(script.told() == ["message c7 e 1"])
    }

    @Test("Members who come and go before the confirmation are told, and the list of the confirmation is as it is afterwards")
    func members() {
        let script = PusherScript.connected("presence-a")
        script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":"me"}"#)))
        script.forget()
        script.receive(Self.added("late"))
        script.receive(PusherFrames.memberRemoved(channel: "presence-a", userID: "gone"))
        script.receive(Self.presence(["me", "gone"]))
        #expect(script.told() == ["joined presence-a late -", "subscribed presence-a me,late me=me"])
        script.receive(Self.added("late"))
        #expect(script.told() == [])
    }

    @Test("After a renewal nobody is told to come twice or to leave because the list was made before")
    func renewal() {
        let script = PusherScript.connected("presence-a")
        script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":"me"}"#)))
        script.receive(Self.presence(["me", "1"]))
        script.reconnect()
        script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":"me"}"#)))
        script.forget()
        script.receive(Self.added("2"))
        script.receive(Self.presence(["me", "1"]))
        #expect(script.told() == ["joined presence-a 2 -", "subscribed presence-a again me,1,2 me=me", "gap presence-a 0.0"])
    }

    @Test("Who has heard events without a confirmation gets a gap with the next one, on this connection or another")
    func neverConfirmed() {
        let script = PusherScript.connected("a", "b")
        script.receive(Self.event("1"))
        script.forget()
        // The confirmation does not come; the second subscription is confirmed.
        script.advance(.seconds(12))
        script.confirm("a")
        #expect(script.told().filter { $0.hasPrefix("subscribed a") || $0.hasPrefix("gap a") } == ["subscribed a", "gap a 10.0"])
        let other = PusherScript.connected("b")
        other.receive(Self.event("1", "b"))
        other.reconnect()
        other.forget()
        other.confirm("b")
        #expect(other.told() == ["subscribed b", "gap b 0.0"])
    }
}
