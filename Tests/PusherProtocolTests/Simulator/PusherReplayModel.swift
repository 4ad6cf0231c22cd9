import ConnectionEngine
import PusherProtocol

/// The part of the model server that keeps events: the latest five of each channel, until it forgets all of a channel. Some connections are
/// to a server without recovery.
struct PusherReplayModel {
    private struct History {
        var epoch: Int
        var last: UInt64 = 0
        var events: [(number: UInt64, frame: [UInt8])] = []
    }

    private static let kept = 5
    private(set) var offer: PusherRecoveryOffer?
    /// Channels of this connection of which events were replayed.
    private(set) var replayed: Set<String> = []
    private var asked: Set<String> = []
    private var histories: [String: History] = [:]
    private var epochs = 0

    mutating func linkOpened(_ random: inout SeededRandom) {
        offer = Int.random(in: 0..<4, using: &random) == 0 ? nil : PusherRecoveryOffer(messages: Self.kept, seconds: 120)
        (replayed, asked) = ([], [])
    }

    /// Now and then a history is lost, as with a server that starts anew.
    mutating func timePasses(_ random: inout SeededRandom) {
        guard Int.random(in: 0..<40, using: &random) == 0, let channel = histories.keys.sorted().randomElement(using: &random)
        else { return }
        histories[channel] = nil
    }

    private mutating func history(_ channel: String) -> History {
        if let known = histories[channel] { return known }
        epochs += 1
        return History(epoch: epochs)
    }

    /// The frame of an event, with its position on connections that have recovery.
    mutating func add(_ frame: [UInt8], to channel: String) -> [UInt8] {
        var history = history(channel)
        history.last += 1
        let position = PusherPosition(epoch: "x\(history.epoch)", number: history.last)
        let positioned = Self.extended(frame, PusherRecoveryOutcome(position: position))
        history.events.append((history.last, positioned))
        if history.events.count > Self.kept { history.events.removeFirst() }
        histories[channel] = history
        return offer == nil ? frame : positioned
    }

    /// What is replayed, what the confirmation says, and what is wrong with the request.
    mutating func subscribe(
        _ channel: String, _ request: PusherRecoverRequest?
    ) -> (events: [[UInt8]], outcome: PusherRecoveryOutcome?, problem: String?) {
        guard offer != nil else { return ([], nil, request.map { _ in "A server without recovery was asked for it." }) }
        let history = history(channel)
        histories[channel] = history
        let position = PusherPosition(epoch: "x\(history.epoch)", number: history.last)
        guard let request else { return ([], PusherRecoveryOutcome(position: position), nil) }
        guard asked.insert(channel).inserted else { return ([], nil, "\(channel) asked for missed events twice.") }
        guard request.position.epoch == position.epoch else {
            return ([], PusherRecoveryOutcome(position: position, recovered: false), nil)
        }
        let events = history.events.filter { $0.number > request.position.number }
        let isComplete = UInt64(events.count) == history.last - request.position.number
        if !events.isEmpty { replayed.insert(channel) }
        return (events.map(\.frame), PusherRecoveryOutcome(position: position, recovered: isComplete), nil)
    }

    /// A message with what recovery adds to it.
    static func extended(_ frame: [UInt8], _ outcome: PusherRecoveryOutcome?) -> [UInt8] {
        guard let outcome else { return frame }
        let recovered = outcome.recovered.map { ",\"recovered\":\($0)" } ?? ""
        return frame.dropLast() + Array(",\"position\":\"\(outcome.position)\"\(recovered)}".utf8)
    }
}
