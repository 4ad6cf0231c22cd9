import NIOCore
import ServerValues
import TransportCommon

/// The runtime's state on one event loop: HTTP connections, delayed operations, and metrics. Used on that event loop only.
package final class LoopState {
    /// Connections that use HTTP.
    package var requesters = ConnectionList<HTTPConnection>()
    /// The fronts' states on this event loop, in the order of the fronts.
    package var residents: [any LoopResident] = []
    /// Whether the server is stopping: connections close after their answer.
    package var isDraining = false
    /// The gradual close of connections while the server stops; nil before.
    var drain: LoopDrain?
    package var counters = LoopCounters()
    /// The number of connections so far.
    package var connectionSerial: UInt32 = 0
    package var figures = LoopFigures()
    /// The latest `Date` field and its second: encoded at most once per second.
    private var lastDate = (second: -1, text: "")
    var held = BackpressureQueue()
    /// The last connections that ended, if they are kept.
    package var ended = EndedConnections()
    var refusals = RefusalLog()

    /// The header `Date` of an answer at this second since 1970.
    package func date(at second: Int) -> String {
        if second != lastDate.second { lastDate = (second, HTTPDate.text(unixTime: Int64(second))) }
        return lastDate.text
    }
}

extension LoopState: LoopPart {
    package enum Operation: LoopOperation {
        /// Send the answer to a request that was prepared elsewhere.
        case answer(NIOLoopBound<HTTPConnection>, number: UInt32, HTTPAnswer)
        /// Close this part of all connections, because the server stops.
        case drain(Double)
        /// Check delayed work, because an event loop has room again.
        case tryHeld(EventLoopContext)

        /// The fixed size of an operation, in addition to the bytes that it carries.
        private static let overhead = 64

        package var queuedBytes: Int {
            switch self {
            case .answer(_, _, let answer): answer.body.count + Self.overhead
            case .drain: Self.overhead
            // At most one is queued, and it only checks for room.
            case .tryHeld: 0
            }
        }
    }

    package func perform(_ operations: [Operation], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        var (next, bytes) = (start, 0)
        while next < operations.count, bytes < budget {
            let operation = operations[next]
            bytes += operation.queuedBytes
            next += 1
            switch operation {
            case .answer(let connection, let number, let answer): connection.value.finish(number, answer)
            case .drain(let part): drain(to: part)
            case .tryHeld(let loop): loop.tryHeld()
            }
        }
        return (next, bytes)
    }

    package func endTurn(since: MonotonicInstant?) {}

    package func sweep(at now: MonotonicInstant) {
        for requester in requesters.all { requester.sweep(at: now) }
    }

    package func connections() -> [any DrainedConnection] { requesters.all.filter(\.isHoldingExchange) }

    package func cut() {
        for requester in requesters.all { requester.cut() }
    }
}
