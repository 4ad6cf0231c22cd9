/// Who may still come in: open connections against the limits of the server and of each application.
///
/// A value; guarded by a lock where it is shared.
struct Admission: Sendable {
    private(set) var sockets = 0
    private(set) var connections = 0
    private(set) var isDraining = false
    private(set) var perApplication: [String: Int] = [:]
    let maximumConnections: Int

    /// Sockets beyond the limit of connections that may be open for requests, so that a full server still answers `/health`.
    static let spareSockets = 1024

    enum Verdict: Hashable, Sendable {
        case admitted
        /// The server takes no more connections now.
        case overCapacity
        /// The application has as many connections as it may have.
        case overQuota
        case draining
    }

    init(maximumConnections: Int) {
        self.maximumConnections = max(maximumConnections, 0)
    }

    /// Counts an accepted socket; false when it has to be closed at once, uncounted.
    mutating func openSocket() -> Bool {
        guard !isDraining, sockets < maximumConnections + Self.spareSockets else { return false }
        sockets += 1
        return true
    }

    mutating func closeSocket() {
        sockets = max(sockets - 1, 0)
    }

    /// Counts a connection of an application when it is admitted.
    mutating func open(application: String, limit: Int?) -> Verdict {
        if isDraining { return .draining }
        if connections >= maximumConnections { return .overCapacity }
        let current = perApplication[application, default: 0]
        if let limit, current >= limit { return .overQuota }
        connections += 1
        perApplication[application] = current + 1
        return .admitted
    }

    /// How many connections an application has.
    func connections(of application: String) -> Int {
        perApplication[application, default: 0]
    }

    mutating func close(application: String) {
        connections = max(connections - 1, 0)
        let remaining = perApplication[application, default: 1] - 1
        perApplication[application] = remaining > 0 ? remaining : nil
    }

    mutating func drain() {
        isDraining = true
    }
}
