import RealtimeHub

/// Some of the channels of one process, with the events that are kept of them.
struct LocalShard: Sendable {
    var hub = ChannelShard()
    var histories = ChannelHistories()
    /// Where changes of the histories go while this process leaves them to another one.
    var leaving: (@Sendable ([HistoryPart]) -> Void)?

    /// Reports ended histories, if they are wanted.
    mutating func tellEnded() {
        guard let leaving else { return }
        let ended = histories.takeEnded()
        if !ended.isEmpty { leaving(ended.map { .ended($0) }) }
    }

    /// The name of a history: eight digits of base 36, of which there are 2.8 billions of thousands.
    static let randomEpoch: @Sendable () -> String = {
        let digits = String(UInt64.random(in: 0..<2_821_109_907_456), radix: 36)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
