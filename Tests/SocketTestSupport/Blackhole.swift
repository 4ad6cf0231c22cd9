import Foundation

/// A port that answers nothing, not even to a request for a connection: its queue is full and nobody takes anything out.
package final class Blackhole: Sendable {
    package struct Failed: Error { var number: CInt }

    package let port: Int
    private let sockets: [CInt]

    package init() throws {
        #if canImport(Glibc)
            let stream = CInt(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(listener, name, size) == 0 && listen(listener, 0) == 0 ? getsockname(listener, name, &size) : -1
            }
        }
        guard result == 0 else { throw Failed(number: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        var sockets = [listener]
        // More than any queue of length 0 holds.
        for _ in 0..<8 {
            let filler = socket(AF_INET, stream, 0)
            _ = fcntl(filler, F_SETFL, O_NONBLOCK)
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, size) }
            }
            sockets.append(filler)
        }
        self.sockets = sockets
    }

    deinit { for socket in sockets { close(socket) } }
}
