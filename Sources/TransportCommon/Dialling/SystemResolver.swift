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

/// Looks up a name with the system's resolver. Each lookup has a thread of its own.
///
/// NIO's resolver does all lookups of an event loop one after the other, so one slow name would delay every other client of the process
/// (rule WT-5).
public final class SystemResolver: Resolver, Sendable {
    /// A function that finds the addresses of a host; it may block.
    public typealias LookUp = @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress]

    private let eventLoop: any EventLoop
    private let lookUp: LookUp
    private let ipv4: EventLoopPromise<[SocketAddress]>
    private let ipv6: EventLoopPromise<[SocketAddress]>

    /// Makes a resolver for one connection attempt on `eventLoop`. The attempt must call both query methods.
    public init(eventLoop: any EventLoop, lookUp: @escaping LookUp = SystemResolver.lookUp) {
        self.eventLoop = eventLoop
        self.lookUp = lookUp
        ipv4 = eventLoop.makePromise()
        ipv6 = eventLoop.makePromise()
    }

    /// Returns the IPv4 addresses. The lookup is done by `initiateAAAAQuery`, because the system returns the addresses of both families
    /// together.
    public func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        ipv4.futureResult
    }

    /// Returns the IPv6 addresses, and starts the lookup for both families.
    public func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        // Each lookup has its own serial queue, which gets a thread at once. On the concurrent queue that the process shares, lookups could
        // wait for each other.
        DispatchQueue(label: "lifeline.resolver").async { [self] in
            let result = Result { try lookUp(host, port) }
            // Both lists of addresses are delivered in one task of the event loop, so that the connection attempt has all addresses before
            // it chooses one.
            eventLoop.execute { [self] in
                ipv6.completeWith(result.map { $0.filter { $0.protocol == .inet6 } })
                ipv4.completeWith(result.map { $0.filter { $0.protocol == .inet } })
            }
        }
        return ipv6.futureResult
    }

    /// Does nothing, because the system's lookup cannot be cancelled. Its late result is ignored.
    public func cancelQueries() {}

    /// The error of a failed lookup, with the system's error number.
    public struct LookupFailure: Error, Hashable, Sendable {
        var code: CInt

        /// Whether a name server answered that the name does not exist. If not, no name server answered.
        public var isUnknownName: Bool { code == EAI_NONAME || code == Self.noData }

        #if canImport(Glibc)
            private static let noData: CInt = -5
        #else
            private static let noData = EAI_NONAME
        #endif
    }

    /// Finds the addresses of a name with the system's `getaddrinfo`; blocks.
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
