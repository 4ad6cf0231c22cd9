import ServerValues

/// What the connections of one event loop hold back until other event loops, or this one, have room: each at most one thing, in the
/// order in which it came (rules SV-14 and SV-15). Touched on its loop only.
struct BackpressureQueue {
    fileprivate enum Entry {
        case reader(WebSocketConnection, EventLoopSet)
        case request(Request)
    }

    /// A request that has not been carried out yet.
    struct Request {
        let connection: HTTPConnection
        let number: UInt32
        let loops: EventLoopSet
        let deadline: MonotonicInstant
        let refusal: HTTPAnswer
        /// Tries again: answers the request, or holds it back once more.
        let attempt: () -> Void
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// The loops for which an operation waits.
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

    /// Removes all entries, for ``EventLoopContext`` to check.
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
    /// Holds a connection back until none of `loops` is full. On the event loop only.
    func hold(_ reader: WebSocketConnection, until loops: EventLoopSet) {
        state.held.append(reader, until: loops)
        state.figures.held += 1
        waitForRoom(on: loops)
    }

    /// Holds a request back until none of its loops is full, or its time is over. On the event loop only.
    func hold(_ request: BackpressureQueue.Request) {
        state.held.append(request)
        waitForRoom(on: request.loops)
    }

    /// Checks all held-back work. Work that continues may fill loops again; then the rest stays, in its order.
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

    /// Refuses requests that have waited for too long, and forgets connections that are gone.
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
        // There is room by now.
        if !isWaiting { lookAtHeld() }
    }

    private func lookAtHeld() {
        enqueue(.tryHeld(self))
    }
}
