import Identifiers
import WireCoding

/// The latest delivered messages. A message with the same timetoken, channel and payload as one of them is recognised as a repetition (rule
/// PX-17).
///
/// Messages nearly always arrive in the order of their timetokens, and a message that is newer than all stored ones cannot be a repetition.
/// So the entries are searched only when an older message arrives.
struct SeenMessages: Sendable {
    private struct Entry {
        var timetoken: Timetoken
        var channel: String
        var payload: String
    }

    /// The maximum number of stored entries, regardless of the configuration.
    static let mostEntries = 10_000

    private let capacity: Int
    private var entries: [Entry] = []
    /// The index of the oldest entry. Once the buffer is full, the next entry replaces the oldest one.
    private var oldest = 0
    private var newestTimetoken = Timetoken.zero

    /// - Parameter capacity: the number of stored messages; 0 recognises no repetitions.
    init(capacity: Int) {
        self.capacity = min(max(capacity, 0), Self.mostEntries)
    }

    /// Stores messages and recognises repeated ones. Presence events, objects, actions and files are never recognised as repetitions.
    ///
    /// - Returns: the indices of the repeated messages.
    mutating func insert(_ messages: [PubNubMessage]) -> [Int] {
        guard capacity > 0 else { return [] }
        var repeated: [Int] = []
        // The messages are accessed through the array's buffer. Reading an element of the array itself would copy the whole message with
        // its names.
        messages.withUnsafeBufferPointer { messages in
            for index in messages.indices {
                guard messages[index].kind == .message || messages[index].kind == .signal else { continue }
                let entry = Entry(
                    timetoken: messages[index].timetoken, channel: messages[index].channel, payload: messages[index].payload)
                if !insert(entry) { repeated.append(index) }
            }
        }
        return repeated
    }

    /// Stores an entry. Returns false when the message is a repetition.
    private mutating func insert(_ entry: Entry) -> Bool {
        if entry.channel.hasByteSuffix(PubNubMessage.presenceSuffix) { return true }
        if entry.timetoken <= newestTimetoken, contains(entry) { return false }
        newestTimetoken = max(newestTimetoken, entry.timetoken)
        if entries.count < capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest += 1
            if oldest == capacity { oldest = 0 }
        }
        return true
    }

    private func contains(_ entry: Entry) -> Bool {
        entries.contains {
            $0.timetoken == entry.timetoken && $0.channel.isExactly(entry.channel) && $0.payload.isExactly(entry.payload)
        }
    }

    /// Removes the entries of messages that are newer than `timetoken`, so that these messages can be delivered again.
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
