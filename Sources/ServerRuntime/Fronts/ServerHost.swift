import NIOCore
import NIOPosix
import ServerValues

/// Runs a server's services (``ServerFront``) on its event loops: routing, periodic work, metrics, and shutdown.
package final class ServerHost: Sendable {
    package let context: ServerContext
    package let fronts: [any ServerFront]
    /// The services that accept WebSockets, cast once: casting each service at each upgrade would take longer than the rest of the upgrade.
    private let webSocketFronts: [any WebSocketFront]
    /// Returns the OpenAPI description with this file name. The result is constant and independent of the configuration (rule SV-89).
    let description: @Sendable (_ file: String) -> [UInt8]?
    private let otherMetrics: [@Sendable (inout PrometheusText) -> Void]

    /// - Parameters:
    ///   - fronts: the services; a path belongs to the first one that owns it.
    ///   - description: returns the OpenAPI description with this file name; nil when there is none.
    ///   - otherMetrics: closures that add metric families that belong to no service.
    package init(
        _ context: ServerContext, _ fronts: [any ServerFront],
        description: @escaping @Sendable (_ file: String) -> [UInt8]? = { _ in nil },
        otherMetrics: [@Sendable (inout PrometheusText) -> Void] = []
    ) {
        self.context = context
        self.fronts = fronts
        webSocketFronts = fronts.compactMap { $0 as? any WebSocketFront }
        self.description = description
        self.otherMetrics = otherMetrics
    }

    /// The service that accepts a WebSocket at this path, and its subprotocol.
    func webSocketFront(of segments: [String]) -> (front: any WebSocketFront, subprotocol: String)? {
        for front in webSocketFronts {
            if let subprotocol = front.subprotocol(of: segments) { return (front, subprotocol) }
        }
        return nil
    }

    func front(of segments: [String]) -> (any ServerFront)? {
        fronts.first { $0.owns(segments) }
    }

    /// Whether any service needs the header fields of a GET with this target. Requests that are parsed in place provide no header fields.
    func needsFields(of target: UnsafeRawBufferPointer) -> Bool {
        guard let inner = context.prefix.strip(target) else { return false }
        return fronts.contains { $0.needsFields(of: inner) }
    }

    /// Makes the services' state on every event loop. Call it once, before the first connection.
    package func prepare() async throws {
        for loop in context.loops {
            try await loop.eventLoop.submit { [fronts] in
                loop.state.residents = fronts.map { $0.resident(on: loop) }
            }.get()
        }
    }

    /// Stops the background work of all services concurrently, after their connections have ended.
    package func close() async {
        await withTaskGroup(of: Void.self) { group in
            for front in fronts { group.addTask { await front.close() } }
        }
        context.congestion.end(context.eventLoopIDs)
    }

    // MARK: Time

    /// Starts periodic sweeps of the connections of every event loop: one task for each event loop, not one for each connection.
    package func startSweeping() -> [RepeatedTask] {
        let interval = TimeAmount(context.settings.sweepInterval)
        return context.loops.map { loop in
            loop.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] task in
                guard let self else { return task.cancel() }
                if loop.number == 0 {
                    self.context.reserve.fill()
                    for front in self.fronts { front.sweep() }
                }
                self.sweepConnections(of: loop)
            }
        }
    }

    private func sweepConnections(of loop: EventLoopContext) {
        let state = loop.state
        let now = context.now
        for resident in state.residents { resident.sweep(at: now) }
        state.sweep(at: now)
        loop.sweepHeld(at: now)
        loop.publishCounters()
    }

    /// Closes all sockets at an even rate over most of `timeout`, and cuts the connections that are still open at its end (rules SV-12 and
    /// SV-37).
    package func finishSockets(within timeout: Duration) async throws {
        // The system's clock instead of the injected one, because a test whose clock stands still must not prevent a server from stopping.
        let start = NIODeadline.now()
        let deadline = start + TimeAmount(timeout)
        let admission = context.admission
        let span = TimeAmount(LoopDrain.span(of: admission.withLockedValue(\.sockets), within: timeout)).nanoseconds
        var part = 0.0
        while admission.withLockedValue(\.sockets) > 0 {
            let now = NIODeadline.now()
            if part < 1 {
                part = span > 0 ? min(Double((now - start).nanoseconds) / Double(span), 1) : 1
                for loop in context.loops { loop.enqueue(.drain(part)) }
            }
            guard now < deadline else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        for loop in context.loops {
            try await loop.eventLoop.submit {
                for resident in loop.state.residents { resident.cut() }
                loop.state.cut()
            }.get()
        }
        try await release()
    }

    /// Removes the state of all services from every event loop. Event loops and these states refer to each other, so they would never be
    /// released otherwise.
    package func release() async throws {
        for loop in context.loops { try await loop.eventLoop.submit { loop.state.residents = [] }.get() }
    }

    // MARK: Metrics

    /// Collects the counters of every event loop. Counters have no locks, so each event loop reads its own on its own thread.
    package func metrics(on eventLoop: any EventLoop) -> EventLoopFuture<String> {
        let asked = context.now
        let queued = context.loops.map(\.queue.bytes)
        let loops = context.loops.map { loop in
            loop.eventLoop.submit { [self] in
                var figures = loop.state.figures
                figures.delay = max(context.now.since(asked), .zero)
                return (figures, fronts.map { $0.collect(on: loop) })
            }
        }
        let process = NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { ProcessFigures.current() }
        return EventLoopFuture.whenAllSucceed(loops, on: eventLoop).and(process).map { [self] loops, process in
            text(loops, queued: queued, process)
        }
    }

    private func text(
        _ loops: [(figures: LoopFigures, fronts: [any Sendable])], queued: [Int], _ process: ProcessFigures
    ) -> String {
        var figures = ServerFigures()
        figures.services = context.names.names.map(\.service)
        figures.version = context.settings.version
        figures.loops = loops.map(\.figures)
        figures.queuedBytes = queued
        figures.maximumQueuedBytes = context.settings.maximumQueuedBytes
        figures.requestLabels = context.requestKinds.labels
        figures.process = process
        figures.uptime = context.now.since(context.started)
        figures.isReady = context.readiness.isEmpty
        figures.acceptFailures = context.shortage.failures
        figures.refusedByAddress = context.addresses.refused
        figures.hasValidConfiguration = context.hasValidConfiguration.withLockedValue { $0 }
        figures.certificate = context.certificate.map { (isValid: $0.problem == nil, expires: $0.expires) }
        let admission = context.admission.withLockedValue { $0 }
        figures.sockets = admission.sockets
        figures.maximumConnections = admission.maximumConnections
        var out = PrometheusText()
        figures.write(to: &out)
        let names = context.names.names
        let tallies = figures.loops.reduce(into: ApplicationTallies()) { $0.add($1.applications) }
        for (index, front) in fronts.enumerated() {
            if front is any WebSocketFront {
                ServerFigures.writeConnections(
                    of: front.service, tallies, open: context.connections(of: front.service), context.names.names, to: &out)
            }
            front.write(loops.map { $0.fronts[index] }, names, to: &out)
        }
        for write in otherMetrics { write(&out) }
        return out.text
    }
}
