import NIOConcurrencyHelpers

/// A bounded sequence of a broadcaster's elements, for one consumer.
///
/// Ends when its source ends, or when the consuming task is cancelled. When the consumer is slower than the source, elements
/// beyond the limit are dropped, marked in place and counted in ``droppedCount``.
///
/// A later loop continues where an earlier one ended; a second loop at the same time ends the first.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let sink: StreamSink<Element>
    private let observation: Observation

    init(sink: StreamSink<Element>, observation: Observation) {
        self.sink = sink
        self.observation = observation
    }

    /// How many elements were dropped so far.
    public var droppedCount: Int { sink.droppedCount }
    /// Whether a loop has taken all elements and waits; for tests.
    package var isAwaited: Bool { sink.isAwaited }

    public func makeAsyncIterator() -> Iterator {
        Iterator(sink: sink, observation: observation)
    }

    public struct Iterator: AsyncIteratorProtocol {
        private let place: Place
        private let observation: Observation

        fileprivate init(sink: StreamSink<Element>, observation: Observation) {
            place = Place(sink: sink)
            self.observation = observation
        }

        /// The next element, or nil at the end.
        public mutating func next() async -> Element? {
            await place.next()
        }

        /// Inserts an element before the next one, for this loop or, when it has ended, for the next one.
        public mutating func putBack(_ element: Element) {
            place.putBack(element)
        }
    }

    /// Elements that one loop has taken and not delivered yet. When the loop ends, they go back into the backlog for the next loop.
    private final class Place {
        private let sink: StreamSink<Element>
        private var batch: [Element] = []
        private var position = 0

        init(sink: StreamSink<Element>) {
            self.sink = sink
        }

        deinit {
            if position < batch.count { sink.giveBack(batch[position...]) }
            sink.left()
        }

        func putBack(_ element: Element) {
            batch.replaceSubrange(..<position, with: [element])
            position = 0
        }

        func next() async -> Element? {
            if position >= batch.count {
                batch = await sink.nextBatch()
                position = 0
                if batch.isEmpty { return nil }
            }
            defer { position += 1 }
            return batch[position]
        }
    }
}

/// Collects elements until the consumer asks for them.
final class StreamSink<Element: Sendable>: Sink {
    private struct State {
        var backlog: BoundedBacklog<Element>
        var consumer: CheckedContinuation<[Element], Never>?
        /// Identifies the consumer's task, for the tracker.
        var task: Int?
        var isFinished = false
    }

    let isSequence = true
    private let state: NIOLockedValueBox<State>
    private let tracker: (any ConsumerTracker)?

    init(backlog: BoundedBacklog<Element>, tracker: (any ConsumerTracker)? = nil) {
        state = NIOLockedValueBox(State(backlog: backlog))
        self.tracker = tracker
    }

    var droppedCount: Int { state.withLockedValue { $0.backlog.droppedInTotal } }
    var isAwaited: Bool { state.withLockedValue { $0.consumer != nil } }

    func receive(_ elements: [Element]) {
        resume { state in
            if !state.isFinished { state.backlog.append(contentsOf: elements) }
        }
    }

    func finish() {
        resume { $0.isFinished = true }
    }

    /// Inserts elements at the beginning of the backlog: those that a loop has taken and not delivered.
    func giveBack(_ elements: ArraySlice<Element>) {
        resume { $0.backlog.giveBack(elements) }
    }

    /// Handles the end of a loop.
    func left() {
        tracker?.ended(ObjectIdentifier(self))
    }

    /// All waiting elements; empty at the end. A second consumer at the same time ends the first.
    func nextBatch() async -> [Element] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let task = tracker == nil ? nil : withUnsafeCurrentTask { $0?.hashValue }
                let displaced = state.withLockedValue { state in
                    let displaced = state.consumer
                    state.consumer = continuation
                    state.task = task
                    return displaced
                }
                displaced?.resume(returning: [])
                resume { state in
                    if Task.isCancelled { state.isFinished = true }
                }
            }
        } onCancel: {
            finish()
        }
    }

    /// Applies `change`, then passes waiting elements to the consumer, if both exist.
    private func resume(after change: (inout State) -> Void) {
        let (consumer, batch) = state.withLockedValue { state -> (CheckedContinuation<[Element], Never>?, [Element]) in
            change(&state)
            guard let consumer = state.consumer else { return (nil, []) }
            guard state.isFinished || !state.backlog.isEmpty else {
                tracker?.waits(ObjectIdentifier(self), task: state.task)
                return (nil, [])
            }
            state.consumer = nil
            let batch = state.backlog.takeAll()
            // Under the lock, so that the tracker gets the events in their order.
            if batch.isEmpty {
                tracker?.ended(ObjectIdentifier(self))
            } else {
                tracker?.began(ObjectIdentifier(self), task: state.task)
            }
            return (consumer, batch)
        }
        consumer?.resume(returning: batch)
    }
}
