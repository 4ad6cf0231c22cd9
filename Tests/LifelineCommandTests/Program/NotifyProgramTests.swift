import ConnectionEngine
import Foundation
import Testing

@testable import LifelineCommand

@Suite("The built server under a service manager (rules PI-20 to PI-25)", .serialized, .timeLimit(.minutes(2)))
struct NotifyProgramTests {
    /// What a datagram assigns.
    private func fields(_ text: String) -> [String: String] {
        text.split(separator: "\n").reduce(into: [:]) { found, line in
            let parts = line.split(separator: "=", maxSplits: 1)
            found[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    @Test("It notifies of the start, of reloads that are valid or not, of a working event loop, and of the end")
    func states() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-notify-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/lifeline.json"
        try #"{"port": 0}"#.write(toFile: path, atomically: true, encoding: .utf8)
        let receiver = try NotifyReceiver(isAbstract: true)
        let server = try Program(
            ["serve", "--config", path], environment: ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "200000"])

        let ready = fields(try await receiver.nextState())
        let line = await server.line { $0.hasPrefix("lifeline: ready ") }
        let status = "Accepts connections at \(line.dropFirst("lifeline: ready ".count))."
        #expect(ready == ["READY": "1", "STATUS": status])
        #expect(try await receiver.next() == "WATCHDOG=1")

        let before = Moment.now.nanoseconds / 1000
        server.send(SIGHUP)
        let reloading = fields(try await receiver.nextState())
        #expect(reloading["RELOADING"] == "1")
        let moment = Int64(reloading["MONOTONIC_USEC"] ?? "") ?? 0
        #expect((before...Moment.now.nanoseconds / 1000).contains(moment))
        #expect(fields(try await receiver.nextState()) == ["READY": "1", "STATUS": status])

        try #"{"port": "none"}"#.write(toFile: path, atomically: true, encoding: .utf8)
        server.send(SIGHUP)
        #expect(fields(try await receiver.nextState())["RELOADING"] == "1")
        let refused = fields(try await receiver.nextState())
        #expect(refused["READY"] == "1" && refused["STATUS"]?.contains("not valid, the old one stays") == true)

        server.send(SIGTERM)
        #expect(fields(try await receiver.nextState())["STOPPING"] == "1")
        #expect(await server.end() == 0)
    }

    @Test("An address that is none is a warning, and the server runs")
    func unusable() async throws {
        let server = try Program(["serve", "--port", "0"], environment: ["NOTIFY_SOCKET": "somewhere"])
        _ = await server.line { $0.hasPrefix("lifeline: ready ") }
        await server.error(containing: "the service manager cannot be notified")
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }
}
