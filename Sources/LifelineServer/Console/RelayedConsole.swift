import ServerCluster
import ServerRuntime

/// The console of a service on a node of a cluster. Its connections and webhooks are those of this node; calls about the leader's state are
/// forwarded to the leader (rule CO-96).
struct RelayedConsole: ConsoleService {
    let local: any ConsoleService
    let relay: ConsoleRelay
    /// Returns the relay to the leader of an application's partition; nil for a cluster with only one partition.
    var relayOfApplication: (@Sendable (String) -> ConsoleRelay)?
    /// The relays for the channels of an application; nil for a service whose applications are in one partition each.
    var channels: Channels?

    /// The relays to the leaders of all partitions, for channels that are distributed over the partitions.
    struct Channels: Sendable {
        let relays: [ConsoleRelay]
        /// Returns the partition of a channel, as an index of `relays`.
        let partition: @Sendable (_ channel: String, _ application: String) -> Int
    }

    /// Makes the console of a service on a node.
    ///
    /// - Parameters:
    ///   - relays: the relays to the leaders of all partitions; empty outside of a cluster.
    ///   - id: the id of the service in the cluster.
    ///   - channels: returns the partition of a channel, for a service that distributes an application's channels over partitions; otherwise nil.
    static func of(
        _ local: any ConsoleService, relays: [ConsoleRelay], id: ClusterServiceID,
        channels: (@Sendable (_ channel: String, _ application: String, _ partitions: ClusterPartitions) -> Int)? = nil
    ) -> any ConsoleService {
        guard let first = relays.first, let partitions = ClusterPartitions(relays.count) else { return local }
        var console = RelayedConsole(local: local, relay: first)
        if partitions.count > 1 {
            // in bounds: there is one relay for each partition, and `partition(of:in:)` returns a number of a partition.
            console.relayOfApplication = { relays[partitions.partition(of: $0, in: id)] }
            console.channels = channels.map { partition in
                Channels(relays: relays) { partition($0, $1, partitions) }
            }
        }
        return console
    }

    /// Forwards a call to the leader of its application's partition. A call without an application is about the first application.
    private func call(_ call: ConsoleCall, of service: ServiceName) async throws(HTTPProblem) -> ConsoleReply {
        try await relay(for: call).call(call, of: service)
    }

    private func relay(for call: ConsoleCall) -> ConsoleRelay {
        guard let application = call.application ?? local.applicationRows().first?.id else { return relay }
        if let channels, let channel = call.channel {
            return channels.relays.element(at: channels.partition(channel, application)) ?? relay
        }
        return relayOfApplication?(application) ?? relay
    }

    /// Asks all leaders at the same time. Throws if one of the leaders does not answer, because the list would lack the channels of its
    /// partition.
    private func channelRows(_ listing: ConsoleListing, of relays: [ConsoleRelay]) async throws -> ChannelRows {
        let service = service
        let parts = try await withThrowingTaskGroup(of: ChannelRows.self) { tasks in
            for relay in relays {
                tasks.addTask {
                    guard case .channels(let rows) = try await relay.call(.channels(listing), of: service) else {
                        throw Self.mismatch
                    }
                    return rows
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        return ChannelRows(first: listing.limit, of: parts)
    }

    private static let mismatch = HTTPProblem(
        503, "The leader of the cluster sent an answer that does not belong to this call. Try again.", retryAfter: 1)

    // MARK: Calls that the leader answers

    func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
        if let channels { return try await channelRows(listing, of: channels.relays) }
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

    // MARK: Calls that this node answers

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
