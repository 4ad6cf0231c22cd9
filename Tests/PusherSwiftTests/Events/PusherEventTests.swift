import Foundation
import PusherProtocol
import Testing

@testable import PusherSwift

struct PusherEventTests {
    private let event = PusherEvent(
        PusherEnvelope(
            event: "test-event", channel: "my-channel", data: #"{"test":"test string","and":"another"}"#, userID: "u1",
            extras:
                #"{"my_string":"test string","my_int":1234,"my_bool":true,"my_array":[1,2,3],"my_null":null,"my_dict":{"a":"b"}}"#
        ))

    // Proof of U5.
    @Test func `an event has the four fields of the message`() {
        #expect(event.eventName == "test-event")
        #expect(event.channelName == "my-channel")
        #expect(event.userId == "u1")
        #expect(event.data == #"{"test":"test string","and":"another"}"#)
    }

    // Proof of U3.
    @Test func `properties are those of the message as it arrived`() {
        #expect(event.property(withKey: "event") as? String == "test-event")
        #expect(event.property(withKey: "channel") as? String == "my-channel")
        #expect(event.property(withKey: "user_id") as? String == "u1")
        #expect(event.property(withKey: "data") as? String == event.data)
        #expect(event.property(withKey: "missing") == nil)
    }

    // Proof of U5.
    @Test func `properties keep their JSON types`() {
        #expect(event.property(withKey: "my_string") as? String == "test string")
        #expect(event.property(withKey: "my_int") as? Int == 1234)
        #expect(event.property(withKey: "my_bool") as? Bool == true)
        #expect(event.property(withKey: "my_array") as? [Int] == [1, 2, 3])
        #expect(event.property(withKey: "my_dict") as? [String: String] == ["a": "b"])
        #expect(event.property(withKey: "my_null") is NSNull)
    }

    @Test func `a renamed event keeps the name that it came with`() {
        let event = PusherEvent(
            PusherEnvelope(event: "pusher_internal:subscription_succeeded"), named: "pusher:subscription_succeeded")
        #expect(event.eventName == "pusher:subscription_succeeded")
        #expect(event.property(withKey: "event") as? String == "pusher_internal:subscription_succeeded")
    }

    @Test func `the data of an encrypted event stay encrypted as a property`() {
        let event = PusherEvent(PusherEnvelope(event: "e", channel: "c", data: "plain", ciphertext: #"{"nonce":"a"}"#))
        #expect(event.data == "plain")
        #expect(event.property(withKey: "data") as? String == #"{"nonce":"a"}"#)
    }

    @Test func `data that came as an object are text, and an object as a property`() {
        let event = PusherEvent(PusherEnvelope(event: "e", data: #"{"a":1}"#, dataKind: .object))
        #expect(event.data == #"{"a":1}"#)
        #expect(event.property(withKey: "data") as? [String: Int] == ["a": 1])
    }

    // Proof of U5.
    @Test(arguments: [("{\"a\":1}", true), ("[1,2]", true), ("\"text\"", true), ("not JSON", false)])
    func `data are parsed only when they are JSON`(data: String, isJSON: Bool) {
        let event = PusherEvent(PusherEnvelope(event: "e", data: data))
        #expect((event.dataToJSONObject() != nil) == isJSON)
        #expect(event.data == data)
    }

    @Test func `a copy is equal`() {
        let copy = event.copy() as? PusherEvent
        #expect(copy == event)
        #expect(copy?.data == event.data)
    }

    @Test func `an error has a code or none`() {
        #expect(PusherError(code: 4004, message: "quota").codeOC == 4004)
        #expect(PusherError(code: nil, message: "m").code == nil)
        #expect("\(PusherError(code: 4004, message: "quota"))" == "4004: quota")
    }

    @Test func `only JSON values can be sent`() {
        #expect(AnyJSON.encode(["a": 1]) == #"{"a":1}"#)
        #expect(AnyJSON.encode("a/b \"q\"") == #""a/b \"q\"""#)
        #expect(AnyJSON.encode(3) == "3")
        #expect(AnyJSON.encode(true) == "true")
        #expect(AnyJSON.encode(NSNull()) == "null")
        #expect(AnyJSON.encode(Date()) == nil)
        #expect(AnyJSON.encode(["a": Double.nan]) == nil)
        #expect(AnyJSON.encode(["a": Data()]) == nil)
    }
}
