import WireCoding

/// One message in the list of a subscribe answer, as a server encodes it (rules PN-18 to PN-20).
///
/// The member `b` depends on the subscription; all other members are the same for all subscribers. So ``shared`` is encoded once for each
/// published message, and ``PubNubFrames/elementEnd(matched:)`` completes it for each subscription.
public struct PubNubEnvelope: Hashable, Sendable {
    /// The channel of the message. For presence events it has the suffix `-pnpres`.
    public var channel: String
    public var kind: PubNubMessageKind
    /// The publisher's user id; nil for presence events.
    public var publisher: String?
    public var sequence: Int?
    /// The timetoken that the publisher gave the message (`ortt`); nil for none.
    public var origination: Timetoken?
    public var customType: String?
    public var timetoken: Timetoken
    public var region: Int
    public var subscribeKey: String
    /// The publisher's metadata as JSON text in UTF-8, checked when it was received; nil for none.
    public var metadata: [UInt8]?
    /// The message as JSON text in UTF-8, checked when it was received.
    public var payload: [UInt8]

    public init(
        channel: String, kind: PubNubMessageKind = .message, publisher: String? = nil, sequence: Int? = nil,
        origination: Timetoken? = nil, customType: String? = nil, timetoken: Timetoken, region: Int = 1,
        subscribeKey: String, metadata: [UInt8]? = nil, payload: [UInt8]
    ) {
        self.channel = channel
        self.kind = kind
        self.publisher = publisher
        self.sequence = sequence
        self.origination = origination
        self.customType = customType
        self.timetoken = timetoken
        self.region = region
        self.subscribeKey = subscribeKey
        self.metadata = metadata
        self.payload = payload
    }

    /// The encoded element without `b` and the closing brace. The keys have the same order as in answers recorded from PubNub's service:
    /// `a,f,e,i,s,o,cmt,p,k,c,u,d`.
    ///
    /// Shard (`a`) and flags (`f`) are constant: this server has one shard, and PubNub's Python SDK requires flags.
    public var shared: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(160 + channel.utf8.count + (metadata?.count ?? 0) + payload.count)
        JSONWriter.append("{\"a\":\"1\",\"f\":0", to: &out)
        if kind != .message {
            JSONWriter.append(",\"e\":", to: &out)
            JSONWriter.append(kind.rawValue, to: &out)
        }
        if let publisher {
            JSONWriter.append(",\"i\":", to: &out)
            JSONWriter.appendString(publisher, to: &out)
        }
        if let sequence {
            JSONWriter.append(",\"s\":", to: &out)
            JSONWriter.append(sequence, to: &out)
        }
        if let origination {
            JSONWriter.append(",\"o\":{\"t\":\"", to: &out)
            JSONWriter.append(origination.rawValue, to: &out)
            JSONWriter.append("\"}", to: &out)
        }
        if let customType {
            JSONWriter.append(",\"cmt\":", to: &out)
            JSONWriter.appendString(customType, to: &out)
        }
        JSONWriter.append(",\"p\":", to: &out)
        PubNubFrames.append(PubNubCursor(timetoken: timetoken, region: region), to: &out)
        JSONWriter.append(",\"k\":", to: &out)
        JSONWriter.appendString(subscribeKey, to: &out)
        JSONWriter.append(",\"c\":", to: &out)
        JSONWriter.appendString(channel, to: &out)
        if let metadata {
            JSONWriter.append(",\"u\":", to: &out)
            out.append(contentsOf: metadata)
        }
        JSONWriter.append(",\"d\":", to: &out)
        out.append(contentsOf: payload)
        return out
    }
}
