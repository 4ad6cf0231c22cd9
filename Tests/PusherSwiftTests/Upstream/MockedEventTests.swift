import Dispatch
import Foundation
import Testing

@testable import PusherSwift

/// What upstream's tests of events, channels and presence expect, with a mock socket as they have it.
struct MockedEventTests {
    private let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret"), autoReconnect: false))
    private let socket = MockSocket()
    private let notebook = Notebook()

    init() {
        fixture.connection.socket = socket
    }

    private func tell(_ text: String) {
        fixture.connection.webSocketDidReceiveMessage(connection: socket, string: text)
        fixture.settle()
    }

    // Proof of U3.
    @Test func `an event reaches global and channel callbacks with all its fields, connected or not`() {
        let channel = fixture.pusher.subscribe("my-channel")
        for isConnected in [false, true] {
            if isConnected { fixture.pusher.connect() }
            let note = { [notebook] (event: PusherEvent) in
                guard event.eventName == "test-event" else { return }
                let keys = ["event", "channel", "data", "random-key"].map { event.property(withKey: $0) as? String ?? "-" }
                notebook.note(
                    "\(event.channelName ?? "-") \(event.userId ?? "-") \(event.data ?? "-") \(keys.joined(separator: " "))")
            }
            let id = channel.bind(eventName: "test-event", eventCallback: note)
            let globalID = fixture.pusher.bind(eventCallback: note)
            tell(#"{"event":"test-event","channel":"my-channel","data":"{\"test\":\"string\"}"}"#)
            tell(#"{"event":"test-event","data":"stringy"}"#)
            channel.unbind(eventName: "test-event", callbackId: id)
            fixture.pusher.unbind(callbackId: globalID)
            tell(#"{"event":"test-event","channel":"my-channel","data":"unbound"}"#)
        }
        let first = #"my-channel - {"test":"string"} test-event my-channel {"test":"string"} -"#
        #expect(
            notebook.lines == [
                first, first, "- - stringy test-event - stringy -", first, first, "- - stringy test-event - stringy -",
            ])
    }

    // Proof of U3.
    @Test(arguments: [(true, "[\"test\": \"string\"]"), (false, #"{"test":"string"}"#)])
    func `callbacks of the old kind get what attemptToReturnJSONObject says`(parses: Bool, expected: String) {
        let fixture = Fixture(options: PusherClientOptions(attemptToReturnJSONObject: parses))
        let channel = fixture.pusher.subscribe("my-channel")
        channel.bind(
            eventName: "e",
            callback: { [notebook] (data: Any?) in
                notebook.note(data.map { "\($0)" } ?? "-")
            })
        fixture.connection.webSocketDidReceiveMessage(
            connection: socket, string: #"{"event":"e","channel":"my-channel","data":"{\"test\":\"string\"}"}"#)
        fixture.settle()
        #expect(notebook.lines == [expected])
    }

    // Proof of U4.
    @Test func `unsubscribing from all works off the main thread, and is visible at once`() async {
        fixture.pusher.connect()
        for name in ["test-channel", "test-channel2"] { fixture.pusher.subscribe(name) }
        let pusher = fixture.pusher
        let left = await withCheckedContinuation { continuation in
            DispatchQueue(label: "elsewhere").async {
                pusher.unsubscribeAll()
                continuation.resume(returning: pusher.connection.channels.channels.count)
            }
        }
        #expect(left == 0 && socket.sent.count { $0.contains("pusher:unsubscribe") } == 2)
    }

    // Proof of U4.
    @Test func `unsubscribing within the confirmation's callback removes the channel and tells the server`() {
        let channel = fixture.pusher.subscribe("test-channel")
        channel.bind(eventName: "pusher:subscription_succeeded") { [fixture, notebook] _ in
            fixture.pusher.unsubscribe("test-channel")
            notebook.note("\(fixture.connection.channels.channels["test-channel"] == nil)")
        }
        fixture.pusher.connect()
        fixture.settle()
        #expect(notebook.lines == ["true"] && socket.sent.last?.contains("pusher:unsubscribe") == true)
    }

    // Proof of U9.
    @Test(arguments: [("\"100\"", "100"), ("100", "100")])
    func `members come and go, with text and with numbers as ids`(sent: String, id: String) {
        let room = fixture.pusher.subscribe(
            "presence-channel", onMemberAdded: { [notebook] in notebook.note("+\($0.userId)") },
            onMemberRemoved: { [notebook] in notebook.note("-\($0.userId)") })
        fixture.connection.userDataFetcher = { PusherPresenceChannelMember(userId: "123", userInfo: ["friends": 0]) }
        socket.answer { frame in
            guard frame.contains("pusher:subscribe") else { return [] }
            let data = #"{\"presence\":{\"count\":1,\"ids\":[\"123\"],\"hash\":{\"123\":{\"friends\":0}}}}"#
            return [
                #"{"event":"pusher_internal:subscription_succeeded","channel":"presence-channel","data":"\#(data)"}"#
            ]
        }
        fixture.pusher.connect()
        fixture.settle()
        let channel = fixture.connection.channels.findPresence(name: "presence-channel")
        #expect(channel === room && channel?.me()?.userInfo as? [String: Int] == ["friends": 0])
        let data = "{\"user_id\":\(sent),\"user_info\":{\"twitter\":\"hamchapman\"}}"
        tell("{\"event\":\"pusher_internal:member_added\",\"channel\":\"presence-channel\",\"data\":\(AnyJSON.quote(data))}")
        #expect(channel?.findMember(userId: id)?.userInfo as? [String: String] == ["twitter": "hamchapman"])
        tell("{\"event\":\"pusher_internal:member_removed\",\"channel\":\"presence-channel\",\"data\":\(AnyJSON.quote(data))}")
        #expect(notebook.lines == ["+100", "-100"] && channel?.members.map(\.userId) == ["123"])
    }
}
