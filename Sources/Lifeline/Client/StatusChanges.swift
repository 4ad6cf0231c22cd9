import EngineRuntime
import NIOConcurrencyHelpers

/// The statuses of a client's connection, as an async sequence for one consumer. Statuses are few and never dropped.
///
/// The sequence begins with the present status, so a consumer that starts late gets the current state. If `connect` was never called, there
/// is no present status, and the sequence begins with the first change. A later loop over the same sequence continues after the last status
/// that an earlier loop has read.
public struct StatusChanges: AsyncSequence, Sendable {
    /// A status.
    public typealias Element = ConnectionStatus
    /// Iteration cannot throw; a failed connection is an element.
    public typealias Failure = Never

    private let stream: EventStream<ConnectionStatus>
    /// The status at the time when the sequence was created; nil once it has been delivered, and for a client that never connected.
    private let present: NIOLockedValueBox<ConnectionStatus?>
    private let firstNumber: UInt64

    init(stream: EventStream<ConnectionStatus>, present: ConnectionStatus) {
        self.stream = stream
        self.present = NIOLockedValueBox(present.phase == .idle ? nil : present)
        firstNumber = present.number + 1
    }

    /// Makes the iterator of a `for await` loop. It continues after the last status that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), present: present, firstNumber: firstNumber)
    }

    /// Iterates over the statuses. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<ConnectionStatus>.Iterator
        fileprivate let present: NIOLockedValueBox<ConnectionStatus?>
        fileprivate let firstNumber: UInt64

        /// Waits for the next status. Returns nil at the end of the sequence.
        public mutating func next() async -> ConnectionStatus? {
            let first = present.withLockedValue { present in
                defer { present = nil }
                return present
            }
            if let first { return first }
            // The stream was opened before the present status was read, so it may contain the present status, which is skipped here.
            while let status = await base.next() {
                if status.number >= firstNumber { return status }
            }
            return nil
        }
    }
}
