/// The options of a backend's calls: time limit, repetition and network settings.
public struct BackendOptions: Hashable, Sendable {
    /// The time limit of one attempt, from the name lookup to the end of the answer.
    public var timeout: Duration
    /// The maximum number of repetitions of a failed call. A call that could take effect twice is not repeated: see ``PusherBackend``.
    public var retries: Int
    /// The pause before the first repetition. Each further pause is twice as long, 5 s at most. The server's `Retry-After` has precedence.
    public var retryPause: Duration
    /// An HTTP proxy for every connection; nil for none.
    public var proxy: HTTPProxy?
    /// A PEM file with the only certificate authorities that are trusted; nil for the system's.
    public var certificateAuthorities: String?
    /// How many calls to one host may be in progress at the same time. Further calls wait, and their time limit includes the wait.
    public var connectionsPerHost: Int

    /// Makes options. The defaults suit a service in the same region.
    public init(
        timeout: Duration = .seconds(10), retries: Int = 2, retryPause: Duration = .milliseconds(250), proxy: HTTPProxy? = nil,
        certificateAuthorities: String? = nil, connectionsPerHost: Int = 8
    ) {
        self.timeout = timeout
        self.retries = retries
        self.retryPause = retryPause
        self.proxy = proxy
        self.certificateAuthorities = certificateAuthorities
        self.connectionsPerHost = connectionsPerHost
    }
}
