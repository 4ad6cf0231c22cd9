import ChatServer
import PubNubServer
import PusherServer
import ServerDescriptions
import ServerRuntime
import ServerStorage
import ServiceBridge

/// The running services of a server, and the bridge between them.
struct ServerServices: Sendable {
    let context: ServerContext
    /// The services in the order of ``ServerConfiguration/services``.
    let running: [any RunningService]
    let bridge: ServiceBridge?
    // The services that public methods of the server use directly.
    let pusher: PusherService
    let pubnub: PubNubService
    let chat: ChatService

    /// The configured list of services lacks Pusher, PubNub or chat, which public methods of the server need.
    struct MissingService: Error {
        let name: String
    }

    init(_ configuration: ServerConfiguration, context: ServerContext, parts: ServerParts) async throws {
        self.context = context
        var running: [any RunningService] = []
        do {
            for (_, state) in parts.states { running.append(try await state.start(configuration, context)) }
            pusher = try Self.front(PusherService.self, of: running)
            pubnub = try Self.front(PubNubService.self, of: running)
            chat = try Self.front(ChatService.self, of: running)
        } catch {
            for service in running { await service.front.close() }
            throw error
        }
        self.running = running
        if let bridge = configuration.bridge, let queue = parts.bridge {
            let fronts = running.compactMap { $0.front as? any BridgedFront }
            self.bridge = ServiceBridge(fronts, textEvent: bridge.textEvent, context, queue: queue)
        } else {
            bridge = nil
        }
    }

    private static func front<Front>(_ type: Front.Type, of running: [any RunningService]) throws -> Front {
        guard let front = running.lazy.compactMap({ $0.front as? Front }).first else {
            throw MissingService(name: "\(type)")
        }
        return front
    }

    /// Makes the host, which listens and passes requests to the fronts: the parts of the services that answer requests. If several fronts
    /// accept a path, the front of the later module has priority.
    ///
    /// - Parameter otherMetrics: closures that add metric families that belong to no front.
    func host(otherMetrics: [@Sendable (inout PrometheusText) -> Void]) -> ServerHost {
        let metrics = otherMetrics + (bridge.map { bridge in [{ @Sendable out in bridge.write(to: &out) }] } ?? [])
        return ServerHost(
            context, running.reversed().map(\.front), description: { ServerDescription(rawValue: $0)?.bytes },
            otherMetrics: metrics)
    }

    /// Closes all services, for a server that could not start.
    func close() async {
        for service in running { await service.front.close() }
        await bridge?.end()
    }

    var statistics: ServerStatistics {
        let counters = context.counters
        var total = ServerStatistics()
        total.connections = context.admission.withLockedValue(\.connections)
        total.connectionsAccepted = counters.tally.connectionsAccepted
        total.connectionsRefused = counters.connectionsRefused
        total.messagesReceived = counters.tally.messagesReceived
        total.bytesReceived = counters.tally.bytesReceived
        total.messagesSent = counters.tally.messagesSent
        total.bytesSent = counters.tally.bytesSent
        total.slowSubscribersCut = counters.tally.slowSubscribersCut
        total.deadConnectionsCut = counters.tally.deadConnectionsCut
        total.requests = counters.requests
        total.requestsRefused = counters.requestsRefused
        for service in running { service.add(to: &total) }
        return total
    }
}
