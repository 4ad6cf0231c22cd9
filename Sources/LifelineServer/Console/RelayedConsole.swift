import ServerRuntime

/// The part of a service in the console of a node of a cluster: its connections and webhooks are those of this node, and what is decided by
/// the server that leads is asked of that server (rule CO-96).
struct RelayedConsole: ConsoleService {
    let local: any ConsoleService
    let relay: ConsoleRelay

    private static let mismatch = HTTPProblem(503, "The server that leads answered something else. Try again.", retryAfter: 1)

    // MARK: Of the leader

    func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
        guard case .channels(let rows) = try await relay.call(.channels(listing), of: service) else { throw Self.mismatch }
        return rows
    }

    func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        let reply = try await relay.call(.members(channel: channel, listing), of: service)
        guard case .members(let members) = reply else { throw Self.mismatch }
        return members
    }

    func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
        guard case .done(let sentence) = try await relay.call(.publish(message), of: service) else { throw Self.mismatch }
        return sentence
    }

    func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
        let reply = try await relay.call(.end(user: user, application: application), of: service)
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
