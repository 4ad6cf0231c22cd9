/// One process of a cluster, from its start to its end. A process that was restarted is a different node.
package struct ClusterNode: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name that the operator gave the node (`--node`), or the name of the machine.
    package let name: String
    /// A random number that distinguishes nodes with the same name.
    package let incarnation: UInt64

    package init(name: String, incarnation: UInt64) {
        self.name = name
        self.incarnation = incarnation
    }

    /// Incarnations are compared first: they usually differ, so that names are seldom compared.
    package static func == (left: ClusterNode, right: ClusterNode) -> Bool {
        left.incarnation == right.incarnation && left.name == right.name
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(incarnation) }

    package var description: String { "\(name)/\(String(incarnation, radix: 16))" }

    package static func < (left: ClusterNode, right: ClusterNode) -> Bool {
        (left.incarnation, left.name) < (right.incarnation, right.name)
    }
}

/// A service whose state a cluster shares. The raw value identifies it in the log, so a service never changes its number.
///
/// Each service declares its own number: 1 to 3 are Pusher, PubNub and chat, and 4 is the console. A node skips facts of services that it
/// does not have.
package struct ClusterServiceID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt8

    /// A number from the log; nil for 0, which stands for the cluster itself.
    package init?(rawValue: UInt8) {
        guard rawValue > 0 else { return nil }
        self.rawValue = rawValue
    }

    /// - Parameter number: the number of a service, 1 or more; 0 stands for the cluster itself.
    package init(number: UInt8) { rawValue = number }

    package static let pusher = ClusterServiceID(number: 1)
    package static let pubnub = ClusterServiceID(number: 2)
    package static let chat = ClusterServiceID(number: 3)
    package static let console = ClusterServiceID(number: 4)

    package static func < (left: ClusterServiceID, right: ClusterServiceID) -> Bool { left.rawValue < right.rawValue }
}

/// The reason why a request to the leader has no answer.
package enum ClusterFailure: Error, Hashable, Sendable {
    /// The request was not and will not be performed: there is no leader, or no connection to it.
    case unavailable
    /// It is not known whether the request was performed.
    case unknown
    /// Too many bytes of requests are waiting to be sent. The request was not performed.
    case overloaded
    /// The node leaves the cluster; the request was not performed.
    case closed
}

/// The nodes that receive a fact (a decision of the leader).
package enum ClusterAudience: Hashable, Sendable {
    case all
    case node(ClusterNode)
    /// All nodes except this one.
    case others(ClusterNode)
}

extension ClusterNode {
    /// Parses a node's text; nil for invalid texts.
    ///
    /// - Parameter description: a text as in ``description``.
    init?(_ description: String) {
        guard let slash = description.lastIndex(of: "/"), let incarnation = UInt64(description[slash...].dropFirst(), radix: 16)
        else { return nil }
        self.init(name: String(description[..<slash]), incarnation: incarnation)
    }
}
