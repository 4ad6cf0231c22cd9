import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// The message actions of an application, as its store has them (rule PV-70).
///
/// A change takes two steps: `add` or `remove` when the change is decided, and `settle` when the store has saved the change or has failed.
/// Between the two steps, a new action has its position but is not visible. An action that is being removed is still visible between the
/// two steps.
final class MessageActions: Sendable {
    /// The largest number of actions of all channels; `perMessage` is the largest number for one message. Further actions are refused.
    static let capacity = 1_000_000
    static let perMessage = 2000
    /// The largest size of all actions in bytes, as encoded in answers; `bytesPerMessage` is the largest size for one message.
    static let maximumBytes = 128 << 20
    static let bytesPerMessage = 512 << 10

    private struct State {
        var channels: [Identifier: ChannelActions] = [:]
        var count = 0
        var bytes = 0
        /// The timetokens of actions that are being stored; `going` has the timetokens of actions that are being removed.
        var coming: Set<UInt64> = []
        var going: Set<UInt64> = []
        /// Counts how often messages were deleted from histories.
        var deletions: UInt64 = 0

        mutating func drop(_ action: MessageAction, from channel: Identifier) {
            guard channels[channel]?.has(action) == true else { return }
            channels[channel]?.remove(action)
            if channels[channel]?.byMessage.isEmpty == true { channels[channel] = nil }
            count -= 1
            bytes -= action.size
        }
    }

    private let state = NIOLockedValueBox(State())

    /// - Parameter restored: the actions from the store, by channel.
    init(restoring restored: [Identifier: [MessageAction]] = [:]) {
        for (channel, actions) in restored {
            for action in actions where add(action, to: channel.text) == .added {
                settle(.added(action), on: channel.text, isStored: true)
            }
        }
    }

    enum Addition: Hashable {
        case added
        case known
        case full
        /// Messages were deleted after `deletions` was read, so the action's message may no longer exist.
        case stale
    }

    /// How often messages were deleted from histories so far. Read this number before you look for the message of a new action. If the
    /// number is different when the action is added, the message may have been deleted meanwhile.
    var deletions: UInt64 { state.withLockedValue(\.deletions) }

    /// Begins to add an action, unless the same user has already added an equal action to the message.
    ///
    /// - Parameters:
    ///   - action: the action, with its own timetoken.
    ///   - deletions: the value of ``deletions`` before the message was found; nil for no condition.
    func add(_ action: MessageAction, to channel: String, unlessDeletedSince deletions: UInt64? = nil) -> Addition {
        let (channel, size) = (Identifier(channel), action.size)
        return state.withLockedValue { state in
            guard deletions ?? state.deletions == state.deletions else { return .stale }
            let present = state.channels[channel]?.byMessage[action.message] ?? []
            if present.contains(where: { $0.repeats(action) }) { return .known }
            guard state.count < Self.capacity, present.count < Self.perMessage, state.bytes + size <= Self.maximumBytes,
                present.reduce(size, { $0 + $1.size }) <= Self.bytesPerMessage
            else { return .full }
            state.channels[channel, default: ChannelActions()].add(action)
            state.coming.insert(action.timetoken)
            state.count += 1
            state.bytes += size
            return .added
        }
    }

    enum Removal: Hashable {
        case removing(MessageAction)
        case anothers
        case unknown
    }

    /// Begins to remove an action. Only the user who has added the action can remove it.
    func remove(_ timetoken: UInt64, of message: UInt64, on channel: String, by user: String) -> Removal {
        let channel = Identifier(channel)
        return state.withLockedValue { state in
            guard !state.coming.contains(timetoken), !state.going.contains(timetoken),
                let action = state.channels[channel]?.byMessage[message]?.first(where: { $0.timetoken == timetoken })
            else { return .unknown }
            guard action.user.isExactly(user) else { return .anothers }
            state.going.insert(timetoken)
            return .removing(action)
        }
    }

    /// Begins to remove all actions on messages that were deleted from a span. This includes actions that are still being stored, but not
    /// those that are already being removed. No events are sent for these removals (rule PV-74).
    func beginRemoval(ofActionsOn span: HistorySpan, of channel: Identifier) -> [MessageAction] {
        state.withLockedValue { state in
            state.deletions += 1
            let found = state.channels[channel]?.actions(on: span).filter { !state.going.contains($0.timetoken) } ?? []
            state.going.formUnion(found.map(\.timetoken))
            return found
        }
    }

    /// Ends a change. If the store has saved the change, it takes effect; otherwise it is undone.
    func settle(_ change: MessageActionChange, on channel: String, isStored: Bool) {
        state.withLockedValue { state in
            switch change {
            case .added(let action):
                state.coming.remove(action.timetoken)
                if !isStored { state.drop(action, from: Identifier(channel)) }
            case .removed(let action):
                state.going.remove(action.timetoken)
                if isStored { state.drop(action, from: Identifier(channel)) }
            }
        }
    }

    /// The newest actions of a channel below `start` (exclusive) down to `end` (inclusive), oldest first: at most `limit` actions and
    /// `maximumBytes` bytes, but at least one action.
    ///
    /// - Returns: the actions, and whether the span contains older actions.
    func page(
        of channel: String, start: UInt64?, end: UInt64?, limit: Int, maximumBytes: Int = .max
    ) -> (actions: [MessageAction], isCut: Bool) {
        let channel = Identifier(channel)
        // One action more than requested is read. If it exists, there is another page.
        var newest = state.withLockedValue { state in
            state.channels[channel]?.page(start: start, end: end, limit: limit + 1, without: state.coming) ?? []
        }
        newest.reverse()
        var bytes = 0
        var count = 0
        for action in newest.prefix(limit) {
            bytes += action.size
            guard count == 0 || bytes <= maximumBytes else { break }
            count += 1
        }
        return (newest.prefix(count).reversed(), count < newest.count)
    }

    /// The actions on these messages of a channel, by message, in the order in which they were added.
    func of(_ messages: [UInt64], on channel: String) -> [UInt64: [MessageAction]] {
        state.withLockedValue { state in
            guard let actions = state.channels[Identifier(channel)] else { return [:] }
            return messages.reduce(into: [:]) { found, message in
                let shown = actions.byMessage[message]?.filter { !state.coming.contains($0.timetoken) } ?? []
                if !shown.isEmpty { found[message] = shown }
            }
        }
    }
}

/// The actions of one channel, indexed by message and by time.
private struct ChannelActions {
    private(set) var byMessage: [UInt64: [MessageAction]] = [:]
    /// The actions in ascending order of timetokens. Removed actions stay in the list until more than half of the list consists of them.
    private var order: [Place] = []
    private var gone = 0

    private struct Place {
        var timetoken: UInt64
        var message: UInt64
        var isGone = false
    }

    mutating func add(_ action: MessageAction) {
        byMessage[action.message, default: []].append(action)
        order.insert(Place(timetoken: action.timetoken, message: action.message), at: index(of: action.timetoken))
    }

    mutating func remove(_ action: MessageAction) {
        byMessage[action.message]?.removeAll { $0.timetoken == action.timetoken }
        if byMessage[action.message]?.isEmpty == true { byMessage[action.message] = nil }
        let place = index(of: action.timetoken)
        guard place < order.count, order[place].timetoken == action.timetoken, !order[place].isGone else { return }
        order[place].isGone = true
        gone += 1
        guard gone > order.count / 2 else { return }
        order.removeAll(where: \.isGone)
        gone = 0
    }

    func has(_ action: MessageAction) -> Bool {
        byMessage[action.message]?.contains { $0.timetoken == action.timetoken } == true
    }

    func actions(on span: HistorySpan) -> [MessageAction] {
        byMessage.lazy.filter { span.lowest <= $0.key && $0.key <= span.highest }.flatMap(\.value)
    }

    func page(start: UInt64?, end: UInt64?, limit: Int, without hidden: Set<UInt64>) -> [MessageAction] {
        var found: [MessageAction] = []
        var place = start.map { index(of: $0) } ?? order.count
        while place > 0, found.count < limit, order[place - 1].timetoken >= end ?? 0 {
            place -= 1
            guard !order[place].isGone, !hidden.contains(order[place].timetoken) else { continue }
            if let action = find(order[place]) { found.append(action) }
        }
        return found.reversed()
    }

    private func find(_ place: Place) -> MessageAction? {
        byMessage[place.message]?.first { $0.timetoken == place.timetoken }
    }

    /// The index of the first action whose timetoken is at least `timetoken`.
    private func index(of timetoken: UInt64) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].timetoken < timetoken { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
