import HubStorage
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RealtimeHub
import ServiceLifecycle

/// A realtime server: WebSocket connections and the HTTP API of the Pusher protocol on one port.
///
/// ```swift
/// let server = try await LifelineServer.start(.init(port: 0))
/// // connect to server.url …
/// try await server.stop()
/// ```
/// All methods may be called from any thread.
public final class LifelineServer: Sendable {
    let core: ServerCore
    /// Nil for no TLS.
    let certificate: ServerCertificate?
    private let listener: any Channel
    private let sweeps: [RepeatedTask]
    /// Threads of the server's own, which end with it.
    private let ownGroup: MultiThreadedEventLoopGroup?
    private let stopping = NIOLockedValueBox<Task<Void, any Error>?>(nil)

    /// The version of the server, as `/metrics` tells it.
    public static let version = "0.1.0"

    /// The port that the server listens on.
    public let port: Int
    /// The address for clients and for the HTTP API, such as `http://127.0.0.1:6001`.
    public let url: String

    private init(
        core: ServerCore, certificate: ServerCertificate?, listener: any Channel, sweeps: [RepeatedTask],
        ownGroup: MultiThreadedEventLoopGroup?
    ) {
        self.core = core
        self.certificate = certificate
        self.listener = listener
        self.sweeps = sweeps
        self.ownGroup = ownGroup
        port = listener.localAddress?.port ?? core.configuration.port
        let host = core.configuration.host
        let name = host == "0.0.0.0" || host == "::" ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
        url = "\(core.configuration.tls == nil ? "http" : "https")://\(name):\(port)"
    }

    /// A server that nobody holds any more ends by itself.
    deinit {
        guard stopping.withLockedValue({ $0 }) == nil else { return }
        let ending = Ending(core: core, listener: listener, sweeps: sweeps, ownGroup: ownGroup)
        Task { try await ending.run(within: ending.core.configuration.closeTimeout) }
    }

    /// Starts a server; returns when it accepts connections.
    ///
    /// Throws when the address cannot be listened on; ``CertificateError`` when certificate or key cannot be used.
    public static func start(_ configuration: ServerConfiguration = .init()) async throws -> LifelineServer {
        let (group, ownGroup) = Self.group(configuration)
        do {
            let loops = Array(group.makeIterator().prefix(PartitionSet.capacity))
            let certificate = try configuration.tls.map { try ServerCertificate($0) }
            certificate?.warn(configuration.logger, at: configuration.clock.unixSeconds())
            let store = try Self.openStore(configuration)
            let chatStore: any ChatStore
            do {
                chatStore = try Self.openChatStore(configuration)
            } catch {
                await store.close()
                throw error
            }
            do {
                let core = ServerCore(
                    configuration: configuration, eventLoops: loops, store: store, restored: try await store.restore(),
                    chatStore: chatStore, restoredChat: try await chatStore.restore(), certificate: certificate)
                try await core.pubnub.timeline.prepare()
                try await core.nexconn.timeline.prepare()
                for application in core.pubnub.applications { try await application.restoreAccess() }
                let listener = try await Listener(core: core, group: group, certificate: certificate).bind()
                var sweeps = core.startSweeping()
                if let watch = certificate?.watch(on: listener.eventLoop, logger: configuration.logger) { sweeps.append(watch) }
                configuration.logger.info("listening", metadata: ["port": "\(listener.localAddress?.port ?? 0)"])
                return LifelineServer(
                    core: core, certificate: certificate, listener: listener, sweeps: sweeps, ownGroup: ownGroup)
            } catch {
                await store.close()
                await chatStore.close()
                throw error
            }
        } catch {
            try? await ownGroup?.shutdownGracefully()
            throw error
        }
    }

    private static func openStore(_ configuration: ServerConfiguration) throws -> any MessageStore {
        let now = configuration.clock.unixTicks
        guard let directory = configuration.dataDirectory else { return InMemoryMessageStore(now: now) }
        return try SQLiteMessageStore(directory: directory, now: now)
    }

    private static func openChatStore(_ configuration: ServerConfiguration) throws -> any ChatStore {
        let now = configuration.clock.unixTicks
        guard let directory = configuration.dataDirectory else { return InMemoryChatStore(now: now) }
        return try SQLiteChatStore(directory: directory, now: now)
    }

    /// The loops of the process when they can be shared, otherwise a group of the server's own.
    private static func group(
        _ configuration: ServerConfiguration
    ) -> (MultiThreadedEventLoopGroup, MultiThreadedEventLoopGroup?) {
        if configuration.threads == nil, System.coreCount <= PartitionSet.capacity {
            return (MultiThreadedEventLoopGroup.singleton, nil)
        }
        let threads = min(max(configuration.threads ?? PartitionSet.capacity, 1), PartitionSet.capacity)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        return (group, group)
    }

    /// Ends the server: drains for at most `drainTimeout`, then cuts what is left.
    ///
    /// Returns when every socket is closed. Calls after the first wait for the same end.
    public func stop() async throws {
        try await drain(timeout: core.configuration.drainTimeout)
    }

    /// As ``stop()``, waiting for connections for at most `timeout`.
    ///
    /// New connections are refused, WebSocket clients get `pusher:error` and a close frame with code 4200, requests that have
    /// begun are answered (rule SV-12).
    public func drain(timeout: Duration) async throws {
        let task = stopping.withLockedValue { stopping in
            if let stopping { return stopping }
            let ending = Ending(core: core, listener: listener, sweeps: sweeps, ownGroup: ownGroup)
            let task = Task { try await ending.run(within: timeout) }
            stopping = task
            return task
        }
        try await task.value
    }

    /// All that has to end, apart from the server itself, which may be gone.
    private struct Ending {
        let core: ServerCore
        let listener: any Channel
        let sweeps: [RepeatedTask]
        let ownGroup: MultiThreadedEventLoopGroup?

        func run(within timeout: Duration) async throws {
            core.logger.info("draining")
            core.admission.withLockedValue { $0.drain() }
            try? await listener.close()
            core.close(.draining)
            core.drainChat()
            try await core.finishSockets(within: timeout)
            for sweep in sweeps { sweep.cancel() }
            await core.pubnub.timeline.store.close()
            async let webhooks: Void = core.webhooks.close()
            await core.nexconn.close()
            await webhooks
            core.congestion.end()
            try await ownGroup?.shutdownGracefully()
            core.logger.info("stopped")
        }
    }

    // MARK: Control

    /// Publishes an event to a channel's subscribers, as the HTTP API does.
    ///
    /// - Parameters:
    ///   - app: the application's id; by default that of the development application.
    ///   - data: goes out as it is, as a string; usually JSON text.
    /// - Throws: ``ServerError/unknownApplication(id:)``; ``ServerError/congested`` when too much is waiting for subscribers of
    ///   the channel, and nothing has been published then. See ``waitForRoom()``.
    public func publish(app: String = Application.development.id, channel: String, event: String, data: String) throws {
        guard let application = core.configuration.applications.application(id: app) else {
            throw ServerError.unknownApplication(id: app)
        }
        guard core.congestion(of: CollectionOfOne(channel), in: application).isEmpty else { throw ServerError.congested }
        core.publish(event: event, data: data, to: channel, application: application)
    }

    /// Waits as long as publishing may throw ``ServerError/congested``. Returns early when the task is cancelled or the server ends.
    ///
    /// Whoever publishes together with others may find no room all the same, since the others were faster.
    public func waitForRoom() async {
        while !Task.isCancelled {
            let wait = NIOLockedValueBox<UInt64?>(nil)
            let isOver = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let number = core.congestion.wait { continuation.resume(returning: false) }
                    guard let number else { return continuation.resume(returning: true) }
                    wait.withLockedValue { $0 = number }
                    if Task.isCancelled { core.congestion.giveUp(number) }
                }
            } onCancel: {
                if let number = wait.withLockedValue({ $0 }) { core.congestion.giveUp(number) }
            }
            if isOver { return }
        }
    }

    /// Publishes a message to a channel of a keyset, as PubNub's API does.
    ///
    /// - Parameters:
    ///   - subscribeKey: of the keyset; by default that of the development keyset.
    ///   - message: JSON text.
    ///   - metadata: JSON text that filters look at; nil for none.
    ///   - user: who publishes.
    /// - Returns: the message's timetoken, once it is stored and visible.
    /// - Throws: ``ServerError``.
    @discardableResult
    public func publish(
        subscribeKey: String = Keyset.development.subscribeKey, channel: String, message: String, metadata: String? = nil,
        user: String? = nil
    ) async throws -> UInt64 {
        guard let application = core.pubnub.application(subscribeKey: subscribeKey) else {
            throw ServerError.unknownKeyset(subscribeKey: subscribeKey)
        }
        let draft = try PubNubDraft(channel: channel, message: message, metadata: metadata, user: user)
        return try await withCheckedThrowingContinuation { continuation in
            PubNubPublishing(application: application).publish(draft) { result in
                continuation.resume(with: result.map(\.rawValue).mapError { _ in ServerError.notStored })
            }
        }
    }

    /// Closes the connections of all PubNub polls that are held; their clients notice a broken connection.
    public func disconnectPolls() {
        core.disconnectPolls()
    }

    /// Closes every WebSocket connection with a `pusher:error` and a close frame.
    ///
    /// - Parameter code: 4000 ... 4999; its range tells clients whether to connect again (Pusher protocol, Close codes).
    public func disconnectAll(code: UInt16 = 4200, reason: String = "The server asks to connect again.") {
        core.close(PusherFarewell(code, reason))
    }

    /// How the server stands. Counters may lag behind by a second.
    public var statistics: ServerStatistics { core.statistics }
}

extension LifelineServer: Service {
    /// Runs until a graceful shutdown or a cancellation, then drains.
    public func run() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        await withGracefulShutdownHandler {
            for await _ in stream {}
        } onGracefulShutdown: {
            continuation.finish()
        }
        try await Task { try await self.stop() }.value
    }
}

/// What can go wrong in calls to a server.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownApplication(id: String)
    case unknownKeyset(subscribeKey: String)
    case unknownChatApplication(key: String)
    /// What was to be published breaks a rule of the API.
    case invalidMessage(String)
    /// Too much is waiting for those who would get it. Nothing was published; it may be tried again a little later.
    case congested
    /// The store could not keep the message; nobody has seen it.
    case notStored

    public var description: String {
        switch self {
        case .unknownApplication(let id): "There is no application with the id \(id)."
        case .unknownKeyset(let key): "There is no keyset with the subscribe key \(key)."
        case .unknownChatApplication(let key): "There is no chat application with the key \(key)."
        case .invalidMessage(let reason): reason
        case .congested: "Too much is waiting for the subscribers of the channel; nothing was published."
        case .notStored: "The message could not be stored."
        }
    }
}
