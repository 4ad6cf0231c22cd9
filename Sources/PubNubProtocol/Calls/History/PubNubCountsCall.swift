import WireCoding

/// A request for the number of messages that were stored since a timetoken (rule PL-27).
public struct PubNubCountsCall: PubNubCall, Hashable {
    /// The maximum number of channels in one request.
    public static let maximumChannels = 100

    public var channels: [String]
    /// The timetokens after which messages are counted: one for all channels, or one for each channel.
    public var timetokens: [Timetoken]

    public init(channels: [String], timetokens: [Timetoken]) {
        self.channels = channels
        self.timetokens = timetokens
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard !channels.isEmpty, channels.count <= Self.maximumChannels else {
            throw .badArguments("The count request names \(channels.count) channels. Pass 1 to \(Self.maximumChannels).")
        }
        guard timetokens.count == 1 || timetokens.count == channels.count else {
            throw .badArguments(
                "There are \(timetokens.count) timetokens for \(channels.count) channels. Pass one timetoken for all channels, or one"
                    + " for each.")
        }
        var parameters: [PubNubRequest.Parameter] = []
        if timetokens.count == 1 {
            parameters.add("timetoken", timetokens[0])
        } else {
            parameters.add("channelsTimetoken", timetokens.map(\.description).joined(separator: ","))
        }
        return PubNubRequest(
            path: [
                "v3", "history", "sub-key", try CallArguments.subscribeKey(settings), "message-counts",
                try CallArguments.pathList(channels, .channel),
            ],
            parameters: parameters)
    }

    /// `{"status":200,"error":false,"error_message":"","channels":{"a":3,"b":0}}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> [String: Int] {
        var counts: [String: Int] = [:]
        for channel in try CallAnswer.object(body).object("channels").ordered {
            // A count that cannot be read is left out, and the other counts are returned (rule PN-40).
            guard let count = channel.value.integer else { continue }
            counts[channels.contains(channel.key) ? channel.key : PercentDecoding.decodeOrKeep(channel.key)] = count
        }
        return counts
    }
}
