import ChatProtocol
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage
import WireCoding

/// A node's part of the chat of a cluster: it has sessions, and forwards their requests to the leader (rules CC-20 to CC-29).
package final class ClusteredChat: ChatStateBackend {
    private let bus: any ClusterBus
    private let factory: ChatClusterLeaderFactory
    private let names: MetricNames
    private let logger: Logger
    private let state: NIOLockedValueBox<State>

    private struct State: Sendable {
        /// All gateways by number. The gateway of an application that is no longer configured stays, so that its number is not assigned
        /// again.
        var gateways: [ChatClusterGateway] = []
        /// All gateways by the keys of their applications.
        var known: [Identifier: ChatClusterGateway] = [:]
        var configured: [Identifier: ChatClusterGateway] = [:]
        var node: (any ChatNode)?
    }

    /// Joins the cluster's bus. The cluster must not have been started yet.
    ///
    /// - Parameter factory: makes the ``ChatClusterLeader`` when this node becomes the leader.
    package init(
        _ bus: any ClusterBus, _ factory: ChatClusterLeaderFactory, settings: ChatServiceSettings, names: MetricNames,
        logger: Logger
    ) {
        self.bus = bus
        self.factory = factory
        self.names = names
        self.logger = logger
        state = NIOLockedValueBox(State())
        take(ChatReload(settings: settings.applications, new: []))
        bus.attach(self, of: .chat)
    }

    // MARK: Applications

    /// The applications whose requests this node decides while it is the leader; empty otherwise.
    package var applications: [ServedChatApplication] { factory.leading?.applications ?? [] }
    package func application(key: Identifier) -> ServedChatApplication? { factory.leading?.application(key: key) }
    package func tellsWebhooks(_ node: any ChatNode) -> Bool { factory.leading != nil }

    package func gateway(key: Identifier) -> (any ChatGateway)? { state.withLockedValue { $0.configured[key] } }
    package var forwarder: (any ChatForwarder)? { self }

    package func newSession(on eventLoopID: Int) -> ChatSessionID {
        // The session id is random. So it differs from the session ids of all other nodes, whatever number a later leader assigns to this
        // node.
        ChatSessionID(id: .random(in: 1 ... .max), eventLoopID: eventLoopID)
    }

    package func prepare(_ settings: [ChatApplication]) async throws -> ChatReload { ChatReload(settings: settings, new: []) }

    package func take(_ reload: ChatReload) {
        var settings: [Identifier: ChatApplication] = [:]
        for application in reload.settings where settings[Identifier(application.key)] == nil {
            settings[Identifier(application.key)] = application
        }
        let gateways = state.withLockedValue { state in
            for application in reload.settings where state.known[Identifier(application.key)] == nil {
                let gateway = ChatClusterGateway(
                    application, number: state.gateways.count, slot: names.slot(.chat, application.key), bus: bus)
                if let node = state.node { gateway.use(node) }
                state.gateways.append(gateway)
                state.known[Identifier(application.key)] = gateway
            }
            state.configured = [:]
            for gateway in state.gateways where settings[Identifier(gateway.key)] != nil {
                state.configured[Identifier(gateway.key)] = gateway
            }
            return state.gateways
        }
        for gateway in gateways { gateway.use(settings[Identifier(gateway.key)]) }
    }

    // MARK: The node

    package func prepare() async throws {}
    package func sweep(by node: any ChatNode) {}

    package func join(_ node: any ChatNode) {
        let gateways = state.withLockedValue { state in
            state.node = node
            return state.gateways
        }
        for gateway in gateways { gateway.use(node) }
        factory.countMessages(at: node)
    }

    package func leave(_ node: any ChatNode) async {
        for gateway in gateways { gateway.signOutAll() }
        // The leader answers requests in order, so the answer to this last request comes after all other answers.
        await withCheckedContinuation { continuation in
            request(.acknowledge(app: "", []), isRepeatable: true) { _ in continuation.resume() }
        }
    }

    private var gateways: [ChatClusterGateway] { state.withLockedValue(\.gateways) }

    private func request(
        _ request: ChatClusterRequest, isRepeatable: Bool, isQuery: Bool = false,
        completion: @escaping @Sendable (Result<ChatClusterReply, ClusterFailure>) -> Void
    ) {
        bus.request(
            request, within: ChatClusterGateway.callLimit, isRepeatable: isRepeatable, isQuery: isQuery, completion: completion)
    }
}

extension ClusterBus {
    /// - Parameters:
    ///   - limit: how long to wait; nil to retry until there is an answer.
    ///   - isQuery: whether the request only reads, so that its answer is not written to the log (rule CR-40).
    func request(
        _ request: ChatClusterRequest, within limit: Duration?, isRepeatable: Bool, isQuery: Bool = false,
        completion: @escaping @Sendable (Result<ChatClusterReply, ClusterFailure>) -> Void
    ) {
        let answered: @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void = { result in
            completion(
                result.flatMap { bytes in (try? ChatClusterReply(decoding: bytes)).map { .success($0) } ?? .failure(.unknown) })
        }
        if isQuery {
            query(request.encoded(), of: .chat, within: limit, isRepeatable: isRepeatable, completion: answered)
        } else {
            self.request(request.encoded(), of: .chat, within: limit, isRepeatable: isRepeatable, completion: answered)
        }
    }
}

// MARK: - Changes from the leader of the cluster

extension ClusteredChat: ClusterMember {
    package func apply(_ fact: ByteBuffer) {
        do throws(ClusterCodingError) {
            let fact = try ChatFact(fact, for: bus.node)
            guard !fact.deliveries.isEmpty else { return }
            state.withLockedValue { $0.known[Identifier(fact.app)] }?.apply(fact.deliveries)
        } catch {
            logger.error("a chat update of the leader cannot be decoded: run the same version on all nodes")
        }
    }

    package func announcement() -> [ByteBuffer] { gateways.flatMap { $0.announcement() } }

    package func interrupted() {
        for gateway in gateways { gateway.interrupt() }
    }
}

// MARK: - Calls that do not come from sessions

extension ClusteredChat: ChatForwarder {
    package func answer(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPAnswer) -> Void) {
        // The leader's answer may be lost after the call has taken effect, so the call must not be sent to another leader.
        let route = ChatAPIRoute(request.target.segments)
        if route == .issueToken { return issueToken(request, reply: reply) }
        let isQuery = route?.isReading ?? true
        self.request(.call(request), isRepeatable: false, isQuery: isQuery) { result in
            switch result {
            case .success(.answer(let answer)): reply(answer)
            case .success: reply(HTTPAnswer(ChatAPIProblem.unavailable))
            case .failure(let failure): reply(HTTPAnswer(ChatAPIProblem(HTTPProblem(failure))))
            }
        }
    }

    /// Redis stores requests and answers, so this node makes the token and sends the leader only its hash (rule CC-33).
    private func issueToken(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPAnswer) -> Void) {
        let token = ServedChatApplication.newToken()
        self.request(.issueCall(request, hash: ServedChatApplication.hash(ofToken: token)), isRepeatable: false) { result in
            switch result {
            case .success(.answer(let answer)): reply(answer.adding(token))
            case .success: reply(HTTPAnswer(ChatAPIProblem.unavailable))
            case .failure(let failure): reply(HTTPAnswer(ChatAPIProblem(HTTPProblem(failure))))
            }
        }
    }

    package func issueToken(hash: Identifier, app: String, user: Identifier, name: String?) async throws(ChatTokenProblem) {
        let result: Result<ChatClusterReply, ClusterFailure> = await withCheckedContinuation { continuation in
            request(.issueToken(app: app, hash: hash, user: user, name: name), isRepeatable: true) {
                continuation.resume(returning: $0)
            }
        }
        switch result {
        case .success(.done): return
        case .success(.refused(let refusal)) where refusal.code == .unknownApplication: throw .unknownApplication
        case .success(.refused(let refusal)) where refusal.code != .storageFailed: throw .invalid(refusal.reason)
        default: throw .notStored
        }
    }

    package func publish(_ draft: ChatMessageDraft, from service: String, as user: Identifier, to key: String) {
        request(
            .publish(app: key, channel: draft.to, type: draft.type, content: draft.content, service: service, user: user),
            isRepeatable: true
        ) { _ in }
    }
}

extension HTTPAnswer {
    /// Adds the token to the answer of a call that has issued it.
    fileprivate func adding(_ token: String) -> HTTPAnswer {
        guard status == 200, let body = try? JSONValue(parsing: body), let result = body["result"] else { return self }
        var answer = self
        var bytes: [UInt8] = []
        body.with("result", result.with("accessToken", .string(token))).append(to: &bytes)
        answer.body = bytes
        return answer
    }
}
