import OrderedCollections
import PubNubProtocol
import RealtimeHub
import WireCoding

/// Keeps grants and revocations across restarts: as messages of an application that no client can name (rule PV-87).
struct AccessJournal: Sendable {
    enum Entry: Hashable, Sendable {
        case grant(GrantBook.Key, GrantBook.Grant)
        /// The signature of a token that is not to be accepted any more, and when it would have expired anyway.
        case revocation([UInt8], until: Int)
    }

    private static let channel = "journal"
    private static let pageLength = 1000

    private let timeline: PubNubTimeline
    private let application: String

    init(_ timeline: PubNubTimeline, subscribeKey: String) {
        self.timeline = timeline
        application = "access:" + subscribeKey
    }

    /// Returns once the entries are as durable as the store makes them.
    func append(_ entries: [Entry]) async throws {
        let ends = entries.map(\.until)
        // Forgotten with the last of them; never when one of them holds for ever.
        let last = ends.contains(nil) ? nil : ends.compactMap { $0 }.max()
        let message = StoredMessage(
            timetoken: timeline.next(), channel: Self.channel,
            payload: Array(JSONValue.array(entries.map(Self.encoded)).text.utf8),
            expires: last.flatMap { UInt64(exactly: $0)?.multipliedReportingOverflow(by: TimetokenClock.ticksPerSecond) }
                .flatMap { $0.overflow ? nil : $0.partialValue })
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            timeline.store.append(message, application: application) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    /// Everything that was appended and has not expired, in its order.
    func entries() async throws -> [Entry] {
        var found: [Entry] = []
        var start: UInt64?
        while true {
            let page = try await timeline.store.history(
                HistoryQuery(channel: Self.channel, start: start, limit: Self.pageLength, isOldestFirst: true),
                application: application)
            for message in page {
                found += (try? JSONValue(parsing: message.payload))?.array?.compactMap(Self.decoded) ?? []
            }
            guard let last = page.last, page.count == Self.pageLength else { return found }
            start = last.timetoken
        }
    }

    private static func encoded(_ entry: Entry) -> JSONValue {
        switch entry {
        case .revocation(let signature, let until):
            return ["revoked": .array(signature.map { .number(JSONNumber(Int($0))) }), "until": .number(JSONNumber(until))]
        case .grant(let key, let grant):
            var object: OrderedDictionary<String, JSONValue> = [:]
            switch key.resource {
            case .everything: object["on"] = "everything"
            case .channel(let name): (object["on"], object["name"]) = ("channel", .string(name))
            case .group(let name): (object["on"], object["name"]) = ("group", .string(name))
            case .user(let name): (object["on"], object["name"]) = ("user", .string(name))
            }
            if let auth = key.auth { object["auth"] = .string(auth) }
            object["rights"] = .number(JSONNumber(grant.rights.rawValue))
            object["ttl"] = .number(JSONNumber(grant.ttl))
            if let expires = grant.expires { object["until"] = .number(JSONNumber(expires)) }
            return .object(object)
        }
    }

    /// Nil for what a later version may have written.
    private static func decoded(_ value: JSONValue) -> Entry? {
        let until = value["until"]?.integer
        if let bytes = value["revoked"]?.array {
            return until.map { .revocation(bytes.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }, until: $0) }
        }
        let name = value["name"]?.string ?? ""
        let resource: GrantBook.Resource
        switch value["on"]?.string {
        case "everything": resource = .everything
        case "channel": resource = .channel(name)
        case "group": resource = .group(name)
        case "user": resource = .user(name)
        default: return nil
        }
        guard let rights = value["rights"]?.integer, let ttl = value["ttl"]?.integer else { return nil }
        return .grant(
            GrantBook.Key(resource: resource, auth: value["auth"]?.string),
            GrantBook.Grant(rights: PubNubRights(rawValue: rights), ttl: ttl, expires: until))
    }
}

extension AccessJournal.Entry {
    /// When it loses its meaning, in seconds since 1970; nil for never.
    fileprivate var until: Int? {
        switch self {
        case .grant(_, let grant): grant.expires
        case .revocation(_, let until): until
        }
    }
}

extension PubNubApplication {
    /// What is granted and revoked, as the store keeps it.
    var accessJournal: AccessJournal { AccessJournal(timeline, subscribeKey: keyset.subscribeKey) }

    /// Takes up grants and revocations from before a restart. To be called before the first request.
    func restoreAccess() async throws {
        let now = clock.unixSeconds()
        for entry in try await accessJournal.entries() {
            switch entry {
            case .grant(let key, let grant): if grant.holds(at: now) { grants.set(grant, for: key) }
            case .revocation(let signature, let until): if until > now { grants.revoke(signature, until: until) }
            }
        }
    }
}
