import NIOCore
import TransportCommon

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Findings about names, addresses and TCP.
extension Finding {
    static func unknownName(_ host: String) -> Finding {
        Finding(
            "name-unknown", "No address is known for the name \(host).",
            advice:
                "Check the spelling. If it is right, check whether this network's name server knows it, and whether a VPN is needed."
        )
    }

    static func resolverFailed(_ host: String) -> Finding {
        Finding(
            "resolver-failed", "The name server did not answer the query for \(host).",
            advice: "This machine is probably offline, or its name server is: check the network and /etc/resolv.conf.")
    }

    static func resolutionTimeout(_ host: String) -> Finding {
        Finding(
            "resolution-timeout", "Looking up \(host) takes too long.",
            advice: "The name server is slow or cannot be reached: check the network and /etc/resolv.conf.")
    }

    /// - Parameter target: the host and port, or another address of the connection, as text for the finding.
    static func connecting(_ error: any Error, to target: String) -> Finding {
        switch error {
        case let error as IOError: socket(error.errnoCode, target)
        case ChannelError.connectTimeout: connectTimeout(target)
        default:
            Finding(
                "connection-failed", "No connection to \(target) could be made.",
                advice: "Check host and port, and whether this network lets such connections through.")
        }
    }

    private static func connectTimeout(_ target: String) -> Finding {
        Finding(
            "connect-timeout", "\(target) does not answer at all.",
            advice: "A firewall drops the connection, or nothing runs at this address. Check host, port and firewall rules.")
    }

    private static func socket(_ number: CInt, _ target: String) -> Finding {
        switch number {
        case ECONNREFUSED:
            Finding(
                "connection-refused", "The machine can be reached, but no program listens on \(target).",
                advice:
                    "Start the server, or check the port. A server that listens on 127.0.0.1 can be reached from its own machine only."
            )
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL:
            Finding(
                "no-route", "There is no route from this machine to \(target).",
                advice: "Check whether this machine is online, and whether the address belongs to a network that needs a VPN.")
        case ETIMEDOUT: connectTimeout(target)
        case EACCES, EPERM:
            Finding(
                "not-allowed", "This system does not allow the connection to \(target).",
                advice: "A firewall or a sandbox on this machine forbids the connection: allow it there.")
        case ECONNRESET:
            Finding(
                "connection-reset", "\(target) accepts the connection and closes it at once.",
                advice:
                    "A firewall, or a load balancer without a server behind it, can cause this. Check which program listens there."
            )
        default:
            Finding(
                "connection-failed", "The connection to \(target) failed with error number \(number).",
                advice: "Check host and port, and whether this network lets such connections through.")
        }
    }

    static func partlyReachable(_ failed: [String], reached: String) -> Finding {
        Finding(
            "partly-reachable",
            "Of the server's addresses \(failed.joined(separator: ", ")) cannot be reached; \(reached) can.",
            advice:
                "Clients find the address that works, but lose time at each connection. Often the IPv6 address does not work: repair or remove it."
        )
    }
}
