import ConnectionEngine
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers

/// A queue of messages that are published in order as soon as possible. Open one with ``LifelineClient/outbox(_:storage:user:)``.
///
/// ```swift
/// let outbox = try await client.outbox()
/// let receipt = try outbox.publish(Line(from: "ann", text: "hello"), to: "room")
/// let outcome = try await receipt.outcome()
/// ```
///
/// The messages of a channel are sent one after the other; channels do not wait for each other. Without a connection all messages wait. A
/// message that the service cannot accept at the moment is sent again after a pause. A refused message is reported, and the next message is
/// sent. A message whose outcome is unknown is sent again only if the service recognises the repetition. See <doc:SendingWhenOffline>.
///
/// May be used from any thread; no call blocks. The connection stays open as long as the outbox is referenced.
public final class Outbox: Sendable {
    struct State {
        var machine: OutboxMachine
        /// Effects of the state machine that are not performed yet, in order.
        var effects = CoalescingQueue<[OutboxMachine.Effect]>()
        var receipts: [Identifier: OutboxReceipt.Cell] = [:]
        var attempts: [Identifier: Task<Void, Never>] = [:]
        var timer: TimerCancellation?
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
        /// Whether the storage was released by a close.
        var isReleased = false
        /// Whether the problem "another user is signed in" was reported for the present sign-in.
        var hasToldOther = false
    }

    /// Whether the file on disk was damaged. In this case the file was moved aside and the outbox began empty; earlier messages are only in
    /// the moved file.
    public let isRecreated: Bool
    let core: ClientCore
    let owner: OutboxOwner
    let surroundings: OutboxSurroundings
    let changes: Broadcaster<Void>
    let state: NIOLockedValueBox<State>
    let writer: OutboxWriter?
    private let signals = NIOLockedValueBox<Observation?>(nil)

    init(
        core: ClientCore, options: OutboxOptions, owner: OutboxOwner, opened: OutboxStorage.Opened?,
        surroundings: OutboxSurroundings
    ) {
        self.core = core
        self.owner = owner
        self.surroundings = surroundings
        isRecreated = opened?.isRecreated ?? false
        writer = opened.map { OutboxWriter(store: $0.store, tasks: surroundings.tasks) }
        changes = Broadcaster(backlog: 1, tracker: surroundings.consumers, isDroppable: { _ in true }, dropped: { _ in () })
        let machine = OutboxMachine(
            options: options, repetitionSpan: core.adapter.repetitionSpan, seed: surroundings.seed)
        state = NIOLockedValueBox(State(machine: machine))
        let records = opened?.records ?? []
        apply { state, now in state.machine.restore(records, now: now, into: &state.effects.waiting) }
        let observation = core.signals.observe(on: .inline) { [weak self] signals in self?.take(signals) }
        signals.withLockedValue { $0 = observation }
        takeConnection()
    }

    deinit {
        signals.withLockedValue { $0 }?.cancel()
        let left = state.withLockedValue { $0 }
        left.timer?()
        for attempt in left.attempts.values { attempt.cancel() }
        for cell in left.receipts.values { cell.settle(.closed) }
        changes.finish()
    }

    /// The messages of the outbox, in the order in which they were enqueued.
    public var entries: [OutboxEntry] { state.withLockedValue { $0.machine.entries } }

    /// The entries as whole lists: first the present list, then a new list after each change. Each read of the property returns an
    /// independent sequence.
    public var entryLists: OutboxEntryLists {
        OutboxEntryLists(changes: changes.stream(), current: { [weak self] in self?.entries ?? [] })
    }

    /// Enqueues a value, encoded as JSON.
    ///
    /// An outbox on disk sends the message only after the message was written to disk; when writing fails the outcome is `refused` with
    /// ``LifelineError/Code/storageFailed``.
    ///
    /// - Parameters:
    ///   - value: the payload. ``Channel/publish(_:event:options:)`` describes what receivers get.
    ///   - channel: the channel's name. With Pusher and without the app's secret, and for open channels of chat, the message waits until
    ///     the channel is subscribed.
    ///   - event: the event's name.
    ///   - options: options of publishing.
    ///   - lifetime: how long the message may wait, in whole seconds; nil for ``OutboxOptions/lifetime``. Clamped to 1 s to 30 d.
    /// - Returns: the message's id and its outcome.
    /// - Throws: ``LifelineError/Code/outboxFull`` when there is no room; ``LifelineError/Code/unencodable``,
    ///   ``LifelineError/Code/unsupported`` or ``LifelineError/Code/badRequest`` for a message that could never be published;
    ///   ``LifelineError/Code/disconnected`` when the outbox was closed.
    @discardableResult
    public func publish(
        _ value: some Encodable, to channel: String, event: String = Message.defaultEvent,
        options: PublishOptions = PublishOptions(),
        lifetime: Duration? = nil
    ) throws(LifelineError) -> OutboxReceipt {
        try take(Publication(channel: channel, event: event, value: value, options: options), lifetime: lifetime)
    }

    /// Enqueues JSON text without changes. See ``publish(_:to:event:options:lifetime:)``.
    ///
    /// - Throws: as ``publish(_:to:event:options:lifetime:)``.
    @discardableResult
    public func publish(
        json: String, to channel: String, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions(),
        lifetime: Duration? = nil
    ) throws(LifelineError) -> OutboxReceipt {
        try take(Publication(channel: channel, event: event, json: json, options: options), lifetime: lifetime)
    }
}
