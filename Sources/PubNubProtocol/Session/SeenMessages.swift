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

    /// Remembers messages. Presence, objects, actions and files always count as new.
    ///
    /// - Returns: the indices of those that are repetitions.
    mutating func insert(_ messages: [PubNubMessage]) -> [Int] {
        guard capacity > 0 else { return [] }
        var repeated: [Int] = []
        // By their parts, since a whole message is copied with all of its names.
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

    /// False when it is a repetition.
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
