import AsyncHTTPClient
import NIOCore
import Testing
import WireCoding

@testable import LifelineServer

/// A client of the files service, for tests: does what SDKs do, one step at a time.
struct FileClient: Sendable {
    /// Of the server, without a path.
    let base: String
    var auth = ""

    init(base: String) {
        self.base = base
    }

    init(server: LifelineServer, auth: String = "") {
        self.init(base: server.url)
        self.auth = auth
    }

    struct Answer: Sendable {
        var status: Int
        var type: String?
        var fields: [(name: String, value: String)]
        var bytes: [UInt8]

        var body: String { String(decoding: bytes, as: UTF8.self) }
        var json: JSONText? { try? JSONText(bytes: bytes) }
        func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
    }

    /// What an upload needs.
    struct Upload: Sendable {
        var id: String
        var url: String
        var fields: [(key: String, value: String)]
    }

    /// Redirects are followed.
    func ask(_ method: String, _ url: String, _ body: [UInt8] = [], type: String? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: url.hasPrefix("http") ? url : base + url)
        request.method = .init(rawValue: method)
        if !body.isEmpty { request.body = .bytes(ByteBuffer(bytes: body)) }
        if let type { request.headers.add(name: "content-type", value: type) }
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await answer.body.collect(upTo: 32 << 20)
        return Answer(
            status: Int(answer.status.code), type: answer.headers.first(name: "content-type"),
            fields: answer.headers.map { ($0.name, $0.value) }, bytes: Array(bytes.readableBytesView))
    }

    func generate(_ name: String, on channel: String = "room") async throws -> Answer {
        try await ask(
            "POST", "/v1/files/demo/channels/\(PercentEncoding.encode(channel))/generate-upload-url?uuid=u" + auth,
            Array("{\"name\":\(JSONWriter.string(name))}".utf8))
    }

    func upload(_ name: String, on channel: String = "room") async throws -> Upload {
        let answer = try await generate(name, on: channel)
        try #require(answer.status == 200, "\(answer.body)")
        let request = try #require(answer.json?["file_upload_request"])
        return Upload(
            id: try #require(answer.json?["data"]?["id"]?.string), url: try #require(request["url"]?.string),
            fields: (request["form_fields"]?.elements ?? []).map { ($0["key"]?.string ?? "", $0["value"]?.string ?? "") })
    }

    /// A form as SDKs send it.
    static func form(_ upload: Upload, _ content: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        for field in upload.fields {
            out += "--BoUnD\r\nContent-Disposition: form-data; name=\"\(field.key)\"\r\n\r\n\(field.value)\r\n".utf8
        }
        out += "--BoUnD\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\nContent-Type: image/png\r\n\r\n".utf8
        return out + content + "\r\n--BoUnD--\r\n".utf8
    }

    static let type = "multipart/form-data; boundary=BoUnD"

    func send(_ upload: Upload, _ content: [UInt8]) async throws -> Answer {
        try await ask("POST", upload.url, Self.form(upload, content), type: Self.type)
    }

    /// Uploads a file; returns its id.
    func store(_ name: String, _ content: [UInt8], on channel: String = "room") async throws -> String {
        let upload = try await upload(name, on: channel)
        let answer = try await send(upload, content)
        try #require(answer.status == 204, "\(answer.body)")
        return upload.id
    }

    func path(_ id: String, _ name: String, on channel: String = "room") -> String {
        "/v1/files/demo/channels/\(PercentEncoding.encode(channel))/files/\(id)/\(PercentEncoding.encode(name))?uuid=u" + auth
    }

    func download(_ id: String, _ name: String, on channel: String = "room") async throws -> Answer {
        try await ask("GET", path(id, name, on: channel))
    }

    func list(_ query: String = "", on channel: String = "room") async throws -> Answer {
        try await ask("GET", "/v1/files/demo/channels/\(PercentEncoding.encode(channel))/files?uuid=u\(query)" + auth)
    }

    func names(on channel: String = "room") async throws -> [String] {
        (try await list(on: channel).json?["data"]?.elements ?? []).compactMap { $0["name"]?.string }
    }
}

extension ManualClock {
    /// The time of day alone is moved by hand, so that no connection ends for having rested too long.
    var timeOfDayOnly: ServerClock {
        ServerClock(monotonic: ServerClock.system.monotonic, unixSeconds: clock.unixSeconds, unixTicks: clock.unixTicks)
    }
}
