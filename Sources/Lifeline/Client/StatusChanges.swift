import EngineRuntime

/// Every status of a client, for one consumer. Statuses are few and never dropped.
///
/// Begins with the present status, unless the client was never asked to connect; so a consumer that starts late knows where it is.
public struct StatusChanges: AsyncSequence, Sendable {
    public typealias Element = ConnectionStatus
    public typealias Failure = Never

    let stream: EventStream<ConnectionStatus>
    let present: ConnectionStatus

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), present: present)
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<ConnectionStatus>.Iterator
        private var present: ConnectionStatus?
        private let firstNumber: UInt64

        init(base: EventStream<ConnectionStatus>.Iterator, present: ConnectionStatus) {
            self.base = base
            self.present = present.phase == .idle ? nil : present
            firstNumber = present.number + 1
        }

        public mutating func next() async -> ConnectionStatus? {
            if let first = present {
                present = nil
                return first
            }
            // The stream was opened before the present status was read, so it may hold that one too.
            while let status = await base.next() {
                if status.number >= firstNumber { return status }
            }
            return nil
        }
    }
}
