#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why the service manager, such as systemd, could not be notified of the server's state.
enum NotifyProblem: Error, Equatable, CustomStringConvertible {
    /// The variable `NOTIFY_SOCKET` is neither an absolute path nor `@` and an abstract name, or it is too long.
    case unusableAddress
    /// A call of the system failed with this code.
    case system(call: String, code: CInt)

    var description: String {
        switch self {
        case .unusableAddress:
            "NOTIFY_SOCKET must be an absolute path or @ and an abstract name, of \(NotifyAddress.capacity - 1) bytes at most"
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}

/// The address of a service manager's datagram socket, as the variable `NOTIFY_SOCKET` has it: a path, or `@` and a name in Linux's abstract
/// namespace. Rule PI-24.
struct NotifyAddress: Equatable, Sendable {
    /// How many bytes a path in a socket address can have, including the terminating zero.
    static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    /// The bytes of `sun_path`. A path ends with a zero byte; an abstract name begins with one.
    let bytes: [UInt8]

    /// - Throws: ``NotifyProblem/unusableAddress`` for a relative path, an empty name, and a path or name that is too long.
    init(_ value: String) throws(NotifyProblem) {
        let given = Array(value.utf8)
        guard given.count > 1, given.count < Self.capacity, !given.contains(0) else { throw .unusableAddress }
        switch given[0] {
        case UInt8(ascii: "/"): bytes = given + [0]
        case UInt8(ascii: "@"): bytes = [0] + given.dropFirst()
        default: throw .unusableAddress
        }
    }

    /// Calls `body` with the address and its length.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let header = MemoryLayout<sockaddr_un>.size - Self.capacity
        // An abstract name may contain zero bytes, so the length and not a zero byte determines its end.
        let length = socklen_t(header + bytes.count)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
