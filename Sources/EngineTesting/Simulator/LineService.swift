import ConnectionEngine

/// The model server of ``LineSession``. It checks that no message is lost, duplicated or reordered without a gap event.
public struct LineService: SimulatedService {
    public typealias Session = LineSession

    private static let channels = ["a", "b", "c"]

    /// The number of each channel's last message. Messages are numbered from 1 in each channel.
    private var published: [String: Int] = [:]
    /// The channels to which the client has subscribed on the current connection.
    private var subscribed: Set<String> = []
    /// For each channel, one number for each subscription that the server has confirmed, oldest first: the number of the channel's last
    /// message at the time of the confirmation.
    private var confirmedAt: [String: [Int]] = [:]
    private var lastPublish = 0

    /// The number of the last message that the user has received from each channel; nil for a channel that is not subscribed.
    private var seen: [String: Int] = [:]
    /// The number of the last message that the user had received from each channel when the connection was lost.
    private var seenBefore: [String: Int] = [:]
    private var wanted: Set<String> = []
    private var mustDeclareGap: String?

    public init() {}

    public static var memory: LineSession.Memory { LineSession.Memory() }

    public mutating func linkOpened(_ random: inout SeededRandom) -> [SimulatedReaction<LineSession.Inbound>] {
        // In one of ten cases the server accepts a connection and sends nothing.
        Int.random(in: 0..<10, using: &random) == 0 ? [] : [.deliver(.greeting)]
    }

    public mutating func received(
        _ outbound: LineSession.Outbound, _ random: inout SeededRandom
    ) -> [SimulatedReaction<LineSession.Inbound>] {
        switch outbound {
        case .subscribe(let channel):
            subscribed.insert(channel)
            confirmedAt[channel, default: []].append(published[channel] ?? 0)
            return [.deliver(.subscribed(channel))]
        case .unsubscribe(let channel):
            subscribed.remove(channel)
            return []
        case .publish(let number):
            return Int.random(in: 0..<8, using: &random) == 0 ? [] : [.deliver(.acknowledged(number))]
        case .ping:
            return [.deliver(.pong)]
        case .goodbye:
            return []
        }
    }

    public mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<LineSession.Inbound>] {
        guard let channel = Self.channels.randomElement(using: &random) else { return [] }
        published[channel, default: 0] += 1
        guard subscribed.contains(channel) else { return [] }
        return [.deliver(.message(channel: channel, number: published[channel] ?? 0))]
    }

    public mutating func linkLost() {
        subscribed = []
        confirmedAt = [:]
        seenBefore.merge(seen) { _, latest in latest }
        seen = [:]
    }

    public mutating func command(_ random: inout SeededRandom) -> LineSession.Command {
        let channel = Self.channels.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            wanted.insert(channel)
            return .subscribe(channel)
        case 5..<7:
            wanted.remove(channel)
            seen[channel] = nil
            seenBefore[channel] = nil
            return .unsubscribe(channel)
        case 7..<9:
            lastPublish += 1
            return .publish(lastPublish)
        default:
            return .authorize(channel)
        }
    }

    public mutating func outcome(
        of job: String, _ random: inout SeededRandom
    ) -> Result<Bool, ConnectionFailure> {
        Bool.random(using: &random) ? .success(true) : .failure(ConnectionFailure(.accessDenied, "Denied."))
    }

    public mutating func observe(_ event: LineSession.Event) throws(Violation) {
        if let channel = mustDeclareGap {
            guard case .gap(channel, _) = event else { throw Violation("Messages of \(channel) were lost without a gap event.") }
            mustDeclareGap = nil
        }
        switch event {
        case .subscribed(let channel):
            guard wanted.contains(channel) else { throw Violation("\(channel) was confirmed, but is not subscribed.") }
            guard let start = confirmedAt[channel]?.last else { throw Violation("The server never confirmed \(channel).") }
            if let before = seenBefore.removeValue(forKey: channel), before < start { mustDeclareGap = channel }
            seen[channel] = start
        case .message(let channel, let number):
            guard let last = seen[channel] else { throw Violation("A message of \(channel) came without a subscription.") }
            guard number == last + 1 else {
                throw Violation("In \(channel), message \(number) was delivered directly after message \(last).")
            }
            seen[channel] = number
        case .gap, .timerFired:
            return
        }
    }

    public mutating func observe(_ change: ConnectionChange) throws(Violation) {
        // Messages that the client misses after a requested disconnect do not count as lost, so the numbers of the last received messages
        // are removed.
        if change.phase == .disconnecting || change.phase == .disconnected {
            seen = [:]
            seenBefore = [:]
        }
    }
}
