import NIOConcurrencyHelpers

// Async sequences, an addition to PusherSwift 10.1. Rules PA-41 and PA-71: each sequence is for one consumer and bounded; beyond the
// bound the oldest elements are dropped.

/// Finishes a stream when its producer is released.
final class StreamEnd<Element: Sendable>: Sendable {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}

/// The consumers of one kind of event. Not locked: the owning object protects it with its own lock.
struct StreamEnds<Element: Sendable> {
    private var ends: [UInt64: StreamEnd<Element>] = [:]
    private var last: UInt64 = 0

    mutating func add(_ end: StreamEnd<Element>, current: Element? = nil) -> UInt64 {
        last += 1
        ends[last] = end
        if let current { end.continuation.yield(current) }
        return last
    }

    /// - Returns: what has to be released outside of the lock, since it ends the stream.
    mutating func remove(_ id: UInt64) -> StreamEnd<Element>? {
        ends.removeValue(forKey: id)
    }

    func yield(_ element: Element) {
        for end in ends.values { end.continuation.yield(element) }
    }

    /// Yields to all consumers; a consumer without room for the element gets `instead` after it.
    func yield(_ element: Element, orElse instead: @autoclosure () -> Element) {
        for end in ends.values {
            if case .dropped = end.continuation.yield(element) { end.continuation.yield(instead()) }
        }
    }

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
}

extension AsyncStream where Element: Sendable {
    /// Makes a stream whose continuations are stored elsewhere, behind a lock.
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
