import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Subscribing (rules PS-9 to PS-17)")
struct PusherSubscribingTests {
    static let subscribeA = PusherClientFrames.subscribe(channel: "a")

    @Test("A channel is subscribed once per connection, however often it is asked for")
    func once() {
        let script = PusherScript.connected("a")
        #expect(script.sent() == [Self.subscribeA])
        script.perform(.subscribe(PusherSubscription(channel: "a")))
        script.perform(.subscribe(PusherSubscription(channel: "a")))
        #expect(script.answers() == [])
        script.confirm("a")
        #expect(script.answers() == ["1 subscribed", "2 subscribed"])
        script.perform(.subscribe(PusherSubscription(channel: "a")))
        #expect(script.answers() == ["3 subscribed"])
        script.confirm("a")
        #expect(script.told().filter { $0.contains("subscribed") } == ["subscribed a"])
        #expect(script.sent() == [])
    }

    @Test("A confirmation without data counts, and one that nobody asked for does not")
    func confirmations() {
        let script = PusherScript.connected("a")
        script.forget()
        script.receive(#"{"event":"pusher_internal:subscription_succeeded","channel":"b"}"#)
        script.receive(#"{"event":"pusher_internal:subscription_succeeded"}"#)
        script.receive(#"{"event":"pusher_internal:subscription_succeeded","channel":"a"}"#)
        #expect(script.told() == ["subscribed a"])
    }

    @Test("Names that no server takes are refused at once")
    func names() {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: "")))
        script.perform(.subscribe(PusherSubscription(channel: "a b")))
        script.perform(.subscribe(PusherSubscription(channel: "#server-to-user-1")))
        #expect(script.answers() == ["1 failed badRequest", "2 failed badRequest", "3 failed badRequest"])
        #expect(script.told().count == 3)
        #expect(script.machine.memory.wantedChannels == [])
    }

    @Test("Events of channels that are not subscribed are dropped silently; those without a channel are told")
    func strangers() {
        let script = PusherScript.connected("a")
        script.confirm("a")
        script.forget()
        script.receive(PusherFrames.event(name: "e", channel: "b", data: "1"))
        script.receive(#"{"event":"e","data":"2"}"#)
        script.receive(#"{"event":"pusher_internal:subscription_count","channel":"a","data":"{\"subscription_count\":4}"}"#)
        script.receive(#"{"event":"pusher_internal:subscription_count","channel":"b","data":"{\"subscription_count\":4}"}"#)
        script.receive(PusherFrames.cacheMiss(channel: "a"))
        script.receive(#"{"event":"pusher_internal:news","channel":"a","data":{"x":1}}"#)
        script.receive(PusherFrames.event(name: "client-e", channel: "a", data: "3", userID: "u"))
        #expect(
            script.told() == [
                "message - e 2", "count a 4", "cache missed a", "message a pusher:cache_miss {}",
                #"message a pusher_internal:news {"x":1}"#,
                "message a client-e 3 by u",
            ])
    }

    @Test("Unsubscribing before the confirmation cancels, and a late confirmation revives nothing")
    func unsubscribePending() {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: "a")))
        script.connect()
        script.perform(.unsubscribe(channel: "a"))
        #expect(script.sent() == [Self.subscribeA, PusherClientFrames.unsubscribe(channel: "a")])
        #expect(script.answers() == ["1 failed cancelled", "2 unsubscribed"])
        script.confirm("a")
        script.receive(PusherFrames.event(name: "e", channel: "a", data: "1"))
        #expect(script.told().suffix(1) == ["unsubscribed a"])
        script.reconnect()
        #expect(script.sent() == [])
    }

    @Test("Unsubscribing while authorisation is under way or failing leaves no zombie")
    func unsubscribeAuthorizing() {
        let script = PusherScript.connected("private-a", "private-b")
        script.unsubscribe("private-a")
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        #expect(script.sent() == [])
        script.authorize(.failure(ConnectionFailure(.timeout, "late")))
        script.unsubscribe("private-b")
        script.advance(.seconds(120))
        script.reconnect()
        #expect(script.sent().filter { !$0.contains("ping") } == [])
        #expect(script.jobs.isEmpty)
    }

    @Test("Unsubscribing works offline and for channels that nobody wanted")
    func unsubscribeOffline() {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: "a")))
        script.perform(.unsubscribe(channel: "a"))
        script.perform(.unsubscribe(channel: "b"))
        #expect(script.answers() == ["1 failed cancelled", "2 unsubscribed", "3 unsubscribed"])
        #expect(script.told() == ["unsubscribed a", "unsubscribed b"])
        script.connect()
        #expect(script.sent() == [])
    }

    @Test("A confirmation that does not come is a failure of the channel, retried without a second subscription")
    func confirmationTimeout() {
        let script = PusherScript.connected("a", "b", timing: .fast)
        script.confirm("b")
        script.forget()
        script.advance(.milliseconds(1990))
        #expect(script.told().filter { $0.contains("failed") } == [])
        script.advance(.milliseconds(20))
        #expect(script.told().filter { !$0.contains("pinged") } == ["failed a timeout retry"])
        script.receive(PusherFrames.ping)
        #expect(script.sent().filter { $0.contains("subscribe") } == [PusherClientFrames.unsubscribe(channel: "a")])
        // Too late: it was taken back.
        script.confirm("a")
        #expect(script.told() == [])
        for _ in 0..<3 {
            script.advance(.milliseconds(500))
            script.receive(PusherFrames.ping)
        }
        #expect(script.sent().filter { $0.contains("subscribe") } == [Self.subscribeA])
        script.confirm("a")
        #expect(script.told().filter { $0.contains("subscribed") } == ["subscribed a"])
        #expect(script.machine.snapshot.phase == .connected)
    }

    @Test("After a loss channels come back in order, each with the gap since the link was last heard")
    func renewal() {
        let script = PusherScript.connected("b", "a", "c")
        script.confirm("b")
        script.confirm("a")
        script.advance(.seconds(3))
        script.receive(PusherFrames.ping)
        script.advance(.seconds(5))
        script.forget()
        script.reconnect()
        #expect(script.sent() == ["b", "a", "c"].map { PusherClientFrames.subscribe(channel: $0) })
        for channel in ["b", "a", "c"] { script.confirm(channel) }
        #expect(
            script.told() == [
                "<waiting>", "<connecting>", "established 2.2", "<connected>", "subscribed b again", "gap b 3.0",
                "subscribed a again", "gap a 3.0", "subscribed c",
            ])
    }

    @Test("A gap reaches back to the first loss, and is told once")
    func longGap() {
        let script = PusherScript.connected("a")
        script.confirm("a")
        script.advance(.seconds(1))
        script.reconnect()
        script.advance(.seconds(1))
        script.reconnect()
        script.forget()
        script.confirm("a")
        #expect(script.told() == ["subscribed a again", "gap a 0.0"])
        script.advance(.seconds(1))
        script.reconnect()
        script.forget()
        script.confirm("a")
        #expect(script.told() == ["subscribed a again", "gap a 2.0"])
    }

    @Test("A disconnect on request makes no gap")
    func noGap() {
        let script = PusherScript.connected("a")
        script.confirm("a")
        script.handle(.disconnect)
        script.close(1000)
        script.connect(socketID: "3.3")
        script.forget()
        script.confirm("a")
        #expect(script.told() == ["subscribed a again"])
    }

    @Test("A second confirmation is that of a newer subscription, and a gap lies between the two")
    func secondConfirmation() {
        let script = PusherScript.connected("a")
        script.unsubscribe("a")
        script.subscribe("a")
        script.forget()
        script.confirm("a")
        script.advance(.seconds(1))
        script.confirm("a")
        script.confirm("a")
        #expect(script.told() == ["subscribed a", "gap a 0.0", "gap a 1.0"])
    }

    @Test("A subscription error on the wire is final when it is a denial, and retried when it passes")
    func subscriptionError() {
        let script = PusherScript.connected("private-a", "private-b")
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.forget()
        script.receive(
            #"{"event":"pusher:subscription_error","channel":"private-a","data":{"type":"AuthError","error":"no","status":401}}"#)
        script.receive(#"{"event":"pusher:subscription_error","channel":"private-b","data":{"status":503}}"#)
        script.receive(#"{"event":"pusher:subscription_error","channel":"private-c","data":{}}"#)
        #expect(
            script.told() == [
                #"failed private-a accessDenied 401 {"type":"AuthError","error":"no","status":401}"#,
                #"failed private-b overloaded 503 {"status":503} retry"#,
            ])
        script.receive(PusherFrames.error(code: 4009, message: "late", channel: "private-a"))
        #expect(script.told() == ["error 4009 late"])
    }

    @Test("An error that names a pending channel fails it; a repeated subscription is tolerated")
    func errorWithChannel() {
        let script = PusherScript.connected("a", "b")
        script.forget()
        script.receive(PusherFrames.error(code: nil, message: "Existing subscription to channel a", channel: "a"))
        script.receive(PusherFrames.error(code: 4009, message: "no", channel: "b"))
        script.confirm("a")
        #expect(
            script.told() == [
                "error - Existing subscription to channel a", #"failed b accessDenied {"code":4009,"message":"no"}"#,
                "error 4009 no", "subscribed a",
            ])
    }
}
