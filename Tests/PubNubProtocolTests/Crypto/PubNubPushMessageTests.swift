import PubNubProtocol
import Testing
import WireCoding

@Suite("Messages with push payloads (rule PC-10)")
struct PubNubPushMessageTests {
    static let cipher = PubNubCipher(key: "enigma")
    static let payload = #"{"pn_apns":{"aps":{"alert":"hi"}}}"#

    @Test("A message that is no object goes into pn_other; an object takes the payloads in")
    func merging() throws {
        #expect(
            try PubNubPushMessage.text(message: #""hi""#, payload: Self.payload)
                == #"{"pn_other":"hi","pn_apns":{"aps":{"alert":"hi"}}}"#)
        #expect(try PubNubPushMessage.text(message: "[1]", payload: "{}") == #"{"pn_other":[1]}"#)
        #expect(
            try PubNubPushMessage.text(message: #"{"a":1,"pn_apns":0}"#, payload: Self.payload)
                == #"{"a":1,"pn_apns":{"aps":{"alert":"hi"}}}"#)
        #expect(throws: JSONSyntaxError.self) { try PubNubPushMessage.text(message: "{", payload: "{}") }
    }

    @Test("Only pn_other is encrypted, and comes back where it was")
    func onlyOther() throws {
        for (plain, expected) in [
            (#""hello""#, #"{"pn_other":"hello","pn_apns":{"aps":{"alert":"hi"}}}"#),
            ("[1,2]", #"{"pn_other":[1,2],"pn_apns":{"aps":{"alert":"hi"}}}"#),
            (#"{"a":1}"#, #"{"pn_apns":{"aps":{"alert":"hi"}},"a":1}"#),
        ] {
            let sent = try PubNubPushMessage.text(message: Self.cipher.encrypt(message: plain), payload: Self.payload)
            #expect(sent.contains(#""pn_apns":{"aps":{"alert":"hi"}}"#))
            #expect(!sent.contains(plain))
            #expect(try Self.cipher.decrypt(message: sent) == expected)
        }
    }

    @Test("A pn_other that is a JSON string once more, as the Cocoa SDK writes it, is opened (PL-92)")
    func quoted() throws {
        for (plain, opened) in [(#""hello""#, #"{"pn_other":"hello","pn_apns":{}}"#), (#"{"a":1}"#, #"{"pn_apns":{},"a":1}"#)] {
            let sealed = try Self.cipher.encrypt(message: plain)
            let message = #"{"pn_other":\#(JSONValue.string(sealed).text),"pn_apns":{}}"#
            #expect(try Self.cipher.decrypt(message: message) == opened)
        }
    }

    @Test("A pn_other that was not encrypted is an error as any other")
    func refusals() throws {
        #expect(throws: PubNubCipherError.notBase64) { try Self.cipher.decrypt(message: #"{"pn_other":"hi there"}"#) }
        #expect(throws: PubNubCipherError.empty) { try Self.cipher.decrypt(message: #"{"pn_other":""}"#) }
        let other = try PubNubCipher(key: "x").encrypt(message: "1")
        #expect(throws: PubNubCipherError.decryptionFailed) { try Self.cipher.decrypt(message: #"{"pn_other":\#(other)}"#) }
    }
}
