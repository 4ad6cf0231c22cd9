#if canImport(Combine)
    import Combine

    /// An async sequence that never throws, as a publisher for one subscriber. It delivers elements on demand: further elements wait in
    /// the sequence, which is bounded and reports dropped ones. Elements are delivered on a thread of the Swift runtime. Rule UI-7.
    struct ElementPublisher<Elements: AsyncSequence & Sendable>: Publisher where Elements.Element: Sendable {
        typealias Output = Elements.Element
        typealias Failure = Never

        let elements: Elements

        func receive<Subscriber: Combine.Subscriber>(subscriber: Subscriber)
        where Subscriber.Input == Output, Subscriber.Failure == Never {
            let gate = DemandGate()
            subscriber.receive(subscription: ElementSubscription(gate))
            // Needs no lock: Combine requires that calls of a subscriber are sequential, on any thread, and only the single task below
            // makes them, which starts after the call above has returned.
            nonisolated(unsafe) let receive: (Output) -> Int? = { subscriber.receive($0).max }
            nonisolated(unsafe) let finish = { subscriber.receive(completion: .finished) }
            let task = Task { [elements] in
                var iterator = elements.makeAsyncIterator()
                while await gate.pass() {
                    // None of these sequences throws, but generic typed failures need newer systems than this library supports.
                    guard let element = try? await iterator.next() else { break }
                    guard !Task.isCancelled else { return }
                    gate.add(receive(element))
                }
                if !gate.isCancelled { finish() }
            }
            gate.onCancel { task.cancel() }
        }
    }

    /// The subscription that a subscriber holds.
    final class ElementSubscription: Subscription {
        private let gate: DemandGate

        init(_ gate: DemandGate) {
            self.gate = gate
        }

        func request(_ demand: Subscribers.Demand) { gate.add(demand.max) }
        func cancel() { gate.cancel() }
    }
#endif
