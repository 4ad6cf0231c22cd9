import ChatProtocol
import LifelineServer
import NIOCore
import WebSocketFraming
import WireCoding

/// A minimal client of the chat session that shows every frame as JSON.
actor ChatTestClient {
    enum Received: Hashable, Sendable {
        case frame(JSONValue)
        case ping
        case pong(String)
        case close(UInt16?, String)
        case end

        /// Member `t` of a frame.
        var type: String? {
            guard case .frame(let frame) = self else { return nil }
            return frame["t"]?.string
        }
    }

    struct Unexpected: Error, CustomStringConvertible {
        var description: String
    }

    private let socket: RawSocket
    private var receiver = WebSocketReceiver(role: .client, limits: WebSocketLimits(messageBytes: 1 << 24))
    private var writer = WebSocketFrameWriter(role: .client)
    private var received: [Received] = []
    private var lastNumber = 0
    /// The head of the answer to the handshake.
    private(set) var answer = ""
    private(set) var welcome = JSONValue.null
    /// The last place of the inbox that was seen.
    private(set) var place = 0

    private init(_ socket: RawSocket) {
        self.socket = socket
    }

    /// Connects and does the handshake, and nothing more.
    static func open(_ server: LifelineServer) async throws -> ChatTestClient { try await open(port: server.port) }

    static func open(port: Int) async throws -> ChatTestClient {
        let client = ChatTestClient(try await RawSocket.connect(port: port))
        try await client.shakeHands()
        return client
    }

    /// Connects, says hello and expects the welcome.
    static func connect(
        _ server: LifelineServer, token: String, device: String = "d-1", class kind: String = "mobile",
        resume: (epoch: String, place: Int)? = nil, reconnect: Bool = false, yields: Bool = false
    ) async throws -> ChatTestClient {
        try await connect(
            port: server.port, token: token, device: device, class: kind, resume: resume, reconnect: reconnect, yields: yields)
    }

    static func connect(
        port: Int, token: String, device: String = "d-1", class kind: String = "mobile",
        resume: (epoch: String, place: Int)? = nil, reconnect: Bool = false, yields: Bool = false
    ) async throws -> ChatTestClient {
        let client = try await open(port: port)
        try await client.hello(
            token: token, device: device, class: kind, resume: resume, reconnect: reconnect, yields: yields)
        try await client.expectWelcome()
        return client
    }

    /// As ``connect(_:token:device:class:resume:reconnect:yields:)``, and reads all that was missed.
    static func live(
        _ server: LifelineServer, token: String, device: String = "d-1", class kind: String = "mobile"
    ) async throws -> ChatTestClient {
        try await live(port: server.port, token: token, device: device, class: kind)
    }

    static func live(
        port: Int, token: String, device: String = "d-1", class kind: String = "mobile"
    ) async throws -> ChatTestClient {
        let client = try await connect(port: port, token: token, device: device, class: kind)
        _ = try await client.catchUp()
        return client
    }

    private func shakeHands() async throws {
        try await socket.send(
            "GET /nexconn/v1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Protocol: nexconn.lifeline.v1\r\n\r\n")
        var collected = ByteBuffer()
        while let bytes = try await socket.next() {
            collected.writeImmutableBuffer(bytes)
            let view = collected.readableBytesView
            guard let length = (4...max(view.count, 4)).first(where: { view.prefix($0).suffix(4).elementsEqual("\r\n\r\n".utf8) })
            else { continue }
            answer = collected.readString(length: length) ?? ""
            take(&collected)
            return
        }
        throw Unexpected(description: "no answer to the handshake")
    }

    func hello(
        appKey: String = "app-key", token: String, device: String = "d-1", class kind: String = "mobile",
        resume: (epoch: String, place: Int)? = nil, reconnect: Bool = false, yields: Bool = false, version: Int = 1
    ) async throws {
        var hello: JSONValue = [
            "t": "hello", "v": .number(JSONNumber(version)), "appKey": .string(appKey), "token": .string(token),
            "device": ["id": .string(device), "class": .string(kind), "os": "Linux"], "client": "test/1",
            "reconnect": .bool(reconnect), "yields": .bool(yields),
        ]
        if let resume, case .object(var members) = hello {
            members["resume"] = ["epoch": .string(resume.epoch), "q": .number(JSONNumber(resume.place))]
            hello = .object(members)
        }
        try await send(hello.text)
    }

    @discardableResult
    func expectWelcome() async throws -> JSONValue {
        welcome = try await expect("welcome")
        place = welcome["q"]?.integer ?? -1
        return welcome
    }

    var epoch: String { welcome["epoch"]?.string ?? "" }

    private func take(_ bytes: inout ByteBuffer) {
        var events: [Received] = []
        try? receiver.receive(&bytes) { event in
            switch event {
            case .text(let bytes):
                guard let frame = try? JSONValue(parsing: Array(bytes)) else { return events.append(.close(nil, "broken")) }
                events.append(.frame(frame))
            case .ping: events.append(.ping)
            case .pong(let payload): events.append(.pong(String(decoding: payload, as: UTF8.self)))
            case .close(let code, let reason): events.append(.close(code?.rawValue, String(decoding: reason, as: UTF8.self)))
            case .binary: return
            }
        }
        received += events
    }

    // MARK: Receiving

    func next(within limit: TimeAmount = .seconds(60)) async throws -> Received {
        while received.isEmpty {
            guard var bytes = try await socket.next(within: limit) else { return .end }
            take(&bytes)
        }
        return received.removeFirst()
    }

    /// The next frame, which has to be of this type.
    @discardableResult
    func expect(_ type: String) async throws -> JSONValue {
        let next = try await next()
        guard case .frame(let frame) = next, frame["t"]?.string == type else {
            throw Unexpected(description: "expected \(type), got \(next)")
        }
        if type == "in" { place = frame["q"]?.integer ?? place }
        return frame
    }

    /// The next event of the inbox, which has to be of this kind.
    @discardableResult
    func expectEvent(_ kind: String) async throws -> JSONValue {
        let frame = try await expect("in")
        guard let event = frame["e"], event["k"]?.string == kind else {
            throw Unexpected(description: "expected the event \(kind), got \(frame.text)")
        }
        return event
    }

    /// The bye, the close frame that fits, and the end once the close frame is answered.
    func expectBye() async throws -> JSONValue {
        let bye = try await expect("bye")
        let code: UInt16 = bye["retry"]?.bool == true ? 4001 : 4000
        guard case .close(code, _) = try await next() else { throw Unexpected(description: "no close frame \(code)") }
        // A server that waits for it no longer has hung up by now; the end is what counts.
        try? await sendClose(code)
        guard try await next() == .end else { throw Unexpected(description: "the socket stays open") }
        return bye
    }

    /// Reads packages to the last one and acknowledges each; returns their events.
    func catchUp() async throws -> [JSONValue] {
        var events: [JSONValue] = []
        while true {
            let package = try await expect("pack")
            let items = package["in"]?.array ?? []
            events += items.compactMap { $0["e"] }
            if let last = items.last?["q"]?.integer {
                guard last > place else { throw Unexpected(description: "place \(last) after \(place)") }
                place = last
                try await acknowledge()
            }
            if package["more"]?.bool != true { return events }
        }
    }

    /// Asks for a pong and expects it next: proves that nothing else came before.
    func expectSilence() async throws {
        try await sendFrame(.ping, "silence")
        let next = try await next()
        guard next == .pong("silence") else { throw Unexpected(description: "expected silence, got \(next)") }
    }

    // MARK: Sending

    func send(_ text: String) async throws {
        var buffer = ByteBuffer()
        writer.writeText(text, to: &buffer)
        try await socket.send(buffer)
    }

    /// Sends a request, whose members are given as JSON without braces, and returns its number.
    @discardableResult
    func ask(_ type: String, _ members: String = "") async throws -> Int {
        lastNumber += 1
        try await send(#"{"t":"\#(type)","n":\#(lastNumber)\#(members.isEmpty ? "" : ",")\#(members)}"#)
        return lastNumber
    }

    /// Sends a request and waits for its answer, which has to come next.
    func request(_ type: String, _ members: String = "") async throws -> JSONValue {
        let number = try await ask(type, members)
        let next = try await next()
        guard case .frame(let frame) = next, frame["n"]?.integer == number else {
            throw Unexpected(description: "expected the answer to \(type), got \(next)")
        }
        return frame
    }

    /// Sends a request that has to be done.
    @discardableResult
    func done(_ type: String, _ members: String = "") async throws -> JSONValue {
        let answer = try await request(type, members)
        guard answer["t"]?.string == "ok" else { throw Unexpected(description: "\(type) refused: \(answer.text)") }
        return answer
    }

    /// Sends a request that has to be refused; returns the code.
    func refused(_ type: String, _ members: String = "") async throws -> Int {
        let answer = try await request(type, members)
        guard answer["t"]?.string == "no", let code = answer["code"]?.integer else {
            throw Unexpected(description: "\(type) not refused: \(answer.text)")
        }
        return code
    }

    /// Members of a text message to a user.
    static func text(_ text: String, to user: String, cid: String, _ more: String = "") -> String {
        #""cid":"\#(cid)","conv":"direct","to":"\#(user)","type":"RC:TxtMsg","content":{"content":"\#(text)"}\#(more)"#
    }

    /// Sends a text message to a user and returns its id.
    @discardableResult
    func say(_ text: String, to user: String, cid: String, _ more: String = "") async throws -> String {
        let answer = try await done("send", Self.text(text, to: user, cid: cid, more))
        guard let id = answer["id"]?.string else { throw Unexpected(description: "no id in \(answer.text)") }
        return id
    }

    /// Acknowledges all that was seen.
    func acknowledge() async throws {
        try await send(#"{"t":"ack","q":\#(place)}"#)
    }

    func sendFrame(_ opcode: WebSocketOpcode, isFinal: Bool = true, _ payload: String) async throws {
        var buffer = ByteBuffer()
        let bytes = Array(payload.utf8)
        bytes.withUnsafeBytes { writer.writeFrame(opcode, isFinal: isFinal, $0, to: &buffer) }
        try await socket.send(buffer)
    }

    /// Sends messages in one go. The bytes have to be UTF-8.
    func sendTexts(_ texts: [[UInt8]]) async throws {
        var buffer = ByteBuffer()
        for text in texts { text.withUnsafeBytes { writer.writeText($0, to: &buffer) } }
        try await socket.send(buffer)
    }

    /// Sends the same frame many times in one go.
    func sendFrames(_ opcode: WebSocketOpcode, _ payload: String, count: Int) async throws {
        var buffer = ByteBuffer()
        let bytes = Array(payload.utf8)
        bytes.withUnsafeBytes { bytes in
            for _ in 0..<count { writer.writeFrame(opcode, isFinal: true, bytes, to: &buffer) }
        }
        try await socket.send(buffer)
    }

    func sendClose(_ code: UInt16) async throws {
        var buffer = ByteBuffer()
        writer.writeClose(WebSocketCloseCode(rawValue: code), to: &buffer)
        try await socket.send(buffer)
    }

    func setReading(_ isReading: Bool, buffer: Int? = nil) async throws {
        try await socket.setReading(isReading, buffer: buffer)
    }

    /// The next event without a number, which has to be of this kind.
    @discardableResult
    func hear(_ kind: String) async throws -> JSONValue {
        let frame = try await expect("ev")
        guard let event = frame["e"], event["k"]?.string == kind else {
            throw Unexpected(description: "expected the event \(kind), got \(frame.text)")
        }
        return event
    }

    func closeSocket() async {
        await socket.close()
    }
}

extension JSONValue {
    /// The text of a message event.
    var words: String? { self["content"]?["content"]?.string }
}
