import ServerCluster
import ServerRuntime
import ServerStorage

/// A publish request that a node has read.
struct ParsedPublish: Sendable {
    /// The unchanged HTTP request, for a leader of an earlier version, which answers whole requests only.
    let request: HTTPRequest
    let events: [PublishRequest]
    /// The number of messages that count against the application's limit.
    let cost: Int
    /// Makes the HTTP answer from the requested channel attributes, in the order of the request.
    let answer: @Sendable (_ attributes: [String]) -> HTTPAnswer

    /// A request with one event, which counts as one message for each of its channels.
    init(_ event: PublishRequest, of request: HTTPRequest) {
        self.request = request
        events = [event]
        cost = event.channels.count
        let channels = event.info.isEmpty ? nil : event.channels
        answer = { attributes in channels.map { .channels(zip($0, attributes)) } ?? .empty }
    }

    /// A request with a batch of events, each for one channel.
    init(_ batch: [PublishRequest], of request: HTTPRequest) {
        self.request = request
        events = batch
        cost = batch.count
        let hasAttributes = batch.map { !$0.info.isEmpty }
        answer = { attributes in
            guard hasAttributes.contains(true) else { return .empty }
            var rest = attributes[...]
            return .batch(hasAttributes.map { $0 ? rest.popFirst() ?? "{}" : "{}" })
        }
    }
}

// Publishing: each partition's leader gets the events for its channels. The HTTP request is answered when all leaders have answered (rule
// CP-75).
extension PartitionedRequests {
    func publish(_ publish: ParsedPublish, of application: Application, _ completion: @escaping Completion) {
        let parts = PublicationParts(publish.events, of: application.id, partitions)
        guard let first = parts.all.first else { return completion(publish.answer([])) }
        let messages = publish.events.map { EventMessage($0) }
        // If one partition has all channels of the request and is the home of the application, its leader counts the events and publishes
        // them in one step (rule CP-92).
        guard parts.all.count == 1, first.partition == partitions.home(of: application.id), takesEvents(first.partition) else {
            return count(publish, parts: parts, messages: messages, of: application, completion)
        }
        let events = PublicationParts.encoded(first, messages, of: application.id, cost: publish.cost)
        sendEvents(first.partition, events) { result in
            // A nil result means that a leader of an earlier version could not read the events and has done nothing (rule CP-94).
            guard let result else { return count(publish, parts: parts, messages: messages, of: application, completion) }
            completion(result.refusal ?? publish.answer(parts.attributes(from: [result.attributes])))
        }
    }

    /// Counts the messages against the application's limit at its home partition, and then publishes the events.
    private func count(
        _ publish: ParsedPublish, parts: PublicationParts, messages: [EventMessage], of application: Application,
        _ completion: @escaping Completion
    ) {
        // In a cluster with one partition, this method is called only if the leader runs an earlier version, which accepts no encoded
        // events. Such a leader gets the unchanged request and answers it.
        guard partitions.count > 1 else { return forward(0, publish.request, completion) }
        @Sendable func send() {
            let gathered = GatheredAnswers<PartitionResult>(parts.all.count) { results in
                completion(Self.refusal(results) ?? publish.answer(parts.attributes(from: results.map(\.attributes))))
            }
            for (index, part) in parts.all.enumerated() {
                sendPart(part, messages, of: application) { gathered.add($0, at: index) }
            }
        }
        guard application.limits.publishesPerSecond != nil else { return send() }
        spend(publishes: publish.cost, queries: 0, of: application, completion, then: send)
    }

    /// Sends a partition's leader the events for its channels: encoded if the leader accepts that, otherwise as plain requests.
    private func sendPart(
        _ part: PublicationParts.Part, _ messages: [EventMessage], of application: Application,
        _ completion: @escaping @Sendable (PartitionResult) -> Void
    ) {
        let events = PartitionRequest.events(application: application.id, part.requests)
        guard takesEvents(part.partition) else { return ask(part.partition, events, completion) }
        sendEvents(part.partition, PublicationParts.encoded(part, messages, of: application.id, cost: 0)) { result in
            if let result { completion(result) } else { ask(part.partition, events, completion) }
        }
    }

    /// The HTTP answer if a partition has refused or failed; nil if all partitions have published their events.
    private static func refusal(_ results: [PartitionResult]) -> HTTPAnswer? {
        let refusals = results.compactMap(\.refusal)
        guard let first = refusals.first else { return nil }
        // If no partition has published anything, or there is only one partition, the first refusal is the answer.
        guard results.count > 1, results.contains(where: { !$0.isUndone }) else { return first }
        return HTTPAnswer(.partlyPublished)
    }
}
