#if canImport(Combine)
    import Combine

    /// Publishes the elements of an async sequence that never throws, for one subscriber. Elements are delivered on demand: further
    /// elements wait in the sequence, which is bounded and reports dropped ones. They are delivered on a thread of the Swift runtime. Rule
    /// UI-7.
    struct ElementPublisher<Elements: AsyncSequence & Sendable>: Publisher where Elements.Element: Sendable {
        typealias Output = Elements.Element
        typealias Failure = Never

        let elements: Elements

        func receive<Subscriber: Combine.Subscriber>(subscriber: Subscriber)
        where Subscriber.Input == Output, Subscriber.Failure == Never {
            let gate = DemandGate()
            subscriber.receive(subscription: ElementSubscription(gate))
            // `nonisolated(unsafe)` needs no lock: Combine requires that a subscriber is called sequentially, on any thread. Only the
            // single task below calls it, and the task starts after the call of `receive(subscription:)` has returned.
            nonisolated(unsafe) let receive: (Output) -> Int? = { subscriber.receive($0).max }
            nonisolated(unsafe) let finish = { subscriber.receive(completion: .finished) }
            let task = Task { [elements] in
                var iterator = elements.makeAsyncIterator()
                while await gate.pass() {
                    // `try?` is used although none of these sequences throws, because generic typed failures need newer systems than this
                    // library supports.
                    guard let element = try? await iterator.next() else { break }
                    guard !Task.isCancelled else { return }
                    gate.add(receive(element))
                }
                if !gate.isCancelled { finish() }
            }
            gate.onCancel { task.cancel() }
        }
    }

    /// The Combine subscription that an ``ElementPublisher`` passes to its subscriber.
    final class ElementSubscription: Subscription {
        private let gate: DemandGate

        init(_ gate: DemandGate) {
            self.gate = gate
        }

        func request(_ demand: Subscribers.Demand) { gate.add(demand.max) }
        func cancel() { gate.cancel() }
    }
#endif
