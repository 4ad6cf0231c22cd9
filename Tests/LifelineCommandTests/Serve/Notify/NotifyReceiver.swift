import Foundation

@testable import LifelineCommand

/// The socket of a service manager of the test's own.
final class NotifyReceiver: Sendable {
    struct Failure: Error {
        let call: String
        let code: CInt
    }

    /// The value of `NOTIFY_SOCKET` for it.
    let name: String
    private let descriptor: CInt

    /// - Parameter isAbstract: whether it has a name in Linux's abstract namespace, instead of a path.
    init(isAbstract: Bool = false) throws {
        let unique = "lifeline-notify-\(UUID().uuidString)"
        name = isAbstract ? "@\(unique)" : FileManager.default.temporaryDirectory.appendingPathComponent(unique).path
        let address = try NotifyAddress(name)
        #if canImport(Glibc)
            descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        #else
            descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM), 0)
        #endif
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let descriptor = descriptor
        guard address.withSocketAddress({ bind(descriptor, $0, $1) }) == 0 else { throw Failure(call: "bind", code: errno) }
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// The next datagram; waits for it on a thread of its own, for a minute at most.
    func next() async throws -> String {
        let descriptor = descriptor
        return try await withCheckedThrowingContinuation { continuation in
            Thread {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                if count < 0 {
                    continuation.resume(throwing: Failure(call: "recv", code: errno))
                } else {
                    continuation.resume(returning: String(decoding: bytes[..<count], as: UTF8.self))
                }
            }.start()
        }
    }

    /// The next datagram that is none of the watchdog's.
    func nextState() async throws -> String {
        while true {
            let text = try await next()
            if text != SupervisorNotice.alive.text { return text }
        }
    }
}
