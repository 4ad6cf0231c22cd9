import PusherProtocol
import RealtimeHub
import WireCoding

/// Answers requests. Everything is in memory, so an answer is there at once.
struct RESTService {
    let core: ServerCore

    func answer(_ request: RESTRequest, _ route: Route) throws(HTTPProblem) -> HTTPAnswer {
        switch route {
        case .health: return HTTPAnswer(.json, Array(#"{"status":"ok"}"#.utf8))
        case .ready: return ready()
        // Answered by whoever can wait for the event loops.
        case .metrics: throw .notFound
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
        case .channels(let id): return try channels(request, asking(request, id))
        case .channel(let id, let name): return try channel(name, request, asking(request, id))
        case .users(let id, let channel): return try users(of: channel, asking(request, id))
        case .connections(let id): return try connections(asking(request, id))
        case .terminateConnections(let id, let user):
            guard let id else { return try terminate(user, authenticated(request)) }
            return try terminate(user, authenticated(request, id))
        }
    }

    /// Reasons are for whoever looks; probes go by the status (rule ME-10).
    private func ready() -> HTTPAnswer {
        let reasons = core.readiness
        guard !reasons.isEmpty else { return HTTPAnswer(.json, Array(#"{"status":"ready"}"#.utf8)) }
        let list = reasons.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        return HTTPAnswer(status: 503, .json, Array(#"{"status":"unavailable","reasons":[\#(list)]}"#.utf8))
    }

    // MARK: Asking

    /// As ``authenticated(_:_:)``, for a request that counts as a question.
    private func asking(_ request: RESTRequest, _ id: String) throws(HTTPProblem) -> Application {
        let application = try authenticated(request, id)
        try core.budget.query(for: application, at: core.now)
        return application
    }

    private func connections(_ application: Application) -> HTTPAnswer {
        let count = core.admission.withLockedValue { $0.connections(of: application.id) }
        return HTTPAnswer(.json, Array(#"{"connections":\#(count)}"#.utf8))
    }

    private func channels(_ request: RESTRequest, _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        let prefix = try request.parameter("filter_by_prefix") ?? ""
        let info = try ChannelAttributes(parsing: request.parameter("info"))
        guard info.isSubset(of: .userCount) else { throw .badRequest("A list of channels knows user_count only.") }
        guard info.isEmpty || prefix.utf8.starts(with: "presence-".utf8) else {
            throw .badRequest("user_count needs a filter_by_prefix that begins with presence-.")
        }
        let found = core.withEveryShard { $0.occupied(application: application.id, prefix: prefix) }.joined()
        var out = Array(#"{"channels":{"#.utf8)
        for (index, channel) in found.sorted(by: { $0.name < $1.name }).enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(channel.name, to: &out)
            out.append(UInt8(ascii: ":"))
            append(info.isEmpty ? [] : [("user_count", String(channel.users ?? 0))], to: &out)
        }
        out.append(contentsOf: "}}".utf8)
        return HTTPAnswer(.json, out)
    }

    private func channel(
        _ name: String, _ request: RESTRequest, _ application: Application
    ) throws(HTTPProblem) -> HTTPAnswer {
        try PublishRequest.check(channel: name, limits: application.limits)
        let info = try ChannelAttributes(parsing: request.parameter("info"))
        let kind = PusherChannelKind(of: name)
        if info.contains(.userCount), kind.access != .presence { throw .badRequest("user_count is for presence channels.") }
        if info.contains(.subscriptionCount) {
            guard kind.access != .presence else { throw .badRequest("subscription_count is not for presence channels.") }
            guard application.announcesSubscriptionCounts else {
                throw .badRequest("The application does not count subscriptions.")
            }
        }
        if info.contains(.cache), !kind.isCache { throw .badRequest("cache is for cache channels.") }
        let id = ChannelID(application: application.id, name: name)
        var fields = [("occupied", core.withShard(of: id) { $0.occupancy(of: id) } == nil ? "false" : "true")]
        fields += attributes(of: name, info, application)
        if info.contains(.cache) { fields.append(("cache", cache(id))) }
        var out: [UInt8] = []
        append(fields, to: &out)
        return HTTPAnswer(.json, out)
    }

    private func cache(_ id: ChannelID) -> String {
        let now = core.now
        guard let cached = core.withShard(of: id, { $0.cached(id, at: now) }) else { return "null" }
        let seconds = cached.expires.since(now).components.seconds
        return #"{"data":\#(JSONWriter.string(cached.data)),"ttl":\#(seconds)}"#
    }

    private func users(of channel: String, _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        try PublishRequest.check(channel: channel, limits: application.limits)
        guard PusherChannelKind(of: channel).access == .presence else {
            throw .badRequest("Users are known of presence channels only.")
        }
        let id = ChannelID(application: application.id, name: channel)
        let members = core.withShard(of: id) { $0.members(of: id) }
        let users = members.map { #"{"id":\#(JSONWriter.string($0.userID))}"# }
        return HTTPAnswer(.json, Array(#"{"users":[\#(users.joined(separator: ","))]}"#.utf8))
    }

    /// Counts of a channel, as far as it has them.
    func attributes(
        of name: String, _ info: ChannelAttributes, _ application: Application
    ) -> [(String, String)] {
        guard !info.isEmpty else { return [] }
        let id = ChannelID(application: application.id, name: name)
        let occupancy = core.withShard(of: id) { $0.occupancy(of: id) }
        let isPresence = PusherChannelKind(of: name).access == .presence
        var fields: [(String, String)] = []
        if info.contains(.userCount), isPresence { fields.append(("user_count", String(occupancy?.users ?? 0))) }
        if info.contains(.subscriptionCount), !isPresence, application.announcesSubscriptionCounts {
            fields.append(("subscription_count", String(occupancy?.subscriptions ?? 0)))
        }
        return fields
    }

    /// Appends an object. Names are constants and values JSON already.
    func append(_ fields: [(String, String)], to out: inout [UInt8]) {
        out.append(contentsOf: ("{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}").utf8)
    }
}
