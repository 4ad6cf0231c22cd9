/// Counts open connections, and compares them with the limits of the server and of each application.
///
/// A value; a lock guards it where it is shared.
package struct Admission: Sendable {
    package private(set) var sockets = 0
    package private(set) var connections = 0
    package private(set) var isDraining = false
    package private(set) var perApplication: [ApplicationName: Int] = [:]
    package let maximumConnections: Int

    /// The number of sockets beyond the connection limit that may be open for requests, so that a full server still answers `/health`.
    package static let spareSockets = 1024

    package enum Verdict: Hashable, Sendable {
        case admitted
        /// The server accepts no more connections at present.
        case overCapacity
        /// The application has reached its limit of connections.
        case overQuota
        case draining
    }

    package init(maximumConnections: Int) {
        self.maximumConnections = max(maximumConnections, 0)
    }

    /// Counts an accepted socket. Returns false, without counting, when the socket has to be closed at once.
    ///
    /// - Parameter isReplacement: whether another socket has just been closed in favour of this one and is still counted.
    package mutating func openSocket(replacing isReplacement: Bool = false) -> Bool {
        guard !isDraining, isReplacement || sockets < maximumConnections + Self.spareSockets else { return false }
        sockets += 1
        return true
    }

    package mutating func closeSocket() {
        sockets = max(sockets - 1, 0)
    }

    /// Admits a connection of an application, and counts it unless a limit is reached.
    package mutating func open(_ application: ApplicationName, limit: Int?) -> Verdict {
        if isDraining { return .draining }
        if connections >= maximumConnections { return .overCapacity }
        let current = perApplication[application, default: 0]
        if let limit, current >= limit { return .overQuota }
        connections += 1
        perApplication[application] = current + 1
        return .admitted
    }

    /// Returns the number of open connections of an application.
    package func connections(of application: ApplicationName) -> Int {
        perApplication[application, default: 0]
    }

    package mutating func close(_ application: ApplicationName) {
        connections = max(connections - 1, 0)
        let remaining = perApplication[application, default: 1] - 1
        perApplication[application] = remaining > 0 ? remaining : nil
    }

    package mutating func drain() {
        isDraining = true
    }
}
