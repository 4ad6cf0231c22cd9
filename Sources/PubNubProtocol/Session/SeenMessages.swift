import Identifiers
import WireCoding

/// The messages delivered last, to recognise repetitions: the same timetoken, channel and payload (rule PX-17).
///
/// Messages nearly always come in the order of their timetokens, and one that is newer than all before cannot be a repetition, so
/// that the memory is searched only when something old comes.
struct SeenMessages: Sendable {
    private struct Entry {
        var timetoken: Timetoken
        var channel: String
        var payload: String
    }

    /// The greatest number of entries that are kept, whatever the configuration says.
    static let mostEntries = 10_000

    private let capacity: Int
    private var entries: [Entry] = []
    /// The position of the next entry once all are taken: that of the oldest entry.
    private var oldest = 0
    private var newestTimetoken = Timetoken.zero

    /// - Parameter capacity: 0 for recognising nothing.
    init(capacity: Int) {
        self.capacity = min(max(capacity, 0), Self.mostEntries)
    }

    /// Remembers a message. False when it is a repetition. Presence, objects, actions and files always count as new.
    mutating func insert(_ message: PubNubMessage) -> Bool {
        guard capacity > 0, message.kind == .message || message.kind == .signal, !message.isPresence else { return true }
        if message.timetoken <= newestTimetoken, contains(message) { return false }
        newestTimetoken = max(newestTimetoken, message.timetoken)
        let entry = Entry(timetoken: message.timetoken, channel: message.channel, payload: message.payload)
        if entries.count < capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % capacity
        }
        return true
    }

    private func contains(_ message: PubNubMessage) -> Bool {
        entries.contains {
            $0.timetoken == message.timetoken && $0.channel.isExactly(message.channel) && $0.payload.isExactly(message.payload)
        }
    }

    /// Forgets what is newer than `timetoken`, so that it can be delivered again.
    mutating func forget(after timetoken: Timetoken) {
        let inOrder = entries.clamped(from: oldest) + entries.prefix(oldest)
        entries = inOrder.filter { $0.timetoken <= timetoken }
        oldest = 0
        newestTimetoken = entries.map(\.timetoken).max() ?? .zero
    }

    mutating func forgetAll() {
        self = SeenMessages(capacity: capacity)
    }
}
