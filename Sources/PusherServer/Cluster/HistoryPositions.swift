import Logging
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime
import ServerStorage
import WireCoding

/// Stores the positions of a leader's histories, so that after a crash the next leader can continue the histories from the log (rules RV-40
/// to RV-43).
///
/// The start or end of a history is written at once; positions that change with events are written once per sweep. The events themselves
/// are only in the log, so a publish needs no write of its own.
final class HistoryPositions: Sendable {
    private struct State: Sendable {
        /// Whether this leader has stored positions of histories.
        var isBegun = false
        var marks: UInt64 = 0
        var marked = MonotonicInstant(nanoseconds: .min)
    }

    private let output: any ClusterOutput
    private let key: StoreKey
    private let clock: ServerClock
    private let generation: UInt64
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    private static let generationField = ByteBuffer(string: "generation")
    private static let markField = ByteBuffer(string: "mark")
    /// The largest number of map fields in one write to the store.
    private static let part = 1_000
    /// The interval in which a mark is written to the log even if no position has changed. It is short, because old entries are removed
    /// from the log: the next leader must always find the latest mark there.
    private static let markInterval = Duration.seconds(5)

    init(_ context: ClusterLeaderContext, key: StoreKey, clock: ServerClock, logger: Logger) {
        output = context.output
        generation = context.generation
        self.key = key
        self.clock = clock
        self.logger = logger
    }

    // MARK: Writing

    /// Writes the start, end or position of histories. Called under the lock of the channels' shard, so it only enqueues.
    func write(_ parts: [HistoryPart]) {
        let begins = state.withLockedValue { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
        if begins {
            // No event got a position before the first history started. So all events with positions follow this mark in the log, and the
            // mark can be stored as the latest one at once.
            let mark = next()
            emit(mark, writes: [point(to: mark)])
        }
        var positions: [StoreField] = []
        var ended: [StoreWord] = []
        for part in parts {
            switch part {
            case .history(let channel, let history):
                positions.append(StoreField(.bytes(channel.encoded(.sequence)), .bytes(history.position.encoded())))
            case .ended(let channel): ended.append(.bytes(channel.encoded(.sequence)))
            case .event: break
            }
        }
        write(positions) { .put(key, $0) }
        write(ended) { .removeFields(key, $0) }
    }

    private func write<Element>(_ elements: [Element], _ make: ([Element]) -> StoreWrite) {
        for start in stride(from: 0, to: elements.count, by: Self.part) {
            output.write([make(Array(elements.clamped(from: start, to: start + Self.part)))], of: .pusher)
        }
    }

    /// Makes the next mark, a numbered entry of the log. All events that are decided later stand after the mark in the log.
    private func next() -> HistoryMark {
        let now = clock.monotonic()
        return state.withLockedValue { state in
            state.marks += 1
            state.marked = now
            return HistoryMark(generation: generation, number: state.marks)
        }
    }

    private func emit(_ mark: HistoryMark, writes: [StoreWrite] = []) {
        output.emit(PusherFact.mark(mark).encoded(), of: .pusher, to: .all, writes: writes, completion: nil)
    }

    private func point(to mark: HistoryMark) -> StoreWrite {
        .put(
            key,
            [
                StoreField(.bytes(Self.generationField), .text("\(generation)")),
                StoreField(.bytes(Self.markField), .text(mark.description)),
            ])
    }

    /// Writes the positions that have changed. A new mark is written to the log before them. Only after all positions are written, this
    /// mark is stored as the latest one.
    func sweep(_ channels: LocalChannels) {
        guard state.withLockedValue(\.isBegun) else { return }
        let now = clock.monotonic()
        var mark: HistoryMark?
        func begin() {
            guard mark == nil else { return }
            let next = next()
            emit(next)
            mark = next
        }
        if state.withLockedValue({ now.since($0.marked) >= Self.markInterval }) { begin() }
        channels.writeChangedPositions { parts in
            begin()
            write(parts)
        }
        if let mark { output.write([point(to: mark)], of: .pusher) }
    }

    // MARK: Taking over

    /// Restores the histories of the previous leader, as far as the log contains their events. Returns none when that leader wrote no
    /// positions, or when data was lost since then. The stored positions are removed with the first batch of this leader, which writes its
    /// own positions.
    ///
    /// - Parameter settings: the settings of an application; nil when it is no longer configured.
    func restore(
        from context: ClusterLeaderContext, _ settings: (_ application: String) -> RecoverySettings?
    ) async throws(StoreFailure) -> [RestoredHistory] {
        var positions: [ChannelID: PusherPosition] = [:]
        var (writer, mark): (UInt64?, String?) = (nil, nil)
        try await context.store.entries(of: key) { field, value in
            if field == Self.generationField {
                writer = UInt64(String(buffer: value))
            } else if field == Self.markField {
                mark = String(buffer: value)
            } else if let (channel, position) = try? Self.read(field, value) {
                positions[channel] = position
            }
        }
        guard writer != nil || !positions.isEmpty else { return [] }
        forgetFormer()
        guard let writer, writer == context.former, !context.hasLost else { return [] }
        var logged: [ChannelID: LoggedHistory] = [:]
        var isWhole = false
        try await context.log.facts(of: .pusher) { fact in
            guard let fact = try? PusherFact(decoding: fact) else { return }
            switch fact {
            case .mark(let found) where found.description == mark: isWhole = true
            case .deliver(let frame, let channel, let excluding, let position?):
                guard positions[channel]?.epoch == position.position.epoch, let settings = settings(channel.application)
                else { return }
                logged[channel, default: LoggedHistory()].add(
                    LoggedEvent(frame: frame, position: position, excluding: excluding), keeping: settings.messages)
            default: break
            }
        }
        let restored = positions.compactMap { channel, position -> RestoredHistory? in
            guard let settings = settings(channel.application), settings.isEnabled else { return nil }
            return RestoredHistory(of: channel, written: position, logged[channel], isWhole: isWhole) { time in
                clock.instant(unixMilliseconds: time).advanced(by: settings.lifetime)
            }
        }
        logger.notice(
            "restored Pusher channel histories of the previous leader",
            metadata: ["channels": "\(restored.count)", "of": "\(positions.count)", "whole": "\(isWhole)"])
        return restored
    }

    /// Removes the positions of the previous leader from the store, with the first batch of this leader.
    func forgetFormer() {
        output.write([.remove(key)], of: .pusher)
    }

    private static func read(_ field: ByteBuffer, _ value: ByteBuffer) throws(ClusterCodingError) -> (ChannelID, PusherPosition) {
        (try ChannelID(decodingName: field), try PusherPosition(decoding: value))
    }
}
