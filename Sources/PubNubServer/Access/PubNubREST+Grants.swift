import OrderedCollections
import PubNubProtocol

/// Grants of the second version (wire sheet 12.2; rules PV-84 and PV-85).
extension PubNubREST {
    /// Minutes, when a request does not say.
    private static let defaultTTL = 1440

    /// Answers, and grants, once it is durable.
    func grant(_ request: PubNubServerRequest) async throws(PubNubErrorBody) -> HTTPAnswer {
        try PubNubAccess(application: application).check(request)
        let target = GrantTarget(request)
        guard target.auths.isEmpty || !target.resources.contains(.everything) else {
            throw .accessManager(400, "Auth-only grants are reserved for future use")
        }
        let ttl = request.parameter("ttl").flatMap { Int($0) } ?? Self.defaultTTL
        guard (0...525_600).contains(ttl) else { throw .accessManager(400, "Invalid ttl") }
        let now = application.clock.unixSeconds()
        let grant = GrantBook.Grant(rights: Self.rights(request), ttl: ttl, expires: ttl == 0 ? nil : now + ttl * 60)
        let keys = target.keys
        try await keep(keys.map { .grant($0, grant) })
        for key in keys { application.grants.set(grant, for: key) }
        return answer(target, ttl: ttl, keys.map { ($0, grant) })
    }

    func audit(_ request: PubNubServerRequest) throws(PubNubErrorBody) -> HTTPAnswer {
        try PubNubAccess(application: application).check(request)
        let target = GrantTarget(request)
        let asked = Set(target.keys)
        let all = application.grants.grants(at: application.clock.unixSeconds())
        let found = target.resources == [.everything] ? all : all.filter { asked.contains($0.key) }
        return answer(target, ttl: found.first?.grant.ttl, found)
    }

    private static func rights(_ request: PubNubServerRequest) -> PubNubRights {
        let letters: [(String, PubNubRights)] = [
            ("r", .read), ("w", .write), ("m", .manage), ("d", .delete), ("g", .get), ("u", .update), ("j", .join),
        ]
        return letters.reduce(into: []) { rights, item in
            if request.flag(item.0) == true { rights.formUnion(item.1) }
        }
    }

    private func answer(
        _ target: GrantTarget, ttl: Int?, _ grants: [(key: GrantBook.Key, grant: GrantBook.Grant)]
    ) -> HTTPAnswer {
        Self.accessManager(
            200,
            JSONBody.object { body in
                body.member("message", "Success")
                body.key("payload")
                body.object { body in
                    body.member("level", target.level)
                    body.member("subscribe_key", application.keyset.subscribeKey)
                    if let ttl { body.member("ttl", ttl) }
                    for (key, grant) in grants where key.resource == .everything { Self.append(grant.rights, to: &body) }
                    Self.append(
                        Self.named(grants) { if case .channel(let name) = $0 { name } else { nil } }, "channels", to: &body)
                    Self.append(
                        Self.named(grants) { if case .group(let name) = $0 { name } else { nil } }, "channel-groups", to: &body)
                    Self.append(Self.named(grants) { if case .user(let name) = $0 { name } else { nil } }, "uuids", to: &body)
                }
                body.member("service", "Access Manager")
                body.member("status", 200)
            })
    }

    /// Grants of one kind by name.
    private static func named(
        _ grants: [(key: GrantBook.Key, grant: GrantBook.Grant)], _ name: (GrantBook.Resource) -> String?
    ) -> OrderedDictionary<String, [(auth: String?, rights: PubNubRights)]> {
        grants.reduce(into: [:]) { result, item in
            guard let name = name(item.key.resource) else { return }
            result[name, default: []].append((item.key.auth, item.grant.rights))
        }
    }

    private static func append(
        _ named: OrderedDictionary<String, [(auth: String?, rights: PubNubRights)]>, _ key: String, to body: inout JSONBody
    ) {
        guard !named.isEmpty else { return }
        body.key(key)
        body.object { body in
            for (name, grants) in named {
                body.key(name)
                body.object { body in
                    for grant in grants where grant.auth == nil { append(grant.rights, to: &body) }
                    let auths = grants.filter { $0.auth != nil }
                    guard !auths.isEmpty else { return }
                    body.key("auths")
                    body.object { body in
                        for (auth, rights) in auths {
                            body.key(auth ?? "")
                            body.object { append(rights, to: &$0) }
                        }
                    }
                }
            }
        }
    }

    /// The last three only when one of them is granted.
    private static func append(_ rights: PubNubRights, to body: inout JSONBody) {
        for (letter, right) in [("r", PubNubRights.read), ("w", .write), ("m", .manage), ("d", .delete)] {
            body.member(letter, rights.contains(right) ? 1 : 0)
        }
        guard !rights.isDisjoint(with: [.get, .update, .join]) else { return }
        for (letter, right) in [("g", PubNubRights.get), ("u", .update), ("j", .join)] {
            body.member(letter, rights.contains(right) ? 1 : 0)
        }
    }
}

/// What a grant or audit names.
private struct GrantTarget {
    let resources: [GrantBook.Resource]
    let auths: [String]
    let level: String

    init(_ request: PubNubServerRequest) {
        auths = request.list("auth")
        let channels = request.list("channel").map { GrantBook.Resource.channel($0) }
        let groups = request.groups.map { GrantBook.Resource.group($0) }
        let users = request.list("target-uuid").map { GrantBook.Resource.user($0) }
        resources = channels.isEmpty && groups.isEmpty && users.isEmpty ? [.everything] : channels + groups + users
        if !users.isEmpty {
            level = "uuid"
        } else if !groups.isEmpty {
            level = auths.isEmpty ? "channel-group" : "channel-group+auth"
        } else if !channels.isEmpty {
            level = auths.isEmpty ? "channel" : "user"
        } else {
            level = "subkey"
        }
    }

    var keys: [GrantBook.Key] {
        resources.flatMap { resource in
            auths.isEmpty
                ? [GrantBook.Key(resource: resource, auth: nil)] : auths.map { GrantBook.Key(resource: resource, auth: $0) }
        }
    }
}
