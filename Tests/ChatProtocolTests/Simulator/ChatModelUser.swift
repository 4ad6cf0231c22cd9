import ChatProtocol
import ConnectionEngine
import EngineTesting

/// What a user sees of inbox and open channels, and what must not be seen.
struct ChatModelUser {
    // The inbox.
    private(set) var epoch = ""
    private var lastTold: UInt64 = 0
    private var mayMiss = false
    /// Told and not kept yet.
    private var told: [ChatPlace] = []
    private(set) var kept: [String: UInt64] = [:]
    private(set) var gaps = 0

    // Open channels.
    private var wanted: Set<String> = []
    /// The last number heard; nil until entered.
    private var heard: [String: UInt64] = [:]
    private var mayMissIn: Set<String> = []

    mutating func wants(_ room: String) { wanted.insert(room) }

    mutating func leaves(_ room: String) {
        wanted.remove(room)
        heard[room] = nil
        mayMissIn.remove(room)
    }

    /// Keeps some of what was told. Gives the place, and whether that is news of this life of the inbox.
    mutating func keep(_ random: inout SeededRandom) -> (place: ChatPlace, isNews: Bool) {
        guard !told.isEmpty else { return (ChatPlace(epoch: epoch, sequence: 0), false) }
        let index = Int.random(in: 0..<told.count, using: &random)
        let place = told[index]
        told.removeFirst(index + 1)
        let isNews = place.epoch == epoch && place.sequence > kept[epoch, default: 0]
        kept[place.epoch] = max(kept[place.epoch, default: 0], place.sequence)
        return (place, isNews)
    }

    mutating func observe(_ event: ChatSessionEvent) throws(Violation) {
        switch event {
        case .welcomed(let welcome):
            // What a new device has not seen before it came is not lost.
            if epoch.isEmpty { mayMiss = true }
            epoch = welcome.place.epoch
            told.removeAll { $0.epoch != epoch }
            kept[epoch] = max(kept[epoch, default: 0], welcome.place.sequence)
        case .gap:
            mayMiss = true
            gaps += 1
        case .received(let items, _, _):
            for item in items { try self.told(item) }
        case .transient(.message(let message)): try hear(message)
        case .openGap(let room, _): mayMissIn.insert(room)
        case .reentered(let entrance):
            let room = entrance.channel
            guard wanted.contains(room) else { throw Violation("\(room) was entered, but nobody wants it.") }
            for message in entrance.messages { try hear(message) }
            if heard[room] == nil { heard[room] = 0 }
        case .entryFailed(let room, _): leaves(room)
        case .malformed(let reason): throw Violation(reason)
        case .caughtUp, .transient: return
        }
    }

    private mutating func told(_ item: ChatInboxItem) throws(Violation) {
        guard case .message(let message) = item.event else { throw Violation("\(item) is none of the model's.") }
        let number = message.id.rawValue
        guard number > lastTold else { throw Violation("Event \(number) was delivered after event \(lastTold).") }
        guard number == lastTold + 1 || mayMiss else {
            throw Violation("Events \(lastTold + 1) to \(number - 1) were lost in silence.")
        }
        (lastTold, mayMiss) = (number, false)
        told.append(ChatPlace(epoch: epoch, sequence: item.sequence))
    }

    private mutating func hear(_ message: ChatMessage) throws(Violation) {
        let room = message.to
        guard wanted.contains(room) else { throw Violation("A message of \(room), which nobody wants.") }
        guard let number = UInt64(message.type) else { throw Violation("\(message) is none of the model's.") }
        if let last = heard[room], last > 0 {
            guard number > last else { throw Violation("\(room): message \(number) was delivered after message \(last).") }
            guard number == last + 1 || mayMissIn.contains(room) else {
                throw Violation("\(room): \(last + 1) to \(number - 1) were lost in silence.")
            }
        }
        mayMissIn.remove(room)
        heard[room] = number
    }

    /// The answer to a wish to be in a channel.
    mutating func entered(_ room: String, _ result: Result<ChatReply, ConnectionFailure>) throws(Violation) {
        switch result {
        case .success(.entered(let entrance)):
            // The latest ones, which may have been heard before.
            if let last = entrance.messages.last.flatMap({ UInt64($0.type) }), last > heard[room, default: 0] {
                heard[room] = last
                mayMissIn.remove(room)
            }
            if heard[room] == nil { heard[room] = 0 }
        case .success: throw Violation("Entering \(room) was answered with something else.")
        case .failure(let failure):
            // The end of one wish; of the channel only when the server has said so or does not answer.
            if failure.chatCode == .noSuchOpenChannel || failure.chatCode == .noAcknowledgement { leaves(room) }
        }
    }
}
