import ConnectionEngine
import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing

@testable import PubNub

/// Async functions (rules PL-75 to PL-77).
struct AsyncCallTests {
    private struct Price: Codable, Equatable {
        var company: String
        var price: Int
    }

    static let sent = #"[1,"Sent","15782703013118714"]"#

    @Test func `a value is published as JSON, and its place returned`() async throws {
        let fixture = Fixture.answering(Self.sent)
        var options = PNPublishOptions()
        options.isStored = true
        options.hoursToLive = 2
        options.metadata = ["level": 3]
        options.customMessageType = "price"
        let timetoken = try await fixture.client.publish("a/b", to: "c", options: options)
        #expect(timetoken == 15_782_703_013_118_714)
        #expect(
            fixture.line()
                == "GET /publish/pub/sub/0/c/0/%22a%2Fb%22?store=1&ttl=2&meta=%7B%22level%22%3A3%7D&custom_message_type=price")
        try await fixture.client.publish(json: #"{"raw": 1}"#, to: "c")
        #expect(fixture.lastLine == "GET /publish/pub/sub/0/c/0/%7B%22raw%22%3A%201%7D")
        try await fixture.client.fire([1], to: "c")
        #expect(fixture.lastLine == "GET /publish/pub/sub/0/c/0/%5B1%5D?store=0&norep=true")
        try await fixture.client.signal("s", to: "c")
        #expect(fixture.lastLine == "GET /signal/pub/sub/0/c/0/%22s%22")
    }

    @Test func `errors are typed, with the service's words`() async {
        let fixture = Fixture(
            calls: ScriptedCalls(.status(403, #"{"message":"Forbidden","payload":{"channels":["c"]},"status":403}"#)))
        do throws(PNCallError) {
            try await fixture.client.publish(1, to: "c")
            Issue.record("It was accepted.")
        } catch {
            #expect(error.category == .PNAccessDeniedCategory && error.statusCode == 403)
            #expect(error.channels == ["c"] && error.information == "Forbidden" && !error.isTransient)
        }
    }

    @Test func `arguments are refused before anything is sent`() async {
        let fixture = Fixture.answering(Self.sent)
        await #expect(throws: PNCallError.self) { try await fixture.client.publish(1, to: "") }
        await #expect(throws: PNCallError.self) { try await fixture.client.publish(json: "no json", to: "c") }
        await #expect(throws: PNCallError.self) { try await fixture.client.publish(Double.infinity, to: "c") }
        await #expect(throws: PNCallError.self) { try await fixture.client.history(of: "c", limit: 0) }
        #expect(fixture.calls.sent.isEmpty)
    }

    @Test func `nothing of it waits for the callback queue`() async throws {
        let calls = ScriptedCalls(.status(200, "[17]"))
        let engine = ScriptedEngine()
        let stuck = DispatchQueue(label: "stuck")
        stuck.suspend()
        defer { stuck.resume() }
        let values = ConfigurationValues(publishKey: "pub", subscribeKey: "sub", uuid: "me", deviceID: "device")
        let client = PubNub(
            values, queue: .queue(stuck),
            assembly: PubNubEngineAssembly(makeCalls: { _ in calls }, makeEngine: { _, _ in engine }))
        #expect(try await client.serviceTime() == 17)
    }

    @Test(.timeLimit(.minutes(1))) func `cancelling the task ends the request`() async {
        let calls = ScriptedCalls(.never)
        let fixture = Fixture(calls: calls)
        let client = fixture.client
        let task = Task { () async -> PNStatusCategory? in
            do throws(PNCallError) {
                _ = try await client.serviceTime()
                return nil
            } catch {
                return error.category
            }
        }
        task.cancel()
        #expect(await task.value == .PNCancelledCategory)
        #expect(calls.cancelled == calls.sent.count)
    }

    @Test func `history is pages of values, decrypted one by one`() async throws {
        let cipher = PubNubCipher(key: "enigma")
        let price = try cipher.encrypt(message: #"{"company":"ACME","price":3}"#)
        let body = #"""
            {"status":200,"channels":{"c":[
            {"message":\#(price),"timetoken":"10","uuid":"u","meta":{"k":1},"custom_message_type":"price",
             "actions":{"reaction":{"smile":[{"uuid":"v","actionTimetoken":"12"}]}}},
            {"message":"plain","timetoken":"11","meta":""}]}}
            """#
        let fixture = Fixture.answering(body) { $0.cipherKey = "enigma" }
        let page = try await fixture.client.history(of: "c", before: 20, limit: 2)
        #expect(
            fixture.line()
                == "GET /v3/history/sub-key/sub/channel/c?max=2&start=20&include_meta=true&include_uuid=true"
                + "&include_message_type=true&include_custom_message_type=true")
        #expect(page.next == 10)
        let first = page.messages[0]
        #expect(try first.decode(Price.self) == Price(company: "ACME", price: 3))
        #expect(first.timetoken == 10 && first.publisher == "u" && first.metadata == #"{"k":1}"#)
        #expect(first.customMessageType == "price" && !first.isUndecryptable)
        #expect(first.actions.map(\.value) == ["smile"] && first.actions.first?.messageTimetoken == 10)
        #expect(page.messages[1].isUndecryptable && page.messages[1].json == "\"plain\"")
        #expect(try await fixture.client.history(of: "c").next == nil)
    }

    @Test func `histories of several channels, counts and deletion`() async throws {
        let fixture = Fixture.answering(
            #"{"channels":{"a":[{"message":1,"timetoken":"10"}]}}"#, #"{"channels":{"a":3}}"#,
            #"{"status":200,"error":false}"#)
        let histories = try await fixture.client.history(of: ["a", "b"])
        #expect(histories["a"]?.map(\.json) == ["1"] && histories["b"] == nil)
        #expect(try await fixture.client.messageCounts(of: ["a"], since: 5) == ["a": 3])
        try await fixture.client.deleteHistory(of: "a", after: 1, upTo: 2)
        #expect(fixture.lastLine == "DELETE /v3/history/sub-key/sub/channel/a?start=1&end=2")
    }

    @Test func `presence and state`() async throws {
        let fixture = Fixture.answering(
            PresenceTests.one, #"{"payload":{"channels":["x"]}}"#, #"{"payload":{"k":1}}"#, #"{"payload":{"k":1},"channel":"c"}"#)
        let here = try await fixture.client.hereNow(on: ["c"])
        #expect(here["c"]?.users == ["a", "b"] && here["c"]?.states == ["b": #"{"k":1}"#] && here["c"]?.occupancy == 2)
        #expect(try await fixture.client.whereNow() == ["x"])
        try await fixture.client.setState(["k": 1], on: ["c"])
        #expect(fixture.engine.log == [#"state c={"k":1}"#])
        #expect(try await fixture.client.state(on: "c") == #"{"k":1}"#)
        await #expect(throws: PNCallError.self) { try await fixture.client.setState([1], on: ["c"]) }
    }

    @Test func `groups, actions and devices`() async throws {
        let ok =
            #"{"status":200,"error":false,"payload":{"groups":["g"],"channels":["a"]},"data":[\#(PushAndActionTests.action)]}"#
        let fixture = Fixture.answering(ok)
        let client = fixture.client
        #expect(try await client.allChannelGroups() == ["g"])
        #expect(try await client.channels(inGroup: "g") == ["a"])
        try await client.add(["a"], toGroup: "g")
        try await client.remove(["a"], fromGroup: "g")
        try await client.removeGroup("g")
        #expect(fixture.lastLine == "GET /v1/channel-registration/sub-key/sub/channel-group/g/remove")
        let action = try #require(try await client.actions(on: "c").first)
        #expect(action.type == "t" && action.messageTimetoken == 7)
        try await client.removeAction(action, on: "c")
        #expect(fixture.lastLine == "DELETE /v1/message-actions/sub/channel/c/message/7/action/15610547826970052")
        let device = PNPushDevice.apns2(PushAndActionTests.token, topic: "app", environment: .production)
        try await client.addPush(device, on: ["a"])
        #expect(
            fixture.lastLine
                == "GET /v2/push/sub-key/sub/devices-apns2/00abff?environment=production&topic=app&add=a")
        try await client.removePush(.fcm("t"))
        #expect(fixture.lastLine == "GET /v1/push/sub-key/sub/devices/t/remove?type=fcm")
    }
}
