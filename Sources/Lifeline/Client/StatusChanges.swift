import EngineRuntime
import NIOConcurrencyHelpers

/// Every status of a client, for one consumer. Statuses are few and never dropped.
///
/// Begins with the present status, unless the client was never asked to connect; so a consumer that starts late knows where it is.
/// A later loop over the same sequence goes on where an earlier one was left.
public struct StatusChanges: AsyncSequence, Sendable {
    public typealias Element = ConnectionStatus
    public typealias Failure = Never

    private let stream: EventStream<ConnectionStatus>
    /// The status to begin with, until it is told.
    private let present: NIOLockedValueBox<ConnectionStatus?>
    private let firstNumber: UInt64

    init(stream: EventStream<ConnectionStatus>, present: ConnectionStatus) {
        self.stream = stream
        self.present = NIOLockedValueBox(present.phase == .idle ? nil : present)
        firstNumber = present.number + 1
    }

    /// Begins where the last loop was left.
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
