import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// Answers requests of the HTTP API. All data are in memory, so answers are made at once.
struct RESTService {
    let service: PusherService

    func answer(_ request: RESTRequest, _ route: PusherRoute) throws(HTTPProblem) -> HTTPAnswer {
        switch route {
        // Not reached: the caller answers queries for channels itself, because they may need a thread pool.
        case .channels: throw .notFound
        case .webSocket: throw .upgradeRequired
        case .publish(let id):
            let application = try authenticated(request, id)
            return try publish(PublishRequest(parsing: request, limits: application.limits), application)
        case .publishTo(let id, let channel):
            let application = try authenticated(request, id)
            return try publish(PublishRequest(parsing: request, to: channel, limits: application.limits), application)
        case .publishBatch(let id):
            let application = try authenticated(request, id)
            return try publish(PublishRequest.batch(parsing: request.body, limits: application.limits), application)
        case .channel(let id, let name): return try channel(name, request, of: asking(request, id))
        case .users(let id, let channel): return try users(of: channel, asking(request, id))
        case .connections(let id): return try connections(asking(request, id))
        case .terminateConnections(let id, let user):
            guard let id else { return try terminate(user, authenticated(request)) }
            return try terminate(user, authenticated(request, id))
        }
    }

    // MARK: Asking

    /// Authenticates a request like ``authenticated(_:_:)``, and counts it as a query.
    private func asking(_ request: RESTRequest, _ id: String) throws(HTTPProblem) -> Application {
        let application = try authenticated(request, id)
        try service.channels.spendQuery(of: application)
        return application
    }

    /// Authenticates and counts a query for channels, and parses its filter. The result can be answered on any thread.
    func list(_ request: RESTRequest, _ id: String) throws(HTTPProblem) -> ChannelListQuery {
        try ChannelListQuery(request, of: asking(request, id))
    }

    private func connections(_ application: Application) -> HTTPAnswer {
        let count = service.channels.connections(of: application)
        return HTTPAnswer(.json, Array(#"{"connections":\#(count)}"#.utf8))
    }

    private func channel(
        _ name: String, _ request: RESTRequest, of application: Application
    ) throws(HTTPProblem) -> HTTPAnswer {
        try PublishRequest.check(channel: name, limits: application.limits)
        let info = try ChannelAttributes(parsing: request.parameter("info"))
        let kind = PusherChannelKind(of: name)
        if info.contains(.userCount), kind.access != .presence { throw .badRequest("user_count is for presence channels.") }
        try Self.checkCounts(info, application)
        if info.contains(.cache), !kind.isCache { throw .badRequest("cache is for cache channels.") }
        let id = ChannelID(application: application.id, name: name)
        var fields = [("occupied", service.channels.occupancy(of: id) == nil ? "false" : "true")]
        fields += attributes(of: name, info, application)
        if info.contains(.cache) { fields.append(("cache", cache(id))) }
        var out: [UInt8] = []
        Self.append(fields, to: &out)
        return HTTPAnswer(.json, out)
    }

    private func cache(_ id: ChannelID) -> String {
        let now = service.now
        guard let cached = service.channels.cached(id) else { return "null" }
        let seconds = cached.expires.since(now).components.seconds
        return #"{"data":\#(JSONWriter.string(cached.data)),"ttl":\#(seconds)}"#
    }

    private func users(of channel: String, _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        try PublishRequest.check(channel: channel, limits: application.limits)
        guard PusherChannelKind(of: channel).access == .presence else {
            throw .badRequest("The users of a channel can be listed for presence channels only.")
        }
        let id = ChannelID(application: application.id, name: channel)
        let members = service.channels.members(of: id)
        let users = members.map { #"{"id":\#(JSONWriter.string($0.userID))}"# }
        return HTTPAnswer(.json, Array(#"{"users":[\#(users.joined(separator: ","))]}"#.utf8))
    }

    /// The requested attributes of a channel. Attributes that its kind of channel does not have are left out.
    func attributes(
        of name: String, _ info: ChannelAttributes, _ application: Application
    ) -> [(String, String)] {
        guard !info.isEmpty else { return [] }
        let id = ChannelID(application: application.id, name: name)
        let occupancy = service.channels.occupancy(of: id)
        let isPresence = PusherChannelKind(of: name).access == .presence
        let vacant = ChannelOccupancy(name: name, subscriptions: 0, users: isPresence ? 0 : nil)
        let known = application.announcesSubscriptionCounts ? info : info.subtracting(.subscriptionCount)
        return Self.counts(of: occupancy ?? vacant, known)
    }

    /// The requested counts of a channel: `user_count` for presence channels, `subscription_count` for all channels (rule SR-66).
    static func counts(of channel: ChannelOccupancy, _ info: ChannelAttributes) -> [(String, String)] {
        var fields: [(String, String)] = []
        if info.contains(.userCount), let users = channel.users { fields.append(("user_count", String(users))) }
        if info.contains(.subscriptionCount) { fields.append(("subscription_count", String(channel.subscriptions))) }
        return fields
    }

    static func checkCounts(_ info: ChannelAttributes, _ application: Application) throws(HTTPProblem) {
        guard !info.contains(.subscriptionCount) || application.announcesSubscriptionCounts else {
            throw .badRequest("subscription_count is switched off for the application.")
        }
    }

    /// Appends a JSON object. The names must be constants that need no escaping, and the values must be JSON text.
    static func append(_ fields: [(String, String)], to out: inout [UInt8]) {
        out.append(contentsOf: object(fields).utf8)
    }

    static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}
