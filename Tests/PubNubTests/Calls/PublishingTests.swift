import BodyCompression
import ConnectionEngine
import Foundation
import PubNubProtocol
import Testing
import WireCoding

@testable import PubNub

/// Publishing by the Cocoa SDK's methods (rules PL-60 to PL-67).
struct PublishingTests {
    static let sent = #"[1,"Sent","15782703013118714"]"#
    static let prefix = "GET /publish/pub/sub/0/c/0/"

    @Test func `a message is published and its timetoken told`() throws {
        let fixture = Fixture.answering(Self.sent)
        let heard = Heard<PNPublishStatus>()
        fixture.client.publish(["a": 1], toChannel: "c") { heard.add($0) }
        let status = try #require(heard.last)
        #expect(status.category == .PNAcknowledgmentCategory && !status.isError && status.operation == .publishOperation)
        #expect(status.data.timetoken == 15_782_703_013_118_714)
        #expect(status.data.information == "Sent")
        #expect(fixture.line() == Self.prefix + "%7B%22a%22%3A1%7D")
        #expect(fixture.calls.sent[0].target.contains("?seqn=1&"))
    }

    @Test func `messages of all kinds go out as JSON`() {
        let fixture = Fixture.answering(Self.sent)
        let messages: [(Any, String)] = [
            ("a/b", "%22a%2Fb%22"), (5, "5"), (true, "true"), (1.5, "1.5"), (NSNull(), "null"),
            ([1, "x"] as [Any], "%5B1%2C%22x%22%5D"),
        ]
        for (message, text) in messages {
            fixture.client.publish(message, toChannel: "c")
            #expect(fixture.lastLine == Self.prefix + text)
        }
    }

    @Test func `each way to publish says what it was asked to say`() {
        let fixture = Fixture.answering(Self.sent)
        let client = fixture.client
        func expect(_ query: String, _ publish: () -> Void) {
            publish()
            #expect(fixture.lastLine == Self.prefix + "1" + query)
        }
        let meta = "meta=%7B%22k%22%3A%22v%22%7D"
        expect("?" + meta) { client.publish(1, toChannel: "c", withMetadata: ["k": "v"]) }
        expect("") { client.publish(1, toChannel: "c", compressed: false) }
        expect("?" + meta) { client.publish(1, toChannel: "c", compressed: false, withMetadata: ["k": "v"]) }
        expect("?store=0") { client.publish(1, toChannel: "c", storeInHistory: false) }
        expect("") { client.publish(1, toChannel: "c", storeInHistory: true) }
        expect("?store=0&" + meta) { client.publish(1, toChannel: "c", storeInHistory: false, withMetadata: ["k": "v"]) }
        expect("?store=0") { client.publish(1, toChannel: "c", storeInHistory: false, compressed: false) }
        expect("?store=0&" + meta) {
            client.publish(1, toChannel: "c", storeInHistory: false, compressed: false, withMetadata: ["k": "v"])
        }
        let request = PNPublishRequest(channel: "c")
        request.message = 1
        request.ttl = 5
        request.shouldReplicate = false
        request.customMessageType = "price"
        request.arbitraryQueryParameters = ["x": true]
        expect("?ttl=5&norep=true&custom_message_type=price&x=1") { client.publish(with: request) }
    }

    @Test func `a compressed message goes by POST, in a body that opens`() throws {
        let fixture = Fixture.answering(Self.sent)
        let message = String(repeating: "long ", count: 100)
        fixture.client.publish(message, toChannel: "c", compressed: true)
        let exchange = try #require(fixture.calls.sent.first)
        #expect(fixture.line() == "POST /publish/pub/sub/0/c/0")
        #expect(exchange.headers.contains { $0.name == "Content-Encoding" && $0.value == "gzip" })
        #expect(exchange.body.count < 100)
        let body = try BodyCompression.inflate(exchange.body, limit: 10_000)
        #expect(String(decoding: body, as: UTF8.self) == "\"\(message)\"")
    }

    @Test func `payloads for push notifications go beside the message`() throws {
        let fixture = Fixture.answering(Self.sent)
        func published(_ message: Any?, _ payloads: [String: Any]?) throws -> JSONValue {
            fixture.client.publish(message, toChannel: "c", mobilePushPayload: payloads)
            let path = try #require(fixture.lastLine.split(separator: "/").last?.removingPercentEncoding)
            return try JSONValue(parsing: path)
        }
        let apns: JSONValue = ["aps": ["alert": "Hi"]]
        let wrapped = try published("m", ["aps": ["alert": "Hi"], "gcm": ["d": 1]])
        #expect(wrapped["pn_other"] == "m" && wrapped["pn_apns"] == apns && wrapped["pn_gcm"] == ["d": 1])
        let merged = try published(["k": "v"], ["pn_apns": ["aps": ["alert": "Hi"]]])
        #expect(merged["k"] == "v" && merged["pn_apns"] == apns && merged["pn_other"] == nil)
        #expect(try published(nil, ["aps": ["alert": "Hi"]]) == ["pn_apns": apns])
        #expect(try published("m", nil) == "m")
    }

    @Test func `with a cipher key the message is encrypted, and nothing else`() throws {
        let fixture = Fixture.answering(Self.sent) { $0.cipherKey = "enigma" }
        let cipher = PubNubCipher(key: "enigma")
        fixture.client.publish(
            ["hello": "world"], toChannel: "c", mobilePushPayload: ["aps": ["alert": "Hi"]], withMetadata: ["k": "v"])
        let text = try #require(
            fixture.line().split(separator: "?")[0].split(separator: "/").last?.removingPercentEncoding)
        let object = try JSONText(text)
        #expect(object["pn_apns"]?["aps"]?["alert"]?.string == "Hi")
        #expect(object["hello"] == nil)
        let opened = try JSONText(try cipher.decrypt(message: text))
        #expect(opened["hello"]?.string == "world")
        #expect(fixture.line().hasSuffix("meta=%7B%22k%22%3A%22v%22%7D"))
        fixture.client.signal("s", channel: "c")
        #expect(fixture.lastLine == "GET /signal/pub/sub/0/c/0/%22s%22")
    }

    @Test func `a retry is the same message with the same number and block`() throws {
        let fixture = Fixture(calls: ScriptedCalls(.status(500, "{}"), .status(200, Self.sent)))
        let heard = Heard<PNPublishStatus>()
        fixture.client.publish("m", toChannel: "c") { heard.add($0) }
        let status = try #require(heard.last)
        #expect(status.isError && status.data.timetoken == 0)
        #expect(status.data.information == "No Error Information")
        status.retry()
        #expect(heard.all.map(\.isError) == [true, false])
        #expect(fixture.calls.sent.allSatisfy { $0.target.contains("seqn=1&") })
        fixture.client.publish("m", toChannel: "c")
        #expect(fixture.calls.sent[2].target.contains("seqn=2&"))
    }

    @Test func `what cannot be published ends as a bad request, and says what to do`() throws {
        let fixture = Fixture.answering(Self.sent)
        let heard = Heard<PNPublishStatus>()
        fixture.client.publish(Date(), toChannel: "c") { heard.add($0) }
        fixture.client.publish("m", toChannel: "") { heard.add($0) }
        fixture.client.publish(nil, toChannel: "c", mobilePushPayload: nil) { heard.add($0) }
        fixture.client.publish("m", toChannel: "c", withMetadata: ["d": Date()]) { heard.add($0) }
        #expect(heard.all.allSatisfy { $0.category == .PNBadRequestCategory && $0.statusCode == 400 && $0.isError })
        #expect(
            heard.all.map(\.errorData.information) == [
                "The message is not a JSON value. Use strings, numbers, booleans, null, and arrays and dictionaries of them.",
                "The channel is empty. Pass one with at least one character.",
                "There is nothing to publish. Pass a message or payloads for push notifications.",
                "The metadata is not a JSON value. Use strings, numbers, booleans, null, and arrays and dictionaries of them.",
            ])
        #expect(fixture.calls.sent.isEmpty)
        heard.last?.retry()
        #expect(heard.count == 5)
    }

    @Test func `the service's refusal is in the status`() throws {
        let fixture = Fixture(calls: ScriptedCalls(.status(400, #"[0,"Invalid Key","1578"]"#)))
        let heard = Heard<PNPublishStatus>()
        fixture.client.publish("m", toChannel: "c") { heard.add($0) }
        let status = try #require(heard.last)
        #expect(status.category == .PNBadRequestCategory)
        #expect(status.data.information == "Invalid Key")
        #expect(status.errorData.information == "Invalid Key")
    }

    @Test func `a signal and the time have their own results`() throws {
        let fixture = Fixture.answering(Self.sent, "[15808218107205592]")
        let signals = Heard<PNSignalStatus>()
        fixture.client.signal(["x": 1], channel: "c") { signals.add($0) }
        #expect(try #require(signals.last).data.timetoken == 15_782_703_013_118_714)
        #expect(signals.last?.operation == .signalOperation)
        let times = Outcomes<PNTimeResult>()
        fixture.client.timeWithCompletion { times.add(($0, $1)) }
        #expect(times.last?.result?.data.timetoken == 15_808_218_107_205_592)
        #expect(times.last?.status == nil)
    }

    @Test func `sizes count what would be sent, without sending it`() throws {
        let fixture = Fixture.answering(Self.sent)
        let client = fixture.client
        let sizes = Heard<Int>()
        let message = String(repeating: "x", count: 1000)
        client.sizeOfMessage("x", toChannel: "c") { sizes.add($0) }
        client.sizeOfMessage(message, toChannel: "c") { sizes.add($0) }
        client.sizeOfMessage(message, toChannel: "c", compressed: true) { sizes.add($0) }
        client.sizeOfMessage(message, toChannel: "c", storeInHistory: false) { sizes.add($0) }
        client.sizeOfMessage(message, toChannel: "c", withMetadata: ["k": "v"]) { sizes.add($0) }
        client.sizeOfMessage(message, toChannel: "") { sizes.add($0) }
        let all = sizes.all
        #expect(all[1] - all[0] == 999)
        #expect(all[2] < all[1] - 800)
        #expect(all[3] - all[1] == "&store=0".utf8.count)
        #expect(all[4] - all[1] == "&meta=%7B%22k%22%3A%22v%22%7D".utf8.count)
        #expect(all[5] == -1)
        #expect(fixture.calls.sent.isEmpty)
        client.publish("x", toChannel: "c")
        #expect(fixture.calls.sent[0].target.contains("seqn=1&"))
    }
}
