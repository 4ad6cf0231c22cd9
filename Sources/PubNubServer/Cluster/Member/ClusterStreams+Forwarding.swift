import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import PubNubProtocol
import ServerCluster
import ServerRuntime

// Forwarding of client requests and publishes to the leader.
extension ClusterStreams {
    /// The header field of forwarded requests with the server address that the client uses. Header fields of clients are not forwarded.
    static let baseField = "base"
    /// The header field of forwarded requests with the client's IP address.
    static let clientField = "client"

    /// The files of a keyset, with their contents in the shared store.
    func files(of application: PubNubApplication) -> ClusterFiles {
        ClusterFiles(relay, subscribeKey: application.subscribeKey)
    }

    /// Forwards a client's request to the leader, which answers it (rules CB-10 to CB-13).
    ///
    /// - Parameter counts: counts the messages that are acknowledged through this node.
    func forward(
        _ request: PubNubServerRequest, _ route: PubNubRoute, of application: PubNubApplication,
        counts: NIOLockedValueBox<ApplicationCounts>, reply: @escaping HTTPReply
    ) {
        if readsHistory, route.isPage, application.isComplete { return read(request, route, of: application, reply: reply) }
        // The user is removed from the table of users whose presence was reported. So if the user comes back at once, the presence is
        // reported to the leader again.
        if case .leave = route, let user = request.user { relay.forget(Identifier(user), of: application) }
        let isCounted =
            switch route {
            case .publish, .signal, .publishFile: true
            default: false
            }
        // Other header fields are not forwarded, because no answer depends on them.
        let fields = [("if-match", request.ifMatch), (Self.baseField, request.base), (Self.clientField, request.client)]
        let forwarded = HTTPRequest(
            method: request.method, target: request.target,
            headers: HTTPHeaders(fields.compactMap { name, value in value.map { (name, $0) } }), body: request.body)
        let answered: @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void = { result in
            switch result {
            case .success(let buffer):
                guard let answer = try? HTTPAnswer(decoding: buffer) else { return reply(Self.unavailable(nil)) }
                if isCounted, answer.status == 200 { counts.withLockedValue { $0[application.slot] += 1 } }
                reply(answer)
            case .failure(let failure): reply(Self.unavailable(failure))
            }
        }
        if route.isReading(request) {
            relay.query(.http(forwarded), within: relay.callLimit, completion: answered)
        } else {
            relay.send(.http(forwarded), within: relay.callLimit, completion: answered)
        }
    }

    /// Answers a request for a page of history or for message counts from the database (rule CR-63). Access rights are checked with the
    /// node's copy of the grants, in the same way as for polls.
    private func read(
        _ request: PubNubServerRequest, _ route: PubNubRoute, of application: PubNubApplication, reply: @escaping HTTPReply
    ) {
        if application.keyset.requiresGrants,
            let refusal = PubNubAccess(application: application).refusal(of: request, route)
        {
            return reply(HTTPAnswer(refusal))
        }
        PubNubREST(application: application).answer(request, route, reply: reply)
    }

    /// Forwards to the leader a message that the node's own process publishes.
    func publish(
        _ draft: PubNubDraft, to application: PubNubApplication, isBridged: Bool, counts: NIOLockedValueBox<ApplicationCounts>,
        completion: @escaping @Sendable (ClusterPublishOutcome) -> Void
    ) {
        relay.send(
            .publish(draft, isBridged: isBridged, subscribeKey: application.subscribeKey), within: relay.callLimit
        ) { result in
            guard case .success(let buffer) = result, let outcome = try? ClusterPublishOutcome(decoding: buffer) else {
                return completion(.notStored)
            }
            if case .published = outcome, !isBridged { counts.withLockedValue { $0[application.slot] += 1 } }
            completion(outcome)
        }
    }

    /// The error answer when the leader could not be reached, or when it does not have the keyset yet.
    ///
    /// - Parameter failure: the reason why the leader could not be reached; nil when the leader does not have the keyset yet.
    private static func unavailable(_ failure: ClusterFailure?) -> HTTPAnswer {
        let problem = HTTPProblem(failure ?? .unavailable)
        var answer = HTTPAnswer(PubNubErrorBody(problem))
        if let seconds = problem.retryAfter { answer.fields = [("retry-after", String(seconds))] }
        return answer
    }
}

extension PubNubRoute {
    /// Whether a request asks for a page of history or for message counts only, so that a node can answer it from the database. Pages with
    /// message actions are excluded, because only the leader has the actions.
    var isPage: Bool {
        switch self {
        case .pastMessages, .history, .counts: true
        default: false
        }
    }

    /// Whether a request changes nothing, so that its answer need not be in the cluster's log. Requests for access tokens and for
    /// signatures of the files service also count as such requests. So the log contains neither tokens nor signatures (rule CB-16).
    func isReading(_ request: PubNubServerRequest) -> Bool {
        switch self {
        case .time, .pastMessages, .history, .historyWithActions, .counts, .hereNow, .hereNowEverywhere, .whereNow, .state,
            .groups,
            .actions, .audit, .grantToken:
            true
        case .group, .pushChannels: request.parameter("add") == nil && request.parameter("remove") == nil
        case .objects: request.method == "GET"
        case .file(.generateUpload), .file(.list), .file(.file): true
        case .file, .subscribe, .publish, .signal, .publishFile, .deleteHistory, .heartbeat, .leave, .setState, .removeGroup,
            .addAction,
            .removeAction, .removeDevice, .revokeToken, .grant:
            false
        }
    }
}
