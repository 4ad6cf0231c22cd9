import EngineRuntime
import NIOConcurrencyHelpers

/// The statuses of a client, as an async sequence for one consumer. Statuses are few and never dropped.
///
/// It begins with the present status, unless `connect` was never called, so a consumer that starts late knows the state. A later
/// loop over the same sequence continues where an earlier one ended.
public struct StatusChanges: AsyncSequence, Sendable {
    /// A status.
    public typealias Element = ConnectionStatus
    /// The sequence never throws.
    public typealias Failure = Never

    private let stream: EventStream<ConnectionStatus>
    /// The initial status, until it has been delivered.
    private let present: NIOLockedValueBox<ConnectionStatus?>
    private let firstNumber: UInt64

    init(stream: EventStream<ConnectionStatus>, present: ConnectionStatus) {
        self.stream = stream
        self.present = NIOLockedValueBox(present.phase == .idle ? nil : present)
        firstNumber = present.number + 1
    }

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), present: present, firstNumber: firstNumber)
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<ConnectionStatus>.Iterator
        fileprivate let present: NIOLockedValueBox<ConnectionStatus?>
        fileprivate let firstNumber: UInt64

        /// The next status, or nil at the end.
        public mutating func next() async -> ConnectionStatus? {
            let first = present.withLockedValue { present in
                defer { present = nil }
                return present
            }
            if let first { return first }
            // The stream was opened before the present status was read, so it may hold that one too.
            while let status = await base.next() {
                if status.number >= firstNumber { return status }
            }
            return nil
        }
    }
}
