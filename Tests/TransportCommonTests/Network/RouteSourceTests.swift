#if os(Linux)
    import ConnectionEngine
    import Dispatch
    import NIOConcurrencyHelpers
    import NIOCore
    import NIOPosix
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @testable import TransportCommon

    @Suite struct RouteSourceTests {
        @Test func `The system says what the network looks like`() throws {
            let started = try #require(RouteSource().start { _ in })
            started.stop()
            #expect(started.now == RouteSocket(groups: 0)?.snapshot())
        }

        /// Moves one thread into an empty network of its own, watches from there, and changes that network with `ip`.
        ///
        /// Only root may make a network namespace; without root the kernel gives no way to change a network at all.
        @Test(.enabled(if: geteuid() == 0, "needs root, to make a network namespace"), .timeLimit(.minutes(1)))
        func `Interfaces that come and go are reported`() async throws {
            let outcome = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: [NetworkStatus].self)
            let thread = NIOThreadPool(numberOfThreads: 1)
            thread.start()
            thread.submit { _ in outcome.completeWith(Result { try Self.reportsInOwnNetwork() }) }
            let reports = try await outcome.futureResult.get()
            try await thread.shutdownGracefully()
            #expect(reports == [.available, .available, .unavailable, .available])
        }

        private struct Refused: Error {
            var what: String
        }

        private static func reportsInOwnNetwork() throws -> [NetworkStatus] {
            let (newNetwork, everything): (CInt, UnsafeMutableRawPointer?) = (0x4000_0000, nil)
            guard let symbol = dlsym(everything, "unshare") else { throw Refused(what: "unshare is missing") }
            let unshare = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
            guard unshare(newNetwork) == 0 else { throw Refused(what: "unshare failed with \(errno)") }
            let reports = NIOLockedValueBox<[NetworkStatus]>([])
            let arrived = DispatchSemaphore(value: 0)
            let monitor = NetworkMonitor(source: RouteSource())
            let observation = monitor.observe { status in
                reports.withLockedValue { $0.append(status) }
                arrived.signal()
            }
            defer { withExtendedLifetime(observation) {} }
            let steps = [
                [
                    "link add one type veth peer name two", "addr add 10.9.0.1/24 dev one", "link set two up", "link set one up",
                ], ["route add default via 10.9.0.2"], ["link set one down"], ["link set one up"],
            ]
            for step in steps {
                for command in step { try ip(command) }
                guard arrived.wait(timeout: .now() + 10) == .success else { throw Refused(what: "no report after \(step)") }
            }
            return reports.withLockedValue { $0 }
        }

        /// Runs `ip`; a child of this thread is in this thread's network.
        private static func ip(_ arguments: String) throws {
            let words = ["ip"] + arguments.split(separator: " ").map(String.init)
            var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
            defer { for pointer in pointers { free(pointer) } }
            pointers.append(nil)
            var child = pid_t()
            guard posix_spawnp(&child, "ip", nil, nil, pointers, environ) == 0 else { throw Refused(what: "ip is missing") }
            var status: CInt = 0
            guard waitpid(child, &status, 0) == child, status == 0 else { throw Refused(what: "ip \(arguments)") }
        }
    }
#endif
