import ConnectionEngine
import Foundation
import PubNubProtocol
import WireCoding

/// The parameters of all requests for history.
struct HistoryDraft {
    var channel: String?
    /// The channels of a request to the newer history service. When nil, the older service is used.
    var channels: [String]?
    var start: NSNumber?
    var end: NSNumber?
    /// The maximum number of messages; 0 for the service's default.
    var limit: UInt = 0
    var includesTimetoken = false
    var includesMetadata = false
    var includesActions = false
    /// Whether messages include their kind. When nil, the older service may be used, which does not report it.
    var includesKind: Bool?
    var includesPublisher: Bool?
    var isReversed = false
    var query: [AnyHashable: Any]?

    private var range: (from: Timetoken?, to: Timetoken?) { Timetoken.ordered(start, end) }
    /// The number of messages to request. With several channels only the newest message of each is requested, unless the caller named a
    /// number (rule PL-90).
    private var count: Int? {
        if limit > 0 { return Int(clamping: limit) }
        return channels.map { $0.count > 1 } ?? false ? 1 : nil
    }

    /// The history service that this request goes to (rule PL-68).
    var operation: PNOperationType {
        if includesActions { return .historyWithActionsOperation }
        let isNewer = channels != nil || includesKind != nil || includesPublisher != nil
        return isNewer ? .historyForChannelsOperation : .historyOperation
    }

    /// The request to the older service.
    func page() throws(PubNubProblem) -> PubNubHistoryCall {
        PubNubHistoryCall(
            channel: channel ?? "", start: range.from, end: range.to, limit: count, isReversed: isReversed,
            includesTimetoken: includesTimetoken, includesMetadata: includesMetadata)
    }

    /// The request to the newer service.
    func fetch() throws(PubNubProblem) -> PubNubFetchCall {
        guard !isReversed else {
            throw .badArguments(
                "Only the plain history of one channel can begin with the oldest message. Leave reverse out, or ask without message"
                    + " actions, user ids, message types and further channels.")
        }
        return PubNubFetchCall(
            channels: channels ?? [channel ?? ""], start: range.from, end: range.to, limit: count,
            includesMetadata: includesMetadata,
            includesPublisher: includesPublisher ?? true, includesKind: includesKind ?? true, includesActions: includesActions)
    }
}

extension Timetoken {
    /// The two ends of a range in chronological order, whichever was given first (rule PL-91).
    static func ordered(_ start: NSNumber?, _ end: NSNumber?) -> (from: Timetoken?, to: Timetoken?) {
        let (start, end) = (Timetoken(start), Timetoken(end))
        if let start, let end, end < start { return (end, start) }
        return (start, end)
    }
}

/// Stored messages from either history service, before they are decrypted.
struct HistoryContent: Sendable {
    struct Channel: Sendable {
        var name: String
        var messages: [PubNubStoredMessage]
    }

    /// Whether the request includes more than the messages, such as their actions.
    var isDetailed: Bool
    /// The messages of a single channel are also the result's `messages`.
    var isSingle: Bool
    /// Whether results are grouped by channel.
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

    /// Decrypts all messages that can be decrypted; the others stay unchanged.
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
    /// The problem of stored messages that the cipher key cannot decrypt.
    static let undecryptable = PubNubProblem(
        ConnectionFailure(.decryptionFailed, "A message of the history could not be decrypted. Check the cipher key."),
        information: "A message of the history could not be decrypted. Check the cipher key.")
}
