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
            "name-unknown", "The name server has no address for the name \(host).",
            advice:
                "Check the spelling of the name. If it is right, the name server of this network may lack the name, or "
                + "the name needs a VPN."
        )
    }

    static func resolverFailed(_ host: String) -> Finding {
        Finding(
            "resolver-failed", "The name server did not answer the query for \(host).",
            advice: "This machine or its name server is probably offline: check the network and /etc/resolv.conf.")
    }

    static func resolutionTimeout(_ host: String) -> Finding {
        Finding(
            "resolution-timeout", "The name server did not answer the query for \(host) within the time limit.",
            advice: "The name server is slow or unreachable: check the network and /etc/resolv.conf.")
    }

    /// - Parameter target: the host and port, or another address of the connection, as text for the finding.
    static func connecting(_ error: any Error, to target: String) -> Finding {
        switch error {
        case let error as IOError: socket(error.errnoCode, target)
        case ChannelError.connectTimeout: connectTimeout(target)
        default:
            Finding(
                "connection-failed", "No connection to \(target) could be made.",
                advice: "Check the host and the port, and whether this network permits connections to them.")
        }
    }

    private static func connectTimeout(_ target: String) -> Finding {
        Finding(
            "connect-timeout", "The attempt to connect to \(target) got no answer.",
            advice: "A firewall drops the connection, or no machine uses this address. Check host, port and firewall rules.")
    }

    private static func socket(_ number: CInt, _ target: String) -> Finding {
        switch number {
        case ECONNREFUSED:
            Finding(
                "connection-refused", "The machine answers, but no program listens on \(target).",
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
                advice: "A firewall or a sandbox on this machine forbids the connection: allow it in its settings.")
        case ECONNRESET:
            Finding(
                "connection-reset", "The program at \(target) accepts the connection and closes it at once.",
                advice:
                    "A firewall, or a load balancer without a server behind it, can cause this. Check which program listens on this port."
            )
        default:
            Finding(
                "connection-failed", "The connection to \(target) failed with error number \(number).",
                advice: "Check the host and the port, and whether this network permits connections to them.")
        }
    }

    static func partlyReachable(_ failed: [String], reached: String) -> Finding {
        Finding(
            "partly-reachable",
            "The server's addresses \(failed.joined(separator: ", ")) cannot be reached, but its address \(reached) can be.",
            advice:
                "Clients find the working address, but lose time with each connection. Often the IPv6 address is the one "
                + "that fails: repair or remove it."
        )
    }
}
