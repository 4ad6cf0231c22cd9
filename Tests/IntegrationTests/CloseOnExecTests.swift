#if os(Linux)
    import Foundation
    import Lifeline
    import LifelineServer
    import Testing

    @Suite("Programs that this one starts (SO-40, F66)", .serialized, .timeLimit(.minutes(1)))
    struct CloseOnExecTests {
        struct CannotStart: Error {}

        @Test("They get no socket, neither a server's nor a client's")
        func sockets() async throws {
            let server = try await LifelineServer.start(.init(port: 0))
            let pusher = LifelineClient(.pusher(key: "app-key", host: .init("127.0.0.1", port: server.port, tls: false)))
            let pubnub = LifelineClient(
                .pubnub(
                    publishKey: "demo", subscribeKey: "demo", userID: "a", host: .init("127.0.0.1", port: server.port, tls: false)
                ))
            for client in [pusher, pubnub] {
                try await client.connect()
                _ = try await client.channel("room").subscribe()
            }
            // Without the mark, as sockets are made: shows that a child gets what is not kept from it.
            let unmarked = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            defer { close(unmarked) }

            // A socket is marked a moment after it was made, and one may just be being made: what is not marked at all stays so.
            var leaked: Set<String> = []
            for attempt in 1...50 where attempt == 1 || !leaked.isEmpty {
                let (inherited, used) = try inheritedAndUsed(port: server.port)
                // The listener, and both ends of either client's connection.
                #expect(used.count >= 5)
                #expect(name(of: unmarked, in: "self").map { inherited.contains($0) } == true)
                leaked = inherited.intersection(used)
            }
            #expect(leaked.isEmpty)

            for client in [pusher, pubnub] { await client.disconnect() }
            try await server.stop()
        }

        /// What a child has of our descriptors, and which of ours are sockets with this port.
        private func inheritedAndUsed(port: Int) throws -> (inherited: Set<String>, used: Set<String>) {
            let child = try startSleeper()
            defer {
                kill(child, SIGKILL)
                var status: CInt = 0
                waitpid(child, &status, 0)
            }
            let inherited = descriptors(of: "\(child)").compactMap { name(of: $0, in: "\(child)") }
            let used = descriptors(of: "self").filter { uses($0, port: port) }.compactMap { name(of: $0, in: "self") }
            return (Set(inherited), Set(used))
        }

        private func startSleeper() throws -> pid_t {
            var child = pid_t()
            var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
            defer { for word in words { free(word) } }
            guard posix_spawnp(&child, "sleep", nil, nil, &words, environ) == 0 else { throw CannotStart() }
            return child
        }

        private func descriptors(of process: String) -> [CInt] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
            return (names ?? []).compactMap { CInt($0) }
        }

        /// Such as `socket:[4711]`, the same in both processes.
        private func name(of descriptor: CInt, in process: String) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(descriptor)")
        }

        /// Whether a descriptor is a socket with this port at either end.
        private func uses(_ descriptor: CInt, port: Int) -> Bool {
            [getsockname, getpeername].contains { ask in
                var address = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let code = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
                }
                return code == 0 && address.sin_family == sa_family_t(AF_INET) && Int(UInt16(bigEndian: address.sin_port)) == port
            }
        }
    }
#endif
