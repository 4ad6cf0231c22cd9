import ServerValues

/// The delayed operations of one event loop's connections. An operation waits until the queues of the event loops that it needs have room.
/// Each connection has at most one delayed operation, and operations continue in the order of arrival (rules SV-14 and SV-15). Used on its
/// event loop only.
struct BackpressureQueue {
    fileprivate enum Entry {
        case reader(WebSocketConnection, EventLoopSet)
        case request(Request)
    }

    /// A delayed publish request, of which no part has been performed yet.
    struct Request {
        let connection: HTTPConnection
        let number: UInt32
        let loops: EventLoopSet
        let deadline: MonotonicInstant
        let refusal: HTTPAnswer
        /// Performs the request again: this answers the request, or delays it again.
        let attempt: () -> Void
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// All event loops for which at least one delayed operation waits.
    var loops: EventLoopSet {
        entries.reduce(into: EventLoopSet()) { loops, entry in
            switch entry {
            case .reader(_, let wanted): loops.formUnion(wanted)
            case .request(let request): loops.formUnion(request.loops)
            }
        }
    }

    fileprivate mutating func append(_ reader: WebSocketConnection, until loops: EventLoopSet) {
        entries.append(.reader(reader, loops))
    }

    fileprivate mutating func append(_ request: Request) {
        entries.append(.request(request))
    }

    /// Removes and returns all entries, so that ``EventLoopContext`` can check each of them.
    fileprivate mutating func takeAll() -> [Entry] {
        var taken: [Entry] = []
        swap(&taken, &entries)
        return taken
    }

    fileprivate mutating func putBack(_ entry: Entry) {
        entries.append(entry)
    }
}

extension EventLoopContext {
    /// Pauses reading from a connection until none of `loops` is full. On the event loop only.
    func hold(_ reader: WebSocketConnection, until loops: EventLoopSet) {
        state.held.append(reader, until: loops)
        state.figures.held += 1
        waitForRoom(on: loops)
    }

    /// Delays a request until none of its event loops is full, or its deadline has passed. On the event loop only.
    func hold(_ request: BackpressureQueue.Request) {
        state.held.append(request)
        waitForRoom(on: request.loops)
    }

    /// Continues delayed operations whose event loops have room. An operation that continues may fill event loops again; then the others
    /// stay delayed, in their order.
    func tryHeld() {
        for entry in state.held.takeAll() {
            switch entry {
            case .reader(let reader, let loops):
                guard reader.isOpen else { continue }
                if congestion.full.isDisjoint(with: loops) { reader.goOn() } else { state.held.putBack(entry) }
            case .request(let request):
                guard request.connection.isAnswering(request.number) else { continue }
                if congestion.full.isDisjoint(with: request.loops) { request.attempt() } else { state.held.putBack(entry) }
            }
        }
        if state.held.count > 0 { waitForRoom(on: state.held.loops) }
    }

    /// Refuses requests that have waited for too long, and removes closed connections.
    func sweepHeld(at now: MonotonicInstant) {
        guard state.held.count > 0 else { return }
        for entry in state.held.takeAll() {
            switch entry {
            case .reader(let reader, _): if reader.isOpen { state.held.putBack(entry) }
            case .request(let request):
                if now < request.deadline {
                    if request.connection.isAnswering(request.number) { state.held.putBack(entry) }
                } else {
                    request.connection.finish(request.number, request.refusal)
                }
            }
        }
    }

    private func waitForRoom(on loops: EventLoopSet) {
        let isWaiting = congestion.wait(for: loops, on: eventLoopID) { [weak self] in self?.lookAtHeld() }
        // If none of the event loops is full any more, no notification will follow, so the delayed operations are tried now.
        if !isWaiting { lookAtHeld() }
    }

    private func lookAtHeld() {
        enqueue(.tryHeld(self))
    }
}
