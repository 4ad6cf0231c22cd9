import LifelineServer
import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import ServerTestSupport

@Suite("Connections that end while something happens (SP-16, SP-20, HB-50)", .timeLimit(.minutes(5)))
struct EndingRaceTests {
    @Test("Whatever a client has asked for when it ends, nothing of it is left", arguments: [1, 2, 4])
    func churn(threads: Int) async throws {
        try await withServer(.development, { $0.threads = threads }) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seed in 0..<8 {
                    group.addTask {
                        var random = FuzzRandom(seed: UInt64(seed))
                        for _ in 0..<25 { try await live(server, &random) }
                    }
                }
                group.addTask {
                    for round in 0..<40 {
                        _ = try await server.post("/apps/1001/users/u\(round % 4)/terminate_connections", "{}")
                        if round % 10 == 9 { server.disconnectAll() }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await server.leftoversInTheEnd(sockets: false) == Leftovers())
        }
    }

    /// Asks for much at once, reads little, and ends in one of several ways.
    private func live(_ server: LifelineServer, _ random: inout FuzzRandom) async throws {
        let client: TestClient
        do {
            client = try await TestClient.connect(server)
            let user = "u\(Int.random(in: 0..<4, using: &random))"
            let userData = #"{"id":"\#(user)","watchlist":["u0","u1","u2","u3","u4"]}"#
            let auth = PusherSignature.userAuth(
                socketID: await client.socketID, userData: userData, key: "app-key", secret: "app-secret")
            for step in 0..<Int.random(in: 1..<12, using: &random) {
                switch Int.random(in: 0..<5, using: &random) {
                case 0: try await client.requestSubscription("presence-x", user: user)
                case 1: try await client.requestSubscription("room-\(step % 3)")
                case 2: try await client.send(PusherClientFrames.unsubscribe(channel: "presence-x"))
                case 3: try await client.send(PusherClientFrames.signin(auth: auth, userData: userData))
                default: try server.publish(channel: "presence-x", event: "tick", data: "1")
                }
            }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: break
            case 1: try await client.sendClose(1000)
            default:
                // Behind the close frame nothing counts any more.
                try await client.sendClose(1000)
                try await client.send(PusherClientFrames.signin(auth: auth, userData: userData))
                try await client.requestSubscription("presence-x", user: user)
            }
        } catch {
            // The server has ended the connection before.
            return
        }
        await client.closeSocket()
    }

    @Test(
        "A farewell that cannot be written, with bytes still to be read, ends one connection and not the server",
        arguments: ["/app/app-key?protocol=7", "/nexconn/v1"])
    func failingFarewell(path: String) async throws {
        try await withServer(quietApplication, { $0.threads = 2 }) { server in
            for round in 0..<100 {
                let client = try await TestClient.open(server, path: path)
                // More than is read at once stands behind the close frame, or behind a frame that breaks the rules.
                var bytes: [UInt8] = round % 2 == 0 ? await client.closeBytes(1000) : [0x82, 0x81, 0, 0, 0, 0, 0]
                for _ in 0..<40 { bytes += await client.textBytes(String(repeating: "x", count: 1_000)) }
                try? await client.sendBytes(bytes)
                await client.resetSocket()
            }
            #expect(try await server.leftoversInTheEnd() == Leftovers())
            try await TestClient.connect(server).expectSilence()
        }
    }

    @Test("A connection that its own sign-in makes too slow is signed out at once")
    func slowSignIn() async throws {
        let configure: (inout ServerConfiguration) -> Void = {
            $0.maximumPendingBytes = 512
            $0.closeTimeout = .seconds(60)
        }
        try await withServer(quietApplication, configure) { server in
            let client = try await TestClient.connect(server)
            try await client.signIn(userData: #"{"id":"ann","user_info":{"text":"\#(String(repeating: "x", count: 1_000))"}}"#)
            #expect(try await client.expectError().code == 4100)
            let left = try await server.leftovers()
            #expect(left.connections == 1)
            #expect(left.signedIn == 0)
            #expect(left.users == 0)
        }
    }

    @Test("Everybody who is told to come back is told so only")
    func disconnectAll() async throws {
        try await withServer(.development, { $0.threads = 2 }) { server in
            var clients: [TestClient] = []
            for number in 0..<8 {
                let client = try await TestClient.connect(server)
                try await client.subscribe("presence-x", user: "u\(number)")
                for other in clients { try await other.expect(PusherEventName.memberAdded) }
                clients.append(client)
            }
            server.disconnectAll()
            for client in clients { #expect(try await client.expectFarewell() == 4200) }
        }
    }

    @Test("Messages behind a close frame, or behind a broken one, do nothing")
    func behindTheEnd() async throws {
        try await withServer { server in
            for code: UInt16 in [1000, 1001] {
                let client = try await TestClient.connect(server)
                let userData = #"{"id":"ann"}"#
                let auth = PusherSignature.userAuth(
                    socketID: await client.socketID, userData: userData, key: "app-key", secret: "app-secret")
                var bytes = await client.closeBytes(code)
                bytes += await client.textBytes(PusherClientFrames.signin(auth: auth, userData: userData))
                bytes += await client.textBytes(PusherClientFrames.subscribe(channel: "room"))
                try await client.sendBytes(bytes)
                #expect(try await client.next() == .close(code, ""))
                #expect(try await client.next() == .end)
            }
            #expect(try await server.leftoversInTheEnd() == Leftovers())
        }
    }

    @Test("Who is told to go because the server stops is not told before that the others have gone (F71)")
    func drain() async throws {
        var configuration = ServerConfiguration(port: 0, threads: 2, drainTimeout: .seconds(5))
        configuration.applications = InMemoryApplicationRegistry([.development])
        let server = try await LifelineServer.start(configuration)
        var clients: [TestClient] = []
        for number in 0..<12 {
            let client = try await TestClient.connect(server)
            try await client.subscribe("presence-x", user: "u\(number)")
            for other in clients { try await other.expect(PusherEventName.memberAdded) }
            clients.append(client)
        }
        async let stopped: Void = server.stop()
        for client in clients { #expect(try await client.expectFarewell() == 4100) }
        try await stopped
    }
}
