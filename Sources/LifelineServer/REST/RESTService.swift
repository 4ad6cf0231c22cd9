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
        case .metrics: return HTTPAnswer(.metrics, Array(PrometheusText.text(core.statistics).utf8))
        case .webSocket: throw HTTPProblem(426, "This path is for WebSocket connections.")
        case .publish(let id):
            let application = try authenticated(request, id)
            return try publish(PublishRequest(parsing: request.body, limits: application.limits), application)
        case .publishBatch(let id):
            let application = try authenticated(request, id)
            return try publish(PublishRequest.batch(parsing: request.body, limits: application.limits), application)
        case .channels(let id): return try channels(request, authenticated(request, id))
        case .channel(let id, let name): return try channel(name, request, authenticated(request, id))
        case .users(let id, let channel): return try users(of: channel, authenticated(request, id))
        case .terminateConnections(let id, let user): return try terminate(user, request, id)
        }
    }

    private func ready() -> HTTPAnswer {
        let isDraining = core.admission.withLockedValue(\.isDraining)
        return isDraining
            ? HTTPAnswer(status: 503, .json, Array(#"{"status":"draining"}"#.utf8))
            : HTTPAnswer(.json, Array(#"{"status":"ready"}"#.utf8))
    }

    // MARK: Who asks

    /// The application of a request that is signed with its secret (rules SV-8, SV-9).
    private func authenticated(_ request: RESTRequest, _ id: String) throws(HTTPProblem) -> Application {
        guard let application = core.configuration.applications.application(id: id) else { throw .unknownApplication }
        return try check(request, application)
    }

    private func check(_ request: RESTRequest, _ application: Application) throws(HTTPProblem) -> Application {
        guard application.isEnabled else { throw .disabledApplication }
        let parameters = request.target.parameters.map { (name: $0.name, value: $0.value) }
        guard Set(parameters.map { $0.name.lowercased() }).count == parameters.count else { throw .repeatedParameter }
        var refusal: PusherRequestSignatureError?
        // Libraries differ in whether they sign the escaped path or the plain one; both name the same thing.
        for path in Set([request.target.rawPath, request.target.decodedPath]) {
            do throws(PusherRequestSignatureError) {
                try PusherRequestSignature.check(
                    method: request.method, path: path, parameters: parameters, body: request.body, key: application.key,
                    secret: application.secret.revealed, now: core.configuration.clock.unixSeconds())
                return application
            } catch {
                refusal = error
            }
        }
        throw .unauthorized(refusal?.description ?? "The request is not signed.")
    }

    // MARK: Publishing

    private func publish(_ request: PublishRequest, _ application: Application) -> HTTPAnswer {
        for channel in request.channels {
            core.publish(
                event: request.event, data: request.data, to: channel, application: application, excluding: request.excluded)
        }
        guard !request.info.isEmpty else { return .empty }
        var out = Array(#"{"channels":{"#.utf8)
        for (index, channel) in request.channels.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(channel, to: &out)
            out.append(UInt8(ascii: ":"))
            append(attributes(of: channel, request.info, application), to: &out)
        }
        out.append(contentsOf: "}}".utf8)
        return HTTPAnswer(.json, out)
    }

    private func publish(_ batch: [PublishRequest], _ application: Application) -> HTTPAnswer {
        for request in batch { _ = publish(request, application) }
        guard batch.contains(where: { !$0.info.isEmpty }) else { return .empty }
        var out = Array(#"{"batch":["#.utf8)
        for (index, request) in batch.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            append(request.channels.first.map { attributes(of: $0, request.info, application) } ?? [], to: &out)
        }
        out.append(contentsOf: "]}".utf8)
        return HTTPAnswer(.json, out)
    }

    // MARK: Asking

    private func channels(_ request: RESTRequest, _ application: Application) throws(HTTPProblem) -> HTTPAnswer {
        let prefix = try request.target.value(of: "filter_by_prefix") ?? ""
        let info = try ChannelAttributes(parsing: request.target.value(of: "info"))
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
        let info = try ChannelAttributes(parsing: request.target.value(of: "info"))
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

    private func terminate(_ user: String, _ request: RESTRequest, _ id: String?) throws(HTTPProblem) -> HTTPAnswer {
        let application: Application
        if let id {
            application = try authenticated(request, id)
        } else {
            let key = try request.target.value(of: "auth_key") ?? ""
            guard let found = core.configuration.applications.application(key: key) else {
                throw .unauthorized("There is no application with this key.")
            }
            application = try check(request, found)
        }
        core.close(.terminated, application: application.id, user: user)
        return .empty
    }

    /// Counts of a channel, as far as it has them.
    private func attributes(
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
    private func append(_ fields: [(String, String)], to out: inout [UInt8]) {
        out.append(contentsOf: ("{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}").utf8)
    }
}
