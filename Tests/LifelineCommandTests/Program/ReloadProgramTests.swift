import Foundation
import NIOCore
import Testing
import WireCoding

@testable import LifelineCommand

@Suite(
    "The built server when keysets and chat applications change (rules SO-20, SO-22, SO-80)", .serialized, .timeLimit(.minutes(2))
)
struct ReloadProgramTests {
    private func connect(_ url: String) async throws -> ProbeLink {
        let port = Int(url.split(separator: ":").last ?? "") ?? 0
        return try await ProbeLink.connect(to: .init(ipAddress: "127.0.0.1", port: port), limit: .seconds(30))
    }

    private func ask(_ path: String, _ link: ProbeLink) {
        link.write(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
    }

    /// All that comes until the end.
    private func answer(_ link: ProbeLink) async throws -> String {
        var text = ""
        do {
            while true { text += String(decoding: try await link.read(within: .seconds(30)), as: UTF8.self) }
        } catch is ProbeEnd {
            return text
        }
    }

    private func get(_ path: String, of url: String) async throws -> String {
        let link = try await connect(url)
        ask(path, link)
        return try await answer(link)
    }

    private func publish(_ url: String, key: String, secret: String, _ data: String) async throws -> CInt {
        try await Program(
            "publish", "--service", "nexconn", "--url", url, "--key", key, "--secret", secret, "--user", "ann", "--channel",
            "direct:ben", "--data", data
        ).end()
    }

    @Test("SIGHUP adds, changes and removes them; a file that is not valid changes nothing, and no secret is said")
    func reload() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ pubnub: String, _ nexconn: String) throws {
            try #"{"port": 0, "logLevel": "debug", "pubnub": \#(pubnub), "nexconn": \#(nexconn)}"#.write(
                toFile: path, atomically: true, encoding: .utf8)
        }
        let first = #"{"publishKey": "p1", "subscribeKey": "s1", "secret": "hidden-1"}"#
        let second = #"{"publishKey": "p2", "subscribeKey": "s2", "secret": "hidden-2"}"#
        let chat = #"{"key": "c1", "secret": "hidden-old"}"#
        try write("[\(first)]", "[\(chat)]")
        let server = try Program("serve", "--config", path)
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        #expect(try await get("/publish/p1/s1/0/room/0/1", of: url).contains(#"[1,"Sent""#))
        #expect(try await publish(url, key: "c1", secret: "hidden-old", "1") == 0)

        // Two of one key: nothing of it counts.
        try write("[\(first), \(second), \(second)]", "[\(chat)]")
        server.send(SIGHUP)
        await server.error(containing: "the old one stays")
        #expect(server.errors.contains("has the same publishKey as pubnub[1]"))
        #expect(try await get("/publish/p2/s2/0/room/0/1", of: url).contains("Invalid Subscribe Key"))

        // One more keyset, a new secret beside the old one.
        let rotating = #"{"key": "c1", "secret": "hidden-new", "previousSecret": "hidden-old"}"#
        try write("[\(first), \(second)]", "[\(rotating)]")
        server.send(SIGHUP)
        await server.error(containing: "the applications have been reloaded")
        #expect(try await get("/publish/p2/s2/0/room/0/1", of: url).contains(#"[1,"Sent""#))
        for secret in ["hidden-old", "hidden-new"] { #expect(try await publish(url, key: "c1", secret: secret, "2") == 0) }

        // The first keyset goes while a poll of it is held, and the old secret.
        let link = try await connect(url)
        ask("/v2/subscribe/s1/room/0?tt=99&uuid=u", link)
        let body = try await answer(link).components(separatedBy: "\r\n\r\n").last ?? ""
        let cursor = try #require(JSONText(body)["t"]?["t"]?.string, "\(body)")
        let poll = try await connect(url)
        ask("/v2/subscribe/s1/room/0?tt=\(cursor)&uuid=u", poll)
        while try await !get("/metrics", of: url).contains(#"lifeline_held_polls{service="pubnub",app="s1"} 1"#) {}
        try write("[\(second)]", #"[{"key": "c1", "secret": "hidden-new"}, {"key": "c2", "secret": "hidden-3"}]"#)
        server.send(SIGHUP)
        let refusal = try await answer(poll)
        #expect(refusal.hasPrefix("HTTP/1.1 400") && refusal.contains("Invalid Subscribe Key"))
        await server.error(containing: "the applications have been reloaded", count: 2)
        #expect(try await publish(url, key: "c1", secret: "hidden-old", "3") == 1)
        #expect(try await publish(url, key: "c2", secret: "hidden-3", "4") == 0)
        #expect(!server.errors.contains("hidden"))
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }
}
