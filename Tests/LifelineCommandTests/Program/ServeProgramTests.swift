import Foundation
import Testing

@Suite("The built server and its configuration (rules SO-1 to SO-5, SO-20 to SO-32)", .serialized, .timeLimit(.minutes(2)))
struct ServeProgramTests {
    /// A folder with a configuration file.
    private struct Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-serve-\(UUID().uuidString)").path

        init(_ configuration: String) throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try write(configuration)
        }

        var configuration: String { path + "/lifeline.json" }

        func write(_ text: String, to name: String = "lifeline.json") throws {
            try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
        }

        /// A certificate for 127.0.0.1 that signs itself; returns its file.
        func certificate(_ name: String) async throws -> String {
            let openssl = try Program(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(path)/\(name).key", "-out",
                    "\(path)/\(name).pem",
                ], executable: "openssl")
            #expect(await openssl.end() == 0)
            return "\(path)/\(name).pem"
        }

        /// Puts a certificate and its key where the server looks for them.
        func install(_ name: String) throws {
            try write(String(contentsOfFile: "\(path)/\(name).pem", encoding: .utf8), to: "server.pem")
            try write(String(contentsOfFile: "\(path)/\(name).key", encoding: .utf8), to: "server.key")
        }
    }

    private func apps(_ names: String..., disabled: String = "") -> String {
        let list = names.enumerated().map { index, name in
            #"{"id": "\#(name)", "key": "key-\#(name)", "secret": "secret-\#(name)", "enabled": \#(name != disabled)}"#
        }
        return #"{"port": 0, "apps": [\#(list.joined(separator: ","))]}"#
    }

    private func ready(_ server: Program) async -> String {
        String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
    }

    private func listen(_ url: String, _ app: String, _ more: String...) async throws -> Program {
        let listener = try Program(
            [
                "listen", "--url", url, "--json", "--timing", "fast", "--key", "key-\(app)", "--secret", "secret-\(app)",
                "--channel", "room",
            ]
                + more)
        _ = await listener.line { $0.contains(#""ev":"subscribed","ch":"room""#) }
        return listener
    }

    private func publish(
        _ url: String, _ app: String, secret: String? = nil, _ data: String, _ more: String...
    ) async throws -> CInt {
        try await Program(
            [
                "publish", "--url", url, "--app-id", app, "--key", "key-\(app)", "--secret", secret ?? "secret-\(app)",
                "--channel",
                "room", "--data", data,
            ] + more
        ).end()
    }

    private func end(_ programs: Program...) async {
        for program in programs { program.send(SIGTERM) }
        for program in programs { _ = await program.end() }
    }

    @Test("Several apps of one file: each has its own channels and secret")
    func severalApps() async throws {
        let folder = try Folder(apps("1", "2"))
        let server = try Program("serve", "--config", folder.configuration)
        let url = await ready(server)
        let (first, second) = (try await listen(url, "1"), try await listen(url, "2"))
        #expect(try await publish(url, "1", secret: "secret-2", "666") == 1)
        #expect(try await publish(url, "1", "1") == 0)
        #expect(try await publish(url, "2", "2") == 0)
        let heard = (await first.line { $0.contains(#""ev":"msg""#) }, await second.line { $0.contains(#""ev":"msg""#) })
        #expect(heard.0.contains(#""data":1,"#))
        #expect(heard.1.contains(#""data":2,"#))
        #expect(first.lines.count { $0.contains(#""ev":"msg""#) } == 1)
        await end(first, second, server)
    }

    @Test("SIGHUP takes over what has changed; a file that is not valid changes nothing (SO-20 to SO-22)")
    func reload() async throws {
        let folder = try Folder(apps("1", "2", "3"))
        let server = try Program("serve", "--config", folder.configuration)
        let url = await ready(server)
        let staying = try await listen(url, "1")
        let (gone, disabled) = (try await listen(url, "2"), try await listen(url, "3"))

        try folder.write(#"{"apps": [{"id": "1", "key": "key-1", "secret": "hidden-secret", "clientEvent": true}]}"#)
        server.send(SIGHUP)
        await server.error(containing: "the old one stays")
        #expect(server.errors.contains("There is no setting apps[0].clientEvent ("))
        #expect(!server.errors.contains("hidden"))
        #expect(try await publish(url, "2", "20") == 0)
        #expect(await gone.line { $0.contains(#""ev":"msg""#) }.contains(#""data":20,"#))

        try folder.write(apps("1", "3", "4", disabled: "3"))
        server.send(SIGHUP)
        await server.error(containing: "the applications have been reloaded")
        #expect(await gone.line { $0.contains(#""status":"failed""#) }.contains(#""code":4001"#))
        #expect(await disabled.line { $0.contains(#""status":"failed""#) }.contains(#""code":4003"#))
        let added = try await listen(url, "4")
        #expect(try await publish(url, "4", "40") == 0)
        #expect(await added.line { $0.contains(#""ev":"msg""#) }.contains(#""data":40,"#))
        #expect(try await publish(url, "1", "10") == 0)
        #expect(await staying.line { $0.contains(#""ev":"msg""#) }.contains(#""data":10,"#))
        #expect(!staying.lines.contains { $0.contains(#""status":"reconnecting""#) })

        try folder.write(apps("1").replacingOccurrences(of: #""port": 0"#, with: #""port": 0, "maxConnections": 7"#))
        server.send(SIGHUP)
        await server.error(containing: "only after a restart")
        server.send(SIGTERM)
        #expect(await server.end() == 0)
        await end(staying, gone, disabled, added)
    }

    @Test("SIGHUP takes over a new certificate, and a held connection goes on (SO-30 to SO-32)")
    func certificate() async throws {
        let folder = try Folder("{}")
        try folder.write(
            """
            {"port": 0, "tls": {"cert": "\(folder.path)/server.pem", "key": "\(folder.path)/server.key", "checkInterval": 0},
             "app": {"id": "1", "key": "key-1", "secret": "secret-1", "requireTLS": true}}
            """)
        let (old, new) = (try await folder.certificate("old"), try await folder.certificate("new"))
        try folder.install("old")
        let server = try Program("serve", "--config", folder.configuration)
        let url = await ready(server)
        #expect(url.hasPrefix("https://"))
        let held = try await listen(url, "1", "--ca", old)

        try folder.write("no certificate", to: "server.pem")
        server.send(SIGHUP)
        await server.error(containing: "the old one stays")
        #expect(try await publish(url, "1", "1", "--ca", old) == 0)

        try folder.install("new")
        server.send(SIGHUP)
        await server.error(containing: "the certificate has been reloaded")
        #expect(try await publish(url, "1", "2", "--ca", old) == 1)
        #expect(try await publish(url, "1", "3", "--ca", new) == 0)
        _ = await held.line { $0.contains(#""data":3,"#) }
        #expect(held.lines.count { $0.contains(#""ev":"msg""#) } == 2)
        #expect(!held.lines.contains { $0.contains(#""status":"reconnecting""#) })
        await end(held, server)
    }

    @Test("--check says what would run, or what is wrong, and no secret (SO-2, SO-4, SO-5)")
    func check() async throws {
        let folder = try Folder(apps("1", "2"))
        let good = try Program("serve", "--config", folder.configuration, "--check", environment: ["LIFELINE_APPKEY": "hidden"])
        #expect(await good.end() == 0)
        #expect(good.lines.first == "lifeline: valid http://127.0.0.1:0")
        #expect(good.lines.contains("app 2: user authentication"))
        #expect(good.lines.contains("warning: the variable LIFELINE_APPKEY is not a setting; did you mean LIFELINE_APP_KEY?"))
        #expect(!good.lines.joined().contains("secret-") && !good.lines.joined().contains("hidden"))

        for (file, expected) in [
            (#"{"apps": [{"id": "1", "key": "a", "secret": "hidden", "limit": {}}]}"#, "apps[0].limit ("),
            (apps("1", "1"), "the same id"),
            (#"{"tls": {"cert": "/nowhere/hidden.pem", "key": "/nowhere/hidden.key"}}"#, "certificate"),
        ] {
            try folder.write(file)
            let bad = try Program("serve", "--config", folder.configuration, "--check")
            #expect(await bad.end() == 2)
            #expect(bad.errors.contains(expected) && bad.lines.isEmpty)
            #expect(!bad.errors.contains("hidden"))
        }
    }

    @Test("Allowed origins and apps from the environment, end to end (SO-10)")
    func environment() async throws {
        let server = try Program(
            "serve", "--port", "0",
            environment: [
                "LIFELINE_APPS": #"[{"id": "1", "key": "key-1", "secret": "secret-1", "allowedOrigins": ["https://a.example"]}]"#
            ])
        let url = await ready(server)
        // A program sends no origin.
        let listener = try await listen(url, "1")
        #expect(try await publish(url, "1", "1") == 0)
        #expect(await listener.line { $0.contains(#""ev":"msg""#) }.contains(#""data":1,"#))
        await end(listener, server)
    }

    @Test("Behind a path prefix Pusher and chat are reached by the address of the ready line (SO-13)")
    func pathPrefix() async throws {
        let server = try Program("serve", "--port", "0", "--path-prefix", "/realtime/")
        let url = await ready(server)
        #expect(url.hasSuffix("/realtime"))
        for service in ["pusher", "nexconn"] {
            let common = ["--service", service, "--secret", "app-secret", "--url", url, "--channel", "room", "--json"]
            let listener = try Program(["listen", "--name", "a", "--timing", "fast"] + common)
            _ = await listener.line { $0.contains(#""ev":"subscribed","ch":"room""#) }
            let publisher = try Program(["publish", "--name", "b", "--data", #"{"content":"x"}"#] + common)
            try #require(await publisher.end() == 0)
            #expect(await listener.line { $0.contains(#""ev":"msg""#) }.contains(#"{"content":"x"}"#))
            await end(listener)
        }
        let elsewhere = try Program(
            "listen", "--url", url.replacingOccurrences(of: "/realtime", with: ""), "--json", "--channel", "room")
        #expect(await elsewhere.line { $0.contains(#""status":"failed""#) }.contains(#""code":4005"#))
        await end(elsewhere, server)
    }
}
