import NIOConcurrencyHelpers

/// A bounded sequence of a broadcaster's elements, for one consumer.
///
/// The sequence ends when its source ends, or when the consuming task is cancelled. When the consumer is slower than the source, elements
/// beyond the limit are dropped; a marker takes their place, and ``droppedCount`` counts them.
///
/// A new loop over the sequence continues where the previous loop ended. A second loop at the same time ends the first.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let sink: StreamSink<Element>
    private let observation: Observation

    init(sink: StreamSink<Element>, observation: Observation) {
        self.sink = sink
        self.observation = observation
    }

    /// How many elements of this sequence were dropped so far.
    public var droppedCount: Int { sink.droppedCount }
    /// Whether a loop has received all elements and waits for the next one; for tests.
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

        /// Waits for the next element; nil when the sequence has ended.
        public mutating func next() async -> Element? {
            await place.next()
        }

        /// Puts an element back before all waiting elements. The current loop gets this element next; if that loop has ended, the next loop
        /// over the sequence gets it.
        public mutating func putBack(_ element: Element) {
            place.putBack(element)
        }
    }

    /// The batch of elements that one loop is iterating over. When the loop ends, the rest of the batch goes back into the backlog.
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

/// Stores the elements of a sequence until the consumer requests them.
final class StreamSink<Element: Sendable>: Sink {
    private struct State {
        var backlog: BoundedBacklog<Element>
        var consumer: CheckedContinuation<[Element], Never>?
        /// Identifies the consumer's task to the consumer tracker.
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

    /// Puts elements that a loop took and did not process back at the beginning of the backlog.
    func giveBack(_ elements: ArraySlice<Element>) {
        resume { $0.backlog.giveBack(elements) }
    }

    /// Notifies the consumer tracker that a loop has ended.
    func left() {
        tracker?.ended(ObjectIdentifier(self))
    }

    /// Waits for elements and returns all that have arrived; an empty array when the sequence has ended. A second consumer at the same time
    /// ends the first.
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

    /// Applies `change`, then passes the waiting elements to the consumer, if there are elements and a waiting consumer.
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
            // The consumer tracker is called while the lock is held, so that its methods are called in the order of the events.
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
