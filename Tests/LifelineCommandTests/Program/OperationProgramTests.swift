import Foundation
import NIOCore
import Testing

@testable import LifelineCommand

@Suite("The built server in a hostile environment (rules SO-6, SO-22, SO-43, CL-20)", .serialized, .timeLimit(.minutes(2)))
struct OperationProgramTests {
    private func ready(_ server: Program) async -> String {
        String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
    }

    /// Started by a shell that does something first.
    private func shell(_ before: String, _ arguments: String) throws -> Program {
        try Program(["-c", "\(before); exec \"$0\" \(arguments)", Program.path], executable: "/bin/sh")
    }

    /// The answer to a request, head and body.
    private func get(_ path: String, of url: String) async throws -> String {
        let port = Int(url.split(separator: ":").last ?? "") ?? 0
        let link = try await ProbeLink.connect(to: .init(ipAddress: "127.0.0.1", port: port), limit: .seconds(30))
        link.write(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
        var text = ""
        do {
            while true { text += String(decoding: try await link.read(within: .seconds(30)), as: UTF8.self) }
        } catch is ProbeEnd {
            return text
        }
    }

    #if os(Linux)
        private func target(_ descriptor: Int, of program: Program) throws -> String {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(program.id)/fd/\(descriptor)")
        }

        @Test("Closed standard descriptors do not become sockets or files (CL-20)")
        func closedDescriptors() async throws {
            let mute = try shell("exec 0<&- 2>&-", "serve --port 0")
            _ = await ready(mute)
            #expect(try target(0, of: mute) == "/dev/null" && target(2, of: mute) == "/dev/null")
            mute.send(SIGTERM)
            #expect(await mute.end() == 0)
            let deaf = try shell("exec 1>&-", "serve --port 0 --log-level info")
            await deaf.error(containing: "listening")
            #expect(try target(1, of: deaf) == "/dev/null")
            deaf.send(SIGTERM)
            // Before it can have said that it is ready.
            #expect(await deaf.end() == 0)
        }
    #endif

    #if os(Linux)
        @Test("A server on one processor has one thread for connections, and says so (SO-50)", arguments: [nil, 3])
        func threads(chosen: Int?) async throws {
            let options = chosen.map { " --threads \($0)" } ?? ""
            // A processor that this process may use itself; the shell's own list may begin with any.
            let first = "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')"
            let server = try shell("taskset -cp \(first) $$ > /dev/null", "serve --port 0" + options)
            _ = await ready(server)
            // What the program writes to two places may be read in either order.
            await server.error(containing: "threads=")
            #expect(server.errors.contains("threads=\(chosen ?? 1)"))
            server.send(SIGTERM)
            #expect(await server.end() == 0)
        }
    #endif

    @Test("Without file descriptors the server says so, does not spin, and goes on when there are some again (SO-43)")
    func fewDescriptors() async throws {
        let server = try shell("ulimit -n 160", "serve --port 0 --threads 2")
        let url = await ready(server)
        let port = Int(url.split(separator: ":").last ?? "") ?? 0
        var links: [ProbeLink] = []
        for _ in 0..<200 {
            links.append(try await ProbeLink.connect(to: .init(ipAddress: "127.0.0.1", port: port), limit: .seconds(30)))
        }
        await server.error(containing: "new connections cannot be accepted")
        links = []
        let metrics = try await get("/metrics", of: url)
        let line = metrics.split(separator: "\n").first { $0.hasPrefix("lifeline_accept_failures_total ") } ?? ""
        let failures = Int(line.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0
        // Ten a second at most; an event loop that spins has tens of thousands.
        #expect((1...2000).contains(failures))
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test(
        "A reload that is not valid shows in the metrics and takes nothing away; what needs a new start is named (SO-20, SO-22)")
    func reload() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path
        defer { for end in ["", ".1", ".2"] { try? FileManager.default.removeItem(atPath: path + end) } }
        try #"{"port": 0}"#.write(toFile: path + ".1", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".1")
        let server = try Program("serve", environment: ["LIFELINE_CONFIG": path])
        let url = await ready(server)
        #expect(try await get("/metrics", of: url).contains("lifeline_configuration_valid 1\n"))
        // As a program leaves it that is about to write the rest.
        try #"{"port": 0, "app": {"#.write(toFile: path, atomically: false, encoding: .utf8)
        server.send(SIGHUP)
        await server.error(containing: "the old one stays")
        #expect(try await get("/metrics", of: url).contains("lifeline_configuration_valid 0\n"))
        #expect(try await get("/ready", of: url).contains("200 OK"))
        // As Kubernetes does it: a new file, and the link moved to it in one step.
        try #"{"port": 0, "maxConnections": 5, "pathPrefix": "/hidden"}"#.write(
            toFile: path + ".2", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: path + ".new", withDestinationPath: path + ".2")
        #expect(rename(path + ".new", path) == 0)
        server.send(SIGHUP)
        await server.error(containing: "only after a restart")
        #expect(server.errors.contains("settings=pathPrefix, maxConnections") && !server.errors.contains("hidden"))
        #expect(try await get("/metrics", of: url).contains("lifeline_configuration_valid 1\n"))
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("Services that are off know nobody, and the others work (SO-6)")
    func services() async throws {
        let refused = try Program("serve", "--port", "0", "--services", "pusher", environment: ["LIFELINE_HOST": "0.0.0.0"])
        #expect(await refused.end() == 2)
        #expect(refused.errors.contains("--allow-public-secrets") && refused.lines.isEmpty)
        let server = try Program(
            "serve", "--port", "0", "--services", "pusher", "--allow-public-secrets", environment: ["LIFELINE_HOST": "0.0.0.0"])
        let url = await ready(server)
        await server.error(containing: "development credentials are public")
        await server.error(containing: "services=")
        #expect(server.errors.contains("services=pusher"))
        #expect(try await get("/v2/subscribe/demo/room/0?tt=0&uuid=a", of: url).contains("Invalid Subscribe Key"))
        let common = ["--url", url, "--secret", "app-secret", "--channel", "room", "--data", "1"]
        #expect(try await Program(["publish"] + common).end() == 0)
        let chat = try Program(["publish", "--service", "nexconn", "--user", "ann"] + common)
        #expect(await chat.end() == 1)
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }
}
