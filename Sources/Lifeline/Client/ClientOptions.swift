import ConnectionEngine

/// How fast a client notices an outage and how fast it comes back.
public enum TimingProfile: String, Hashable, Sendable, CaseIterable {
    /// For production: a dead link is noticed after 25 s at most, pauses grow up to 30 s.
    case standard
    /// For tests: a dead link is noticed after 3 s, pauses grow up to 3 s.
    case fast

    /// The engine's policy for this profile.
    var policy: ConnectionPolicy {
        switch self {
        case .standard: .standard
        case .fast: .fast
        }
    }
}

/// Settings of a client that do not depend on the service.
public struct ClientOptions: Hashable, Sendable {
    /// How fast outages are noticed and mended.
    public var timing: TimingProfile
    /// A PEM file with the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// How many elements a sequence may fall behind before elements are dropped for it, and the drop is declared; at least 1.
    public var backlog: Int

    public init(timing: TimingProfile = .standard, certificateAuthorityFile: String? = nil, backlog: Int = 4096) {
        self.timing = timing
        self.certificateAuthorityFile = certificateAuthorityFile
        self.backlog = max(backlog, 1)
    }
}
