/// One process of a cluster, from its start to its end. A process that was restarted is another node.
package struct ClusterNode: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name that the operator gave the node (`--node`), or the name of the machine.
    package let name: String
    /// A random number that distinguishes nodes with the same name.
    package let incarnation: UInt64

    package init(name: String, incarnation: UInt64) {
        self.name = name
        self.incarnation = incarnation
    }

    package var description: String { "\(name)/\(String(incarnation, radix: 16))" }

    package static func < (left: ClusterNode, right: ClusterNode) -> Bool {
        (left.incarnation, left.name) < (right.incarnation, right.name)
    }
}

/// The services whose state a cluster shares. The raw value identifies them in the log.
package enum ClusterServiceID: UInt8, Hashable, Sendable, CaseIterable {
    case pusher = 1
    case pubnub = 2
    case chat = 3
}

/// Why a request to the leader has no answer.
package enum ClusterFailure: Error, Hashable, Sendable {
    /// The request was not and will not be performed: there is no leader, or no connection to it.
    case unavailable
    /// It is not known whether the request was performed.
    case unknown
    /// Too many bytes wait to be sent already; the request was not performed.
    case overloaded
    /// The node leaves the cluster.
    case closed
}

/// The nodes that receive a fact.
package enum ClusterAudience: Hashable, Sendable {
    case all
    case node(ClusterNode)
    /// All nodes except for this one.
    case others(ClusterNode)
}

extension ClusterNode {
    /// - Parameter description: the text of ``description``.
    init?(_ description: String) {
        guard let slash = description.lastIndex(of: "/"), let incarnation = UInt64(description[slash...].dropFirst(), radix: 16)
        else { return nil }
        self.init(name: String(description[..<slash]), incarnation: incarnation)
    }
}
