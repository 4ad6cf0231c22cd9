import Foundation

/// A redis-server of a test's own, on a free port of the loopback and in a folder of its own. Ends with this object.
package final class RedisProcess: @unchecked Sendable {
    package struct CannotStart: Error {}

    package let port: Int
    package let folder: URL
    private let lock = NSLock()
    // Both under the lock.
    private var child: pid_t?
    private var options: [String]
    /// The text of a configuration file, for a Sentinel, which writes to it; nil for a server.
    private let sentinel: String?

    /// Where the server's program is, which `Scripts/setup.sh test` installs. Debian's package of Redis's tools has it as redis-check-rdb,
    /// without the service that comes with the package of the server: the program goes by the name that it is called by.
    private static let program = ["redis-server", "redis-check-rdb"].lazy.compactMap { name in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").lazy.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }.first
    package static var isInstalled: Bool { program != nil }
    package static let reason = "needs redis-server 7, or redis-check-rdb of redis-tools, in the PATH"

    /// - Parameter options: `PORT` stands for the port.
    package init(_ options: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = Self.freePort()
        self.options = options
        sentinel = nil
        try start()
    }

    /// A Sentinel that watches a master, and makes one of its replicas the master half a second after it has gone.
    package init(watching master: RedisProcess, as name: String) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = Self.freePort()
        options = []
        sentinel = """
            bind 127.0.0.1
            port \(port)
            dir \(folder.path)
            logfile \(folder.appendingPathComponent("log").path)
            protected-mode no
            sentinel monitor \(name) 127.0.0.1 \(master.port) 1
            sentinel down-after-milliseconds \(name) 500
            sentinel failover-timeout \(name) 3000

            """
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the server, again after ``kill()``.
    ///
    /// - Parameter more: options in addition to those of the beginning.
    package func start(_ more: [String] = []) throws {
        lock.lock()
        defer { lock.unlock() }
        options += more
        let words =
            [
                "redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--dir", folder.path, "--logfile",
                folder.appendingPathComponent("log").path, "--save", "", "--protected-mode", "no",
            ] + options.map { $0 == "PORT" ? "\(port)" : $0 }
        guard let program = Self.program else { throw CannotStart() }
        guard let sentinel else { return child = try Self.spawn(program, words) }
        let file = folder.appendingPathComponent("sentinel.conf")
        try sentinel.write(to: file, atomically: true, encoding: .utf8)
        child = try Self.spawn(program, ["redis-server", file.path, "--sentinel"])
    }

    /// Runs a program to its end.
    package static func run(_ words: [String]) throws {
        guard let program = words.first, wait(for: try spawn(program, words)) == 0 else { throw CannotStart() }
    }

    private static func spawn(_ program: String, _ words: [String]) throws -> pid_t {
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        var child = pid_t()
        guard posix_spawnp(&child, program, nil, nil, pointers, environ) == 0 else { throw CannotStart() }
        return child
    }

    private static func wait(for child: pid_t) -> CInt {
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Ends the server without giving it the time to save anything.
    package func kill() {
        lock.lock()
        defer { lock.unlock() }
        guard let child else { return }
        self.child = nil
        Foundation.kill(child, SIGKILL)
        _ = Self.wait(for: child)
    }

    /// Stops the server without closing its sockets, or lets it go on.
    package func freeze(_ isFrozen: Bool) {
        lock.lock()
        defer { lock.unlock() }
        if let child { Foundation.kill(child, isFrozen ? SIGSTOP : SIGCONT) }
    }

    /// Not inherited by programs that another test starts at this moment: such a program would keep the port bound after it was found free.
    private static func unboundSocket() -> CInt {
        #if canImport(Glibc)
            return socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        #endif
    }

    /// A port that nobody listens to, outside of the range that the system takes for outgoing connections: while the server is away, a
    /// dial to a port of that range could be connected to itself.
    package static func freePort() -> Int {
        while true {
            let port = UInt16.random(in: 15_000..<32_000)
            let descriptor = unboundSocket()
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if code == 0, claim(Int(port)) { return Int(port) }
        }
    }

    /// Whether this process has the port to itself among all tests that run on this machine, until the process ends, as
    /// `lifeline_harness.py` claims: a port that was found free is bound some time later by a program that the test starts.
    private static func claim(_ port: Int) -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-test-ports-\(getuid())")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = open(folder.appendingPathComponent(String(port)).path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        // The descriptor stays open, and with it the lock. Without a folder for claims, being free has to suffice.
        guard file >= 0 else { return true }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return false
        }
        return true
    }
}
