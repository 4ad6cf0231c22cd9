import PusherProtocol
import Testing

@Suite("Positions, and the messages that carry them (RV-1 to RV-5)")
struct PusherPositionTests {
    @Test(
        "A position is an epoch and a number",
        arguments: ["a:0", "0k3d-9_Z:12", "e:9999999999999999999", String(repeating: "e", count: 32) + ":1"])
    func valid(_ text: String) {
        #expect(PusherPosition(text)?.description == text)
    }

    @Test(
        "Everything else is none",
        arguments: [
            "", ":", "a", "a:", ":1", "a:b", "a:-1", "a:+1", "a:1 ", "a b:1", "é:1", "a:b:1", "a:10000000000000000000",
            String(repeating: "e", count: 33) + ":1",
        ])
    func invalid(_ text: String) {
        #expect(PusherPosition(text) == nil)
    }

    @Test("The messages of a server, byte by byte")
    func frames() {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        #expect(
            text(
                PusherFrames.connectionEstablished(
                    socketID: "1.2", activityTimeout: 120, recovery: PusherRecoveryOffer(messages: 100, seconds: 60)))
                == #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\",\"activity_timeout\":120,"#
                + #"\"recovery\":{\"messages\":100,\"seconds\":60}}"}"#)
        let position = PusherPosition(epoch: "e", number: 7)
        #expect(
            text(PusherFrames.subscriptionSucceeded(channel: "a", recovery: PusherRecoveryOutcome(position: position)))
                == #"{"event":"pusher_internal:subscription_succeeded","channel":"a","data":"{}","position":"e:7"}"#)
        #expect(
            text(
                PusherFrames.subscriptionSucceeded(
                    channel: "a", recovery: PusherRecoveryOutcome(position: position, recovered: false)))
                == #"{"event":"pusher_internal:subscription_succeeded","channel":"a","data":"{}","position":"e:7","recovered":false}"#
        )
    }

    @Test("What a client asks for is read as it was written, and what is no position is not there")
    func request() throws {
        let request = PusherRecoverRequest(position: PusherPosition(epoch: "e", number: 7), socketID: "1.2")
        let text = PusherClientFrames.subscribe(channel: "a", recover: request)
        #expect(
            text
                == #"{"event":"pusher:subscribe","data":{"channel":"a","recover":{"position":"e:7","socket_id":"1.2"}}}"#)
        #expect(PusherSubscribeData(parsing: try PusherEnvelope(parsing: text).data)?.recover == request)
        for wrong in ["{}", "7", #""e:7""#, #"{"position":7}"#, #"{"position":"7"}"#, "null"] {
            let data = PusherSubscribeData(parsing: #"{"channel":"a","recover":\#(wrong)}"#)
            #expect(data?.channel == "a" && data?.recover == nil)
        }
    }

    @Test("A position that is a string is read; any other value stays an unknown key")
    func envelope() throws {
        let event = try PusherEnvelope(parsing: #"{"event":"e","channel":"a","data":"1","position":"e:7"}"#)
        #expect(event.position == "e:7" && event.extras == nil)
        let other = try PusherEnvelope(parsing: #"{"event":"e","position":7}"#)
        #expect(other.position == nil && other.extras == #"{"position":7}"#)
        #expect(try PusherEnvelope(parsing: #"{"event":"e","posi\u0074ion":"x"}"#).position == "x")
    }
}
