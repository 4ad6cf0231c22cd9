import Dispatch
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Looks up a name with the system's resolver, on a separate thread for each lookup.
///
/// NIO's resolver queues all lookups of an event loop, so that one slow name would delay every other client of the process (rule WT-5).
public final class SystemResolver: Resolver, Sendable {
    /// Finds the addresses of a host; may block.
    public typealias LookUp = @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress]

    private let eventLoop: any EventLoop
    private let lookUp: LookUp
    private let ipv4: EventLoopPromise<[SocketAddress]>
    private let ipv6: EventLoopPromise<[SocketAddress]>

    /// A resolver for one connection attempt on `eventLoop`, which has to make both queries.
    public init(eventLoop: any EventLoop, lookUp: @escaping LookUp = SystemResolver.lookUp) {
        self.eventLoop = eventLoop
        self.lookUp = lookUp
        ipv4 = eventLoop.makePromise()
        ipv6 = eventLoop.makePromise()
    }

    /// The IPv4 addresses. The system answers for both families at once, so the other query does the work.
    public func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        ipv4.futureResult
    }

    /// The IPv6 addresses; starts the lookup.
    public func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        // A separate serial queue gets a thread at once; lookups on the shared concurrent queue could wait for each other.
        DispatchQueue(label: "lifeline.resolver").async { [self] in
            let result = Result { try lookUp(host, port) }
            // Both results are delivered in one turn of the loop, so that the attempt never sees only one half of the answer.
            eventLoop.execute { [self] in
                ipv6.completeWith(result.map { $0.filter { $0.protocol == .inet6 } })
                ipv4.completeWith(result.map { $0.filter { $0.protocol == .inet } })
            }
        }
        return ipv6.futureResult
    }

    /// Does nothing: the system's lookup cannot be cancelled, and its late result is ignored.
    public func cancelQueries() {}

    /// The system's error number of a failed lookup.
    public struct LookupFailure: Error, Hashable, Sendable {
        var code: CInt

        /// Whether a server answered that the name does not exist; otherwise no server answered.
        public var isUnknownName: Bool { code == EAI_NONAME || code == Self.noData }

        #if canImport(Glibc)
            private static let noData: CInt = -5
        #else
            private static let noData = EAI_NONAME
        #endif
    }

    /// Asks the system for the addresses of a name; blocks.
    @Sendable public static func lookUp(host: String, port: Int) throws -> [SocketAddress] {
        var hint = addrinfo()
        #if canImport(Glibc)
            hint.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            hint.ai_socktype = SOCK_STREAM
        #endif
        hint.ai_protocol = CInt(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hint, &list)
        guard code == 0 else { throw LookupFailure(code: code) }
        defer { if let list { freeaddrinfo(list) } }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                switch entry.pointee.ai_family {
                case AF_INET:
                    addresses.append(SocketAddress(UnsafeRawPointer(address).load(as: sockaddr_in.self), host: host))
                case AF_INET6:
                    addresses.append(SocketAddress(UnsafeRawPointer(address).load(as: sockaddr_in6.self), host: host))
                default: break
                }
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }
}
