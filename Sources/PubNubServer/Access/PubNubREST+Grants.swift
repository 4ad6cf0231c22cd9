import Identifiers
import OrderedCollections
import PubNubProtocol
import ServerRuntime
import ServerStorage

/// Grants of access manager version 2 (rules PV-84, PV-85 and PV-183).
extension PubNubREST {
    /// The lifetime in minutes of a grant whose request sets no `ttl`.
    private static let defaultTTL = 1440

    /// Performs a grant request. The answer is returned after the store has saved the grant.
    func grant(_ request: PubNubServerRequest) async throws(PubNubErrorBody) -> HTTPAnswer {
        try PubNubAccess(application: application).check(request)
        let target = GrantTarget(request)
        guard !target.isForAuthsAlone else {
            throw .accessManager(400, "Auth-only grants are reserved for future use")
        }
        // A `ttl` that is not a number is refused. Replacing it by the default could grant access for longer than intended (rule PV-183).
        let text = request.parameter("ttl") ?? ""
        let ttl = text.isEmpty ? Self.defaultTTL : Int(text)
        guard let ttl, (0...525_600).contains(ttl) else { throw .accessManager(400, "Invalid ttl") }
        let now = application.clock.unixSeconds()
        let rights = Self.rights(request).rawValue
        let grants = target.keys.map { AccessEntry($0, rights: rights, ttl: ttl, expires: ttl == 0 ? nil : now + ttl * 60) }
        do {
            try await application.grantQueue.run {
                try await keep(grants)
                let forgotten = grants.compactMap { application.grants.set($0) }
                if !forgotten.isEmpty { try? await keep([], removing: forgotten) }
            }
        } catch {
            throw .serviceUnavailable
        }
        return answer(target, ttl: ttl, grants)
    }

    func audit(_ request: PubNubServerRequest) throws(PubNubErrorBody) -> HTTPAnswer {
        try PubNubAccess(application: application).check(request)
        let target = GrantTarget(request)
        let asked = Set(target.keys)
        let all = application.grants.grants(at: application.clock.unixSeconds())
        let found = target.concernsEverything ? all : all.filter { asked.contains($0.key) }
        return answer(target, ttl: found.first?.ttl, found)
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
        _ target: GrantTarget, ttl: Int?, _ grants: [AccessEntry]
    ) -> HTTPAnswer {
        Self.accessManager(
            200,
            JSONBody.object { body in
                body.member("message", "Success")
                body.key("payload")
                body.object { body in
                    body.member("level", target.level)
                    body.member("subscribe_key", application.subscribeKey)
                    if let ttl { body.member("ttl", ttl) }
                    for grant in grants where grant.key.kind == .everything { Self.append(grant.rights, to: &body) }
                    Self.append(grants, of: .channel, "channels", to: &body)
                    Self.append(grants, of: .group, "channel-groups", to: &body)
                    Self.append(grants, of: .user, "uuids", to: &body)
                }
                body.member("service", "Access Manager")
                body.member("status", 200)
            })
    }

    /// Appends the grants of one kind (keyset, channels, groups or users) to the answer, sorted by name.
    private static func append(
        _ grants: [AccessEntry], of kind: AccessEntry.Key.Kind, _ key: String, to body: inout JSONBody
    ) {
        let named = OrderedDictionary(grouping: grants.filter { $0.key.kind == kind }, by: \.key.name)
        guard !named.isEmpty else { return }
        body.key(key)
        body.object { body in
            for (name, grants) in named {
                body.key(name.text)
                body.object { body in
                    for grant in grants where grant.key.holder == nil { append(grant.rights, to: &body) }
                    let held = grants.filter { $0.key.holder != nil }
                    guard !held.isEmpty else { return }
                    body.key("auths")
                    body.object { body in
                        for grant in held {
                            body.key(grant.key.holder?.text ?? "")
                            body.object { append(grant.rights, to: &$0) }
                        }
                    }
                }
            }
        }
    }

    /// The rights `g`, `u` and `j` are listed only when at least one of them is granted.
    private static func append(_ bits: Int, to body: inout JSONBody) {
        let rights = PubNubRights(rawValue: bits)
        for (letter, right) in [("r", PubNubRights.read), ("w", .write), ("m", .manage), ("d", .delete)] {
            body.member(letter, rights.contains(right) ? 1 : 0)
        }
        guard !rights.isDisjoint(with: [.get, .update, .join]) else { return }
        for (letter, right) in [("g", PubNubRights.get), ("u", .update), ("j", .join)] {
            body.member(letter, rights.contains(right) ? 1 : 0)
        }
    }
}

/// The auth keys, users, channels and groups that a grant or audit request names.
private struct GrantTarget {
    /// The named channels, groups and users, without the auth keys.
    private let resources: [AccessEntry.Key]
    private let auths: [Identifier]
    let level: String

    init(_ request: PubNubServerRequest) {
        auths = request.list("auth").identifiers
        let channels = request.list("channel").map { AccessEntry.Key(.channel, Identifier($0)) }
        let groups = request.groups.map { AccessEntry.Key(.group, Identifier($0)) }
        let users = request.list("target-uuid").map { AccessEntry.Key(.user, Identifier($0)) }
        let named = channels + groups + users
        resources = named.isEmpty ? [AccessEntry.Key(.everything)] : named
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

    var concernsEverything: Bool { resources.first?.kind == .everything }
    var isForAuthsAlone: Bool { concernsEverything && !auths.isEmpty }

    var keys: [AccessEntry.Key] {
        auths.isEmpty
            ? resources : resources.flatMap { key in auths.map { AccessEntry.Key(key.kind, key.name, holder: $0) } }
    }
}
