import Testing
import WireCoding

@testable import PubNubProtocol

@Suite("Presence events")
struct PubNubPresenceEventTests {
    static func recorded() throws -> [PubNubPresenceEvent] {
        let messages = try #require(PubNubWire.decode(PubNubWire.answer(PubNubWire.presence)).messages)
        return messages.compactMap { PubNubPresenceEvent($0) }
    }

    @Test("Every recorded event is read (PN-23)")
    func reading() throws {
        let events = try Self.recorded()
        #expect(events.map(\.action) == [.join, .stateChange, .timeout, .interval, .interval])
        #expect(events.map(\.channel) == ["test-channel1", "test-channel1", "hb-ch", "demo", "nul-channel.*"])
        #expect(events.map(\.user) == ["serhii", "serhii", "hb", nil, nil])
        #expect(events.map(\.occupancy) == [1, 1, 1, 4, 9])
        #expect(events[0].timestamp == 1_580_070_174)
        #expect(events[1].state == #"{"channel1-state":["…"]}"#)
        #expect(events[3].joined == ["Client-d39lr"])
        #expect(events.map(\.needsRefresh) == [false, false, false, false, true])
    }

    @Test("Events are written as they were recorded (PN-22)")
    func writing() throws {
        let event = try #require(try Self.recorded().first)
        #expect(
            String(decoding: event.payload, as: UTF8.self)
                == #"{"action":"join","uuid":"serhii","timestamp":1580070174,"occupancy":1}"#)
        #expect(
            String(decoding: event.metadata, as: UTF8.self)
                == #"{"pn_action":"join","pn_uuid":"serhii","pn_timestamp":1580070174,"pn_occupancy":1,"#
                + #""pn_ispresence":1,"pn_channel":"test-channel1"}"#)
        let change = try Self.recorded()[1]
        #expect(
            String(decoding: change.payload, as: UTF8.self)
                == #"{"action":"state-change","uuid":"serhii","timestamp":1580070177,"data":{"channel1-state":["…"]},"occupancy":1}"#
        )
        let pattern = PubNubPresenceEvent(.join, channel: "nul-channel.*", user: "u", timestamp: 1, occupancy: 1)
        #expect(String(decoding: pattern.metadata, as: UTF8.self).contains(#""pn_channel":"nul-channel.%2A""#))
    }

    @Test("What is written reads the same again, through an answer (PN-22, PN-23)")
    func roundTrip() throws {
        let events = [
            PubNubPresenceEvent(.join, channel: "a\"b", user: "u\n", timestamp: 1, occupancy: 2, state: #"{"mood":"é"}"#),
            PubNubPresenceEvent(.leave, channel: "a", user: "", timestamp: 0, occupancy: 0),
            PubNubPresenceEvent(
                .interval, channel: "a.*", timestamp: 5, occupancy: 3, joined: ["x", "y\""], left: ["z"], timedOut: ["w"],
                needsRefresh: true),
            PubNubPresenceEvent(PubNubPresenceEvent.Action(rawValue: "later"), channel: "a", timestamp: -1, occupancy: 0),
        ]
        let elements = events.map { event in
            (
                shared: event.envelope(timetoken: Timetoken(rawValue: 9), subscribeKey: "k").shared,
                matched: Optional(event.channel + PubNubMessage.presenceSuffix)
            )
        }
        let body = PubNubFrames.answer(PubNubCursor(timetoken: Timetoken(rawValue: 9), region: 1), elements)
        let messages = try #require(PubNubWire.decode(body).messages)
        #expect(messages.map { PubNubPresenceEvent($0) } == events)
        #expect(messages.allSatisfy { $0.metadata != nil && $0.subscription == nil })
    }

    @Test("Without an action it is an interval event; other payloads are no presence events (PN-23)")
    func odd() {
        func event(_ payload: String, _ channel: String = "a-pnpres") -> PubNubPresenceEvent? {
            PubNubPresenceEvent(PubNubMessage(channel: channel, timetoken: .zero, payload: payload))
        }
        #expect(event(#"{"occupancy":3}"#)?.action == .interval)
        #expect(event(#"{"occupancy":"3","uuid":7,"join":5,"data":null}"#)?.occupancy == 0)
        #expect(event("[]") == nil)
        #expect(event("\"x\"") == nil)
        #expect(event(#"{"action":"join"}"#, "a") == nil)
    }
}
