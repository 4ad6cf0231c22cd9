/// A part of the channels of one process, with their histories of events. The process has one lock for each shard.
struct LocalShard: Sendable {
    var hub = ChannelShard()
    var histories = ChannelHistories()
    /// Called with each change of a history while this process, a leader that resigns, passes its histories to the next leader; otherwise
    /// nil.
    var leaving: (@Sendable ([HistoryPart]) -> Void)?
    /// Called when a history starts or ends, so that the next leader can continue the histories; nil on a server without a cluster.
    var recording: (@Sendable ([HistoryPart]) -> Void)?

    /// Passes the histories that have ended to `leaving` and `recording`.
    mutating func tellEnded() {
        guard leaving != nil || recording != nil else { return }
        let ended = histories.takeEnded().map { HistoryPart.ended($0) }
        guard !ended.isEmpty else { return }
        leaving?(ended)
        recording?(ended)
    }

    /// Passes the history of a channel, which has just started, to `leaving` and `recording`.
    func tellBegun(_ channel: ChannelID) {
        guard leaving != nil || recording != nil, let history = histories[channel] else { return }
        leaving?([.history(channel, history)])
        recording?([.history(channel, history)])
    }

    /// A random name of a history: eight digits of base 36, so there are about 2.8 trillion different names.
    static let randomEpoch: @Sendable () -> String = {
        let digits = String(UInt64.random(in: 0..<2_821_109_907_456), radix: 36)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
