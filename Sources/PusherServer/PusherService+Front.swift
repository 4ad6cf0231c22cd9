import Logging
import NIOCore
import NIOPosix
import PusherProtocol
import ServerRuntime
import ServerStorage
import ServerValues

/// The kinds of requests under which metrics count Pusher's requests.
struct PusherRequestKinds: Sendable {
    let publish, publishBatch, channels, channel, users, connections, terminate: RequestKind

    init(_ kinds: RequestKinds) {
        publish = kinds.add("publish")
        publishBatch = kinds.add("publish_batch")
        channels = kinds.add("channels")
        channel = kinds.add("channel")
        users = kinds.add("users")
        connections = kinds.add("connections")
        terminate = kinds.add("terminate_connections")
    }

    subscript(route: PusherRoute) -> RequestKind {
        switch route {
        case .webSocket: .webSocket
        case .publish, .publishTo: publish
        case .publishBatch: publishBatch
        case .channels: channels
        case .channel: channel
        case .users: users
        case .connections: connections
        case .terminateConnections: terminate
        }
    }
}

extension PusherService: WebSocketFront {
    package var service: ServiceName { .pusher }

    package func owns(_ segments: [String]) -> Bool { PusherRoute.owns(segments) }

    package func refusal(_ problem: HTTPProblem, of segments: [String]) -> HTTPAnswer {
        named(HTTPAnswer(problem), segments)
    }

    package func bodyLimit(_ segments: [String], _ limit: Int) -> Int {
        PusherRoute.isBatch(segments) ? PublishRequest.maximumBatch(limit) : limit
    }

    package func answer(_ request: HTTPRequest, for connection: HTTPConnection) {
        let target = request.target
        do throws(HTTPProblem) {
            let route = try PusherRoute(method: request.method, segments: target.segments)
            connection.kind = requestKinds[route]
            if let forwarder, route != .webSocket { return try forward(request, route, by: forwarder, for: connection) }
            let request = RESTRequest(request)
            if case .channels(let id) = route {
                return try answer(RESTService(service: self).list(request, id), for: connection)
            }
            perform(request, route, for: connection)
        } catch {
            connection.refuse(error, of: target, with: refused(error, target))
        }
    }

    /// Makes the answer to a refused request. The answer names the request's application for the log (rule SO-150).
    private func refused(_ problem: HTTPProblem, _ target: RequestTarget) -> HTTPAnswer {
        refusal(problem, of: target.segments)
    }

    private func named(_ refusal: HTTPAnswer, _ segments: [String]) -> HTTPAnswer {
        var answer = refusal
        answer.details["service"] = service.rawValue
        guard segments.count > 1, segments[0] == "apps" else { return answer }
        let isKnown = settings.applications.application(id: segments[1]) != nil
        answer.details[isKnown ? "app" : "named"] = isKnown ? logText(segments[1].utf8) : logKey(segments[1])
        return answer
    }

    /// Answers a request at once, or holds it while queues of subscribers are full.
    ///
    /// - Parameter held: the number and the deadline of a request that was held before; nil for a new one.
    private func perform(
        _ request: RESTRequest, _ route: PusherRoute, for connection: HTTPConnection,
        held: (number: UInt32, deadline: MonotonicInstant)? = nil
    ) {
        let result: HTTPAnswer
        do throws(HTTPProblem) {
            result = try RESTService(service: self).answer(request, route)
        } catch {
            result = refused(error, request.target)
            if !error.loops.isEmpty {
                return connection.hold(until: error.loops, or: result, held?.deadline) { number, deadline in
                    self.perform(request, route, for: connection, held: (number, deadline))
                }
            }
        }
        if let held { connection.finish(held.number, result) } else { connection.answer(result) }
    }

    /// Authenticates a request and forwards it to the leaders of the cluster. Unauthenticated requests are refused here, without any work
    /// for other servers.
    private func forward(
        _ request: HTTPRequest, _ route: PusherRoute, by forwarder: RequestForwarder, for connection: HTTPConnection
    ) throws(HTTPProblem) {
        let application = try RESTService(service: self).authenticated(RESTRequest(request), route)
        let (reply, eventLoop) = (connection.expectAnswer(), connection.loop.eventLoop)
        let target = request.target
        forwarder(request, application) { [self] answer in
            let answer = answer.status >= 400 ? named(answer, target.segments) : answer
            eventLoop.execute { reply(answer) }
        }
    }

    /// Answers a request that another node has forwarded.
    ///
    /// - Parameter eventLoop: the current event loop.
    func answer(forwarded request: HTTPRequest, on eventLoop: any EventLoop, reply: @escaping @Sendable (HTTPAnswer) -> Void) {
        do throws(HTTPProblem) {
            let route = try PusherRoute(method: request.method, segments: request.target.segments)
            let request = RESTRequest(request)
            guard case .channels(let id) = route else { return reply(try RESTService(service: self).answer(request, route)) }
            let list = try RESTService(service: self).list(request, id)
            guard channelCount > ChannelListQuery.few else { return reply(try list.answer(from: self)) }
            answer(list, on: eventLoop, reply: reply)
        } catch {
            reply(HTTPAnswer(error))
        }
    }

    private func answer(_ list: ChannelListQuery, for connection: HTTPConnection) throws(HTTPProblem) {
        guard channelCount > ChannelListQuery.few else { return connection.answer(try list.answer(from: self)) }
        answer(list, on: connection.loop.eventLoop, reply: connection.expectAnswer())
    }

    /// Answers a query for channels on a thread pool, because searching many channels takes longer than an event loop may spend on one
    /// request (rule SR-69).
    private func answer(_ list: ChannelListQuery, on eventLoop: any EventLoop, reply: @escaping @Sendable (HTTPAnswer) -> Void) {
        NIOThreadPool.singleton.submit { [self] state in
            var result = HTTPAnswer(HTTPProblem(503, "The server is shutting down.", retryAfter: 1))
            if case .active = state {
                do throws(HTTPProblem) { result = try list.answer(from: self) } catch { result = HTTPAnswer(error) }
            }
            // The answer does not use the event loop's mailbox, whose capacity is reserved for messages to subscribers.
            eventLoop.execute { [result] in reply(result) }
        }
    }

    // MARK: Connections

    /// The WebSocket subprotocol. It is the same for every path, because a client with a wrong path is refused after the WebSocket has
    /// opened.
    package func subprotocol(of segments: [String]) -> String? { PusherWire.subprotocol }

    package func connection(
        _ target: RequestTarget, _ visitor: RequestOrigin, on loop: EventLoopContext
    ) -> WebSocketConnection {
        let address = shares.address(of: visitor)
        var mustWait = false
        let opening = admit(target, visitor, address: address, mustWait: &mustWait)
        var refusing: Application?
        if case .failure = opening { refusing = namedApplication(target) }
        return PusherConnection(
            service: self, loop: loop, opening: opening, waitsForPlace: mustWait,
            knowsPings: PusherAdmission.knowsPings(target), wantsRecovery: PusherAdmission.wantsRecovery(target),
            address: address, refusedBy: refusing.map { context.names.slot(.pusher, $0.id) },
            asked: Self.asked(target, by: visitor, of: refusing))
    }

    /// The application whose key a refused client has sent, for the log and the console; nil for an unknown key (rule SO-148).
    private func namedApplication(_ target: RequestTarget) -> Application? {
        guard target.segments.count == 2, target.segments[0] == "app" else { return nil }
        return settings.applications.application(key: target.segments[1])
    }

    /// Describes a refused client for the log: the origin of its page, its address, and the beginning of its key.
    private static func asked(
        _ target: RequestTarget, by visitor: RequestOrigin, of application: Application?
    ) -> Logger.Metadata {
        var asked: Logger.Metadata = [:]
        if let application { asked["app"] = "\(application.id)" }
        if target.segments.count == 2, target.segments[0] == "app" {
            asked["key"] = "\(logKey(target.segments[1]))"
        }
        if let origin = visitor.origin { asked["origin"] = "\(logText(origin.utf8))" }
        if let address = visitor.address { asked["address"] = "\(address)" }
        return asked
    }

    /// Checks whether a client may connect, and counts its connection.
    ///
    /// - Parameter mustWait: set to true when the connection has to wait for the leader's permission.
    private func admit(
        _ target: RequestTarget, _ visitor: RequestOrigin, address: RemoteAddress?, mustWait: inout Bool
    ) -> Result<SharedApplication, PusherCloseReason> {
        Result { () throws(PusherCloseReason) in
            let application = try PusherAdmission.application(for: target, of: visitor, among: settings.applications)
            let name = ApplicationName(.pusher, application.id)
            switch context.admission.withLockedValue({ $0.open(name, limit: nil) }) {
            case .admitted: break
            case .overCapacity: throw .overCapacity
            case .overQuota: throw .overQuota
            case .draining: throw drainFarewell
            }
            guard shares.openConnection(application, address) else {
                context.admission.withLockedValue { $0.close(name) }
                throw .overQuota
            }
            switch channels.openConnection(of: application) {
            case .given: break
            case .asked: mustWait = true
            case .full, .unavailable:
                shares.closeConnection(application.id, address)
                context.admission.withLockedValue { $0.close(name) }
                throw .overQuota
            }
            return share(application)
        }
    }

    // MARK: Time and metrics

    package func resident(on loop: EventLoopContext) -> any LoopResident { mailboxes[loop.number].part }

    package func sweep() {
        channels.sweep(for: self)
        webhooks.sweep()
    }

    package func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText) {
        var tallies: [ApplicationName: ChannelTally] = [:]
        for (application, tally) in channels.tallies {
            tallies[context.names.counted(ApplicationName(.pusher, application)), default: .init()] += tally
        }
        var events: [ApplicationName: EventCounts] = [:]
        for (application, counts) in allEventCounts {
            events[context.names.counted(ApplicationName(.pusher, application)), default: .init()] += counts
        }
        var recoveries: [ApplicationName: RecoveryTally] = [:]
        for (application, tally) in channels.recoveries {
            recoveries[context.names.counted(ApplicationName(.pusher, application)), default: .init()] += tally
        }
        // The names are read after the loops above, because the loops add names of applications that are counted for the first time.
        let names = context.names.names
        let gauges: [(String, String, KeyPath<ChannelTally, Int>)] = [
            ("channels", "Channels with at least one subscription.", \.channels),
            ("subscriptions", "Subscriptions to channels.", \.subscriptions),
            ("presence_members", "Members of presence channels; a user counts once for each channel.", \.members),
        ]
        for (name, help, path) in gauges {
            out.family(name, .gauge, help: help, of: service, names) { tallies[names[$0.index]]?[keyPath: path] ?? 0 }
        }
        let kept: [(String, PrometheusText.Kind, String, KeyPath<RecoveryTally, Int>)] = [
            (
                "recovery_channels", .gauge,
                "Channels whose events are stored for clients that reconnect; in a cluster, on the leader.", \.channels
            ),
            ("recovery_events", .gauge, "Events that are stored for clients that reconnect.", \.events),
            ("recovery_bytes", .gauge, "Bytes of memory for the events that are stored for clients that reconnect.", \.bytes),
            (
                "recovered_total", .counter, "Subscriptions of reconnected clients that got all missed events of the channel.",
                \.complete
            ),
            (
                "not_recovered_total", .counter, "Subscriptions of reconnected clients that may lack events of the channel.",
                \.incomplete
            ),
        ]
        for (name, kind, help, path) in kept {
            out.family(name, kind, help: help, of: service, names) { recoveries[names[$0.index]]?[keyPath: path] ?? 0 }
        }
        let counters: [(String, String, KeyPath<EventCounts, Int>)] = [
            ("events_published_total", "Events published by servers; an event counts once for each channel.", \.published),
            ("client_events_total", "Client events that were delivered.", \.relayed),
        ]
        for (name, help, path) in counters {
            out.family(name, .counter, help: help, of: service, names) { events[names[$0.index]]?[keyPath: path] ?? 0 }
        }
        out.webhooks(webhookCounts)
    }

    package func close() async {
        channels.leave(self)
        await webhooks.close()
    }
}
