import ServerCluster

/// The events of one request, divided by the partitions of their channels. A value.
///
/// Within each partition, events are in the order of the request; so the order is kept for each channel.
struct PublicationParts: Sendable {
    struct Part: Sendable {
        let partition: Int
        var requests: [PublishRequest] = []
        /// For each element of `requests`, the index of the original request whose channels it has.
        var sources: [Int] = []
        /// For each channel with requested attributes, the index of its attributes in the answer.
        var places: [Int] = []
    }

    /// One part for each partition with channels of the request, in the order in which the request first names them.
    private(set) var all: [Part] = []
    /// The number of channels whose attributes the request asks for.
    private var attributeCount = 0

    init(_ requests: [PublishRequest], of application: String, _ partitions: ClusterPartitions) {
        for (source, request) in requests.enumerated() {
            // For each part by its index, the index in the part's `requests` that belongs to the current request.
            var indices: [Int: Int] = [:]
            for channel in request.channels {
                let partition = partitions.partition(of: ChannelID(application: application, name: channel))
                let part = index(of: partition)
                if let known = indices[part] {
                    // in bounds: the index was stored when the request was added to this part.
                    all[part].requests[known].channels.append(channel)
                } else {
                    var request = request
                    request.channels = [channel]
                    indices[part] = all[part].requests.count
                    all[part].requests.append(request)
                    all[part].sources.append(source)
                }
                guard !request.info.isEmpty else { continue }
                all[part].places.append(attributeCount)
                attributeCount += 1
            }
        }
    }

    /// Encodes one part for the leader of its partition.
    ///
    /// - Parameters:
    ///   - messages: the encoded message of each original request, in their order.
    ///   - cost: the number of messages that the leader counts.
    static func encoded(
        _ part: Part, _ messages: [EventMessage], of application: String, cost: Int
    ) -> EncodedEvents {
        // in bounds: there is one message for each request.
        let events = zip(part.requests, part.sources).map { EncodedEvent($0, messages[$1]) }
        return EncodedEvents(application: application, cost: cost, events: events)
    }

    private mutating func index(of partition: Int) -> Int {
        if let known = all.firstIndex(where: { $0.partition == partition }) { return known }
        all.append(Part(partition: partition))
        return all.count - 1
    }

    /// Puts the attributes that the partitions have returned into the order of the request.
    ///
    /// - Parameter answers: the attributes from each part, in the order of ``all``. Missing attributes become `{}`.
    func attributes(from answers: [[String]]) -> [String] {
        var ordered = [String](repeating: "{}", count: attributeCount)
        for (part, answer) in zip(all, answers) {
            // in bounds: the indices in `places` are below the number of attributes.
            for (place, attributes) in zip(part.places, answer) { ordered[place] = attributes }
        }
        return ordered
    }
}
