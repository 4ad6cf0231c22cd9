import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime
import ServerValues
import WireCoding

/// Hands over the histories of a leader that resigns to the next leader, in a map of the store (rules RV-22 and RV-23).
///
/// Later events of a channel whose history was already written are added to the map, in the same batch as the decision about the event. So
/// the next leader has the complete history, or can detect that events are missing.
final class HistoryHandover: Sendable {
    /// The largest number of bytes of histories that are handed over, and the time after which the store deletes histories that the next
    /// leader has not read.
    static let maximumBytes = 64 << 20
    private static let lifetime = Duration.seconds(600)
    /// When this number of bytes of history parts is collected, they are written to the store.
    private static let pieceBytes = 256 << 10
    private static let page = 50
    private static let generationField = ByteBuffer(string: "generation")

    private let output: any ClusterOutput
    private let key: StoreKey
    private let clock: ServerClock
    private let generation: UInt64
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    private struct State: Sendable {
        var bytes = 0
        var isOver = false
    }

    init(_ context: ClusterLeaderContext, key: StoreKey, clock: ServerClock, logger: Logger) {
        output = context.output
        generation = context.generation
        self.key = key
        self.clock = clock
        self.logger = logger
    }

    // MARK: Leaving

    /// Starts a handover in the store. Call it once, before ``write(_:)``.
    func begin() {
        output.write(
            [
                .remove(key),
                .put(key, .bytes(Self.generationField), value: .text("\(generation)")),
                .expire(key, milliseconds: Self.lifetime.milliseconds),
            ], of: .pusher)
    }

    /// Writes parts of histories to the store. Called under the lock of the channels' shard, so it only enqueues.
    func write(_ parts: [HistoryPart]) {
        guard !state.withLockedValue(\.isOver) else { return }
        var fields: [StoreField] = []
        var bytes = 0
        func flush() {
            guard !fields.isEmpty else { return }
            output.write([.put(key, fields)], of: .pusher)
            (fields, bytes) = ([], 0)
        }
        var total = 0
        for part in parts {
            let (field, value) = encoded(part)
            guard let value else {
                flush()
                output.write([.removeFields(key, [.bytes(field)])], of: .pusher)
                continue
            }
            fields.append(StoreField(.bytes(field), .bytes(value)))
            bytes += field.readableBytes + value.readableBytes
            total += field.readableBytes + value.readableBytes
            if bytes >= Self.pieceBytes { flush() }
        }
        flush()
        let isTooMuch = state.withLockedValue { state in
            state.bytes += total
            defer { state.isOver = state.bytes > Self.maximumBytes }
            return !state.isOver && state.bytes > Self.maximumBytes
        }
        guard isTooMuch else { return }
        // The part of the histories that was stored before is removed, because the next leader would treat this part as complete.
        output.write([.remove(key)], of: .pusher)
        logger.warning(
            "Pusher channel histories are too large to hand over: the next leader restores only logged events",
            metadata: ["bytes": "\(Self.maximumBytes)"])
    }

    private func encoded(_ part: HistoryPart) -> (field: ByteBuffer, value: ByteBuffer?) {
        switch part {
        case .event(let channel, let event, let isKept, let expires):
            let kept = KeptEvent(
                epoch: event.position.epoch, isKept: isKept, expires: clock.unixMilliseconds(of: expires),
                excluding: event.excluding, user: event.user, frame: event.frame)
            return (PairName(channel, event.position.number).encoded(.sequence), kept.encoded())
        case .history(let channel, let history):
            let kept = KeptHistory(
                position: history.position, dropped: Array(history.dropped.entries), unkept: Array(history.unkept.entries))
            return (channel.encoded(.sequence), kept.encoded())
        case .ended(let channel): return (channel.encoded(.sequence), nil)
        }
    }

    // MARK: Taking over

    /// Restores the histories of the previous leader. Returns none when another process has led since the handover, or when data was lost.
    /// The stored histories are removed with the first batch of this leader.
    func take(from context: ClusterLeaderContext) async throws(StoreFailure) -> [RestoredHistory] {
        var histories: [ChannelID: RestoredHistory] = [:]
        var events: [ChannelID: [UInt64: (PositionedEvent, Bool, MonotonicInstant)]] = [:]
        var isValid = false
        var isEmpty = true
        try await context.store.entries(of: key, page: Self.page) { field, value in
            isEmpty = false
            if field == Self.generationField {
                isValid = UInt64(String(buffer: value)) == context.former
            } else {
                // An entry that cannot be decoded comes from another version; its history is then reported to clients as incomplete.
                try? read(field, value, into: &histories, and: &events)
            }
        }
        if !isEmpty { output.write([.remove(key)], of: .pusher) }
        guard isValid, !context.hasLost else { return [] }
        return histories.values.map { history in
            var history = history
            history.events = (events[history.channel] ?? [:]).sorted { $0.key < $1.key }.map {
                ($0.value.0, $0.value.1, $0.value.2)
            }
            return history
        }
    }

    private func read(
        _ field: ByteBuffer, _ value: ByteBuffer, into histories: inout [ChannelID: RestoredHistory],
        and events: inout [ChannelID: [UInt64: (PositionedEvent, Bool, MonotonicInstant)]]
    ) throws(ClusterCodingError) {
        if let channel = try? ChannelID(decodingName: field) {
            let kept = try KeptHistory(decoding: value)
            histories[channel] = RestoredHistory(
                channel: channel, epoch: kept.position.epoch, last: kept.position.number, dropped: LatestEvents(kept.dropped),
                unkept: LatestEvents(kept.unkept))
            return
        }
        let name = try PairName<ChannelID, UInt64>(decodingName: field)
        let kept = try KeptEvent(decoding: value)
        // The frame is copied, because a slice of the buffer would keep the store's whole answer in memory.
        let event = PositionedEvent(
            positioned: ByteBuffer(bytes: kept.frame.readableBytesView),
            at: PusherPosition(epoch: kept.epoch, number: name.second), excluding: kept.excluding, user: kept.user)
        events[name.first, default: [:]][name.second] = (event, kept.isKept, clock.instant(unixMilliseconds: kept.expires))
    }
}

/// An event of a history, as stored under its channel and number.
struct KeptEvent: CodedValue {
    var epoch: String
    var isKept: Bool
    /// When the event expires, as Unix time in milliseconds.
    var expires: Int64
    var excluding: SocketID?
    var user: String?
    var frame: ByteBuffer

    var expectedLength: Int { frame.readableBytes + 96 }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            epoch: try fields.field(1, value?.epoch), isKept: try fields.field(2, value?.isKept),
            expires: try fields.field(3, value?.expires), excluding: try fields.optional(4, value?.excluding),
            user: try fields.optional(5, value?.user), frame: try fields.field(6, value?.frame))
    }
}

/// A history without its events, as stored under its channel.
struct KeptHistory: CodedValue {
    var position: PusherPosition
    var dropped: [LatestEvents<Identifier>.Item]
    var unkept: [LatestEvents<SocketID>.Item]

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            position: try fields.field(1, value?.position), dropped: try fields.list(2, value?.dropped),
            unkept: try fields.list(3, value?.unkept))
    }
}

extension LatestEvents.Item: CodedValue where Origin: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(number: try fields.field(1, value?.number), origin: try fields.optional(2, value?.origin))
    }
}

extension ServerClock {
    /// The Unix time of a monotonic instant, in milliseconds since 1970.
    func unixMilliseconds(of instant: MonotonicInstant) -> Int64 {
        Int64(clamping: unixTicks() / 10_000).clampedAdding(instant.since(monotonic()).milliseconds)
    }

    /// The monotonic instant of a Unix time from another server. It is limited to two days from now: events are stored for at most one day,
    /// so a larger difference means that a clock was changed.
    func instant(unixMilliseconds: Int64) -> MonotonicInstant {
        let now = Int64(clamping: unixTicks() / 10_000)
        let limit = ChannelHistories.vacancyLifetime.milliseconds * 2
        return monotonic().advanced(by: .milliseconds(min(max(unixMilliseconds.clampedSubtracting(now), -limit), limit)))
    }
}
