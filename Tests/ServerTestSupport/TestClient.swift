import LifelineServer
import NIOCore
import NIOSSL
import PusherProtocol
import WebSocketFraming
import WireCoding

/// A minimal client of the Pusher protocol that shows every frame.
actor TestClient {
    enum Received: Hashable, Sendable {
        case message(PusherEnvelope)
        case ping
        case pong(String)
        case close(UInt16?, String)
        case end
    }

    struct Unexpected: Error, CustomStringConvertible {
        var description: String
    }

    private let socket: RawSocket
    private var receiver = WebSocketReceiver(role: .client)
    private var writer = WebSocketFrameWriter(role: .client)
    private var received: [Received] = []
    /// The head of the answer to the handshake.
    private(set) var answer = ""
    private(set) var socketID = ""
    /// Of the application whose signatures are made.
    private let key: String
    private let secret: String

    private init(_ socket: RawSocket, key: String, secret: String) {
        self.socket = socket
        self.key = key
        self.secret = secret
    }

    /// Connects and does the handshake; does not wait for the greeting.
    static func open(
        _ server: LifelineServer, path: String = "/app/app-key?protocol=7&client=test&version=1", fields: String = "",
        tls: TLSConfiguration? = nil, key: String = "app-key", secret: String = "app-secret"
    ) async throws -> TestClient {
        try await open(port: server.port, path: path, fields: fields, tls: tls, key: key, secret: secret)
    }

    /// As the other, to whatever listens on a port.
    static func open(
        port: Int, path: String = "/app/app-key?protocol=7&client=test&version=1", fields: String = "",
        tls: TLSConfiguration? = nil, key: String = "app-key", secret: String = "app-secret"
    ) async throws -> TestClient {
        let client = TestClient(try await RawSocket.connect(port: port, tls: tls), key: key, secret: secret)
        try await client.shakeHands(path, fields)
        return client
    }

    /// Connects and waits for the greeting.
    static func connect(
        _ server: LifelineServer, key: String = "app-key", secret: String = "app-secret", recovers: Bool = false
    ) async throws -> TestClient {
        try await connect(port: server.port, key: key, secret: secret, recovers: recovers)
    }

    /// As the other, to whatever listens on a port.
    static func connect(
        port: Int, key: String = "app-key", secret: String = "app-secret", recovers: Bool = false
    ) async throws -> TestClient {
        let path = "/app/\(key)?protocol=7&client=test&version=1" + (recovers ? "&recovery=1" : "")
        let client = try await open(port: port, path: path, key: key, secret: secret)
        try await client.greet()
        return client
    }

    private func shakeHands(_ path: String, _ fields: String) async throws {
        try await socket.send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(fields)\r\n")
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

    private func greet() async throws {
        let greeting = try await expect(PusherEventName.connectionEstablished)
        guard let id = try JSONText(greeting.data ?? "")["socket_id"]?.string else {
            throw Unexpected(description: "no socket id")
        }
        socketID = id
    }

    private func take(_ bytes: inout ByteBuffer) {
        var events: [Received] = []
        try? receiver.receive(&bytes) { event in
            switch event {
            case .text(let bytes):
                guard let message = try? PusherEnvelope(parsing: Array(bytes)) else { return }
                events.append(.message(message))
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

    /// The next frame, which has to be this event.
    @discardableResult
    func expect(_ event: String, within limit: TimeAmount = .seconds(60)) async throws -> PusherEnvelope {
        let next = try await next(within: limit)
        guard case .message(let message) = next, message.event == event else {
            throw Unexpected(description: "expected \(event), got \(next)")
        }
        return message
    }

    /// The next frame, which has to be an error; returns its code and text.
    func expectError() async throws -> (code: Int?, message: String) {
        let message = try await expect(PusherEventName.error)
        let data = PusherErrorData(parsing: message.data)
        return (data.code, data.message)
    }

    /// The farewell: an error and a close frame with one code, then the end once the close frame is answered.
    func expectFarewell() async throws -> UInt16 {
        let error = try await expectError()
        guard case .close(let code?, _) = try await next(), Int(code) == error.code else {
            throw Unexpected(description: "no close frame with the error's code")
        }
        // A server that waits for it no longer has hung up by now; the end is what counts.
        try? await sendClose(code)
        guard try await next() == .end else { throw Unexpected(description: "the socket stays open") }
        return code
    }

    /// Asks for a pong and expects it next: proves that nothing else came before.
    func expectSilence() async throws {
        try await send(#"{"event":"pusher:ping","data":{}}"#)
        try await expect(PusherEventName.pong)
    }

    // MARK: Sending

    func send(_ text: String) async throws {
        var buffer = ByteBuffer()
        writer.writeText(text, to: &buffer)
        try await socket.send(buffer)
    }

    func sendFrame(_ opcode: WebSocketOpcode, isFinal: Bool = true, _ payload: String) async throws {
        var buffer = ByteBuffer()
        let bytes = Array(payload.utf8)
        bytes.withUnsafeBytes { writer.writeFrame(opcode, isFinal: isFinal, $0, to: &buffer) }
        try await socket.send(buffer)
    }

    func sendBytes(_ bytes: [UInt8]) async throws {
        try await socket.send(ByteBuffer(bytes: bytes))
    }

    func sendClose(_ code: UInt16) async throws {
        var buffer = ByteBuffer()
        writer.writeClose(WebSocketCloseCode(rawValue: code), to: &buffer)
        try await socket.send(buffer)
    }

    /// A close frame as it goes out, for sending it together with others.
    func closeBytes(_ code: UInt16) -> [UInt8] {
        var buffer = ByteBuffer()
        writer.writeClose(WebSocketCloseCode(rawValue: code), to: &buffer)
        return Array(buffer: buffer)
    }

    /// A text frame as it goes out.
    func textBytes(_ text: String) -> [UInt8] {
        var buffer = ByteBuffer()
        writer.writeText(text, to: &buffer)
        return Array(buffer: buffer)
    }

    func setReading(_ isReading: Bool) async throws {
        try await socket.setReading(isReading)
    }

    func resetSocket() async {
        await socket.reset()
    }

    func closeSocket() async {
        await socket.close()
    }

    /// Asks for a subscription, signed when the kind of channel wants it.
    ///
    /// - Parameter recover: from where on events are to be replayed.
    func requestSubscription(
        _ channel: String, user: String? = nil, channelData: String? = nil, recover: PusherRecoverRequest? = nil
    ) async throws {
        let data = channelData ?? user.map { PusherMember(userID: $0, infoJSON: #"{"name":"\#($0)"}"#).json }
        let auth =
            PusherChannelKind(of: channel).needsAuthorization
            ? PusherSignature.channelAuth(
                socketID: socketID, channel: channel, channelData: data, key: key, secret: secret) : nil
        try await send(PusherClientFrames.subscribe(channel: channel, auth: auth, channelData: data, recover: recover))
    }

    /// Asks for a subscription and waits for the confirmation, which has to come next.
    @discardableResult
    func subscribe(_ channel: String, user: String? = nil, channelData: String? = nil) async throws -> PusherEnvelope {
        try await requestSubscription(channel, user: user, channelData: channelData)
        return try await expect(PusherEventName.subscriptionSucceeded)
    }

    /// Signs in with user data as it is and expects the confirmation next.
    @discardableResult
    func signIn(userData: String) async throws -> PusherEnvelope {
        let auth = PusherSignature.userAuth(socketID: socketID, userData: userData, key: key, secret: secret)
        try await send(PusherClientFrames.signin(auth: auth, userData: userData))
        return try await expect(PusherEventName.signinSuccess)
    }

    /// Signs in as a user who watches others.
    func signIn(_ user: String, watching others: [String] = []) async throws {
        let list = others.map { JSONWriter.string($0) }.joined(separator: ",")
        try await signIn(userData: #"{"id":\#(JSONWriter.string(user)),"watchlist":[\#(list)]}"#)
    }

    /// Signs in and expects an error next.
    func failToSignIn(userData: String) async throws -> (code: Int?, message: String) {
        let auth = PusherSignature.userAuth(socketID: socketID, userData: userData, key: key, secret: secret)
        try await send(PusherClientFrames.signin(auth: auth, userData: userData))
        return try await expectError()
    }

    /// Reads until this event comes.
    @discardableResult
    func skip(to event: String) async throws -> PusherEnvelope {
        while true {
            let next = try await next()
            if case .message(let message) = next, message.event == event { return message }
            if next == .end { throw Unexpected(description: "the end came before \(event)") }
        }
    }
}
