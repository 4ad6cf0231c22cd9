import ChatDatabase
import ChatProtocol
import ConnectionEngine
import EngineRuntime
import EngineTesting
import Foundation
import NIOConcurrencyHelpers

@testable import NexconnChatSDK

/// A chat client with its database on disk: each line of an input is a frame of the server, see ``ClientTargets/play(_:to:_:decoder:settle:)``.
enum ChatClientTarget {
    @Sendable static func run(_ input: FuzzInput) {
        let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let directory = URL(fileURLWithPath: parent).appendingPathComponent("lifeline-fuzz-\(getpid())", isDirectory: true)
        try? FileManager.default.removeItem(at: directory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let session = ChatFuzzSession(directory)
        session.connect()
        ClientTargets.play(
            input, to: session.transport, session.timers, decoder: { ChatFrameDecoder() }, greeted: { session.ask() },
            settle: { session.settle() })
        session.useDatabase()
        session.end()
        // An app that starts again must be able to use what it has kept. Opening a database is what takes most of the time, so that
        // only some inputs do it again.
        guard input.bytes.count.isMultiple(of: 4) else { return }
        let next = ChatFuzzSession(directory)
        next.connect()
        next.useDatabase()
        next.end()
    }
}

/// An engine on a scripted transport, and what an app does with it.
private final class ChatFuzzSession: Sendable {
    let transport = ScriptedTransport<ChatSession>()
    let timers = ManualTimers()
    private let engine: ChatEngine

    init(_ directory: URL) {
        let (transport, timers) = (transport, timers)
        engine = ChatEngine(
            assembly: ChatEngineAssembly(
                makeDriver: { _, memory, policy in
                    ConnectionDriver(
                        transport: transport, jobs: NoJobs(), timers: timers, policy: policy, memory: memory, seed: 7)
                }, timers: timers, intake: EventIntake()), registry: HandlerRegistry(queue: CallbackQueue { work in work() }))
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://127.0.0.1:6001"
        params.databaseDirectory = directory.path
        params.logLevel = .none
        engine.initialize(EngineSettings(params))
    }

    func settle() {
        engine.work.sync {}
    }

    func connect() {
        engine.connect(SignIn(ConnectParams(token: "token")), call: ConnectCall(opened: { _, _ in }) { _ in })
        settle()
    }

    /// Requests that are answered by the frames of the input, with the numbers from 1 on in this order.
    func ask() {
        guard let client = engine.client else { return }
        client.enter(ChatEntryRequest("room")) { _ in }
        client.send(
            ChatMessageDraft(
                clientID: "c1", conversation: .direct, to: "u2", type: "RC:TxtMsg", content: Array(#"{"content":"hello"}"#.utf8))
        ) { _ in }
        settle()
    }

    /// What an app reads and changes on its own.
    func useDatabase() {
        settle()
        guard let database = engine.client?.database else { return }
        let kinds: [ChatConversationKind] = [.direct, .group, .open, .system]
        let channels = ((try? database.channels(kinds, limit: 2)) ?? []).map(\.channel) + [ChatChannel(.open, "room")]
        for channel in channels {
            _ = try? database.insertLocal([Self.message(in: channel, .sent, time: 0)])
            _ = try? database.insert(Self.message(in: channel, .sending, time: 1_763_710_000_000))
            _ = try? database.firstUnread(of: channel)
            if let page = try? database.history(channel), let last = page.messages.last {
                _ = try? database.history(channel, from: .before(last), limit: 5)
                _ = try? database.history(channel, from: .afterTime(last.sentTime), limit: 5)
            }
            _ = try? database.search("hello", in: channel, limit: 5)
            _ = try? database.clearUnread(of: channel)
        }
        _ = try? database.unreadTotal(kinds)
        try? database.deleteChannels(channels)
        settle()
    }

    private static func message(in channel: ChatChannel, _ status: LocalMessageStatus, time: Int64) -> LocalMessage {
        LocalMessage(
            channel: channel, clientID: "c2", sender: "u1", isSent: true, status: status, sentTime: time, type: "RC:TxtMsg",
            content: Array(#"{"content":"hello"}"#.utf8))
    }

    func end() {
        engine.disconnect(disablePush: false)
        settle()
    }
}
