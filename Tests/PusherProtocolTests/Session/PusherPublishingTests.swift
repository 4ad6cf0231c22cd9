import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Client events (rules PS-23 to PS-27)")
struct PusherPublishingTests {
    static func publish(_ event: String = "client-e", json: String = "{}", on channel: String = "private-a") -> PusherCommand {
        .publish(channel: channel, event: event, json: json)
    }

    static func frame(_ event: String, _ json: String = "{}") -> String {
        PusherClientFrames.event(name: event, channel: "private-a", json: json)
    }

    static func subscribed() -> PusherScript {
        let script = PusherScript.connected("private-a")
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.confirm("private-a")
        script.forget()
        return script
    }

    @Test("An event is accepted once the ping behind it is answered")
    func accepted() {
        let script = Self.subscribed()
        script.perform(Self.publish())
        #expect(script.sent() == [Self.frame("client-e"), "ping 1"])
        #expect(script.answers() == [])
        script.pong("nonsense")
        script.pong("99")
        #expect(script.answers() == [])
        script.pong("1")
        #expect(script.answers() == ["1 published"])
        #expect(script.told() == [])
    }

    @Test("One answer covers all pings before it")
    func covered() {
        let script = Self.subscribed()
        for _ in 0..<3 { script.perform(Self.publish()) }
        script.pong("2")
        #expect(script.answers() == ["1 published", "2 published"])
        script.pong("3")
        #expect(script.answers() == ["3 published"])
    }

    @Test("An error in between is the refusal of the event that it followed")
    func refused() {
        let script = Self.subscribed()
        for _ in 0..<3 { script.perform(Self.publish()) }
        script.pong("1")
        script.receive(PusherFrames.error(code: 4301, message: "too fast"))
        script.pong("2")
        script.pong("3")
        #expect(script.answers() == ["1 published", "2 failed overloaded", "3 published"])
        #expect(script.told() == ["error 4301 too fast"])
    }

    @Test("After an error 4200, with which Reverb refuses messages and others say goodbye, the outcome is unknown")
    func restartOrRefusal() {
        let script = Self.subscribed()
        script.perform(Self.publish())
        script.receive(PusherFrames.error(code: 4200, message: "Invalid message format"))
        #expect(script.answers() == [] && script.told() == [])
        script.pong("1")
        #expect(script.answers() == ["1 failed unknown"] && script.told() == ["error 4200 Invalid message format"])
        script.perform(Self.publish())
        script.pong("2")
        #expect(script.answers() == ["2 published"])
    }

    @Test("Errors that cannot be told apart leave the outcome unknown")
    func ambiguous() {
        let script = Self.subscribed()
        for _ in 0..<2 { script.perform(Self.publish()) }
        script.receive(PusherFrames.error(code: 4301, message: "too fast"))
        script.pong("2")
        #expect(script.answers() == ["1 failed unknown", "2 failed unknown"])
        // Sent by somebody who does not wait: the error may be about either.
        script.handle(.perform(Self.publish(), nil))
        script.perform(Self.publish())
        script.receive(PusherFrames.error(code: 4301, message: "too fast"))
        script.pong("3")
        #expect(script.answers() == ["3 failed unknown"])
    }

    @Test("RQ-3: A lost link and a missing answer leave the outcome unknown")
    func unknown() {
        let script = Self.subscribed()
        script.perform(Self.publish())
        script.close(nil)
        #expect(script.answers() == ["1 failed unknown"])
        let slow = Self.subscribed()
        slow.perform(Self.publish())
        slow.advance(.milliseconds(10_010))
        #expect(slow.answers() == ["1 failed unknown"])
        slow.pong("1")
        #expect(slow.answers() == [])
    }

    @Test("Events wait for the subscription, in order")
    func queued() {
        let script = PusherScript()
        script.subscribe("private-a")
        script.perform(Self.publish("client-1"))
        script.connect()
        script.handle(.perform(Self.publish("client-2"), nil))
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.perform(Self.publish("client-3"))
        script.forget()
        script.confirm("private-a")
        #expect(
            script.sent() == [
                Self.frame("client-1"), "ping 1", Self.frame("client-2"), Self.frame("client-3"), "ping 2",
            ])
        script.pong("2")
        #expect(script.answers() == ["1 published", "2 published"])
    }

    @Test("A hundred events may wait, and no more")
    func bounded() {
        let script = PusherScript()
        script.subscribe("private-a")
        for _ in 0..<101 { script.perform(Self.publish()) }
        #expect(script.answers() == ["101 failed overloaded"])
        script.handle(.abandon(RequestID(7)))
        script.perform(Self.publish())
        #expect(script.answers() == ["7 failed cancelled"])
    }

    @Test("What was answered meanwhile is not sent later")
    func answeredMeanwhile() {
        let script = PusherScript()
        script.subscribe("private-a")
        script.perform(Self.publish("client-1"))
        script.handle(.perform(Self.publish("client-2"), nil))
        script.handle(.disconnect)
        #expect(script.answers() == ["1 failed disconnected"])
        script.connect()
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.forget()
        script.confirm("private-a")
        #expect(script.sent() == [Self.frame("client-2")])
    }

    @Test("Events that no server takes are refused at once, connected or not")
    func refusedHere() {
        let commands: [PusherCommand] = [
            Self.publish("say"), Self.publish("client-" + String(repeating: "x", count: 200)), Self.publish(on: "a"),
            Self.publish(on: "private-b"), Self.publish(json: "{oops"),
            Self.publish(json: "\"" + String(repeating: "x", count: 10_239) + "\""),
        ]
        for script in [Self.subscribed(), PusherScript()] {
            script.subscribe("a")
            script.subscribe("private-a")
            script.confirm("a")
            script.forget()
            for command in commands { script.perform(command) }
            #expect(script.answers() == (1...6).map { "\($0) failed badRequest" })
            #expect(script.sent() == [])
        }
    }

    @Test("Messages without a channel go out as they are, or not at all")
    func plain() {
        let script = Self.subscribed()
        script.perform(.send(event: "custom", json: "[1]"))
        script.perform(.send(event: "custom", json: "[1"))
        #expect(script.sent() == [#"{"event":"custom","data":[1]}"#])
        #expect(script.answers() == ["1 sent", "2 failed badRequest"])
        let offline = PusherScript()
        offline.perform(.send(event: "custom", json: "[1]"))
        #expect(offline.answers() == ["1 failed disconnected"])
    }
}
