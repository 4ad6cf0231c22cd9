import ChatDatabase
import ChatProtocol
import Foundation
import NIOConcurrencyHelpers

/// A directory that goes with the test.
final class Scratch: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(_ user: String = "me", now: @escaping @Sendable () -> Int64 = { 5_000 }) throws -> ChatDatabase {
        try ChatDatabase.open(directory: path, appKey: "app", user: user, now: now).database
    }

    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// A time of day that tests set, in milliseconds.
final class TestTime: Sendable {
    private let time: NIOLockedValueBox<Int64>

    init(_ time: Int64) { self.time = NIOLockedValueBox(time) }

    var now: Int64 { time.withLockedValue { $0 } }
    func set(_ value: Int64) { time.withLockedValue { $0 = value } }
}

/// The same numbers in every run.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

let ann = ChatChannel(.direct, "ann")
let team = ChatChannel(.group, "team")

func id(_ time: Int64, _ part: Int64 = 0) -> ChatMessageID { ChatMessageID(rawValue: UInt64(time * 10_000 + part)) }

func textContent(_ text: String, extra: String = "") -> [UInt8] { Array(#"{"content":"\#(text)"\#(extra)}"#.utf8) }

/// A text of a time in milliseconds, in a channel as `me` sees it.
func text(
    _ time: Int64, part: Int64 = 0, in channel: ChatChannel = ann, from sender: String? = nil, _ text: String = "hello",
    type: String = "RC:TxtMsg", clientID: String? = nil, extra: String = "",
    with change: (inout ChatMessage) -> Void = { _ in }
) -> ChatMessage {
    let from = sender ?? (channel.conversation == .group ? "bob" : channel.id)
    let to = channel.conversation == .direct || channel.conversation == .system ? (from == "me" ? channel.id : "me") : channel.id
    var message = ChatMessage(
        id: id(time, part), conversation: channel.conversation, from: from, to: to, type: type,
        content: textContent(text, extra: extra), clientID: clientID)
    change(&message)
    return message
}

func outgoing(_ clientID: String, _ text: String = "hi", in channel: ChatChannel = ann, time: Int64 = 0) -> LocalMessage {
    LocalMessage(
        channel: channel, clientID: clientID, sender: "me", isSent: true, status: .sending, sentTime: time, type: "RC:TxtMsg",
        content: textContent(text))
}

extension ChatDatabase {
    /// Receives events under the numbers that follow.
    @discardableResult
    func receive(_ events: ChatWireEvent...) throws -> [ReceivedChange] { try receive(events) }

    @discardableResult
    func receive(_ events: [ChatWireEvent]) throws -> [ReceivedChange] {
        let start = place?.sequence ?? 0
        let items = events.enumerated().map { ChatInboxItem(sequence: start + UInt64($0.offset) + 1, event: $0.element) }
        return try receive(items, place: ChatPlace(epoch: "e", sequence: start + UInt64(events.count)))
    }

    /// Times of the messages of a channel, newest first.
    func times(_ channel: ChatChannel = ann, limit: Int = 1000) throws -> [Int64] {
        try history(channel, limit: limit).messages.map(\.sentTime)
    }

    func unread(_ channel: ChatChannel = ann) throws -> [Int] {
        guard let found = try self.channel(channel) else { return [] }
        return [found.unread, found.mentions]
    }
}
