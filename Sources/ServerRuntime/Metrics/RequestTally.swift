import NIOConcurrencyHelpers

/// The kind of a request in metrics, such as health or websocket: the index of its label in ``RequestKinds``.
package struct RequestKind: Hashable, Sendable {
    package let index: UInt8

    /// - Parameter index: the index of the label in ``RequestKinds/labels``.
    package init(index: UInt8) {
        self.index = index
    }

    package static let other = RequestKind(index: 0)
    package static let health = RequestKind(index: 1)
    package static let ready = RequestKind(index: 2)
    package static let metrics = RequestKind(index: 3)
    package static let webSocket = RequestKind(index: 4)
    package static let description = RequestKind(index: 5)
}

/// The labels of all kinds of requests. Each service adds the labels of its requests when it is created.
package final class RequestKinds: Sendable {
    private let list = NIOLockedValueBox(["other", "health", "ready", "metrics", "websocket", "openapi"])

    package init() {}

    /// Returns the kind with this label, which is added if it is new. There are at most 256 kinds.
    package func add(_ label: String) -> RequestKind {
        list.withLockedValue { list in
            if let index = list.firstIndex(of: label) { return RequestKind(index: UInt8(index)) }
            guard list.count < 256 else { return .other }
            list.append(label)
            return RequestKind(index: UInt8(list.count - 1))
        }
    }

    /// The labels of all kinds, indexed by ``RequestKind/index``.
    package var labels: [String] { list.withLockedValue { $0 } }
}

/// The number of answers of one event loop, by kind of request and first digit of the status.
package struct RequestTally: Hashable, Sendable {
    private var counts: ContiguousArray<Int> = []

    package init() {}

    package mutating func count(_ kind: RequestKind, status: Int) {
        let place = Int(kind.index) * 5 + Self.place(status)
        while counts.count <= place { counts.append(0) }
        counts[place] += 1
    }

    package func count(_ kind: RequestKind, digit: Int) -> Int {
        let place = Int(kind.index) * 5 + Self.place(digit * 100)
        return counts.indices.contains(place) ? counts[place] : 0
    }

    package mutating func add(_ other: RequestTally) {
        while counts.count < other.counts.count { counts.append(0) }
        for index in other.counts.indices { counts[index] += other.counts[index] }
    }

    private static func place(_ status: Int) -> Int { min(max(status / 100, 1), 5) - 1 }
}

/// Histograms of the times in which one event loop answered requests, one for each kind of request. The number of kinds is fixed once all
/// services are created.
package struct RequestTimes: Hashable, Sendable {
    private var histograms: ContiguousArray<LatencyHistogram> = []

    package init() {}

    package mutating func observe(_ kind: RequestKind, nanoseconds: Int64) {
        let place = Int(kind.index)
        while histograms.count <= place { histograms.append(LatencyHistogram()) }
        histograms[place].observe(nanoseconds: nanoseconds)
    }

    /// The histogram of a kind; nil when no request of this kind was answered.
    package subscript(_ kind: RequestKind) -> LatencyHistogram? {
        let place = Int(kind.index)
        guard histograms.indices.contains(place), histograms[place].count > 0 else { return nil }
        return histograms[place]
    }

    package mutating func add(_ other: RequestTimes) {
        while histograms.count < other.histograms.count { histograms.append(LatencyHistogram()) }
        for index in other.histograms.indices { histograms[index].add(other.histograms[index]) }
    }
}
