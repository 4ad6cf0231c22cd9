import NIOCore
import NIOPosix
import ServerCluster
import ServerRuntime
import ServerStorage

/// Answers requests of the HTTP API on a node of a cluster with several partitions: reads them, asks the partitions that they concern, and
/// makes one answer of theirs (rules CP-75 to CP-78).
struct PartitionedRequests: Sendable {
    typealias Completion = @Sendable (HTTPAnswer) -> Void

    let partitions: ClusterPartitions
    /// Sends a request to the leader of a partition.
    let ask: @Sendable (Int, PartitionRequest, @escaping @Sendable (PartitionResult) -> Void) -> Void
    /// Forwards a request as it is to the leader of a partition.
    let forward: @Sendable (Int, HTTPRequest, @escaping Completion) -> Void

    /// - Parameters:
    ///   - application: the application that has signed the request.
    ///   - completion: called once, on any thread.
    func answer(_ request: HTTPRequest, _ application: Application, _ completion: @escaping Completion) {
        do throws(HTTPProblem) {
            let parsed = RESTRequest(request)
            switch try PusherRoute(method: request.method, segments: request.target.segments) {
            case .webSocket: throw .upgradeRequired
            case .publish: publish(try PublishRequest(parsing: parsed, limits: application.limits), application, completion)
            case .publishTo(_, let channel):
                publish(try PublishRequest(parsing: parsed, to: channel, limits: application.limits), application, completion)
            case .publishBatch:
                publish(try PublishRequest.batch(parsing: parsed.body, limits: application.limits), application, completion)
            case .channels: list(try ChannelListQuery(parsed, of: application), application, completion)
            case .channel(_, let name), .users(_, let name):
                let partition = partitions.partition(of: ChannelID(application: application.id, name: name))
                query(application, isCounted: partition == partitions.home(of: application.id), completion) {
                    forward(partition, request, completion)
                }
            case .connections, .terminateConnections: forward(partitions.home(of: application.id), request, completion)
            }
        } catch {
            completion(HTTPAnswer(error))
        }
    }

    // MARK: Limits

    /// Counts a query at the application's home partition, and goes on if it is allowed.
    ///
    /// - Parameter isCounted: whether the leader that answers counts it.
    private func query(
        _ application: Application, isCounted: Bool, _ completion: @escaping Completion, then body: @escaping @Sendable () -> Void
    ) {
        guard application.limits.queriesPerSecond != nil, !isCounted else { return body() }
        spend(publishes: 0, queries: 1, of: application, completion, then: body)
    }

    private func spend(
        publishes: Int, queries: Int, of application: Application, _ completion: @escaping Completion,
        then body: @escaping @Sendable () -> Void
    ) {
        let request = PartitionRequest.spend(application: application.id, publishes: publishes, queries: queries)
        ask(partitions.home(of: application.id), request) { result in
            if let refusal = result.refusal { completion(refusal) } else { body() }
        }
    }

    // MARK: Publishing

    private func publish(_ request: PublishRequest, _ application: Application, _ completion: @escaping Completion) {
        publish([request], counting: request.channels.count, application, completion) { attributes in
            guard !request.info.isEmpty else { return .empty }
            return .channels(zip(request.channels, attributes))
        }
    }

    private func publish(_ batch: [PublishRequest], _ application: Application, _ completion: @escaping Completion) {
        publish(batch, counting: batch.count, application, completion) { attributes in
            guard batch.contains(where: { !$0.info.isEmpty }) else { return .empty }
            var rest = attributes[...]
            return .batch(batch.map { $0.info.isEmpty ? "{}" : rest.popFirst() ?? "{}" })
        }
    }

    /// Sends each partition its events. The request is answered when all have kept theirs (rule CP-75).
    ///
    /// - Parameters:
    ///   - cost: the number of messages that count against the application's limit.
    ///   - answer: makes the answer from the attributes of the channels that were asked for, in the order of the request.
    private func publish(
        _ requests: [PublishRequest], counting cost: Int, _ application: Application, _ completion: @escaping Completion,
        _ answer: @escaping @Sendable ([String]) -> HTTPAnswer
    ) {
        let parts = PublicationParts(requests, of: application.id, partitions)
        guard !parts.all.isEmpty else { return completion(answer([])) }
        @Sendable func send() {
            let gathered = GatheredAnswers<PartitionResult>(parts.all.count) { results in
                if let refusal = Self.refusal(results) { return completion(refusal) }
                completion(answer(parts.attributes(from: results.map(\.attributes))))
            }
            for (index, part) in parts.all.enumerated() {
                ask(part.partition, .events(application: application.id, part.requests)) { gathered.add($0, at: index) }
            }
        }
        guard application.limits.publishesPerSecond != nil else { return send() }
        spend(publishes: cost, queries: 0, of: application, completion, then: send)
    }

    /// The answer when not all partitions have done their part; nil when they have.
    private static func refusal(_ results: [PartitionResult]) -> HTTPAnswer? {
        let refusals = results.compactMap(\.refusal)
        guard let first = refusals.first else { return nil }
        // If nothing was done anywhere, the first reason says what to do, and so does the only one.
        guard results.count > 1, results.contains(where: { !$0.isUndone }) else { return first }
        return HTTPAnswer(.partlyPublished)
    }

    // MARK: Lists

    /// Asks all partitions for their channels. A list without those of one partition would be wrong, so it needs all of them.
    private func list(_ list: ChannelListQuery, _ application: Application, _ completion: @escaping Completion) {
        query(application, isCounted: false, completion) {
            let gathered = GatheredAnswers<PartitionResult>(partitions.count) { results in
                if let refusal = results.compactMap(\.refusal).first { return completion(refusal) }
                Self.join(results.map(\.channels), of: list, completion)
            }
            for partition in partitions.all { ask(partition, .list(list)) { gathered.add($0, at: partition) } }
        }
    }

    /// Sorting many channels takes longer than an event loop may spend on one request (rule SR-69).
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

/// The answer of a partition, or why there is none.
enum PartitionResult: Hashable, Sendable {
    case answer(PartitionAnswer)
    case failure(ClusterFailure)

    /// What to answer when the partition has not done its part; nil when it has.
    var refusal: HTTPAnswer? {
        switch self {
        case .answer(.refused(let answer)): answer
        case .answer: nil
        case .failure(let failure): HTTPAnswer(HTTPProblem(failure))
        }
    }

    /// Whether the partition has certainly done nothing.
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
