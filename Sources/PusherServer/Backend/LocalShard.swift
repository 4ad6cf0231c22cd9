import RealtimeHub

/// Some of the channels of one process, with the events that are kept of them.
struct LocalShard: Sendable {
    var hub = ChannelShard()
    var histories = ChannelHistories()
    /// Where changes of the histories go while this process leaves them to another one.
    var leaving: (@Sendable ([HistoryPart]) -> Void)?
    /// Where is written that histories begin and end, for whoever decides after this process.
    var recording: (@Sendable ([HistoryPart]) -> Void)?

    /// Reports ended histories, if they are wanted.
    mutating func tellEnded() {
        guard leaving != nil || recording != nil else { return }
        let ended = histories.takeEnded().map { HistoryPart.ended($0) }
        guard !ended.isEmpty else { return }
        leaving?(ended)
        recording?(ended)
    }

    /// Tells that a history has begun, if anybody wants to know.
    func tellBegun(_ channel: ChannelID) {
        guard leaving != nil || recording != nil, let history = histories[channel] else { return }
        leaving?([.history(channel, history)])
        recording?([.history(channel, history)])
    }

    /// The name of a history: eight digits of base 36, of which there are 2.8 billions of thousands.
    static let randomEpoch: @Sendable () -> String = {
        let digits = String(UInt64.random(in: 0..<2_821_109_907_456), radix: 36)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
