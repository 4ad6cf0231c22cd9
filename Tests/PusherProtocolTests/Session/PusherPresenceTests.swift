import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Presence (rules PS-18 and PS-19)")
struct PusherPresenceTests {
    static func connected() -> PusherScript {
        let script = PusherScript.connected("presence-a")
        Self.confirm(script, ["1", "2"])
        return script
    }

    static func confirm(_ script: PusherScript, _ ids: [String]) {
        script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":2}"#)))
        script.forget()
        let members = ids.map { PusherMember(userID: $0, infoJSON: #"{"n": \#($0) }"#) }
        script.receive(PusherFrames.subscriptionSucceeded(channel: "presence-a", members: members))
    }

    @Test("The confirmation names everybody in the server's order, and the own id")
    func confirmation() {
        #expect(Self.connected().told() == ["subscribed presence-a 1,2 me=2"])
    }

    @Test("Members come and go once, numbers become text, and what they say about themselves stays as it was written")
    func changes() {
        let script = Self.connected()
        script.forget()
        let added = #"{"event":"pusher_internal:member_added","channel":"presence-a","#
        script.receive(added + #""data":"{\"user_id\":100,\"user_info\":{ \"a\":1.0}}"}"#)
        script.receive(added + #""data":"{\"user_id\":\"100\"}"}"#)
        script.receive(added + #""data":{"user_id":"1"}}"#)
        script.receive(added + #""data":"{}"}"#)
        script.receive(added + #""data":"broken"}"#)
        script.receive(#"{"event":"pusher_internal:member_removed","channel":"presence-a","data":"{\"user_id\":2}"}"#)
        script.receive(PusherFrames.memberRemoved(channel: "presence-a", userID: "2"))
        script.receive(PusherFrames.memberRemoved(channel: "presence-a", userID: "unknown"))
        #expect(script.told() == [#"joined presence-a 100 { "a":1.0}"#, #"left presence-a 2 {"n": 2 }"#])
    }

    @Test("After a renewal exactly the differences are told")
    func renewal() {
        let script = Self.connected()
        script.receive(PusherFrames.memberAdded(channel: "presence-a", member: PusherMember(userID: "3")))
        script.reconnect()
        Self.confirm(script, ["4", "2", "3"])
        #expect(
            script.told() == [
                "subscribed presence-a again 4,2,3 me=2", "gap presence-a 0.0", #"left presence-a 1 {"n": 1 }"#,
                #"joined presence-a 4 {"n": 4 }"#,
            ])
    }

    @Test("Two spellings of an id that Unicode holds for equivalent are two members (HB-11)")
    func spellings() {
        let script = Self.connected()
        script.forget()
        for user in ["K", "\u{212A}"] {
            script.receive(PusherFrames.memberAdded(channel: "presence-a", member: PusherMember(userID: user)))
        }
        script.receive(PusherFrames.memberRemoved(channel: "presence-a", userID: "\u{212A}"))
        let told = script.told().map { Array($0.utf8) }
        #expect(told.count == 3 && Set(told).count == 3)
        #expect(told.last?.starts(with: "left presence-a \u{212A}".utf8) == true)
    }

    @Test("After an unsubscribe nothing is left of the members")
    func unsubscribed() {
        let script = Self.connected()
        script.unsubscribe("presence-a")
        script.receive(PusherFrames.memberRemoved(channel: "presence-a", userID: "1"))
        script.subscribe("presence-a")
        Self.confirm(script, ["9"])
        #expect(script.told() == ["subscribed presence-a 9 me=2"])
    }

    @Test("Changes of a channel that is not subscribed yet, and on channels without presence, are not told")
    func early() {
        let script = PusherScript.connected("presence-a", "a")
        script.confirm("a")
        script.forget()
        script.receive(PusherFrames.memberAdded(channel: "presence-a", member: PusherMember(userID: "1")))
        script.receive(PusherFrames.memberAdded(channel: "a", member: PusherMember(userID: "1")))
        #expect(script.told() == [])
    }
}
