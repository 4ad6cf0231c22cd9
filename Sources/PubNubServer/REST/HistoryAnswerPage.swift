import ServerStorage

/// A channel's messages in an answer. When they exceed the size limit, whole messages are left out (rule PV-132). A pure value.
struct HistoryAnswerPage: Sendable {
    let channel: String
    /// The messages, oldest first.
    private(set) var messages: [StoredMessage]
    /// Whether there may be more messages beyond this page.
    private(set) var isCut: Bool

    /// The size limit of an answer in bytes. Each channel's page has at least one message of any size, so an answer may exceed the limit by
    /// one message of each channel.
    static let maximumBytes = 1 << 20

    /// - Parameters:
    ///   - messages: the messages that the store has returned for `query`, oldest first.
    init(_ messages: [StoredMessage], _ query: HistoryQuery) {
        channel = query.channel.text
        self.messages = messages
        isCut = messages.count >= query.limit
        guard bytes > query.maximumBytes else { return }
        // The last message that the store has read exceeds the size limit and is left out. If there is only one message, it is kept
        // whatever its size, so that every message can be read.
        isCut = true
        guard messages.count > 1 else { return }
        if query.isOldestFirst { self.messages.removeLast() } else { self.messages.removeFirst() }
    }

    var bytes: Int { messages.reduce(0) { $0 + $1.size } }

    /// Keeps the newest messages that fit into this number of bytes, and at least one message.
    mutating func keepNewest(within maximumBytes: Int, size: (StoredMessage) -> Int) {
        var bytes = 0
        var count = 0
        for message in messages.reversed() {
            bytes += size(message)
            guard count == 0 || bytes <= maximumBytes else { break }
            count += 1
        }
        guard count < messages.count else { return }
        messages.removeFirst(messages.count - count)
        isCut = true
    }

    /// The timetoken before which the next page of older messages begins; nil when there are no more messages.
    var start: UInt64? { isCut ? messages.first?.timetoken : nil }
}

/// Divides the bytes of an answer between the channels of a request. Bytes that one channel does not need are available to the channels
/// that follow.
struct HistoryShares: Sendable {
    private var rest = HistoryAnswerPage.maximumBytes
    private var channels: Int

    init(channels: Int) {
        self.channels = channels
    }

    /// The number of bytes for the next channel's messages; nil when the answer is full.
    var next: Int? { rest > 0 && channels > 0 ? rest / channels : nil }

    mutating func use(_ bytes: Int) {
        rest -= bytes
        channels -= 1
    }
}
