import ConnectionEngine
import PubNubProtocol

/// A PubNub service as a model: streams with a queue of 100, polls that are held, and everything that goes wrong with them.
///
/// A message's payload is its number in its channel, counted over all restarts. A restart that forgets the streams begins another
/// epoch, which is the region that answers name.
struct PubNubModelServer {
    struct Entry {
        var epoch: Int
        var timetoken: UInt64
        var channel: String
        var number: Int
        /// What filters ask for.
        var isRed: Bool
        var at: Moment
    }

    /// A subscribe request, read back from its target.
    struct Poll {
        var id: UInt64
        var channels: Set<String>
        var groups: Set<String>
        var timetoken: UInt64
        var region: Int?
        var onlyRed: Bool
    }

    static let groups = ["g": ["g1", "g2"]]
    static let channels = ["a", "b", "c", "g1", "g2"]
    static let queue = 100

    let lifetime: Duration
    private(set) var epoch = 1
    private(set) var clock: UInt64 = 1000
    private(set) var now = Moment.zero
    /// All that was ever published.
    private(set) var history: [Entry] = []
    /// What is still in memory begins here; all of it is of this epoch.
    private var firstKept = 0
    private(set) var published: [String: Int] = [:]
    private var held: [Poll] = []
    /// Messages that a filter kept from an answer.
    private(set) var filtered: [String: Set<Int>] = [:]

    init(lifetime: Duration) {
        self.lifetime = lifetime
    }

    mutating func timePasses(to now: Moment) {
        self.now = now
        while firstKept < history.count, now.duration(since: history[firstKept].at) > lifetime { firstKept += 1 }
    }

    mutating func linkLost() { held = [] }

    static func channels(of names: Set<String>, _ groups: Set<String>) -> Set<String> {
        groups.reduce(into: names) { $0.formUnion(Self.groups[$1] ?? []) }
    }

    /// How many messages of `channel` are at or before a position of this epoch.
    func count(of channel: String, upTo timetoken: UInt64, epoch: Int) -> Int {
        history.last { $0.channel == channel && ($0.epoch < epoch || ($0.epoch == epoch && $0.timetoken <= timetoken)) }?.number
            ?? 0
    }

    // MARK: Publishing

    mutating func publish(_ channel: String, isRed: Bool, _ random: inout SeededRandom) {
        clock += UInt64.random(in: 1...3, using: &random)
        let number = (published[channel] ?? 0) + 1
        published[channel] = number
        history.append(
            Entry(epoch: epoch, timetoken: clock, channel: channel, number: number, isRed: isRed, at: now))
    }

    /// Starts again: with the streams, or without them, in another epoch and perhaps with a clock that was set back.
    mutating func restart(forgetting: Bool, _ random: inout SeededRandom) {
        guard forgetting else { return }
        epoch += 1
        firstKept = history.count
        clock = Bool.random(using: &random) ? clock + 1000 : clock - UInt64.random(in: 0...min(clock - 1, 500), using: &random)
    }

    // MARK: Answers

    typealias Answer = LongPollInbound<PubNubAnswer>

    mutating func ask(_ poll: Poll, _ random: inout SeededRandom) -> Answer? {
        if poll.timetoken == 0 { return answer(poll.id, clock, []) }
        // Some services look at the region, others only at the timetoken.
        if let region = poll.region, region != epoch, Bool.random(using: &random) { return answer(poll.id, clock, []) }
        if let answer = read(poll) { return answer }
        held.append(poll)
        return nil
    }

    /// What held polls get now.
    mutating func wake() -> [Answer] {
        var answers: [Answer] = []
        held = held.filter { poll in
            guard let answer = read(poll) else { return true }
            answers.append(answer)
            return false
        }
        return answers
    }

    /// Ends all held polls with nothing, as after the longest hold.
    mutating func release() -> [Answer] {
        defer { held = [] }
        return held.map { answer($0.id, min($0.timetoken, clock), []) }
    }

    /// Takes the polls that are held, whose connections are lost.
    mutating func takeHeld() -> [Poll] {
        defer { held = [] }
        return held
    }

    private mutating func read(_ poll: Poll) -> Answer? {
        let names = Self.channels(of: poll.channels, poll.groups)
        let kept = history[firstKept...]
        let unread = kept[(kept.lastIndex { $0.timetoken <= poll.timetoken }.map { $0 + 1 } ?? kept.startIndex)...]
        let new = unread.filter { names.contains($0.channel) }
        for entry in new where poll.onlyRed && !entry.isRed { filtered[entry.channel, default: []].insert(entry.number) }
        let wanted = new.filter { !poll.onlyRed || $0.isRed }
        guard !wanted.isEmpty else { return nil }
        return answer(poll.id, clock, wanted.suffix(Self.queue).map(Self.message))
    }

    static func message(_ entry: Entry) -> PubNubMessage {
        PubNubMessage(
            channel: entry.channel, subscription: entry.channel.hasPrefix("g") ? "g" : nil,
            timetoken: Timetoken(rawValue: entry.timetoken), region: entry.epoch, payload: String(entry.number))
    }

    private func answer(_ id: UInt64, _ timetoken: UInt64, _ messages: [PubNubMessage]) -> Answer {
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: timetoken), region: epoch)
        return Answer(id: id, result: .success(.subscribed(cursor, messages)))
    }
}

extension PubNubModelServer.Poll {
    /// Reads a target; nil for one that is not a subscription. Names of the model need no decoding.
    init?(_ exchange: HTTPExchange) {
        let parts = exchange.target.split(separator: "?")
        let path = parts[0].split(separator: "/")
        guard path.count == 5, path[1] == "subscribe", parts.count == 2 else { return nil }
        var query: [Substring: Substring] = [:]
        for pair in parts[1].split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            query[halves[0]] = halves.count > 1 ? halves[1] : ""
        }
        guard let timetoken = query["tt"].flatMap({ UInt64($0) }) else { return nil }
        id = exchange.id
        channels = Set(path[3].split(separator: ",").map(String.init))
        groups = Set((query["channel-group"] ?? "").split(separator: ",").map(String.init))
        self.timetoken = timetoken
        region = query["tr"].flatMap { Int($0) }
        onlyRed = query["filter-expr"] != nil
    }
}
