import NIOConcurrencyHelpers

/// One source, many observers: callbacks on a chosen queue, or bounded async sequences. All observers get the same order.
///
/// A slow observer does not delay others: it falls behind up to the backlog, then droppable elements are dropped for it alone, counted
/// and marked.
public final class Broadcaster<Element: Sendable>: Sendable {
    private struct State {
        var sinks: [(id: UInt64, sink: any Sink<Element>)] = []
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = NIOLockedValueBox(State())
    private let backlog: Int
    private let isDroppable: @Sendable (Element) -> Bool
    private let dropped: @Sendable (Int) -> Element
    private let tracker: (any ConsumerTracker)?

    /// - Parameters:
    ///   - backlog: how many elements an observer may be behind.
    ///   - isDroppable: whether an element may be dropped then.
    ///   - dropped: the marker for a number of dropped elements.
    public convenience init(
        backlog: Int, isDroppable: @escaping @Sendable (Element) -> Bool, dropped: @escaping @Sendable (Int) -> Element
    ) {
        self.init(backlog: backlog, tracker: nil, isDroppable: isDroppable, dropped: dropped)
    }

    /// - Parameter tracker: learns which consumers of sequences are active; for tests.
    package init(
        backlog: Int, tracker: (any ConsumerTracker)?, isDroppable: @escaping @Sendable (Element) -> Bool,
        dropped: @escaping @Sendable (Int) -> Element
    ) {
        self.backlog = backlog
        self.tracker = tracker
        self.isDroppable = isDroppable
        self.dropped = dropped
    }

    /// Calls `body` with all elements from now on, in batches, in order, on `queue`: one hop per batch, not per element.
    ///
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observe(
        on queue: CallbackQueue, _ body: @escaping @Sendable ([Element]) -> Void
    ) -> Observation {
        add(CallbackSink(backlog: makeBacklog(backlog), queue: queue, body: body))
    }

    /// A sequence of all elements from now on. For one consumer; each call returns an independent sequence.
    ///
    /// - Parameter limit: how many elements may wait; nil for the broadcaster's own backlog.
    public func stream(limit: Int? = nil) -> EventStream<Element> {
        let sink = StreamSink(backlog: makeBacklog(limit ?? backlog), tracker: tracker)
        return EventStream(sink: sink, observation: add(sink))
    }

    /// Sends `elements` to every observer. One caller at a time, or observers may get what was sent at once in different orders.
    public func send(_ elements: [Element]) {
        let sinks = state.withLockedValue { $0.sinks }
        for (_, sink) in sinks { sink.receive(elements) }
    }

    /// Delivers `elements` only to observers with callbacks: for elements that keep their order among the others but are not for
    /// sequences. May be called from any thread.
    public func sendToCallbacks(_ elements: [Element]) {
        let sinks = state.withLockedValue { $0.sinks }
        for (_, sink) in sinks where !sink.isSequence { sink.receive(elements) }
    }

    /// Ends all sequences; later elements are not sent.
    public func finish() {
        let sinks = state.withLockedValue { state in
            state.isFinished = true
            defer { state.sinks = [] }
            return state.sinks
        }
        for (_, sink) in sinks { sink.finish() }
    }

    private func makeBacklog(_ limit: Int) -> BoundedBacklog<Element> {
        BoundedBacklog(limit: limit, isDroppable: isDroppable, marker: dropped)
    }

    private func add(_ sink: any Sink<Element>) -> Observation {
        let id: UInt64? = state.withLockedValue { state in
            if state.isFinished { return nil }
            state.lastID += 1
            state.sinks.append((state.lastID, sink))
            return state.lastID
        }
        guard let id else {
            sink.finish()
            return Observation {}
        }
        return Observation { [weak self] in
            sink.finish()
            self?.remove(id)
        }
    }

    private func remove(_ id: UInt64) {
        let removed = state.withLockedValue { state in
            state.sinks.firstIndex { $0.id == id }.map { state.sinks.remove(at: $0) }
        }
        // Released here, outside of the lock: an object that an observer holds may call back in its `deinit`.
        _ = removed
    }
}

/// Keeps an observation alive. It ends when this is cancelled or released.
public final class Observation: Sendable {
    private let onCancel: NIOLockedValueBox<(@Sendable () -> Void)?>

    public init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = NIOLockedValueBox(onCancel)
    }

    deinit { cancel() }

    /// Ends the observation. A callback that is already running finishes.
    public func cancel() {
        let action = onCancel.withLockedValue { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// The receiving end of one observer of a broadcaster.
protocol Sink<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable

    /// Whether the elements are for a task that iterates, instead of for a callback.
    var isSequence: Bool { get }

    func receive(_ elements: [Element])
    func finish()
}
