import PusherProtocol
import ServerValues
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Client events, as a value (SP-10)", .timeLimit(.minutes(1)))
struct ClientEventTests {
    private func harness(_ channel: String = "private-x", channelData: String? = nil) -> FrontHarness {
        let harness = FrontHarness()
        _ = harness.join(channel, channelData: channelData)
        return harness
    }

    private func event(_ channel: String, data: String = "{}", name: String = "client-e") -> String {
        #"{"event":"\#(name)","channel":"\#(channel)","data":\#(data)}"#
    }

    // Proof of H5.
    @Test(
        "Data goes out as a string: text as it is, everything else as its JSON (hazard 5)",
        arguments: [
            (#"{"x":[1, 2]}"#, #"{"x":[1, 2]}"#), (#""text""#, "text"), ("5", "5"), ("null", "null"), ("true", "true"),
        ])
    func data(sent: String, expected: String) throws {
        let harness = harness()
        guard case .relay(let relayed) = harness.send(event("private-x", data: sent)) else {
            Issue.record("not relayed")
            return
        }
        let envelope = try PusherEnvelope(parsing: relayed.message)
        #expect(envelope.channel == "private-x")
        #expect(envelope.data == expected)
        #expect(envelope.dataIsString)
        #expect(envelope.userID == nil)
    }

    @Test("On presence channels the sender's id is added, whatever the sender claims")
    func userID() throws {
        let harness = harness("presence-x", channelData: #"{"user_id":"ann"}"#)
        let sent = #"{"event":"client-e","channel":"presence-x","user_id":"bob","data":{}}"#
        guard case .relay(let relayed) = harness.send(sent) else {
            Issue.record("not relayed")
            return
        }
        #expect(try PusherEnvelope(parsing: relayed.message).userID == "ann")
    }

    @Test("Refused outside private and presence channels, without a subscription, and without a channel")
    func where_() {
        let harness = harness("private-encrypted-x")
        _ = harness.subscribe("room")
        for channel in ["room", "private-encrypted-x", "private-other"] {
            #expect(harness.send(event(channel)).error?.code == 4301)
        }
        #expect(harness.send(#"{"event":"client-e","data":{}}"#).error?.code == 4301)
    }

    @Test("Refused when the application does not allow them")
    func disabled() {
        let harness = harness()
        harness.application.allowsClientEvents = false
        #expect(harness.send(event("private-x")).error?.code == 4301)
    }

    @Test("Ten in a second, and again when time has passed")
    func rate() {
        let harness = harness()
        for _ in 0..<10 { #expect(harness.send(event("private-x")).error == nil) }
        #expect(harness.send(event("private-x")).error?.code == 4301)
        harness.now = MonotonicInstant(nanoseconds: 100_000_000)
        #expect(harness.send(event("private-x")).error == nil)
        #expect(harness.send(event("private-x")).error?.code == 4301)
    }

    @Test("Data and names have limits")
    func limits() {
        let harness = harness()
        let largest = #""\#(String(repeating: "x", count: 10_240))""#
        #expect(harness.send(event("private-x", data: largest)).error == nil)
        #expect(harness.send(event("private-x", data: largest.dropLast() + #"x""#)).error?.code == 4301)
        #expect(harness.send(event("private-x", name: "client-" + String(repeating: "e", count: 194))).error?.code == 4301)
    }
}
