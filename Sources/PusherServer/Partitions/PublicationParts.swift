import ServerCluster

/// The events of one request, divided by the partitions of their channels. A value.
///
/// The order of the request is kept within each partition, so it holds for each channel.
struct PublicationParts: Sendable {
    struct Part: Sendable {
        let partition: Int
        var requests: [PublishRequest] = []
        /// For each of these, the index of the request that it is a part of.
        var sources: [Int] = []
        /// For each channel whose attributes the request asks for, the place of these in the answer.
        var places: [Int] = []
    }

    /// The partitions with channels of the request, in the order in which it names them.
    private(set) var all: [Part] = []
    /// The number of channels whose attributes the request asks for.
    private var attributeCount = 0

    init(_ requests: [PublishRequest], of application: String, _ partitions: ClusterPartitions) {
        for (source, request) in requests.enumerated() {
            // The index of the request in each part.
            var indices: [Int: Int] = [:]
            for channel in request.channels {
                let partition = partitions.partition(of: ChannelID(application: application, name: channel))
                let part = index(of: partition)
                if let known = indices[part] {
                    // in bounds: the index of a request that was added to this part.
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

    /// Encodes a part for its leader.
    ///
    /// - Parameters:
    ///   - messages: the encoded message of each request, in their order.
    ///   - cost: the number of messages that the leader counts.
    static func encoded(
        _ part: Part, _ messages: [EventMessage], of application: String, cost: Int
    ) -> EncodedEvents {
        // in bounds: the requests have as many messages.
        let events = zip(part.requests, part.sources).map { EncodedEvent($0, messages[$1]) }
        return EncodedEvents(application: application, cost: cost, events: events)
    }

    private mutating func index(of partition: Int) -> Int {
        if let known = all.firstIndex(where: { $0.partition == partition }) { return known }
        all.append(Part(partition: partition))
        return all.count - 1
    }

    /// Puts the attributes that the partitions have answered into the order of the request.
    ///
    /// - Parameter answers: the attributes from each part, in the order of ``all``. An attribute that is missing becomes `{}`.
    func attributes(from answers: [[String]]) -> [String] {
        var ordered = [String](repeating: "{}", count: attributeCount)
        for (part, answer) in zip(all, answers) {
            // in bounds: places count up to the number of attributes.
            for (place, attributes) in zip(part.places, answer) { ordered[place] = attributes }
        }
        return ordered
    }
}
