import NIOCore
import NIOPosix
import ServerCluster
import ServerRuntime
import ServerStorage

/// Answers requests of the HTTP API on a node of a cluster. It reads a request, sends its parts to the leaders of the partitions concerned,
/// and combines their answers (rules CP-75 to CP-78 and CP-90 to CP-94). In a cluster with one partition, the leader answers queries.
struct PartitionedRequests: Sendable {
    typealias Completion = @Sendable (HTTPAnswer) -> Void

    let partitions: ClusterPartitions
    /// Whether the leader of a partition accepts encoded events.
    let takesEvents: @Sendable (Int) -> Bool
    /// Sends events to the leader of a partition. The result is nil when the leader could not read them and has therefore done nothing.
    let sendEvents: @Sendable (Int, EncodedEvents, @escaping @Sendable (PartitionResult?) -> Void) -> Void
    /// Sends a request to the leader of a partition.
    let ask: @Sendable (Int, PartitionRequest, @escaping @Sendable (PartitionResult) -> Void) -> Void
    /// Forwards an unchanged request to the leader of a partition.
    let forward: @Sendable (Int, HTTPRequest, @escaping Completion) -> Void

    /// Answers an authenticated request of the HTTP API.
    ///
    /// - Parameters:
    ///   - application: the application that has signed the request.
    ///   - completion: called once, on any thread.
    func answer(_ request: HTTPRequest, of application: Application, _ completion: @escaping Completion) {
        do throws(HTTPProblem) {
            let parsed = RESTRequest(request)
            switch try PusherRoute(method: request.method, segments: request.target.segments) {
            case .webSocket: throw .upgradeRequired
            case .publish:
                let event = try PublishRequest(parsing: parsed, limits: application.limits)
                publish(ParsedPublish(event, of: request), of: application, completion)
            case .publishTo(_, let channel):
                let event = try PublishRequest(parsing: parsed, to: channel, limits: application.limits)
                publish(ParsedPublish(event, of: request), of: application, completion)
            case .publishBatch:
                let batch = try PublishRequest.batch(parsing: parsed.body, limits: application.limits)
                publish(ParsedPublish(batch, of: request), of: application, completion)
            case .channels where partitions.count > 1:
                list(try ChannelListQuery(parsed, of: application), of: application, completion)
            case .channel(_, let name), .users(_, let name):
                let partition = partitions.partition(of: ChannelID(application: application.id, name: name))
                query(application, isCounted: partition == partitions.home(of: application.id), completion) {
                    forward(partition, request, completion)
                }
            case .channels, .connections, .terminateConnections: forward(partitions.home(of: application.id), request, completion)
            }
        } catch {
            completion(HTTPAnswer(error))
        }
    }

    // MARK: Limits

    /// Counts a query of an application at its home partition, and calls `body` if the query is allowed.
    ///
    /// - Parameter isCounted: whether the leader that answers the query also counts the query against the limit. If so, the query is not
    ///   counted here.
    private func query(
        _ application: Application, isCounted: Bool, _ completion: @escaping Completion, then body: @escaping @Sendable () -> Void
    ) {
        guard application.limits.queriesPerSecond != nil, !isCounted else { return body() }
        spend(publishes: 0, queries: 1, of: application, completion, then: body)
    }

    func spend(
        publishes: Int, queries: Int, of application: Application, _ completion: @escaping Completion,
        then body: @escaping @Sendable () -> Void
    ) {
        let request = PartitionRequest.spend(application: application.id, publishes: publishes, queries: queries)
        ask(partitions.home(of: application.id), request) { result in
            if let refusal = result.refusal { completion(refusal) } else { body() }
        }
    }

    // MARK: Lists

    /// Combines the channels of all partitions. If one partition does not answer, the request fails, because an incomplete list would be
    /// wrong.
    private func list(_ list: ChannelListQuery, of application: Application, _ completion: @escaping Completion) {
        query(application, isCounted: false, completion) {
            let gathered = GatheredAnswers<PartitionResult>(partitions.count) { results in
                if let refusal = results.compactMap(\.refusal).first { return completion(refusal) }
                Self.join(results.map(\.channels), of: list, completion)
            }
            for partition in partitions.all { ask(partition, .list(list)) { gathered.add($0, at: partition) } }
        }
    }

    /// Combines the lists of all partitions. A long list is sorted on a thread pool, because sorting takes longer than an event loop may
    /// spend on one request (rule SR-69).
    private static func join(_ parts: [[ChannelOccupancy]], of list: ChannelListQuery, _ completion: @escaping Completion) {
        @Sendable func answer() -> HTTPAnswer {
            do throws(HTTPProblem) {
                return try list.answer(with: parts.flatMap { $0 })
            } catch {
                return HTTPAnswer(error)
            }
        }
        guard parts.reduce(0, { $0 + $1.count }) > ChannelListQuery.few else { return completion(answer()) }
        NIOThreadPool.singleton.submit { state in
            let isShuttingDown = if case .active = state { false } else { true }
            completion(isShuttingDown ? HTTPAnswer(HTTPProblem(.closed)) : answer())
        }
    }
}

/// The answer of a partition's leader, or the reason why there is none.
enum PartitionResult: Hashable, Sendable {
    case answer(PartitionAnswer)
    case failure(ClusterFailure)

    /// The HTTP answer for the client if the partition has refused or failed; nil if the partition has performed its part of the request.
    var refusal: HTTPAnswer? {
        switch self {
        case .answer(.refused(let answer)): answer
        case .answer: nil
        case .failure(let failure): HTTPAnswer(HTTPProblem(failure))
        }
    }

    /// Whether the partition has certainly published none of the events.
    var isUndone: Bool {
        switch self {
        case .answer(.refused): true
        case .answer: false
        case .failure(let failure): failure != .unknown
        }
    }

    var attributes: [String] {
        if case .answer(.done(let attributes)) = self { attributes } else { [] }
    }

    var channels: [ChannelOccupancy] {
        if case .answer(.channels(let channels)) = self { channels } else { [] }
    }
}

extension HTTPProblem {
    static let partlyPublished = HTTPProblem(
        503,
        "Some of the events were published, and some perhaps not, because a part of the cluster did not answer. "
            + "Events that are sent again may arrive twice.",
        retryAfter: 1)
}
