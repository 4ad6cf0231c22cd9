import ConnectionEngine
import NIOCore
import ServerRuntime
import WebSocketFraming
import WireCoding

@testable import PubNubServer
@testable import TransportCommon

/// Heads of requests and answers, multipart forms, WebSocket frames.
enum HTTPTargets {
    static let all = [
        FuzzTarget(name: "http-head", run: head), FuzzTarget(name: "http-target", run: target),
        FuzzTarget(name: "http-answer", run: answer), FuzzTarget(name: "multipart", run: multipart),
        FuzzTarget(name: "websocket", run: frames),
    ]

    /// The head of a request as it comes from a socket.
    @Sendable private static func head(_ input: FuzzInput) {
        let bytes = input.bytes
        let outcome = PlainRequestHead.read(bytes)
        let found: PlainRequestHead
        switch outcome {
        case .incomplete, .unusual: return
        case .complete(let head): found = head
        case .handshake(let head, let range):
            found = head
            let fields = PlainRequestHead.fields(bytes, in: range)
            _ = try? ServerHandshake(method: "GET", fields: fields, subprotocols: ["a"])
            _ = RequestOrigin(fields, usesTLS: true, address: "192.0.2.1", trustsProxyHeaders: true)
            for field in fields { _ = TraceParent(field.value) }
        }
        require(found.length <= bytes.count && found.target.upperBound <= found.length, "The head is longer than its bytes.")
        if let origin = found.origin {
            _ = CrossOrigin(["https://*.example.com"]).page(UnsafeRawBufferPointer(rebasing: bytes[origin]))
        }
        read(target: UnsafeRawBufferPointer(rebasing: bytes[found.target]))
        // Bytes that come later must not change what has been found, and a part of the head is not a whole one.
        let whole = PlainRequestHead.read(UnsafeRawBufferPointer(rebasing: bytes[..<found.length]))
        require(whole == outcome, "The head depends on the bytes behind it.")
        for cut in [1, found.length / 2, found.length - 1] {
            let part = PlainRequestHead.read(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
            require(part == .incomplete, "The first \(cut) bytes of \(found.length) are \(part).")
        }
    }

    /// The target of a request.
    @Sendable private static func target(_ input: FuzzInput) {
        read(target: input.bytes)
    }

    private static func read(target bytes: UnsafeRawBufferPointer) {
        let target = try? RequestTarget(parsing: bytes)
        _ = RequestTarget.rawSegments(of: bytes)
        _ = PathPrefix("/prefix").strip(bytes)
        if let subscribe = SubscribeTarget(bytes) {
            for range in [
                subscribe.subscribeKey, subscribe.channels, subscribe.groups, subscribe.user, subscribe.instance,
                subscribe.filter,
                subscribe.state,
            ].compactMap({ $0 }) {
                _ = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: true)
            }
        }
        guard let target else { return }
        for parameter in target.parameters { _ = try? target.value(of: parameter.name) }
    }

    /// What a server, a proxy or something between says to a client.
    @Sendable private static func answer(_ input: FuzzInput) {
        var input = input
        let seconds = Int64(input.byte()) &- 3 == 0 ? Int64.min : 1_763_710_000
        var buffer = ByteBuffer(bytes: input.bytes)
        while ProxyAnswer(&buffer) != nil {}
        _ = ProxyAnswer.canBegin(with: buffer)
        _ = RetryAfter.duration(input.text, unixTime: seconds)
        if let time = HTTPDate.unixTime(input.text) {
            require(HTTPDate.unixTime(HTTPDate.text(unixTime: time)) == time, "The date \(time) is not written as it is read.")
        }
        let fields: [HeaderField] = input.lines(upTo: 64).map { line in
            let parts = line.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : "")
        }
        if let key = WebSocketKey("dGhlIHNhbXBsZSBub25jZQ==") {
            _ = try? ClientHandshake(key: key, subprotocols: ["a", "b"]).check(fields)
        }
        _ = ServerHandshake.isUpgrade(fields)
    }

    /// A form. The first line is the `Content-Type`, the rest is the body.
    @Sendable private static func multipart(_ input: FuzzInput) {
        var input = input
        let type = input.line().text
        let body = input.array
        let boundary = MultipartForm.boundary(of: type) ?? "X"
        _ = try? UploadForm(body, boundary: boundary).file()
        guard var form = try? MultipartForm(body, boundary: boundary) else { return }
        var count = 0
        while (try? form.next()) != nil, let content = try? form.content() {
            count += 1
            require(content.endIndex <= body.count, "A part lies outside of the body.")
        }
        require(count <= MultipartForm.maximumParts, "The form has \(count) parts.")
    }

    /// Frames of a WebSocket, in one piece and in small ones.
    @Sendable private static func frames(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        let role: WebSocketRole = choice & 1 == 0 ? .server : .client
        let whole = events(input.pieces(of: .max), role)
        let cut = events(input.pieces(of: Int(choice >> 1) + 1), role)
        require(whole == cut, "The pieces change what was received.")
    }

    private static func events(_ pieces: [ByteBuffer], _ role: WebSocketRole) -> [String] {
        var receiver = WebSocketReceiver(role: role, limits: WebSocketLimits(messageBytes: 4096, fragments: 16))
        var events: [String] = []
        for piece in pieces {
            var piece = piece
            do {
                try receiver.receive(&piece) { event in
                    switch event {
                    case .text(let bytes): events.append("text \(String(decoding: bytes, as: UTF8.self))")
                    case .binary(let bytes): events.append("binary \(Array(bytes))")
                    case .ping(let bytes): events.append("ping \(Array(bytes))")
                    case .pong(let bytes): events.append("pong \(Array(bytes))")
                    case .close(let code, let reason):
                        events.append("close \(code?.rawValue ?? 0) \(String(decoding: reason, as: UTF8.self))")
                    }
                }
            } catch {
                return events + ["\(error)"]
            }
        }
        return events
    }
}
