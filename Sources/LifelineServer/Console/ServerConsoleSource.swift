import ChatServer
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PubNubServer
import PusherServer
import RealtimeHub
import ServerConsole
import ServerRuntime
import WireCoding

/// The data and actions of a server for the console.
final class ServerConsoleSource: ConsoleSource {
    let configuration: ServerConfiguration
    let host: ServerHost
    let services: ServerServices
    let seat: any ServerSeat
    let history = NIOLockedValueBox(FigureHistory())
    private let probes = NIOLockedValueBox(LoopProbes())

    init(_ configuration: ServerConfiguration, _ host: ServerHost, _ services: ServerServices, _ seat: any ServerSeat) {
        self.configuration = configuration
        self.host = host
        self.services = services
        self.seat = seat
    }

    var context: ServerContext { host.context }
    var readiness: [Unreadiness] { context.readiness }
    var feed: LiveFeed { context.feed }

    func metrics(on eventLoop: any EventLoop) -> EventLoopFuture<String> { host.metrics(on: eventLoop) }

    func sample() {
        let now = context.now
        guard history.withLockedValue({ $0.isDue(at: now) }) else { return }
        let statistics = services.statistics
        let (delay, told) = probes.withLockedValue { $0.take(at: now) }
        let sample = FigureHistory.Sample(
            messages: statistics.messagesReceived + statistics.messagesPublished + services.pusher.publishedCount,
            deliveries: statistics.messagesSent + statistics.messagesPolled,
            errors: statistics.connectionsRefused + statistics.requestsRefused + told,
            connections: statistics.connections, delay: delay)
        history.withLockedValue { $0.add(sample, at: now) }
        for (number, loop) in context.loops.enumerated() where probes.withLockedValue({ $0.ask(number, at: now) }) {
            loop.eventLoop.execute { [probes, context] in
                let errors = loop.state.figures.errors.values.reduce(0, +)
                probes.withLockedValue { $0.answer(number, errors: errors, at: context.now) }
            }
        }
    }

    func answer(_ query: ConsoleQuery, _ parameters: ConsoleParameters) async throws(HTTPProblem) -> JSONValue {
        do {
            switch query {
            case .overview: return try await overview()
            case .history: return try figures(parameters)
            case .applications: return applications()
            case .channels: return try await channels(parameters)
            case .channel: return try await channel(parameters)
            case .users: return try await users(parameters)
            case .connections: return try await connections(parameters)
            case .ended: return try await ended(parameters)
            case .webhooks: return webhooks()
            case .polls: return try await polls(parameters)
            case .errors: return try await errors()
            }
        } catch let problem as HTTPProblem {
            throw problem
        } catch {
            throw HTTPProblem(503, "The server could not find out (\(type(of: error))). Try again.", retryAfter: 1)
        }
    }

    func perform(_ action: ConsoleAction, _ body: JSONValue) async throws(HTTPProblem) -> JSONValue {
        switch action {
        case .publish: return try await publish(body)
        case .terminate: return try await terminate(body)
        }
    }

    // MARK: Applications

    /// All Pusher applications; if the registry cannot list them, those with connections.
    var pusherApplications: [Application] {
        if let listed = configuration.applications as? any ListedApplications { return listed.listed }
        return context.names.names.filter { $0.service == .pusher }
            .compactMap { configuration.applications.application(id: $0.application.text) }
    }

    func pusherApplication(_ id: String?) throws(HTTPProblem) -> Application {
        guard let id, let application = configuration.applications.application(id: id) else { throw .unknownApplication }
        return application
    }

    /// The current configuration of the chat application.
    func chatApplication(_ key: String?) throws(HTTPProblem) -> ChatApplication {
        guard let key,
            let application = services.chat.applicationReports(configuration.chatApplications)
                .first(where: { $0.settings.key.utf8.elementsEqual(key.utf8) })?.settings
        else { throw .unknownApplication }
        return application
    }

    private func applications() -> JSONValue {
        let tallies = services.pusher.channelTallies
        var list: [JSONValue] = pusherApplications.map { application in
            let tally = tallies.first { $0.application == application.id }?.tally
            var traits: [String] = []
            if application.allowsClientEvents { traits.append("client events") }
            if application.announcesSubscriptionCounts { traits.append("subscription counts") }
            if application.allowsUserAuthentication { traits.append("user authentication") }
            if application.requiresTLS { traits.append("TLS only") }
            if !application.allowedOrigins.isEmpty {
                traits.append("origins: " + application.allowedOrigins.joined(separator: " "))
            }
            if application.previousSecret != nil { traits.append("two secrets") }
            return [
                "service": "pusher", "id": .string(application.id), "key": .string(application.key),
                "enabled": .bool(application.isEnabled), "connections": .count(services.pusher.connectionCount(of: application)),
                "connectionsLimit": application.limits.connections.map { .count($0) } ?? .null,
                "channels": .count(tally?.channels ?? 0), "subscriptions": .count(tally?.subscriptions ?? 0),
                "members": .count(tally?.members ?? 0), "webhooks": .count(application.webhooks.count), "traits": .texts(traits),
            ]
        }
        list += services.pubnub.keysetReports.map { report in
            let keyset = report.keyset
            var traits = [keyset.requiresGrants ? "access manager" : "open to all"]
            if keyset.previousSecretKey != nil { traits.append("two secrets") }
            return [
                "service": "pubnub", "id": .string(keyset.subscribeKey), "key": .string(keyset.publishKey),
                "enabled": .bool(keyset.isEnabled), "channels": .count(report.channels), "members": .count(report.users),
                "webhooks": .count(keyset.pushWebhook == nil ? 0 : 1), "traits": .texts(traits),
            ]
        }
        let connections = context.connections(of: .chat)
        list += services.chat.applicationReports(configuration.chatApplications).map { report in
            let settings = report.settings
            var traits: [String] = []
            if settings.hasPresence { traits.append("presence") }
            if settings.syncsDevices { traits.append("devices in step") }
            if settings.previousSecret != nil { traits.append("two secrets") }
            return [
                "service": "chat", "id": .string(settings.key), "key": .string(settings.key),
                "enabled": .bool(settings.isEnabled),
                "connections": .count(connections[ApplicationName(.chat, settings.key)] ?? 0),
                "channels": report.openChannels.map { .count($0) } ?? .null,
                "webhooks": .count(settings.webhook == nil ? 0 : 1), "traits": .texts(traits),
            ]
        }
        return ["applications": .array(list)]
    }
}

extension JSONValue {
    static func count(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
    static func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
    static func optional(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    static func rate(_ value: Double) -> JSONValue { JSONNumber((value * 10).rounded() / 10).map { .number($0) } ?? 0 }
    static func thousandths(_ value: Double) -> JSONValue {
        JSONNumber((value * 1_000).rounded() / 1_000).map { .number($0) } ?? 0
    }
    static func seconds(_ duration: Duration) -> JSONValue { .count(Int(duration.components.seconds)) }
}
