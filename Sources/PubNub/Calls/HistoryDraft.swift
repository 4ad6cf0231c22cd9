import ConnectionEngine
import Foundation
import PubNubProtocol
import WireCoding

/// The arguments of every request for stored messages.
struct HistoryDraft {
    var channel: String?
    /// The channels of a request to the newer history service (version 3). When nil, the older service (version 2) may be used.
    var channels: [String]?
    var start: NSNumber?
    var end: NSNumber?
    /// The maximum number of messages of a channel; 0 for the service's default.
    var limit: UInt = 0
    var includesTimetoken = false
    var includesMetadata = false
    var includesActions = false
    /// Whether messages include their type. Any value except nil selects the newer service, because the older service does not report
    /// types.
    var includesKind: Bool?
    var includesPublisher: Bool?
    var isReversed = false
    var query: [AnyHashable: Any]?

    private var range: (from: Timetoken?, to: Timetoken?) { Timetoken.ordered(start, end) }
    /// The number of messages to request from each channel; nil for the service's default. For several channels the number is 1 unless the
    /// caller gave a limit (rule PL-90).
    private var count: Int? {
        if limit > 0 { return Int(clamping: limit) }
        return channels.map { $0.count > 1 } ?? false ? 1 : nil
    }

    /// The operation of the history service that receives this request (rule PL-68).
    var operation: PNOperationType {
        if includesActions { return .historyWithActionsOperation }
        let isNewer = channels != nil || includesKind != nil || includesPublisher != nil
        return isNewer ? .historyForChannelsOperation : .historyOperation
    }

    /// Makes the request to the older history service (version 2).
    func page() throws(PubNubProblem) -> PubNubHistoryCall {
        PubNubHistoryCall(
            channel: channel ?? "", start: range.from, end: range.to, limit: count, isReversed: isReversed,
            includesTimetoken: includesTimetoken, includesMetadata: includesMetadata)
    }

    /// Makes the request to the newer history service (version 3).
    func fetch() throws(PubNubProblem) -> PubNubFetchCall {
        guard !isReversed else {
            throw .badArguments(
                "Only the history of one channel without options can begin with the oldest message. Leave reverse out, or leave out message"
                    + " actions, user ids, message types and further channels.")
        }
        return PubNubFetchCall(
            channels: channels ?? [channel ?? ""], start: range.from, end: range.to, limit: count,
            includesMetadata: includesMetadata,
            includesPublisher: includesPublisher ?? true, includesKind: includesKind ?? true, includesActions: includesActions)
    }
}

extension Timetoken {
    /// Returns the bounds of a time range in chronological order: when `start` is later than `end`, the two are exchanged (rule PL-91).
    static func ordered(_ start: NSNumber?, _ end: NSNumber?) -> (from: Timetoken?, to: Timetoken?) {
        let (start, end) = (Timetoken(start), Timetoken(end))
        if let start, let end, end < start { return (end, start) }
        return (start, end)
    }
}

/// The stored messages in an answer of either history service, before decryption.
struct HistoryContent: Sendable {
    struct Channel: Sendable {
        var name: String
        var messages: [PubNubStoredMessage]
    }

    /// Whether the request includes metadata of the messages, such as timetokens or actions.
    var isDetailed: Bool
    /// Whether a single channel was requested. If so, the channel's messages are also the result's `messages`.
    var isSingle: Bool
    /// Whether the result's `channels` groups the messages by channel.
    var isByChannel: Bool
    var channels: [Channel]
    var first: Timetoken
    var last: Timetoken

    init(_ page: PubNubHistoryPage, of call: PubNubHistoryCall) {
        isDetailed = call.includesTimetoken || call.includesMetadata
        isSingle = true
        isByChannel = false
        channels = [Channel(name: call.channel, messages: page.messages)]
        first = page.first
        last = page.last
    }

    init(_ fetched: PubNubFetched, of call: PubNubFetchCall) {
        isDetailed = true
        isSingle = call.channels.count == 1
        isByChannel = true
        channels = fetched.channels.map { Channel(name: $0.name, messages: $0.messages) }
        let times = channels.flatMap { $0.messages.compactMap(\.timetoken) }
        first = times.min() ?? .zero
        last = times.max() ?? .zero
    }

    /// Decrypts all messages that the cipher can decrypt. All other messages stay unchanged.
    ///
    /// - Returns: whether some messages could not be decrypted.
    mutating func open(with cipher: PubNubCipher) -> Bool {
        var failed = false
        for channel in channels.indices {
            for index in channels[channel].messages.indices {
                let payload = channels[channel].messages[index].payload
                if let plain = try? cipher.decrypt(message: payload.text) {
                    channels[channel].messages[index].payload = JSONText(checked: plain)
                } else {
                    failed = true
                }
            }
        }
        return failed
    }
}

extension PubNubProblem {
    /// The problem of a history request whose answer contains messages that the cipher key cannot decrypt.
    static let undecryptable = PubNubProblem(
        ConnectionFailure(.decryptionFailed, "A stored message could not be decrypted. Check the cipher key."),
        information: "A stored message could not be decrypted. Check the cipher key.")
}
