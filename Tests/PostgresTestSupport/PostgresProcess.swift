import Foundation

/// A PostgreSQL server of a test's own, on a free port of the loopback and in a folder of its own. Ends with this object.
///
/// `@unchecked Sendable`: `child` is only used under `lock`.
package final class PostgresProcess: @unchecked Sendable {
    package struct CannotStart: Error, CustomStringConvertible {
        package let description: String
    }

    package let port: Int
    package let folder: URL
    private let lock = NSLock()
    private var child: pid_t?

    /// The folder of the server's programs, which Debian keeps out of the PATH: the newest version.
    private static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let debian = versions.sorted { Double($0) ?? 0 > Double($1) ?? 0 }.map { "/usr/lib/postgresql/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (debian + path).first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    package static var isInstalled: Bool { programs != nil }
    package static let reason = "needs PostgreSQL's initdb, in the PATH or in /usr/lib/postgresql"

    /// Makes a database and starts its server.
    package convenience init() throws {
        try self.init { programs, data in
            ["\(programs)/initdb", "-D", data, "-U", "lifeline", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        }
    }

    /// Makes a replica of another server, by streaming replication, and starts it.
    package convenience init(replicaOf primary: PostgresProcess) throws {
        try self.init { programs, data in
            [
                "\(programs)/pg_basebackup", "-D", data, "-h", "127.0.0.1", "-p", "\(primary.port)", "-U", "lifeline", "-R", "-X",
                "stream", "-c", "fast", "--no-sync",
            ]
        }
    }

    /// - Parameter make: the command that makes the folder of the data.
    private init(_ make: (_ programs: String, _ data: String) -> [String]) throws {
        guard let programs = Self.programs else { throw CannotStart(description: Self.reason) }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-postgres-\(UUID().uuidString)")
        port = Self.freePort()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if getuid() == 0 {
            guard let user = getpwnam("postgres"), chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
                throw CannotStart(description: "PostgreSQL does not run as root, and there is no user postgres")
            }
        }
        guard Self.wait(for: try Self.spawn(make(programs, data), silently: true)) == 0 else {
            throw CannotStart(description: "the database cannot be made")
        }
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private struct WeakReference {
        weak var server: PostgresProcess?
    }

    private static let sharedLock = NSLock()
    /// Only used under `sharedLock`.
    nonisolated(unsafe) private static var present = WeakReference()

    /// A server for tests that run at the same time and have schemas of their own. It ends with the last of these tests.
    package static func shared() throws -> PostgresProcess {
        sharedLock.lock()
        defer { sharedLock.unlock() }
        if let server = present.server { return server }
        let server = try PostgresProcess()
        present.server = server
        return server
    }

    private var data: String { folder.appendingPathComponent("data").path }

    /// The address of a database of the server, with a user who may do everything.
    package var url: String { "postgres://lifeline@127.0.0.1:\(port)/postgres" }

    /// Starts the server, again after ``stop()``, and waits until it accepts connections.
    package func start() throws {
        lock.lock()
        defer { lock.unlock() }
        guard let programs = Self.programs, child == nil else { return }
        let words = [
            "\(programs)/postgres", "-D", data, "-k", folder.path, "-p", "\(port)", "-c", "listen_addresses=127.0.0.1", "-c",
            "fsync=off",
            "-c", "logging_collector=on", "-c", "log_directory=\(folder.path)",
        ]
        child = try Self.spawn(words, silently: true)
        // The server writes its state as the last line of this file.
        let end = Date().addingTimeInterval(30)
        while Date() < end {
            let lines = (try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8))?.split(separator: "\n")
            if ["ready", "standby"].contains(where: { lines?.last?.hasPrefix($0) == true }) { return }
            usleep(20_000)
        }
        throw CannotStart(description: "the server was not ready within 30 s")
    }

    /// Makes a replica a server of its own, and waits until it takes writes.
    package func promote() throws {
        guard let programs = Self.programs else { return }
        guard Self.wait(for: try Self.spawn(["\(programs)/pg_ctl", "promote", "-D", data, "-w"], silently: true)) == 0 else {
            throw CannotStart(description: "the replica cannot be promoted")
        }
    }

    /// Ends the server as a crash would: no connection is told, nothing is saved.
    package func stop() {
        lock.lock()
        defer { lock.unlock() }
        guard let child else { return }
        self.child = nil
        Foundation.kill(child, SIGQUIT)
        _ = Self.wait(for: child)
        try? FileManager.default.removeItem(atPath: data + "/postmaster.pid")
    }

    /// As root the programs run as the user postgres.
    private static func spawn(_ words: [String], silently: Bool) throws -> pid_t {
        let words = getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] + words : words
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if silently {
            for descriptor in 1...2 as ClosedRange<Int32> {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
        }
        var child = pid_t()
        guard let program = words.first, posix_spawnp(&child, program, &actions, nil, pointers, environ) == 0 else {
            throw CannotStart(description: "\(words.first ?? "") cannot be started")
        }
        return child
    }

    private static func wait(for child: pid_t) -> CInt {
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// A port that nobody listens to, outside of the range that the system takes for outgoing connections.
    private static func freePort() -> Int {
        while true {
            let port = UInt16.random(in: 15_000..<32_000)
            #if canImport(Glibc)
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            #else
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
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
            if code == 0 { return Int(port) }
        }
    }
}
