/// A user has at most so many sessions for each of these (session document 2).
public enum ChatDeviceClass: String, Codable, CaseIterable, Hashable, Sendable {
    case mobile, desktop, web
}

/// What a session says of itself when it signs in.
public struct ChatSignIn: Hashable, Sendable {
    public var user: String
    public var device: String
    public var deviceClass: ChatDeviceClass
    /// Whether it replaces a connection that was lost.
    public var isReconnect: Bool
    /// Whether, when it reconnects, it gives way to another device of its class.
    public var yields: Bool
    /// When its token was issued.
    public var tokenIssued: Int64

    public init(
        user: String, device: String, deviceClass: ChatDeviceClass = .mobile, isReconnect: Bool = false, yields: Bool = false,
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

/// Who is connected (rules CH-14 to CH-19).
struct ChatDevices: Sendable {
    struct Device: Sendable {
        var session: ChatSession
        var id: String
        var deviceClass: ChatDeviceClass
        var tokenIssued: Int64
        var rate: ChatRate
    }

    private(set) var count = 0
    private var devices: [String: [Device]] = [:]

    func isOnline(_ user: String) -> Bool { devices[user] != nil }

    /// Oldest first.
    func devices(of user: String) -> [Device] { devices[user] ?? [] }

    /// Lets a session in, and says which ones have to go. They are signed out already.
    mutating func signIn(
        _ session: ChatSession, _ signIn: ChatSignIn, limits: ChatLimits, at now: Int64
    ) throws(ChatRefusal) -> [ChatSession] {
        let known = devices[signIn.user] ?? []
        let others = known.filter { $0.deviceClass == signIn.deviceClass && $0.id != signIn.device }
        let excess = others.count + 1 - max(limits.devicesPerClass, 1)
        guard excess <= 0 || !signIn.isReconnect || !signIn.yields else {
            throw ChatRefusal(ChatCode.otherDeviceOnline, "Another device of this class is signed in.")
        }
        let kicked = known.filter { $0.id == signIn.device } + others.prefix(max(excess, 0))
        guard count - kicked.count < limits.connections else {
            throw ChatRefusal(ChatCode.tooManyConnections, "The application has as many connections as it may.")
        }
        var kept = known
        kept.removeAll { device in kicked.contains { $0.session.id == device.session.id } }
        kept.append(
            Device(
                session: session, id: signIn.device, deviceClass: signIn.deviceClass, tokenIssued: signIn.tokenIssued,
                rate: ChatRate(limits, at: now)))
        count += kept.count - known.count
        devices[signIn.user] = kept
        return kicked.map(\.session)
    }

    /// Whether the session was signed in.
    mutating func signOut(_ session: ChatSession, of user: String) -> Bool {
        guard let position = devices[user]?.firstIndex(where: { $0.session.id == session.id }) else { return false }
        devices[user]?.remove(at: position)
        if devices[user]?.isEmpty == true { devices[user] = nil }
        count -= 1
        return true
    }

    /// Takes one message off what a session may send; ms to wait otherwise.
    mutating func takeSend(_ session: UInt64, of user: String, limits: ChatLimits, at now: Int64) -> Int? {
        guard let index = devices.index(forKey: user),
            let position = devices.values[index].firstIndex(where: { $0.session.id == session })
        else { return nil }
        return devices.values[index][position].rate.take(limits, at: now)
    }
}

/// How many messages a session may send (code 20604).
struct ChatRate: Hashable, Sendable {
    private var bucket: TokenBucket
    private var last: Int64

    init(_ limits: ChatLimits, at now: Int64) {
        bucket = TokenBucket(burst: limits.sendsPerSecond, at: Self.instant(now))
        last = now
    }

    /// Nil when there was a token, otherwise the ms until there is one. A clock that was set back begins anew.
    mutating func take(_ limits: ChatLimits, at now: Int64) -> Int? {
        if now < last { self = ChatRate(limits, at: now) }
        last = now
        let rate = limits.sendsPerSecond
        guard !bucket.take(perSecond: rate, burst: rate, at: Self.instant(now)) else { return nil }
        return rate > 0 ? max(1, 1_000 / rate) : 1_000
    }

    private static func instant(_ now: Int64) -> HubInstant {
        let (nanoseconds, overflow) = now.multipliedReportingOverflow(by: 1_000_000)
        return HubInstant(nanoseconds: overflow ? .max : nanoseconds)
    }
}
