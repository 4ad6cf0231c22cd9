import Foundation
import LifelineBackend
import NIOCore
import NIOHTTP1
import NIOPosix

// An application's own server: authorises clients, receives webhooks and triggers events.
// Usage: example-backend REALTIME-PORT [PORT]
@main
enum Backend {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard let realtime = arguments.first else {
            print("usage: example-backend REALTIME-PORT [PORT]")
            exit(2)
        }
        let routes = Routes(
            backend: try PusherBackend(
                appID: "1001", keys: [PusherKey("app-key", secret: "app-secret")],
                address: BackendAddress("127.0.0.1", port: realtime, tls: false),
                encryptionMasterKey: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: arguments.dropFirst().first ?? 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        say("ready \(server.channel.localAddress?.port ?? 0)")
        try await server.executeThenClose { connections in
            for try await connection in connections {
                Task { try? await serve(connection, routes) }
            }
        }
    }

    /// Answers the requests of one connection, one after the other.
    private static func serve(
        _ connection: NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>, _ routes: Routes
    ) async throws {
        try await connection.executeThenClose { parts, answers in
            var request = Request(method: "", path: "", headers: [:], body: [])
            for try await part in parts {
                switch part {
                case .head(let head):
                    let path = head.uri.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
                    let fields = head.headers.map { ($0.name.lowercased(), $0.value) }
                    request = Request(
                        method: head.method.rawValue, path: path, headers: Dictionary(fields) { first, _ in first }, body: [])
                case .body(let bytes):
                    // A webhook has 1 MiB at most; a real server answers with 413.
                    guard request.body.count + bytes.readableBytes <= 1 << 20 else { return }
                    request.body += Array(bytes.readableBytesView)
                case .end:
                    let (status, json) = await routes.answer(request)
                    let fields = HTTPHeaders([("Content-Type", "application/json"), ("Content-Length", "\(json.utf8.count)")])
                    let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields)
                    try await answers.write(contentsOf: [.head(head), .body(.byteBuffer(ByteBuffer(string: json))), .end(nil)])
                }
            }
        }
    }
}
