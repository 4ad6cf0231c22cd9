import NIOConcurrencyHelpers

// Async sequences, an addition to PusherSwift 10.1. Each sequence is for one consumer and bounded; when it is full, the oldest elements are
// dropped (rules PA-41 and PA-71).

/// Finishes an async stream when this object is released. The object that feeds the stream with elements holds the only reference to this
/// object.
final class StreamEnd<Element: Sendable>: Sendable {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}

/// The async streams that get one kind of event, each by the number that `add` assigned to the stream. The object that owns this value must
/// protect the value with a lock.
struct StreamEnds<Element: Sendable> {
    private var ends: [UInt64: StreamEnd<Element>] = [:]
    private var last: UInt64 = 0

    mutating func add(_ end: StreamEnd<Element>, current: Element? = nil) -> UInt64 {
        last += 1
        ends[last] = end
        if let current { end.continuation.yield(current) }
        return last
    }

    /// Removes a stream.
    ///
    /// - Returns: the removed object, whose `deinit` ends the stream. The caller must release this object outside of the caller's lock.
    mutating func remove(_ id: UInt64) -> StreamEnd<Element>? {
        ends.removeValue(forKey: id)
    }

    func yield(_ element: Element) {
        for end in ends.values { end.continuation.yield(element) }
    }

    /// Yields `element` to all streams. A stream that was full has dropped its oldest element for it, and also gets `instead`.
    func yield(_ element: Element, orElse instead: @autoclosure () -> Element) {
        for end in ends.values {
            if case .dropped = end.continuation.yield(element) { end.continuation.yield(instead()) }
        }
    }

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
}

extension AsyncStream where Element: Sendable {
    /// Makes a stream. The object that produces the elements stores the stream's continuation under its own lock.
    ///
    /// - Parameters:
    ///   - add: registers the continuation with the producer and returns its number.
    ///   - remove: removes the continuation; the returned value is released outside of the lock.
    static func fed(
        limit: Int, add: (StreamEnd<Element>) -> UInt64,
        remove: @escaping @Sendable (UInt64) -> StreamEnd<Element>?
    ) -> AsyncStream<Element> {
        let (stream, continuation) = makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(Swift.max(limit, 1)))
        let id = add(StreamEnd(continuation))
        continuation.onTermination = { _ in _ = remove(id) }
        return stream
    }
}
