import NIOCore
import ServerValues
import TransportCommon

/// The runtime's state on one event loop: HTTP connections, delayed operations, and metrics. Used on that event loop only.
package final class LoopState {
    /// The open connections that use HTTP, which excludes WebSockets.
    package var requesters = ConnectionList<HTTPConnection>()
    /// The services' states on this event loop, in the order of the services.
    package var residents: [any LoopResident] = []
    /// Whether the server is stopping: connections close after their answer.
    package var isDraining = false
    /// The connections that are being closed gradually while the server stops; nil before the stop.
    var drain: LoopDrain?
    package var counters = LoopCounters()
    /// The serial number of the latest connection, which is the number of connections so far.
    package var connectionSerial: UInt32 = 0
    package var figures = LoopFigures()
    /// The latest second since 1970 and its text for the `Date` field, so that the text is made at most once per second.
    private var lastDate = (second: -1, text: "")
    var held = BackpressureQueue()
    /// The most recently ended connections, for the console; empty if the server does not record them.
    package var ended = EndedConnections()
    var refusals = RefusalLog()

    /// Returns the text of the `Date` field for this second since 1970.
    package func date(at second: Int) -> String {
        if second != lastDate.second { lastDate = (second, HTTPDate.text(unixTime: Int64(second))) }
        return lastDate.text
    }
}

extension LoopState: LoopPart {
    package enum Operation: LoopOperation {
        /// Sends an answer that another thread has made to the request with this number on the connection.
        case answer(NIOLoopBound<HTTPConnection>, number: UInt32, HTTPAnswer)
        /// Closes connections until this fraction (0 … 1) of them is closed, because the server stops.
        case drain(Double)
        /// Continues delayed operations, because an event loop has room again.
        case tryHeld(EventLoopContext)

        /// The size in bytes that each operation counts in addition to its data.
        private static let overhead = 64

        package var queuedBytes: Int {
            switch self {
            case .answer(_, _, let answer): answer.body.count + Self.overhead
            case .drain: Self.overhead
            // This operation counts as empty, because at most one is queued and it has no data.
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
