/// Calls a closure with batches of elements on a queue. Elements that arrive while the closure runs form the next batch.
final class CallbackSink<Element: Sendable>: Sink {
    let isSequence = false
    private let worker: CoalescingWorker<BoundedBacklog<Element>>

    init(backlog: BoundedBacklog<Element>, queue: CallbackQueue, body: @escaping @Sendable ([Element]) -> Void) {
        worker = CoalescingWorker(backlog, on: .queue(queue), body: body)
    }

    func receive(_ elements: [Element]) {
        worker.put { $0.append(contentsOf: elements) }
    }

    func finish() {
        worker.end()
    }
}
