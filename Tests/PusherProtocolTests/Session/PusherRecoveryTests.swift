import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Missed events on servers that replay them (rules RV-30 to RV-34)")
struct PusherRecoveryTests {
    private func greet(_ script: PusherScript, socketID: String, offers: Bool = true) {
        let offer = PusherRecoveryOffer(messages: 100, seconds: 120)
        script.receive(
            PusherFrames.connectionEstablished(socketID: socketID, activityTimeout: 120, recovery: offers ? offer : nil))
    }

    /// A connection to a server with recovery, whose channel `a` is confirmed at `e:5`.
    private func connected(_ channel: String = "a") -> PusherScript {
        let script = PusherScript()
        script.subscribe(channel)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        greet(script, socketID: "1.1")
        confirm(script, 5, of: channel)
        script.forget()
        return script
    }

    private func confirm(
        _ script: PusherScript, _ number: UInt64, of channel: String = "a", epoch: String = "e", recovered: Bool? = nil
    ) {
        script.receive(
            PusherFrames.subscriptionSucceeded(
                channel: channel,
                recovery: PusherRecoveryOutcome(
                    position: PusherPosition(epoch: epoch, number: number), recovered: recovered)))
    }

    private func event(_ script: PusherScript, _ number: UInt64, epoch: String = "e", of channel: String = "a") {
        script.receive(
            #"{"event":"n\#(number)","channel":"\#(channel)","data":"","position":"\#(epoch):\#(number)"}"#)
    }

    /// Loses the link and greets anew.
    private func reconnect(_ script: PusherScript, socketID: String = "2.2", offers: Bool = true) {
        script.close(nil)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        greet(script, socketID: socketID, offers: offers)
    }

    private func subscribe(_ number: UInt64, of channel: String = "a", socketID: String = "1.1", epoch: String = "e") -> String {
        PusherClientFrames.subscribe(
            channel: channel,
            recover: PusherRecoverRequest(position: PusherPosition(epoch: epoch, number: number), socketID: socketID))
    }

    @Test("The handshake asks for recovery when it is wanted, whatever the target has")
    func handshake() {
        var memory = PusherMemory(key: "k", host: "h", port: 1, usesTLS: false)
        memory.askForRecovery()
        #expect(memory.endpoint.target.hasSuffix("&protocol=7&recovery=1"))
        memory = PusherMemory(endpoint: WebSocketEndpoint(host: "h", port: 1, usesTLS: false, target: "/app/k"))
        memory.askForRecovery()
        #expect(memory.endpoint.target == "/app/k?recovery=1")
    }

    @Test("The first subscription asks for nothing, the next connection for what came after the last event (RV-31)")
    func asks() {
        let script = connected()
        event(script, 6)
        event(script, 8)
        reconnect(script)
        #expect(script.sent() == [subscribe(8)])
    }

    @Test("What is replayed before the confirmation is told in order, and there is no gap (RV-32, RV-33)")
    func recovered() {
        let script = connected()
        event(script, 6)
        reconnect(script)
        script.forget()
        event(script, 7)
        event(script, 8)
        confirm(script, 8, recovered: true)
        event(script, 9)
        #expect(script.told() == ["message a n7 ", "message a n8 ", "subscribed a again", "message a n9 "])
    }

    @Test("What cannot be replayed is a gap, behind what was replayed (RV-33)")
    func notRecovered() {
        let script = connected()
        reconnect(script)
        script.forget()
        event(script, 90)
        confirm(script, 90, recovered: false)
        #expect(script.told() == ["message a n90 ", "subscribed a again", "gap a 0.0"])
        reconnect(script, socketID: "3.3")
        #expect(script.sent().last == subscribe(90, socketID: "2.2"))
    }

    @Test("A confirmation that does not say whether anything is missing means that something may be")
    func silent() {
        let script = connected()
        reconnect(script)
        script.forget()
        confirm(script, 5)
        #expect(script.told() == ["subscribed a again", "gap a 0.0"])
    }

    @Test("A replay that is cut is asked for anew, and nothing is told twice (RV-32)")
    func cut() {
        let script = connected()
        reconnect(script)
        event(script, 6)
        reconnect(script, socketID: "3.3")
        #expect(script.sent().last == subscribe(5))
        script.forget()
        event(script, 6)
        event(script, 7)
        confirm(script, 7, recovered: true)
        #expect(script.told() == ["message a n7 ", "subscribed a again"])
    }

    @Test("Another epoch is taken over with the confirmation")
    func epoch() {
        let script = connected()
        reconnect(script)
        script.forget()
        confirm(script, 0, epoch: "f", recovered: false)
        event(script, 1, epoch: "f")
        #expect(script.told() == ["subscribed a again", "gap a 0.0", "message a n1 "])
        reconnect(script, socketID: "3.3")
        #expect(script.sent().last == subscribe(1, socketID: "2.2", epoch: "f"))
    }

    @Test("On a server without recovery nothing is asked for, and positions of before are forgotten (RV-34)")
    func otherServer() {
        let script = connected()
        reconnect(script, offers: false)
        #expect(script.sent() == [PusherClientFrames.subscribe(channel: "a")])
        script.forget()
        event(script, 6)
        script.confirm("a")
        event(script, 3)
        #expect(script.told() == ["message a n6 ", "subscribed a again", "gap a 0.0", "message a n3 "])
        reconnect(script, socketID: "3.3")
        #expect(script.sent() == [PusherClientFrames.subscribe(channel: "a")])
    }

    @Test("Who unsubscribes or disconnects has missed nothing, and asks for nothing (RV-34)")
    func intended() {
        let script = connected()
        script.unsubscribe("a")
        script.subscribe("a")
        #expect(script.sent() == [PusherClientFrames.unsubscribe(channel: "a"), PusherClientFrames.subscribe(channel: "a")])
        confirm(script, 9)
        script.handle(.disconnect)
        script.close(1000)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        greet(script, socketID: "2.2")
        #expect(script.sent().last == PusherClientFrames.subscribe(channel: "a"))
    }

    @Test("Members who came and went are told as they did, and the list adds nothing (RV-32)")
    func presence() {
        let channel = "presence-a"
        let script = PusherScript()
        func authorize() {
            script.authorize(.success(PusherAuthorization(auth: "k:s", channelData: #"{"user_id":"me"}"#)))
        }
        func confirm(_ ids: [String], _ number: UInt64, recovered: Bool? = nil) {
            script.receive(
                PusherFrames.subscriptionSucceeded(
                    channel: channel, members: ids.map { PusherMember(userID: $0) },
                    recovery: PusherRecoveryOutcome(
                        position: PusherPosition(epoch: "e", number: number), recovered: recovered)))
        }
        func change(_ name: String, _ user: String, _ number: UInt64) {
            script.receive(
                #"{"event":"pusher_internal:member_\#(name)","channel":"\#(channel)","data":"{\"user_id\":\"\#(user)\"}","position":"e:\#(number)"}"#
            )
        }
        script.subscribe(channel)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        greet(script, socketID: "1.1")
        authorize()
        confirm(["me", "ann"], 1)
        reconnect(script)
        authorize()
        script.forget()
        change("removed", "ann", 2)
        change("added", "bob", 3)
        change("removed", "bob", 4)
        change("added", "cat", 5)
        confirm(["me", "cat"], 5, recovered: true)
        #expect(
            script.told() == [
                "left presence-a ann -", "joined presence-a bob -", "left presence-a bob -", "joined presence-a cat -",
                "subscribed presence-a again me,cat me=me",
            ])
    }

    @Test("A subscription that was given up may still be answered, so the next one asks for nothing (RV-31)")
    func lateConfirmation() {
        let script = connected()
        reconnect(script)
        event(script, 6)
        // The confirmation does not come in time: taken back, and asked for once more.
        script.advance(.seconds(12))
        #expect(
            script.sent().suffix(2) == [PusherClientFrames.unsubscribe(channel: "a"), PusherClientFrames.subscribe(channel: "a")])
        script.forget()
        event(script, 7)
        confirm(script, 7, recovered: true)
        event(script, 8)
        confirm(script, 9)
        let told = script.told()
        #expect(told.prefix(3) == ["subscribed a again", "gap a 0.0", "message a n8 "])
        #expect(told.last?.hasPrefix("gap a 1") == true)
    }

    @Test("A subscription that was refused had no replay, so the next one asks again (RV-31)")
    func refused() {
        let script = connected()
        reconnect(script)
        script.receive(PusherFrames.error(code: 4100, message: "try again", channel: "a"))
        script.advance(.seconds(3))
        #expect(script.sent().last == subscribe(5))
    }

    @Test("A loss stays a gap when the link is lost between the replay and its confirmation (RV-32)")
    func cutIncomplete() {
        let script = connected()
        reconnect(script)
        script.forget()
        // Of what came before these the server has nothing any more; the confirmation that says so does not arrive.
        event(script, 8)
        event(script, 9)
        reconnect(script, socketID: "3.3")
        #expect(script.sent().last == subscribe(5))
        for number in UInt64(8)...10 { event(script, number) }
        confirm(script, 10, recovered: false)
        #expect(
            script.told().filter { $0.hasPrefix("message") || $0.hasPrefix("gap") }
                == ["message a n8 ", "message a n9 ", "message a n10 ", "gap a 0.0"])
    }
}
