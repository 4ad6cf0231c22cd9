#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A netlink socket. Releasing this object closes the socket.
    final class RouteSocket: Sendable {
        let descriptor: CInt

        /// Opens a socket; nil if the system refuses.
        ///
        /// - Parameter groups: the kinds of changes to subscribe to; 0 for a socket that sends requests.
        init?(groups: UInt32) {
            #if canImport(Glibc)
                let type = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            #else
                let type = SOCK_RAW | SOCK_CLOEXEC
            #endif
            let (netlink, route): (CInt, CInt) = (16, 0)
            descriptor = socket(netlink, type, route)
            guard descriptor >= 0 else { return nil }
            // The fields of `sockaddr_nl`: family, padding, port number, groups.
            let address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(netlink), 0, 0, groups)
            let bound = withUnsafeBytes(of: address) { bytes -> CInt in
                guard let start = bytes.baseAddress else { return -1 }
                return bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
            // The timeout is only a safeguard, because the kernel answers at once.
            var limit = timeval(tv_sec: 1, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            if bound != 0 { return nil }
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        /// Reads all available messages. Returns whether any message reports a change. If messages were lost, that counts as a change.
        func drain() -> Bool {
            var messages = RouteMessages()
            var isLost = false
            withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { buffer in
                while true {
                    let count = recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
                    if count > 0 {
                        messages.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    } else if count < 0 && errno == ENOBUFS {
                        isLost = true
                    } else if count >= 0 || errno != EINTR {
                        return
                    }
                }
            }
            return isLost || messages.hasChange
        }

        /// Requests all links, addresses and routes. Returns nil when the system does not answer.
        func snapshot() -> NetworkSnapshot? {
            var messages = RouteMessages()
            let (links, addresses, routes): (UInt16, UInt16, UInt16) = (18, 22, 26)
            for question in [links, addresses, routes] {
                guard ask(question), readAnswer(&messages) else { return nil }
            }
            return messages.snapshot
        }

        private func ask(_ kind: UInt16) -> Bool {
            let (request, dump): (UInt16, UInt16) = (0x1, 0x300)
            // The fields of `nlmsghdr`, and an `rtgenmsg` for any family, padded to the size of the largest request header.
            let message: (UInt32, UInt16, UInt16, UInt32, UInt32, UInt64, UInt64) = (32, kind, request | dump, 1, 0, 0, 0)
            return withUnsafeBytes(of: message) { send(descriptor, $0.baseAddress, 32, 0) == 32 }
        }

        private func readAnswer(_ messages: inout RouteMessages) -> Bool {
            messages.expectAnswer()
            return withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { buffer in
                while !messages.isDone {
                    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { return false }
                    messages.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    if messages.isRefused { return false }
                }
                return true
            }
        }
    }
#endif
