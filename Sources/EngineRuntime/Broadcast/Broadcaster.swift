import NIOConcurrencyHelpers

/// Sends the elements of one source to many observers, in the same order: to callbacks on a chosen queue, or to bounded async sequences.
///
/// A slow observer does not delay others. When its backlog is full, droppable elements are dropped for this observer alone, and a marker
/// with their number takes their place.
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

    /// Creates a broadcaster without observers.
    ///
    /// - Parameters:
    ///   - backlog: the most elements that may wait for one observer before droppable elements are dropped.
    ///   - isDroppable: whether an element may be dropped when the backlog is full.
    ///   - dropped: makes the marker for a number of dropped elements.
    public convenience init(
        backlog: Int, isDroppable: @escaping @Sendable (Element) -> Bool, dropped: @escaping @Sendable (Int) -> Element
    ) {
        self.init(backlog: backlog, tracker: nil, isDroppable: isDroppable, dropped: dropped)
    }

    /// Creates a broadcaster without observers, for tests.
    ///
    /// - Parameter tracker: records which consumers of sequences are processing elements.
    package init(
        backlog: Int, tracker: (any ConsumerTracker)?, isDroppable: @escaping @Sendable (Element) -> Bool,
        dropped: @escaping @Sendable (Int) -> Element
    ) {
        self.backlog = backlog
        self.tracker = tracker
        self.isDroppable = isDroppable
        self.dropped = dropped
    }

    /// Calls `body` on `queue` with all elements that are sent from now on, in order and in batches. The queue gets one work item for each
    /// batch.
    ///
    /// - Returns: the observation, which ends when it is cancelled or released.
    public func observe(
        on queue: CallbackQueue, _ body: @escaping @Sendable ([Element]) -> Void
    ) -> Observation {
        add(CallbackSink(backlog: makeBacklog(backlog), queue: queue, body: body))
    }

    /// Returns a sequence of all elements that are sent from now on, for one consumer. Each call returns an independent sequence.
    ///
    /// - Parameter limit: the most elements that may wait for the consumer; nil for the broadcaster's own limit.
    public func stream(limit: Int? = nil) -> EventStream<Element> {
        let sink = StreamSink(backlog: makeBacklog(limit ?? backlog), tracker: tracker)
        return EventStream(sink: sink, observation: add(sink))
    }

    /// Sends `elements` to every observer. Must not be called concurrently, because observers might get the elements in different orders.
    public func send(_ elements: [Element]) {
        let sinks = state.withLockedValue { $0.sinks }
        for (_, sink) in sinks { sink.receive(elements) }
    }

    /// Sends `elements` to observers with callbacks, but not to sequences. These observers get them in one order with the elements of
    /// ``send(_:)``. May be called from any thread.
    public func sendToCallbacks(_ elements: [Element]) {
        let sinks = state.withLockedValue { $0.sinks }
        for (_, sink) in sinks where !sink.isSequence { sink.receive(elements) }
    }

    /// Ends all sequences. Elements that are sent later reach no observer.
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
        // The observer is released here, outside of the lock, because the `deinit` of an object that it holds may call the broadcaster.
        _ = removed
    }
}

/// Keeps an observation active. The observation ends when this object is cancelled or released.
public final class Observation: Sendable {
    private let onCancel: NIOLockedValueBox<(@Sendable () -> Void)?>

    public init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = NIOLockedValueBox(onCancel)
    }

    deinit { cancel() }

    /// Ends the observation. A callback that is already running is not interrupted.
    public func cancel() {
        let action = onCancel.withLockedValue { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// Receives elements of a broadcaster for one observer.
protocol Sink<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable

    /// True if a task iterates over the elements, false if a callback gets them.
    var isSequence: Bool { get }

    func receive(_ elements: [Element])
    func finish()
}
