import Foundation
import LifelineServer
import Testing

@testable import PusherSwift

/// What the README of PusherSwift promises, on real sockets against a server in the same process. Rules PA-3, PA-4, PA-14 and PA-16.
@Suite(.timeLimit(.minutes(1)))
struct ServerTests {
    private func withServer(_ body: (LifelineServer) async throws -> Void) async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        do {
            try await body(server)
        } catch {
            try? await server.drain(timeout: .zero)
            throw error
        }
        try await server.drain(timeout: .zero)
    }

    @Test func `events that are published reach channel and global callbacks`() async throws {
        try await withServer { server in
            let client = LiveClient(server)
            let channel = client.pusher.subscribe("my-channel")
            channel.bind(eventName: "new-price") { client.diary.note("channel \($0.data ?? "-")") }
            client.pusher.bind { client.diary.note("global \($0.eventName)") }
            client.pusher.connect()
            await client.diary.wait(for: "subscribed my-channel")
            try server.publish(channel: "my-channel", event: "new-price", data: #"{"company":"ACME"}"#)
            let lines = await client.diary.wait(for: #"channel {"company":"ACME"}"#)
            #expect(
                lines == [
                    "disconnected→connecting", "connecting→connected", "global pusher:subscription_succeeded",
                    "subscribed my-channel", "global new-price", #"channel {"company":"ACME"}"#,
                ])
            #expect(channel.subscribed && client.pusher.connection.socketId != nil)
        }
    }

    @Test func `PA-87, PA-88: the background closes the socket, and the return connects and subscribes`() async throws {
        try await withServer { server in
            let client = LiveClient(server)
            client.pusher.subscribe("a").bind(eventName: "e") { client.diary.note("e \($0.data ?? "-")") }
            client.pusher.connect()
            await client.diary.wait(for: "subscribed a")
            client.pusher.applicationDidEnterBackground()
            await client.diary.wait(for: "connected→reconnecting")
            client.pusher.applicationWillEnterForeground()
            await client.diary.wait(for: "subscribed a", times: 2)
            try server.publish(channel: "a", event: "e", data: "1")
            let lines = await client.diary.wait(for: "e 1")
            #expect(
                lines == [
                    "disconnected→connecting", "connecting→connected", "subscribed a", "connected→reconnecting",
                    "reconnecting→connecting", "connecting→connected", "subscribed a", "e 1",
                ])
            #expect(server.statistics.connectionsAccepted == 2)
        }
    }

    /// Rule PA-53. Servers of one's own may be set to longer data than Pusher's 10 KiB.
    @Test func `a message of megabytes arrives whole, and the connection stays`() async throws {
        let server = try await LifelineServer.start(.init(port: 0, maximumPendingBytes: 1 << 26))
        let options = PusherClientOptions(host: .host("127.0.0.1"), port: server.port, useTLS: false)
        options.callbackQueue = DispatchQueue(label: "large.callbacks")
        let pusher = Pusher(key: "app-key", options: options)
        let diary = Diary()
        pusher.delegate = diary
        let text = String(repeating: "\"0123456\"", count: 300_000)
        pusher.subscribe("a").bind(eventName: "e") { diary.note("whole: \($0.data == text)") }
        pusher.connect()
        await diary.wait(for: "subscribed a")
        try server.publish(channel: "a", event: "e", data: text)
        let lines = await diary.wait { $0.last?.hasPrefix("whole: ") ?? false }
        #expect(
            lines == ["disconnected→connecting", "connecting→connected", "subscribed a", "whole: true"])
        try await server.drain(timeout: .zero)
    }

    @Test func `members see each other come and go, and hear each other's client events`() async throws {
        try await withServer { server in
            let ann = LiveClient(server, user: "ann")
            let bob = LiveClient(server, user: "bob")
            let room = ann.pusher.subscribeToPresenceChannel(
                channelName: "presence-room", onMemberAdded: { ann.diary.note("+\($0.userId)") },
                onMemberRemoved: { ann.diary.note("-\($0.userId)") })
            room.bind(eventName: "client-hello") { ann.diary.note("\($0.userId ?? "-") says \($0.data ?? "-")") }
            ann.pusher.connect()
            await ann.diary.wait(for: "subscribed presence-room")
            #expect(room.members.map(\.userId) == ["ann"] && room.me()?.userId == "ann")

            let other = bob.pusher.subscribeToPresenceChannel("presence-room")
            other.trigger(eventName: "client-hello", data: ["to": "all"])
            bob.pusher.connect()
            await ann.diary.wait(for: "+bob")
            await ann.diary.wait(for: #"bob says {"to":"all"}"#)
            #expect(room.findMember(userId: "bob")?.userInfo as? [String: String] == ["name": "bob"])
            // Who is there is told to bob on a queue of bob's own.
            await bob.diary.wait(for: "subscribed presence-room")
            #expect(other.members.count == 2)
            bob.pusher.disconnect()
            await ann.diary.wait(for: "-bob")
            #expect(room.members.map(\.userId) == ["ann"])
        }
    }

    @Test func `the number of subscribers is told`() async throws {
        try await withServer { server in
            let one = LiveClient(server)
            let two = LiveClient(server)
            one.pusher.subscribe("a", onSubscriptionCountChanged: { one.diary.note("count \($0)") })
            two.pusher.subscribe("a")
            one.pusher.connect()
            await one.diary.wait(for: "subscribed a")
            two.pusher.connect()
            await one.diary.wait(for: "count 2")
            two.pusher.unsubscribe("a")
            await one.diary.wait { $0.last == "count 1" }
        }
    }

    @Test func `a restart of the connection is told and mended`() async throws {
        try await withServer { server in
            let client = LiveClient(server, autoReconnect: false)
            client.pusher.subscribe("private-a")
            client.pusher.connect()
            await client.diary.wait(for: "subscribed private-a")
            server.disconnectAll(code: 4200)
            await client.diary.wait(for: "subscribed private-a", times: 2)
            #expect(
                client.diary.states == [
                    "disconnected→connecting", "connecting→connected", "connected→reconnecting", "reconnecting→connecting",
                    "connecting→connected",
                ])
        }
    }

    @Test func `a key that the server does not know ends in disconnected, with the reason`() async throws {
        try await withServer { server in
            let client = LiveClient(server, key: "unknown")
            client.pusher.connect()
            let lines = await client.diary.wait { $0.contains("connecting→disconnected") }
            #expect(lines.first == "disconnected→connecting" && lines.count { $0.hasPrefix("error 4001") } == 1)
        }
    }

    @Test func `a wrong signature fails the subscription and nothing else`() async throws {
        try await withServer { server in
            let client = LiveClient(server, secret: "wrong")
            let channel = client.pusher.subscribe("private-a")
            channel.bind(eventName: "pusher:subscription_error") { _ in client.diary.note("refused") }
            client.pusher.subscribe("b")
            client.pusher.connect()
            await client.diary.wait(for: "refused")
            await client.diary.wait(for: "subscribed b")
            #expect(!channel.subscribed && client.pusher.connection.connectionState == .connected)
        }
    }

    @Test func `an endpoint is asked over HTTP and its refusal shown`() async throws {
        try await withServer { server in
            let method = AuthMethod.endpoint(authEndpoint: "\(server.url)/no/such/endpoint")
            let client = LiveClient(port: server.port, method: method)
            let delegate = RecordingDelegate()
            client.pusher.delegate = delegate
            client.pusher.subscribe("private-a").bind(eventName: "pusher:subscription_error") { _ in
                client.diary.note("refused")
            }
            client.pusher.connect()
            await client.diary.wait(for: "refused")
            await withCheckedContinuation { done in client.pusher.connection.callbackQueue.async { done.resume() } }
            #expect(delegate.failures.map(\.status) == [404])
        }
    }

    @Test func `disconnecting says goodbye`() async throws {
        try await withServer { server in
            let client = LiveClient(server)
            client.pusher.connect()
            await client.diary.wait(for: "connecting→connected")
            client.pusher.disconnect()
            await client.diary.wait(for: "disconnecting→disconnected")
            while server.statistics.connections > 0 { await Task.yield() }
        }
    }

    // Proof of PA-3.
    @Test func `releasing the client ends its connection and everything of it`() async throws {
        try await withServer { server in
            weak var pusher: Pusher?
            weak var connection: PusherConnection?
            weak var driver: AnyObject?
            weak var jobs: AuthorizationRunner?
            var channel: PusherChannel?
            do {
                let client = LiveClient(server, user: "ann")
                channel = client.pusher.subscribe("presence-a")
                client.pusher.bind { _ in }
                client.pusher.connect()
                await client.diary.wait(for: "subscribed presence-a")
                pusher = client.pusher
                connection = client.pusher.connection
                driver = client.pusher.connection.driver
                jobs = client.pusher.connection.authorizations
            }
            while server.statistics.connections > 0 { await Task.yield() }
            while pusher != nil || connection != nil || driver != nil || jobs != nil { await Task.yield() }
            #expect(channel?.connection == nil)
            channel?.trigger(eventName: "client-e", data: [:])
        }
    }

    @Test func `a client that waits for its next attempt can be released`() async throws {
        weak var connection: PusherConnection?
        do {
            let client = LiveClient(port: 1, method: .noMethod)
            client.pusher.connect()
            await client.diary.wait(for: "connecting→reconnecting")
            connection = client.pusher.connection
        }
        while connection != nil { await Task.yield() }
    }

    /// A certificate for 127.0.0.1 that signs itself, in files of its own.
    private func certificate() throws -> ServerConfiguration.TLS {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pusher-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let tls = ServerConfiguration.TLS(
            certificateFile: folder.appendingPathComponent("cert.pem").path,
            privateKeyFile: folder.appendingPathComponent("key.pem").path)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", tls.privateKeyFile, "-out",
            tls.certificateFile,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return tls
    }

    @Test func `TLS trusts the authorities of a file, and nobody else then`() async throws {
        let tls = try certificate()
        let server = try await LifelineServer.start(.init(port: 0, tls: tls))
        for (file, end) in [(tls.certificateFile, "connecting→connected"), (nil, "connecting→disconnected")] {
            let options = PusherClientOptions(host: .host("127.0.0.1"), port: server.port)
            options.certificateAuthorityFile = file
            options.callbackQueue = DispatchQueue(label: "tls.callbacks")
            options.timing = .fast
            let pusher = Pusher(key: "app-key", options: options)
            let diary = Diary()
            pusher.delegate = diary
            pusher.connect()
            await diary.wait(for: end)
            if file == nil { await diary.wait { $0.last?.hasPrefix("error ") ?? false } }
            pusher.disconnect()
        }
        try await server.drain(timeout: .zero)
    }

    /// The pin of a certificate file, as the documentation says to make it.
    private func pin(of file: String) throws -> String {
        let command =
            "openssl x509 -in '\(file)' -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Rule PA-62.
    @Test func `a pinned key is demanded on top of trust`() async throws {
        let tls = try certificate()
        let server = try await LifelineServer.start(.init(port: 0, tls: tls))
        let reserve = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let pins = [
            ([reserve, "sha256/" + (try pin(of: tls.certificateFile))], "connecting→connected"),
            ([reserve], "connecting→disconnected"),
        ]
        for (pins, end) in pins {
            let options = PusherClientOptions(host: .host("127.0.0.1"), port: server.port)
            options.certificateAuthorityFile = tls.certificateFile
            options.certificatePins = pins
            options.callbackQueue = DispatchQueue(label: "pins.callbacks")
            options.timing = .fast
            let pusher = Pusher(key: "app-key", options: options)
            let diary = Diary()
            pusher.delegate = diary
            pusher.connect()
            await diary.wait(for: end)
            pusher.disconnect()
        }
        try await server.drain(timeout: .zero)
    }
}
