import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerConsole
import ServerRuntime
import ServerStorage
import WireCoding

/// The data and actions of a server for the console.
final class ServerConsoleSource: ConsoleSource {
    let configuration: ServerConfiguration
    let host: ServerHost
    let services: ServerServices
    /// The consoles of the services, in the order in which they are shown.
    let consoles: [any ConsoleService]
    let seat: any ServerSeat
    /// The applications that are made at run time; nil when they are not supported.
    let runtime: RuntimeApplications?
    let history = NIOLockedValueBox(FigureHistory())
    private let probes = NIOLockedValueBox(LoopProbes())

    init(
        _ configuration: ServerConfiguration, host: ServerHost, services: ServerServices, seat: any ServerSeat,
        runtime: RuntimeApplications? = nil
    ) {
        self.configuration = configuration
        self.host = host
        self.services = services
        consoles = services.running.compactMap(\.console)
        self.seat = seat
        self.runtime = runtime
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
            messages: statistics.messagesReceived + statistics.messagesPublished
                + services.running.reduce(0) { $0 + $1.publishedElsewhere },
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
            throw HTTPProblem(
                503, "The server could not answer because of an internal error (\(type(of: error))). Try again.", retryAfter: 1)
        }
    }

    func perform(_ action: ConsoleAction, _ body: JSONValue) async throws(HTTPProblem) -> JSONValue {
        switch action {
        case .publish: return try await publish(body)
        case .terminate: return try await terminate(body)
        }
    }

    // MARK: Applications

    /// The value of `source`: `runtime` for an application that was made at run time, otherwise `file` (rule AR-2).
    private func source(_ service: ServiceName, _ id: String) -> JSONValue {
        let id = ApplicationService(rawValue: service.rawValue).map { ApplicationID($0, id) }
        return id.map { runtime?.isRuntime($0) == true } == true ? "runtime" : "file"
    }

    private func applications() -> JSONValue {
        let rows = consoles.flatMap { console in
            console.applicationRows().map { application in
                var row: JSONValue = [
                    "service": .string(console.service.rawValue), "id": .string(application.id), "key": .string(application.key),
                    "source": source(console.service, application.id), "enabled": .bool(application.isEnabled),
                    "webhooks": .count(application.webhooks),
                    "traits": .texts(application.traits),
                ]
                for count in ApplicationRow.Count.allCases {
                    if let value = application.counts[count] { row.add(count.rawValue, .optional(value)) }
                }
                return row
            }
        }
        return ["applications": .array(rows)]
    }
}

extension JSONValue {
    static func count(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
    static func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
    static func optional(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    static func optional(_ value: Int?) -> JSONValue { value.map { .count($0) } ?? .null }

    /// Adds a member to an object.
    mutating func add(_ name: String, _ value: JSONValue) {
        guard case .object(var members) = self else { return }
        members[name] = value
        self = .object(members)
    }

    static func rate(_ value: Double) -> JSONValue { JSONNumber((value * 10).rounded() / 10).map { .number($0) } ?? 0 }
    static func thousandths(_ value: Double) -> JSONValue {
        JSONNumber((value * 1_000).rounded() / 1_000).map { .number($0) } ?? 0
    }
    static func seconds(_ duration: Duration) -> JSONValue { .count(Int(duration.components.seconds)) }
}
