import Foundation
import NIOConcurrencyHelpers

@testable import NexconnChatSDK

/// One user of a test, with an engine, a database directory and handlers of its own.
final class ChatTestUser: Sendable {
    let name: String
    let engine = ChatEngine(assembly: .live)
    /// All that the handlers were told.
    let log = EventLog()
    private let token: String
    private let device: NCDeviceClass
    private let directory: URL

    init(_ name: String, token: String, port: Int, device: NCDeviceClass = .mobile, directory: String? = nil) {
        self.name = name
        self.token = token
        self.device = device
        self.directory =
            directory.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent(
                "nexconn-chat-\(UUID().uuidString)", isDirectory: true)
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://127.0.0.1:\(port)"
        params.databaseDirectory = self.directory.path
        params.timing = .fast
        params.logLevel = .none
        engine.initialize(EngineSettings(params))
        run {
            NCEngine.addMessageHandler(identifier: "log", handler: log)
            NCEngine.addChannelHandler(identifier: "log", handler: log)
            NCEngine.addGroupChannelHandler(identifier: "log", handler: log)
            NCEngine.addOpenChannelHandler(identifier: "log", handler: log)
            NCEngine.addUserHandler(identifier: "log", handler: log)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Connects and waits until all that had been missed has come.
    func connect() async throws {
        let before = log.count(of: \.isSyncCompleted)
        let params = ConnectParams(token: token)
        params.deviceClass = device
        let _: String = try await withCheckedThrowingContinuation { continuation in
            engine.connect(SignIn(params), call: ConnectCall(opened: { _, _ in }) { continuation.resume(with: $0) })
        }
        try await log.wait("caught up") { $0.count(where: \.isSyncCompleted) > before ? true : nil }
    }

    /// Signs out and waits until that is done.
    func leave() async {
        engine.disconnect(disablePush: false)
        await withCheckedContinuation { continuation in engine.work.async { continuation.resume() } }
    }

    /// Makes the API's calls as this user.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try NCEngine.$scoped.withValue(engine, operation: body)
    }

    func run<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await NCEngine.$scoped.withValue(engine, operation: body)
    }

    func direct(_ user: String) throws -> DirectChannel { try run { try Missing.check(DirectChannel(channelId: user)) } }
    func group(_ id: String) throws -> GroupChannel { try run { try Missing.check(GroupChannel(channelId: id)) } }
    func open(_ id: String) throws -> OpenChannel { try run { try Missing.check(OpenChannel(channelId: id)) } }

    /// The texts of the messages that were received, in order.
    var texts: [String] { log.events.compactMap { $0.received.flatMap { ($0.message.content as? TextMessage)?.text } } }

    /// Waits for a received text.
    @discardableResult
    func expect(_ text: String) async throws -> MessageReceivedEvent {
        try await log.wait("\(name) receives \(text)") { events in
            events.lazy.compactMap(\.received).first { ($0.message.content as? TextMessage)?.text == text }
        }
    }
}

struct Missing: Error, CustomStringConvertible {
    var description: String

    static func check<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing(description: "nil") }
        return value
    }
}

extension NCEvent {
    var received: MessageReceivedEvent? { if case .messageReceived(let event) = self { event } else { nil } }
    var isSyncCompleted: Bool { if case .offlineMessageSyncCompleted = self { true } else { false } }
    var open: OpenChannelNews? { if case .openChannel(let news) = self { news } else { nil } }
    var groupOperation: GroupOperationEvent? { if case .groupOperation(let event) = self { event } else { nil } }
}

/// A call of the API with a completion, as a function that gives what the completion got.
func completion<each Value: Sendable>(
    _ call: (@escaping (repeat each Value) -> Void) -> Void
) async -> (repeat each Value) {
    await withCheckedContinuation { (continuation: CheckedContinuation<(repeat each Value), Never>) in
        call { (value: repeat each Value) in continuation.resume(returning: (repeat each value)) }
    }
}
