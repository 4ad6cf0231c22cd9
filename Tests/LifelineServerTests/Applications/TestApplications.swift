import AsyncHTTPClient
import Foundation
import NIOCore
import ServerConsole
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import ServerTestSupport

/// What tests of applications that are made at run time share.
enum TestApplications {
    /// Reads names, secrets and `enabled`; refuses an application with a member `wrong`.
    static let reader = ApplicationReader { service, object throws(ApplicationProblem) in
        guard object["wrong"] == nil else { throw .invalid("application.wrong is unknown.") }
        func text(_ name: String) -> String { object[name]?.string ?? "" }
        let (secret, previous) = (Secret(text("secret")), object["previousSecret"]?.string.map { Secret($0) })
        let isEnabled = object["enabled"]?.bool ?? true
        switch service {
        case .pusher:
            var application = Application(
                id: text("id"), key: text("key"), secret: secret, previousSecret: previous, isEnabled: isEnabled)
            application.limits.connections = object["limits"]?["connections"]?.integer
            return .pusher(application)
        case .pubnub:
            return .pubnub(
                Keyset(
                    publishKey: text("publishKey"), subscribeKey: text("subscribeKey"), secretKey: secret,
                    previousSecretKey: previous, isEnabled: isEnabled))
        case .chat:
            var application = ChatApplication(key: text("key"), secret: secret, previousSecret: previous)
            application.isEnabled = isEnabled
            return .chat(application)
        }
    }

    static func pusher(_ id: String, key: String? = nil, secret: Secret = "s") -> RuntimeApplication {
        let application = Application(id: id, key: key ?? "key-\(id)", secret: secret)
        return RuntimeApplication(
            .pusher(application), settings: ["id": .string(id), "key": .string(application.key)], created: 100)
    }

    static func keyset(_ key: String, publishKey: String? = nil) -> RuntimeApplication {
        let keyset = Keyset(publishKey: publishKey ?? "pub-\(key)", subscribeKey: key, secretKey: "s")
        return RuntimeApplication(
            .pubnub(keyset), settings: ["subscribeKey": .string(key), "publishKey": .string(keyset.publishKey)], created: 100)
    }

    static func chat(_ key: String) -> RuntimeApplication {
        RuntimeApplication(.chat(ChatApplication(key: key, secret: "s")), settings: ["key": .string(key)], created: 100)
    }

    /// The development applications.
    static let configured = ConfiguredApplications(
        pusher: InMemoryApplicationRegistry([.development]), keysets: [.development], chat: [.development])

    static let password = "correct horse battery"
    static let readOnlyPassword = "only look at things"

    /// Runs `body` with a server that keeps applications, and calls its admin port.
    static func withServer(
        _ change: @escaping (inout ServerConfiguration) -> Void = { _ in },
        _ body: (LifelineServer, AdminClient) async throws -> Void
    ) async throws {
        var admin = AdminConfiguration(port: 0)
        admin.passwords = try ConsolePasswords(admin: password, reader: readOnlyPassword, cost: .init(rounds: 1 << 10))
        let settings = RuntimeApplicationSettings(reader: reader)
        try await ServerTestSupport.withServer(
            quietApplication,
            {
                $0.admin = admin
                $0.runtimeApplications = settings
                change(&$0)
            }
        ) { server in try await body(server, try AdminClient(server)) }
    }
}

/// Calls of an admin port about applications.
struct AdminClient: Sendable {
    var base: String
    var password = TestApplications.password

    init(_ server: LifelineServer) throws {
        base = try #require(server.adminURL).replacingFirst("/console", with: "/console/api/apps")
    }

    func call(
        _ method: String, _ path: String = "", _ body: String? = nil, fields: [(String, String)] = []
    ) async throws -> (status: Int, body: JSONValue) {
        var request = HTTPClientRequest(url: base + path)
        request.method = .init(rawValue: method)
        request.headers.add(
            name: "authorization", value: "Basic " + Data("admin:\(password)".utf8).base64EncodedString())
        request.headers.add(contentsOf: .init(fields))
        if method == "POST" {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body ?? "{}"))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return (Int(response.status.code), try JSONValue(parsing: Array(bytes.readableBytesView)))
    }

    /// Makes an application; returns its secret.
    @discardableResult
    func create(_ service: String, _ application: String) async throws -> String {
        let (status, body) = try await call("POST", "", #"{"service":"\#(service)","application":\#(application)}"#)
        #expect(status == 201, "\(body)")
        return try #require(body["secret"]?.string)
    }

    /// The sources of all applications, by service and id.
    func sources() async throws -> [String] {
        let list = try await call("GET").body["applications"]?.array ?? []
        return list.map { "\($0["service"]?.string ?? "")/\($0["id"]?.string ?? "") \($0["source"]?.string ?? "")" }
    }
}
