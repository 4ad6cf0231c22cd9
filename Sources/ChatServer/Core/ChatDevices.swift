import ChatProtocol
import Identifiers
import ServerStorage

/// The data with which a session signs in.
package struct ChatSignIn: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// The device's id.
    package var device: Identifier
    /// The class of the device: mobile, desktop or web.
    package var deviceClass: ChatDevice.Class
    /// Whether the session replaces a connection that was lost.
    package var isReconnect: Bool
    /// Whether a reconnecting session is refused when another device of its class is connected.
    package var yields: Bool
    /// The time in ms since 1970 when the session's token was issued.
    package var tokenIssued: Int64

    package init(
        user: Identifier, device: Identifier, deviceClass: ChatDevice.Class = .mobile, isReconnect: Bool = false,
        yields: Bool = false,
        tokenIssued: Int64 = 0
    ) {
        self.user = user
        self.device = device
        self.deviceClass = deviceClass
        self.isReconnect = isReconnect
        self.yields = yields
        self.tokenIssued = tokenIssued
    }
}

/// The connected sessions of an application's users (rules CH-14 to CH-19).
struct ChatDevices: Sendable {
    struct Device: Sendable {
        var session: ChatSessionID
        var id: Identifier
        var deviceClass: ChatDevice.Class
        var tokenIssued: Int64
        var signedIn: Int64
        var rates: ChatRates
    }

    private(set) var count = 0
    /// The sessions that were added or removed since the last call of ``ChatState/takeLiveChanges()``; nil when changes are not recorded.
    var touched: Set<Place>?
    private var devices: [Identifier: [Device]] = [:]

    func isOnline(_ user: Identifier) -> Bool { devices[user] != nil }

    /// The devices of a user, in the order of their sign-ins.
    func devices(of user: Identifier) -> [Device] { devices[user] ?? [] }

    /// Adds a session, and returns the sessions that it replaces. They are signed out by this call.
    mutating func signIn(
        _ session: ChatSessionID, _ signIn: ChatSignIn, limits: ChatLimits, at now: Int64
    ) throws(ChatRefusal) -> [ChatSessionID] {
        let known = devices[signIn.user] ?? []
        let others = known.filter { $0.deviceClass == signIn.deviceClass && $0.id != signIn.device }
        let excess = others.count + 1 - max(limits.devicesPerClass, 1)
        guard excess <= 0 || !signIn.isReconnect || !signIn.yields else {
            throw ChatRefusal(ChatCode.otherDeviceOnline, "Another device of the same class is already signed in for this user.")
        }
        let kicked = known.filter { $0.id == signIn.device } + others.prefix(max(excess, 0))
        guard count - kicked.count < limits.connections else {
            throw ChatRefusal(ChatCode.tooManyConnections, "The application has reached its limit of connections.")
        }
        var kept = known
        kept.removeAll { device in kicked.contains { $0.session.id == device.session.id } }
        kept.append(
            Device(
                session: session, id: signIn.device, deviceClass: signIn.deviceClass, tokenIssued: signIn.tokenIssued,
                signedIn: now, rates: ChatRates(limits, at: now)))
        touched?.insert(Place(user: signIn.user, id: session.id))
        for device in kicked { touched?.insert(Place(user: signIn.user, id: device.session.id)) }
        count += kept.count - known.count
        devices[signIn.user] = kept
        return kicked.map(\.session)
    }

    /// Removes a session. Returns false if it was not signed in.
    mutating func signOut(_ session: ChatSessionID, of user: Identifier) -> Bool {
        guard let position = devices[user]?.firstIndex(where: { $0.session.id == session.id }) else { return false }
        devices[user]?.remove(at: position)
        if devices[user]?.isEmpty == true { devices[user] = nil }
        count -= 1
        touched?.insert(Place(user: user, id: session.id))
        return true
    }

    /// Adds a restored session. Restore the sessions in the order in which they signed in.
    mutating func restore(_ live: ChatLive.Session, limits: ChatLimits, at now: Int64) {
        devices[live.user, default: []].append(
            Device(
                session: live.session, id: live.device, deviceClass: live.deviceClass, tokenIssued: live.tokenIssued,
                signedIn: live.signedIn, rates: ChatRates(limits, at: now)))
        count += 1
    }

    /// Counts one request against the limits of a session. Returns nil, or the milliseconds to wait when a limit is reached.
    mutating func take(
        _ kind: ChatSpending, _ session: UInt64, of user: Identifier, limits: ChatLimits, at now: Int64
    ) -> Int? {
        guard let index = devices.index(forKey: user),
            let position = devices.values[index].firstIndex(where: { $0.session.id == session })
        else { return nil }
        return devices.values[index][position].rates.take(kind, limits, at: now)
    }
}

/// The quota against which a session's request counts. Requests beyond a quota are refused with 20604.
package enum ChatSpending: CaseIterable, Hashable, Sendable {
    /// The quota for sending messages, and for changes of sent messages.
    case send
    /// The quota for requests that change something other than messages.
    case change
    /// The quota for requests that only read.
    case query

    func perSecond(_ limits: ChatLimits) -> Int {
        switch self {
        case .send: limits.sendsPerSecond
        case .change: limits.changesPerSecond
        case .query: limits.queriesPerSecond
        }
    }
}

/// The rate limits of one session, one for each kind of request.
struct ChatRates: Hashable, Sendable {
    private var sends: ChatRate
    private var changes: ChatRate
    private var queries: ChatRate

    init(_ limits: ChatLimits, at now: Int64) {
        sends = ChatRate(ChatSpending.send.perSecond(limits), at: now)
        changes = ChatRate(ChatSpending.change.perSecond(limits), at: now)
        queries = ChatRate(ChatSpending.query.perSecond(limits), at: now)
    }

    mutating func take(_ kind: ChatSpending, _ limits: ChatLimits, at now: Int64) -> Int? {
        let rate = kind.perSecond(limits)
        return switch kind {
        case .send: sends.take(rate, at: now)
        case .change: changes.take(rate, at: now)
        case .query: queries.take(rate, at: now)
        }
    }
}

/// The rate limit of one session for one kind of request.
struct ChatRate: Hashable, Sendable {
    private var bucket: TokenBucket
    private var last: Int64

    init(_ rate: Int, at now: Int64) {
        bucket = TokenBucket(burst: rate, at: Self.instant(now))
        last = now
    }

    /// Takes one token from the bucket. Returns nil on success, otherwise the ms until a token is available. If the clock was set back, the
    /// bucket starts anew.
    mutating func take(_ rate: Int, at now: Int64) -> Int? {
        if now < last { self = ChatRate(rate, at: now) }
        last = now
        guard !bucket.take(perSecond: rate, burst: rate, at: Self.instant(now)) else { return nil }
        return rate > 0 ? max(1, 1_000 / rate) : 1_000
    }

    private static func instant(_ now: Int64) -> MonotonicInstant {
        let (nanoseconds, overflow) = now.multipliedReportingOverflow(by: 1_000_000)
        return MonotonicInstant(nanoseconds: overflow ? .max : nanoseconds)
    }
}
