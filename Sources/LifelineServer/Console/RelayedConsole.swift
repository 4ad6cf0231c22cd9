import ServerCluster
import ServerRuntime

/// The part of a service in the console of a node of a cluster: its connections and webhooks are those of this node, and what is decided by
/// the server that leads is asked of that server (rule CO-96).
struct RelayedConsole: ConsoleService {
    let local: any ConsoleService
    let relay: ConsoleRelay
    /// Finds the way to the leader of an application's partition; nil for a cluster that has only one partition.
    var relayOfApplication: (@Sendable (String) -> ConsoleRelay)?

    /// The console of a service on a node.
    ///
    /// - Parameters:
    ///   - relays: the ways to the leaders of all partitions; empty outside of a cluster.
    ///   - id: the service.
    static func of(_ local: any ConsoleService, _ relays: [ConsoleRelay], _ id: ClusterServiceID) -> any ConsoleService {
        guard let first = relays.first, let partitions = ClusterPartitions(relays.count) else { return local }
        var console = RelayedConsole(local: local, relay: first)
        if partitions.count > 1 {
            // in bounds: there is a relay for each partition.
            console.relayOfApplication = { relays[partitions.partition(of: $0, in: id)] }
        }
        return console
    }

    /// Asks the leader. A call that names no application is one for the first application.
    private func call(_ call: ConsoleCall, of service: ServiceName) async throws(HTTPProblem) -> ConsoleReply {
        let application = call.application ?? local.applicationRows().first?.id
        let relay = application.flatMap { relayOfApplication?($0) } ?? relay
        return try await relay.call(call, of: service)
    }

    private static let mismatch = HTTPProblem(503, "The server that leads answered something else. Try again.", retryAfter: 1)

    // MARK: Of the leader

    func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
        guard case .channels(let rows) = try await call(.channels(listing), of: service) else { throw Self.mismatch }
        return rows
    }

    func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        let reply = try await call(.members(channel: channel, listing), of: service)
        guard case .members(let members) = reply else { throw Self.mismatch }
        return members
    }

    func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
        guard case .done(let sentence) = try await call(.publish(message), of: service) else { throw Self.mismatch }
        return sentence
    }

    func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
        let reply = try await call(.end(user: user, application: application), of: service)
        guard case .done(let sentence) = reply else { throw Self.mismatch }
        return sentence
    }

    // MARK: Of this node

    var service: ServiceName { local.service }
    func applicationRows() -> [ApplicationRow] { local.applicationRows() }
    func userRows(_ listing: ConsoleListing) async throws -> UserRows? { try await local.userRows(listing) }
    var hasConnections: Bool { local.hasConnections }
    func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) {
        local.reports(on: loop, from: start, count: count)
    }
    func heldRows(on loop: Int, limit: Int) -> [HeldRow] { local.heldRows(on: loop, limit: limit) }
    var webhookReports: [(application: String, receivers: [WebhookReport])] { local.webhookReports }
    func webhookRows() -> [(application: String, receivers: [WebhookReport])] { local.webhookRows() }
    var endingObstacle: String? { local.endingObstacle }
    func sentence(ofCode code: Int) -> String? { local.sentence(ofCode: code) }
}
