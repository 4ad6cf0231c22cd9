import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing

@testable import PubNub

/// From messages of an answer to results of listeners (rules PK-30 to PK-36).
struct DeliveryTests {
    private let fixture = Fixture()

    @Test func `each kind of message has its own method`() {
        fixture.engine.tell(
            .messages(
                PubNubBatch([
                    .text(#"{"x":1}"#), .text(#""s""#, kind: .signal),
                    .text(
                        #"{"event":"added","data":{"type":"reaction","value":":)","messageTimetoken":"7","actionTimetoken":"8"}}"#,
                        kind: .action),
                    .text(#"{"action":"join","uuid":"u","timestamp":5,"occupancy":2}"#, on: "a-pnpres"),
                    .text(#"{"source":"objects","event":"set","type":"channel","data":{"id":"a","name":"A"}}"#, kind: .object),
                    .text(#"{"message":"look","file":{"id":"i","name":"n.png"}}"#, kind: .file),
                ])))
        #expect(
            fixture.listener.lines == [
                #"message a {"x":1}"#, #"signal a "s""#, "action added reaction=:) on 7", "presence a join u 2",
                "object set channel", "file n.png",
            ])
    }

    @Test func `a message has all that it came with`() throws {
        var raw = PubNubMessage.text(#"{"list":[1,2.5,true,null,"x"]}"#)
        raw.subscription = "group"
        raw.metadata = #"{"access":"editor"}"#
        raw.customType = "note"
        fixture.engine.tell(.messages(PubNubBatch([raw])))
        let data = try #require(fixture.listener.messages.first).data
        #expect(data.channel == "a" && data.subscription == "group" && data.publisher == "them")
        #expect(data.actualChannel == "a" && data.subscribedChannel == "group")
        #expect(data.timetoken == 17)
        #expect(data.userMetadata as? [String: String] == ["access": "editor"])
        #expect(data.customMessageType == "note")
        let message = try #require(data.message as? [String: Any])
        let list = try #require(message["list"] as? [Any])
        #expect(list[0] as? Int == 1 && list[1] as? Double == 2.5 && list[2] as? Bool == true)
        #expect(list[3] is NSNull && list[4] as? String == "x")
    }

    @Test(arguments: [(#""text""#, "text" as String?), ("5", nil)])
    func `a message may be a bare value`(payload: String, text: String?) throws {
        fixture.engine.tell(.messages(PubNubBatch([.text(payload)])))
        let data = try #require(fixture.listener.messages.first).data
        #expect(data.message as? String == text)
        if text == nil { #expect(data.message as? NSNumber == 5) }
    }

    @Test func `the same match and channel is no subscription of its own`() throws {
        var raw = PubNubMessage.text("1")
        raw.subscription = "a"
        fixture.engine.tell(.messages(PubNubBatch([raw])))
        #expect(try #require(fixture.listener.messages.first).data.subscription == nil)
    }

    @Test func `a presence event without an action is an interval`() {
        fixture.engine.tell(.messages(PubNubBatch([.text(#"{"timestamp":5,"occupancy":9,"join":["x"]}"#, on: "a-pnpres")])))
        #expect(fixture.listener.lines == ["presence a interval - 9"])
    }

    @Test func `with a cipher key messages are decrypted, signals are not`() throws {
        let cipher = PubNubCipher(key: "enigma")
        let fixture = Fixture { $0.cipherKey = "enigma" }
        let sealed = try cipher.encrypt(message: #"{"x":1}"#)
        fixture.engine.tell(.messages(PubNubBatch([.text(sealed), .text(#""plain""#, kind: .signal)])))
        #expect(fixture.listener.lines == [#"message a {"x":1}"#, #"signal a "plain""#])
    }

    @Test(arguments: [true, false])
    func `what cannot be decrypted is a status with the message as it came`(isPlain: Bool) throws {
        let fixture = Fixture { $0.cipherKey = "enigma" }
        let sealed = try PubNubCipher(key: "another").encrypt(message: #""secret""#)
        let payload = isPlain ? #""hello""# : sealed
        let good = try PubNubCipher(key: "enigma").encrypt(message: "2")
        fixture.engine.tell(.messages(PubNubBatch([.text(payload), .text(good)])))
        #expect(fixture.listener.lines == ["Decryption Error !", "message a 2"])
        let status = try #require(fixture.listener.statuses.first as? PNErrorStatus)
        #expect(status.operation == .subscribeOperation)
        let data = try #require(status.associatedObject as? PNMessageData)
        #expect(data.channel == "a")
        #expect(data.json == payload)
    }

    @Test func `a listener that goes inside its callback hears nothing more`() {
        let (client, listener) = (fixture.client, fixture.listener)
        listener.onLine { [weak listener] _ in
            if let listener { client.removeListener(listener) }
        }
        fixture.engine.tell(.messages(PubNubBatch([.text("1"), .text("2")])), .heartbeat(.lost(.timeout)))
        #expect(listener.lines == ["message a 1"])
    }

    @Test func `PK-33: a listener that another one removes hears nothing more, not even this message`() {
        let (client, second) = (fixture.client, RecordingListener())
        client.addListener(second)
        fixture.listener.onLine { [weak second] _ in
            if let second { client.removeListener(second) }
        }
        fixture.engine.tell(.messages(PubNubBatch([.text("1"), .text("2")])), .heartbeat(.lost(.timeout)))
        #expect(fixture.listener.lines.count == 3)
        #expect(second.lines.isEmpty)
    }

    @Test func `a listener that comes inside a callback hears what follows`() {
        let (client, late) = (fixture.client, RecordingListener())
        fixture.listener.onLine { _ in client.addListener(late) }
        fixture.engine.tell(.messages(PubNubBatch([.text("1"), .text("2")])))
        #expect(late.lines == ["message a 2"])
    }

    @Test func `listeners are many, called in their order, once each, and held weakly`() {
        var second: RecordingListener? = RecordingListener()
        weak let gone = second
        if let second {
            fixture.client.addListener(second)
            fixture.client.addListener(second)
        }
        fixture.engine.tell(.messages(PubNubBatch([.text("1")])))
        #expect(second?.lines == ["message a 1"])
        second = nil
        #expect(gone == nil)
        fixture.engine.tell(.messages(PubNubBatch([.text("2")])))
        #expect(fixture.listener.lines.count == 2)
    }

    @Test func `a listener may implement nothing`() {
        final class Nothing: PNEventsListener {}
        let nothing = Nothing()
        fixture.client.addListener(nothing)
        fixture.engine.tell(.messages(PubNubBatch([.text("1")])), .heartbeat(.lost(.timeout)))
        #expect(fixture.listener.lines.count == 2)
    }

    @Test func `listeners come and go from any thread`() async {
        let client = fixture.client
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let listener = RecordingListener()
                    for _ in 0..<200 {
                        client.addListener(listener)
                        client.removeListener(listener)
                    }
                }
            }
            for _ in 0..<200 { fixture.engine.tell(.messages(PubNubBatch([.text("1")]))) }
        }
        #expect(fixture.listener.lines.count == 200)
    }

    @Test func `all callbacks come on the chosen queue, in order`() async {
        let queue = DispatchQueue(label: "callbacks")
        let engine = ScriptedEngine()
        let client = PubNub(
            ConfigurationValues(publishKey: "p", subscribeKey: "s", uuid: "me", deviceID: "d"), queue: .queue(queue),
            assembly: PubNubEngineAssembly(makeCalls: { _ in ScriptedCalls() }, makeEngine: { _, _ in engine }))
        let listener = RecordingListener()
        client.addListener(listener)
        let isElsewhere = NIOLockedValueBox(false)
        listener.onLine { _ in
            dispatchPrecondition(condition: .onQueue(queue))
            isElsewhere.withLockedValue { $0 = true }
        }
        for number in 0..<100 { engine.tell(.messages(PubNubBatch([.text("\(number)")]))) }
        await withCheckedContinuation { done in queue.async { queue.async { queue.async { done.resume() } } } }
        #expect(isElsewhere.withLockedValue { $0 })
        #expect(listener.lines == (0..<100).map { "message a \($0)" })
    }

    @Test func `a completion does not overtake what listeners are told, also while they are being told`() async {
        let engine = ScriptedEngine()
        let client = PubNub(
            ConfigurationValues(publishKey: "p", subscribeKey: "s", uuid: "me", deviceID: "d"),
            queue: .queue(DispatchQueue(label: "callbacks")),
            assembly: PubNubEngineAssembly(makeCalls: { _ in ScriptedCalls() }, makeEngine: { _, _ in engine }))
        let listener = RecordingListener()
        client.addListener(listener)
        client.subscribeToChannels(["a"], withPresence: false)
        let linesAtCompletion = await withCheckedContinuation { done in
            // All of it happens while the first line is being told.
            listener.onLine { line in
                guard line == "message a 1" else { return }
                client.unsubscribeFromAll { _ in done.resume(returning: listener.lines) }
                engine.tell(.unsubscribed(PubNubList(channels: ["a"]), remaining: PubNubList()))
                engine.completeAll()
            }
            engine.tell(.messages(PubNubBatch([.text("1")])))
        }
        #expect(linesAtCompletion == ["message a 1", "Expected Disconnect (Unsubscribe)"])
    }
}
