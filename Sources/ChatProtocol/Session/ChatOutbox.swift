import ConnectionEngine
import DequeModule

/// Messages that wait to be sent or for their answer, in the order of the commands. Messages in progress come first, because answers arrive
/// in order (chat-protocol.md, 5.1).
struct ChatOutbox: Sendable {
    struct Waiting: Sendable {
        var draft: ChatMessageDraft
        var id: RequestID?
        var deadline: Moment
        /// Whether the message was written on any connection. If so, the server may have delivered it.
        var wasWritten = false
        /// The number of the request with which the message was sent on the present connection; nil while the message waits to be sent.
        var number: UInt64?
    }

    /// The largest number of messages in the outbox (rule NS-13).
    static let limit = 1_000
    /// The largest number of content bytes of all messages in the outbox.
    static let byteLimit = 16 * 1024 * 1024
    /// The largest number of messages that may wait for the server's answer at the same time (rule NS-11).
    static let window = 64
    /// The largest number of content bytes of all messages that wait for the server's answer. A single message may be larger.
    static let byteWindow = 1024 * 1024

    private(set) var messages: Deque<Waiting> = []
    private(set) var bytes = 0
    /// The number of messages at the beginning of `messages` that were sent on the present connection and wait for their answers.
    private(set) var underWay = 0
    private(set) var bytesUnderWay = 0

    var isFull: Bool { messages.count >= Self.limit || bytes >= Self.byteLimit }
    /// The deadline of the first message. No message has an earlier deadline, because all messages have the same time limit.
    var earliestDeadline: Moment? { messages.first?.deadline }

    mutating func append(_ message: Waiting) {
        messages.append(message)
        bytes += message.draft.content.count
    }

    /// Prepares for a new connection, on which no message is in progress.
    mutating func startOver() {
        for index in 0..<underWay { messages[index].number = nil }
        (underWay, bytesUnderWay) = (0, 0)
    }

    /// The next message to write; nil if there is none, or if too many messages or bytes are in progress.
    var next: Waiting? {
        guard underWay < messages.count, underWay < Self.window else { return nil }
        let message = messages[underWay]
        guard underWay == 0 || bytesUnderWay + message.draft.content.count <= Self.byteWindow else { return nil }
        return message
    }

    /// Records that the message from `next` is being written with this request number.
    mutating func wrote(as number: UInt64) {
        guard underWay < messages.count else { return }
        messages[underWay].number = number
        messages[underWay].wasWritten = true
        bytesUnderWay += messages[underWay].draft.content.count
        underWay += 1
    }

    /// Removes the message from `next` without writing it.
    mutating func skipNext() {
        guard underWay < messages.count else { return }
        remove(at: underWay)
    }

    /// Removes and returns the message that was sent with this request number; nil if there is none.
    mutating func answered(_ number: UInt64) -> Waiting? {
        guard let index = messages.prefix(underWay).firstIndex(where: { $0.number == number }) else { return nil }
        return remove(at: index)
    }

    /// Removes the messages for which `isOver` is true, and returns them in order.
    mutating func removeAll(where isOver: (Waiting) -> Bool) -> [Waiting] {
        guard messages.contains(where: isOver) else { return [] }
        var removed: [Waiting] = []
        var index = 0
        while index < messages.count {
            if isOver(messages[index]) { removed.append(remove(at: index)) } else { index += 1 }
        }
        return removed
    }

    @discardableResult
    private mutating func remove(at index: Int) -> Waiting {
        let message = messages.remove(at: index)
        bytes -= message.draft.content.count
        if index < underWay {
            underWay -= 1
            bytesUnderWay -= message.draft.content.count
        }
        return message
    }
}
