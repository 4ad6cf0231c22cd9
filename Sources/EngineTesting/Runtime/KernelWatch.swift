#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// Reads what the kernel reports about TCP connections.
    public enum KernelWatch {
        /// Whether a connection from this machine to `port` of `127.0.0.1` is established and the kernel waits to send its next keepalive
        /// probe.
        public static func isProbing(port: Int) -> Bool {
            isProbing(port: port, in: table())
        }

        /// Whether `table` contains a connection to `port` of `127.0.0.1` with a running keepalive timer.
        ///
        /// - Parameter table: the contents of `/proc/self/net/tcp`.
        static func isProbing(port: Int, in table: String) -> Bool {
            let hexadecimal = String(port, radix: 16, uppercase: true)
            let peer = "0100007F:" + String(repeating: "0", count: max(4 - hexadecimal.count, 0)) + hexadecimal
            return table.split(separator: "\n").dropFirst().contains { line in
                let fields = line.split(separator: " ")
                // The fields of a line: number, own address, peer's address, state (01 is established), queues, timer (02 is keepalive) and
                // its time.
                return fields.count > 5 && fields[2] == peer && fields[3] == "01" && fields[5].hasPrefix("02:")
            }
        }

        /// Reads `/proc/self/net/tcp` until its end, because files in `/proc` report a size of zero and return one page per read.
        private static func table() -> String {
            let file = open("/proc/self/net/tcp", O_RDONLY)
            guard file >= 0 else { return "" }
            defer { close(file) }
            var bytes: [UInt8] = []
            var page = [UInt8](repeating: 0, count: 1 << 14)
            while true {
                let count = read(file, &page, page.count)
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += page[..<count]
            }
        }
    }
#endif
