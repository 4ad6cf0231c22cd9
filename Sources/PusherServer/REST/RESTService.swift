import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// Answers requests. All data are in memory, so answers are available at once.
struct RESTService {
    let service: PusherService

    func answer(_ request: RESTRequest, _ route: PusherRoute) throws(HTTPProblem) -> HTTPAnswer {
        switch route {
        // The caller answers this request, because it can wait for a list.
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

    /// The same as ``authenticated(_:_:)``, for a request that counts as a query.
    private func asking(_ request: RESTRequest, _ id: String) throws(HTTPProblem) -> Application {
        let application = try authenticated(request, id)
        try service.channels.spendQuery(of: application)
        return application
    }

    /// Prepares a query for channels: the application and the filter. It can be answered on any thread.
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
            throw .badRequest("Users are known of presence channels only.")
        }
        let id = ChannelID(application: application.id, name: channel)
        let members = service.channels.members(of: id)
        let users = members.map { #"{"id":\#(JSONWriter.string($0.userID))}"# }
        return HTTPAnswer(.json, Array(#"{"users":[\#(users.joined(separator: ","))]}"#.utf8))
    }

    /// The attributes of a channel, as far as it has them.
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

    /// The requested counts that the channel has: users of presence channels, subscriptions of all (rule SR-66).
    static func counts(of channel: ChannelOccupancy, _ info: ChannelAttributes) -> [(String, String)] {
        var fields: [(String, String)] = []
        if info.contains(.userCount), let users = channel.users { fields.append(("user_count", String(users))) }
        if info.contains(.subscriptionCount) { fields.append(("subscription_count", String(channel.subscriptions))) }
        return fields
    }

    static func checkCounts(_ info: ChannelAttributes, _ application: Application) throws(HTTPProblem) {
        guard !info.contains(.subscriptionCount) || application.announcesSubscriptionCounts else {
            throw .badRequest("The application does not count subscriptions.")
        }
    }

    /// Appends an object. Names are constants, and values are JSON text already.
    static func append(_ fields: [(String, String)], to out: inout [UInt8]) {
        out.append(contentsOf: object(fields).utf8)
    }

    static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}
