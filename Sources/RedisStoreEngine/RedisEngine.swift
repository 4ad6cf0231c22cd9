import Logging
import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import ServerCluster

/// The settings of a node's connections to the Redis of its partition.
package struct RedisEngineSettings: Sendable {
    package var node: ClusterNode
    package var keys: ClusterKeys
    package var link: RedisLinkSettings
    package var logger: Logger
    /// The version of this server. The leader shows operators the versions of all nodes.
    package var version = ""

    package init(node: ClusterNode, keys: ClusterKeys, link: RedisLinkSettings, logger: Logger) {
        self.node = node
        self.keys = keys
        self.link = link
        self.logger = logger
    }
}

/// The store engine for Redis: it uses scripts for the election and for batches, a stream for the log, and Redis channels for the messages
/// of nodes.
package final class RedisEngine: StoreEngine {
    package let settings: RedisEngineSettings
    private let eventLoop: any EventLoop
    private let state: NIOLockedValueBox<State>
    /// The names of the Redis channels to which this node is subscribed, besides the channel for requests.
    private let logChannel: ByteBuffer
    private let answersChannel: ByteBuffer

    /// The closure is wrapped in a structure, because a function that is stored directly in a generic box would be wrapped again at each
    /// access.
    private struct Report: Sendable {
        let run: @Sendable (StoreEvent) -> Void
    }

    private struct State: Sendable {
        var link: RedisLink?
        var report: Report?
        var written = WrittenBatch()
        /// The node to which requests were last sent, with the name of its Redis channel, so that the name is not made again for each
        /// message.
        var addressee: (node: ClusterNode, channel: RedisArgument)?
        /// The reason why a connection cannot be used, for each such connection.
        var trouble: [RedisLane: String] = [.commands: RedisEngine.unconnected, .messages: RedisEngine.unconnected]
        var refusesWrites = false
        var evictionPolicy: String?
        var versions: NodeVersions
    }

    /// - Parameter eventLoop: the event loop of the cluster's node.
    package init(_ settings: RedisEngineSettings, eventLoop: any EventLoop) {
        self.settings = settings
        self.eventLoop = eventLoop
        logChannel = ByteBuffer(string: settings.keys.logChannel)
        answersChannel = ByteBuffer(string: settings.keys.answersChannel(of: settings.node))
        state = NIOLockedValueBox(
            State(
                versions: NodeVersions(settings.keys.versions, node: settings.node, version: settings.version)))
    }

    private var keys: ClusterKeys { settings.keys }
    private var logger: Logger { settings.logger }

    package var collections: any ClusterStore {
        RedisCollections(key: keys.storeKey) { [self] (command) async throws(RedisFailure) -> RedisValue in
            try await send(command, within: .seconds(10))
        }
    }

    private func report(_ event: StoreEvent) { state.withLockedValue(\.report)?.run(event) }

    // MARK: Calls

    private func send(
        _ call: RedisCall, within limit: Duration,
        completion: @escaping @Sendable (Result<RedisValue, RedisFailure>) -> Void
    ) {
        guard let link = state.withLockedValue(\.link) else {
            return eventLoop.execute { completion(.failure(.expired)) }
        }
        link.send(call, within: limit, completion: completion)
    }

    /// Performs a command over the node's connection for commands.
    package func send(_ command: RedisCommand, within limit: Duration) async throws(RedisFailure) -> RedisValue {
        let result = await withCheckedContinuation { continuation in
            send(.command(command), within: limit) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    package func elect(_ candidacy: Candidacy, completion: @escaping @Sendable (ElectionOutcome) -> Void) {
        send(keys.election(candidacy), within: .seconds(2)) { [self] result in
            noteWrites(result)
            completion((try? result.get()).map { ElectionOutcome($0) } ?? .failed)
        }
    }

    package func countListeners(of leader: ClusterNode, completion: @escaping @Sendable (Int?) -> Void) {
        let command = RedisCommand("PUBSUB", "NUMSUB", .text(keys.requestsChannel(of: leader)))
        send(.command(command), within: .seconds(2)) {
            completion((try? $0.get())?.elements?.last?.number.map { Int(clamping: $0) })
        }
    }

    package func readPosition(completion: @escaping @Sendable (Result<ClusterLeaderRecord?, StoreFailure>) -> Void) {
        send(keys.readPosition, within: .seconds(2)) { result in
            completion(result.map { ClusterLeaderRecord($0.elements ?? []) }.mapError { StoreFailure($0) })
        }
    }

    package func readLog(
        after position: ClusterPosition, within limit: Duration,
        completion: @escaping @Sendable (Result<LogPage, StoreFailure>) -> Void
    ) {
        send(keys.readLog(after: position), within: limit) { result in
            completion(result.map { ClusterBatch.list($0) }.mapError { StoreFailure($0) })
        }
    }

    package func commit(_ commit: ClusterCommit, completion: @escaping @Sendable (CommitOutcome) -> Void) {
        let namesKeys = settings.link.endpoint.locator.isCluster
        state.withLockedValue { $0.written.write(commit.batch, as: commit.bytes) }
        send(keys.commit(commit, namesKeys: namesKeys), within: .seconds(5)) { [logger] result in
            if case .success(let value) = result, let failures = value.elements?.dropFirst().first?.number, failures > 0,
                value.elements?.first?.text == "kept"
            {
                logger.error(
                    "Redis refused commands of a batch of cluster changes: the stored state lacks them",
                    metadata: ["count": "\(failures)"])
            }
            completion(CommitOutcome(result))
        }
    }

    package func publish(_ requests: ClusterRequests, to leader: ClusterNode) {
        let channel = state.withLockedValue { state in
            if let known = state.addressee, known.node == leader { return known.channel }
            let channel = RedisArgument.text(keys.requestsChannel(of: leader))
            state.addressee = (leader, channel)
            return channel
        }
        send(.command(RedisCommand("PUBLISH", channel, .bytes(requests.encoded()))), within: .seconds(2)) { _ in }
    }

    package func answer(
        _ answers: ClusterAnswers, to node: ClusterNode, completion: @escaping @Sendable (Bool) -> Void
    ) {
        // The script's only result that matters is `fenced`: another node leads. Other failures are ignored, because the leader sends lost
        // answers again.
        send(keys.answer(answers, to: node), within: .seconds(5)) { completion((try? $0.get())?.text == "fenced") }
    }

    /// Reports whether Redis accepts writes. The result of each script that writes shows this (rule CR-37): while Redis accepts no writes,
    /// it refuses to start such a script. So followers, whose only script is that of the election, notice the refusal, too.
    private func noteWrites(_ result: Result<RedisValue, RedisFailure>) {
        let refuses: Bool
        switch result {
        case .success: refuses = false
        case .failure(.refused(let reply)) where reply.remedy == .refuseWrites:
            refuses = true
            if !state.withLockedValue(\.refusesWrites) {
                logger.error(
                    "Redis refuses writes: requests that change state fail until it accepts them", metadata: ["cause": "\(reply)"]
                )
            }
        case .failure: return
        }
        state.withLockedValue { $0.refusesWrites = refuses }
        report(.refusesWrites(refuses))
    }

    // MARK: Life

    package func start(events: @escaping @Sendable (StoreEvent) -> Void) {
        let link = RedisLink(settings.link, eventLoop: eventLoop) { [weak self] event in self?.hear(event) }
        state.withLockedValue { state in
            state.report = Report(run: events)
            state.link = link
        }
        let channels = [keys.logChannel, keys.requestsChannel(of: settings.node), keys.answersChannel(of: settings.node)]
            .map { ByteBuffer(string: $0) }
        link.subscribe(to: channels, within: .seconds(30)) { _ in }
        link.start()
    }

    /// Uses the endpoint's user and password for all later attempts to connect, and connects at once if a connection is missing.
    package func renew(_ endpoint: RedisEndpoint) { state.withLockedValue(\.link)?.renew(endpoint) }

    package func close(completion: @escaping @Sendable () -> Void) {
        let link = state.withLockedValue { state in
            defer { state.link = nil }
            return state.link
        }
        guard let link else { return completion() }
        link.send(.command(RedisCommand("PING")), within: .seconds(1)) { [self] _ in
            link.close()
            for lane in StoreLane.allCases { report(.trouble(lane, RedisLoss.closed.description)) }
            // Breaks a reference cycle: the owner refers to the engine, and the closure refers to the owner.
            state.withLockedValue { $0.report = nil }
            completion()
        }
    }

    /// Checks whether Redis deletes keys when its memory is full, because that setting may change at any time (rule CR-38). Also exchanges
    /// the server versions of nodes.
    package func watch(_ nodes: [ClusterNode]?) {
        send(.command(RedisCommand("INFO", "memory")), within: .seconds(2)) { [self] result in
            guard let value = try? result.get() else { return }
            let policy = RedisInfo(value).evictionPolicy
            let former = state.withLockedValue { state in
                defer { state.evictionPolicy = policy }
                return state.evictionPolicy
            }
            if let policy, former != policy {
                logger.error(
                    "Redis deletes keys when its memory is full. \(RedisExamination.evictionAdvice)",
                    metadata: ["policy": "\(policy)"])
            }
            report(.evictionPolicy(policy))
        }
        let versions = state.withLockedValue(\.versions)
        send(versions.store, within: .seconds(2)) { _ in }
        guard let nodes else { return }
        send(versions.read, within: .seconds(2)) { [self] result in
            guard let value = try? result.get() else { return }
            let (former, versions) = state.withLockedValue { state in
                (state.versions.noted(value, nodes: nodes), state.versions)
            }
            report(.versions(nodes.reduce(into: [:]) { $0[$1] = versions.version(of: $1) }))
            if let former { send(former, within: .seconds(2)) { _ in } }
        }
    }

    // MARK: Events of the Redis connections

    private func hear(_ event: RedisLinkEvent) {
        switch event {
        case .status(let lane, let linkStatus): note(linkStatus, of: lane)
        case .interrupted: report(.interrupted)
        case .restored: report(.restored)
        case .message(let message): receive(message)
        // This event is ignored: Redis ends a subscription of this node only when the server's role changes, and the connection detects
        // that change.
        case .unsubscribed: break
        }
    }

    /// The text in `trouble` for a connection before its first attempt.
    private static let unconnected = "not connected yet"
    /// The text in `trouble` for a connection that is being made, unless an earlier reason is known.
    private static let connecting = "connecting"

    /// Logs and reports changes of a connection to Redis.
    private func note(_ linkStatus: RedisLinkStatus, of lane: RedisLane) {
        let former = state.withLockedValue(\.trouble[lane])
        let trouble: String?
        switch linkStatus {
        case .ready:
            trouble = nil
            if let former, former != Self.unconnected, former != Self.connecting { logger.notice("connection to Redis restored") }
        case .connecting: trouble = former ?? Self.connecting
        case .waiting(let loss, _):
            trouble = loss.description
            if loss.isFinal {
                if former != trouble {
                    logger.error(
                        "Redis refuses this server, which retries every 5 to 30 s: correct Redis, or the setting redis and send SIGHUP",
                        metadata: ["cause": "\(loss)"])
                }
            } else if former == nil {
                logger.warning(
                    "connection to Redis lost, reconnecting: requests that need Redis wait, then fail",
                    metadata: ["cause": "\(loss)"])
            }
        case .stopped(.closed): trouble = RedisLoss.closed.description
        case .stopped(let loss):
            logger.error(
                "connection to Redis failed and is not retried: correct the cause and restart the server",
                metadata: ["cause": "\(loss)"])
            trouble = loss.description
        }
        state.withLockedValue { $0.trouble[lane] = trouble }
        report(.trouble(StoreLane(lane), trouble))
    }

    private func receive(_ message: RedisMessage) {
        let (channel, payload) = (message.channel, message.payload)
        if channel == logChannel {
            guard payload.readableBytes > 0 else { return report(.resigned) }
            let written = state.withLockedValue { $0.written.take(payload) }
            guard let batch = written ?? (try? ClusterBatch(decoding: payload)) else {
                return unreadable("a batch of the cluster log")
            }
            report(.batch(batch))
        } else if channel == answersChannel {
            guard let answers = try? ClusterAnswers(decoding: payload) else { return unreadable("an answer of the leader") }
            report(.answers(answers))
        } else {
            guard let requests = try? ClusterRequests(decoding: payload) else { return unreadable("a request of a node") }
            report(.requests(requests))
        }
    }

    private func unreadable(_ message: String) {
        logger.error("\(message) cannot be decoded: run the same Lifeline version on all nodes")
    }
}

extension StoreLane {
    fileprivate init(_ lane: RedisLane) {
        switch lane {
        case .commands: self = .commands
        case .messages: self = .messages
        }
    }
}
