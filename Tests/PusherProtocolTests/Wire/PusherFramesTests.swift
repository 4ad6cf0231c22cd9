import PusherProtocol
import Testing
import WireCoding

@Suite("Encoded messages (rules PW-7 to PW-10)")
struct PusherFramesTests {
    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("A server's messages have the documented shapes")
    func server() {
        #expect(
            Self.text(PusherFrames.connectionEstablished(socketID: "123.456", activityTimeout: 120))
                == #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"123.456\",\"activity_timeout\":120}"}"#)
        #expect(
            Self.text(PusherFrames.subscriptionSucceeded(channel: "a"))
                == #"{"event":"pusher_internal:subscription_succeeded","channel":"a","data":"{}"}"#)
        #expect(
            Self.text(
                PusherFrames.subscriptionSucceeded(
                    channel: "presence-a",
                    members: [PusherMember(userID: "1", infoJSON: #"{"n":1}"#), PusherMember(userID: "2")]))
                == #"{"event":"pusher_internal:subscription_succeeded","channel":"presence-a","data":"#
                + #""{\"presence\":{\"count\":2,\"ids\":[\"1\",\"2\"],\"hash\":{\"1\":{\"n\":1},\"2\":null}}}"}"#)
        #expect(
            Self.text(PusherFrames.memberAdded(channel: "presence-a", member: PusherMember(userID: "1", infoJSON: "{}")))
                == #"{"event":"pusher_internal:member_added","channel":"presence-a","data":"#
                + #""{\"user_id\":\"1\",\"user_info\":{}}"}"#)
        #expect(
            Self.text(PusherFrames.memberRemoved(channel: "presence-a", userID: "1"))
                == #"{"event":"pusher_internal:member_removed","channel":"presence-a","data":"{\"user_id\":\"1\"}"}"#)
        #expect(
            Self.text(PusherFrames.subscriptionCount(channel: "a", count: 3))
                == #"{"event":"pusher_internal:subscription_count","channel":"a","data":"{\"subscription_count\":3}"}"#)
        #expect(
            Self.text(PusherFrames.cacheMiss(channel: "cache-a"))
                == #"{"event":"pusher:cache_miss","channel":"cache-a","data":"{}"}"#)
        #expect(
            Self.text(PusherFrames.error(code: 4001, message: "No \"app\""))
                == #"{"event":"pusher:error","data":{"code":4001,"message":"No \"app\""}}"#)
        #expect(
            Self.text(PusherFrames.error(code: nil, message: "m", channel: "c"))
                == #"{"event":"pusher:error","data":{"code":null,"message":"m"},"channel":"c"}"#)
        #expect(Self.text(PusherFrames.ping) == #"{"event":"pusher:ping","data":"{}"}"#)
        #expect(Self.text(PusherFrames.pong) == #"{"event":"pusher:pong","data":"{}"}"#)
        #expect(
            Self.text(PusherFrames.signinSuccess(userData: #"{"id":"1"}"#))
                == #"{"event":"pusher:signin_success","data":"{\"user_data\":\"{\\\"id\\\":\\\"1\\\"}\"}"}"#)
        let changes = [
            PusherWatchlistChange(name: "online", userIDs: ["1", "a\""]), PusherWatchlistChange(name: "offline", userIDs: ["2"]),
        ]
        #expect(
            Self.text(PusherFrames.watchlistEvents(changes))
                == #"{"event":"pusher_internal:watchlist_events","data":"{\"events\":[{\"name\":\"online\",\"user_ids\":"#
                + #"[\"1\",\"a\\\"\"]},{\"name\":\"offline\",\"user_ids\":[\"2\"]}]}"}"#)
    }

    @Test("An event goes out with its data as a string, and comes back as it was")
    func event() throws {
        let data = "{\"path\":\"a/b\",\"text\":\"\u{0}\u{1F}\u{7F}\u{2028}é🍵\\\\\"}\n\t\r\u{8}\u{C}"
        let frame = PusherFrames.event(name: "e\"", channel: "c/d", data: data, userID: "ü")
        #expect(!Self.text(frame).contains("\\/"))
        #expect(Self.text(frame).contains(#"\u0000\u001f"#))
        let envelope = try PusherEnvelope(parsing: frame)
        #expect(envelope == PusherEnvelope(event: "e\"", channel: "c/d", data: data, userID: "ü"))
    }

    @Test("Every control character is escaped, and nothing else is")
    func escapes() throws {
        for value in UInt8(0)..<128 {
            let text = String(Unicode.Scalar(value))
            let json = JSONWriter.string(text)
            #expect((json.utf8.count == 3) == (value >= 0x20 && text != "\"" && text != "\\"))
            #expect(try JSONText(json).string == text)
        }
    }

    @Test("A client's messages have the documented shapes")
    func client() {
        #expect(
            PusherClientFrames.subscribe(channel: "x") == #"{"event":"pusher:subscribe","data":{"channel":"x"}}"#)
        #expect(
            PusherClientFrames.subscribe(channel: "presence-x", auth: "k:s", channelData: #"{"user_id":"1"}"#)
                == #"{"event":"pusher:subscribe","data":{"channel":"presence-x","auth":"k:s","#
                + #""channel_data":"{\"user_id\":\"1\"}"}}"#)
        #expect(
            PusherClientFrames.unsubscribe(channel: "x") == #"{"event":"pusher:unsubscribe","data":{"channel":"x"}}"#)
        #expect(PusherClientFrames.ping == #"{"event":"pusher:ping","data":{}}"#)
        #expect(PusherClientFrames.pong == #"{"event":"pusher:pong","data":{}}"#)
        #expect(
            PusherClientFrames.signin(auth: "k:s", userData: #"{"id":"1"}"#)
                == #"{"event":"pusher:signin","data":{"auth":"k:s","user_data":"{\"id\":\"1\"}"}}"#)
        #expect(
            PusherClientFrames.event(name: "client-a", channel: "private-x", json: #"{"a":[1]}"#)
                == #"{"event":"client-a","channel":"private-x","data":{"a":[1]}}"#)
        #expect(PusherClientFrames.event(name: "x", json: "1") == #"{"event":"x","data":1}"#)
    }

    @Test("A server reads what a client encodes, data as an object or as a string")
    func clientData() throws {
        let frame = PusherClientFrames.subscribe(channel: "presence-x", auth: "k:s", channelData: #"{"user_id":1}"#)
        let data = try PusherEnvelope(parsing: frame).data
        let read = try #require(PusherSubscribeData(parsing: data))
        #expect(read.channel == "presence-x")
        #expect(read.auth == "k:s")
        #expect(read.channelData == #"{"user_id":1}"#)
        #expect(PusherSubscribeData(parsing: #"{"auth":"a"}"#) == nil)
        #expect(PusherSubscribeData(parsing: "nonsense") == nil)
        #expect(PusherSubscribeData(parsing: nil) == nil)
        let signin = try PusherEnvelope(parsing: PusherClientFrames.signin(auth: "k:s", userData: "{}")).data
        #expect(PusherSigninData(parsing: signin)?.userData == "{}")
        #expect(PusherSigninData(parsing: #"{"auth":"k"}"#) == nil)
    }

    @Test("An error's data is read in every shape that servers send")
    func errorData() {
        func read(_ data: String?) -> [String] {
            let error = PusherErrorData(parsing: data)
            return [error.code.map(String.init) ?? "-", error.message]
        }
        #expect(read(#"{"code":4001,"message":"m"}"#) == ["4001", "m"])
        #expect(read(#"{"code":null,"message":"m"}"#) == ["-", "m"])
        #expect(read(#"{"message":"m"}"#) == ["-", "m"])
        #expect(read(#"{"code":"4009"}"#) == ["4009", ""])
        #expect(read("plain words") == ["-", "plain words"])
        #expect(read("[]") == ["-", "[]"])
        #expect(read(nil) == ["-", ""])
    }
}
