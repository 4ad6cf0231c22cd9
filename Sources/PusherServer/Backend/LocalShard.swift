/// Some of the channels of one process, with their histories of events.
struct LocalShard: Sendable {
    var hub = ChannelShard()
    var histories = ChannelHistories()
    /// Receives changes of the histories while this process hands them over to another one.
    var leaving: (@Sendable ([HistoryPart]) -> Void)?
    /// Receives the start and end of each history, for the next leader.
    var recording: (@Sendable ([HistoryPart]) -> Void)?

    /// Reports ended histories, if they are recorded.
    mutating func tellEnded() {
        guard leaving != nil || recording != nil else { return }
        let ended = histories.takeEnded().map { HistoryPart.ended($0) }
        guard !ended.isEmpty else { return }
        leaving?(ended)
        recording?(ended)
    }

    /// Reports the start of a history, if it is recorded.
    func tellBegun(_ channel: ChannelID) {
        guard leaving != nil || recording != nil, let history = histories[channel] else { return }
        leaving?([.history(channel, history)])
        recording?([.history(channel, history)])
    }

    /// A random name of a history: eight digits of base 36, which has about 2.8 trillion values.
    static let randomEpoch: @Sendable () -> String = {
        let digits = String(UInt64.random(in: 0..<2_821_109_907_456), radix: 36)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
