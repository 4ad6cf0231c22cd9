import Identifiers
import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// The content of a request to `events`, or one element of a request to `batch_events`. Pusher HTTP API (rules SV-11, SR-1 to SR-4).
struct PublishRequest: Hashable, Sendable {
    var event: String
    var data: String
    /// The distinct channel names, in the order of the request.
    var channels: [String]
    /// The connection that must not receive the event.
    var excluded: SocketID?
    var info: ChannelAttributes

    /// Makes a request from values that were checked before.
    init(event: String, data: String, channels: [String], excluded: SocketID?, info: ChannelAttributes) {
        self.event = event
        self.data = data
        self.channels = channels
        self.excluded = excluded
        self.info = info
    }

    /// Parses a request to `events`: one event for `channels` or for `channel`, in its body or in its query.
    init(parsing request: RESTRequest, limits: ApplicationLimits) throws(HTTPProblem) {
        let body = request.body.isEmpty ? nil : try Self.json(request.body)
        try self.init(PublishFields(body, query: request), limits: limits)
    }

    /// Parses a request that has its channel in the path and the other values in the query. The body is the event's data.
    init(parsing request: RESTRequest, to channel: String, limits: ApplicationLimits) throws(HTTPProblem) {
        var data: String?
        if !request.body.isEmpty {
            guard request.body.withUnsafeBytes({ JSONBytes.firstInvalidUTF8($0) }) == nil else {
                throw .badRequest("The request body is not UTF-8.")
            }
            data = String(decoding: request.body, as: UTF8.self)
        }
        try self.init(PublishFields(nil, query: request), limits: limits, only: channel, data: data)
    }

    /// The largest size of a batch request's body, in bytes. It is four times the usual limit, because a batch may have ten events of 10
    /// KB, and a library that escapes characters may send six bytes for two bytes of an event.
    static func maximumBatch(_ configured: Int) -> Int { configured > .max / 4 ? configured : 4 * configured }

    /// Parses the body of `batch_events`.
    static func batch(parsing body: [UInt8], limits: ApplicationLimits) throws(HTTPProblem) -> [PublishRequest] {
        guard let events = try json(body)["batch"]?.elements else { throw .badRequest("batch has to be an array.") }
        guard events.count <= limits.eventsPerBatch else {
            throw .badRequest("Batch too large: it has more than \(limits.eventsPerBatch) events.")
        }
        var requests: [PublishRequest] = []
        for event in events {
            let fields = try PublishFields(event, query: nil)
            guard let channel = try fields.text("channel") else {
                throw .badRequest("Each event of a batch needs the member channel.")
            }
            requests.append(try PublishRequest(fields, limits: limits, only: channel))
        }
        return requests
    }

    /// Makes an event for one channel, with the same checks as for a parsed request.
    init(event: String, data: String, channel: String, limits: ApplicationLimits) throws(HTTPProblem) {
        try self.init(PublishFields(["name": event, "data": data]), limits: limits, only: channel)
    }

    private init(
        _ fields: PublishFields, limits: ApplicationLimits, only channel: String? = nil, data body: String? = nil
    ) throws(HTTPProblem) {
        guard let event = try fields.text("name") else { throw .badRequest("name has to be a string.") }
        guard !event.isEmpty, event.utf8.count <= limits.eventNameBytes else {
            throw .badRequest("name has 1 to \(limits.eventNameBytes) bytes.")
        }
        if let reason = PusherService.refusal(ofEvent: event) { throw .badRequest(reason) }
        let complaint = "data has to be a string. Encode other values as JSON first."
        guard let data = body == nil ? try fields.text("data", complaint) : body else { throw .badRequest(complaint) }
        guard data.utf8.count <= limits.eventDataBytes else {
            throw HTTPProblem(
                413, "The data content of this event exceeds the allowed maximum (\(limits.eventDataBytes) bytes).")
        }
        self.event = event
        self.data = data
        channels = try Self.channels(fields, limits: limits, only: channel)
        excluded = try Self.socketID(fields.text("socket_id"))
        info = try ChannelAttributes(parsing: fields.text("info"))
        guard !info.contains(.cache) else {
            throw .badRequest("info of a published event may contain only user_count and subscription_count.")
        }
    }

    private static func channels(
        _ fields: PublishFields, limits: ApplicationLimits, only channel: String?
    ) throws(HTTPProblem) -> [String] {
        if let channel {
            try check(channel: channel, limits: limits)
            return [channel]
        }
        var names: [String] = []
        if let list = try fields.list("channels", orOne: "channel") {
            guard list.count <= limits.channelsPerPublish else {
                throw .badRequest("channels has more than \(limits.channelsPerPublish) names, the limit for one event.")
            }
            names = list.uniqueByBytes()
        } else if let name = try fields.text("channel") {
            names = [name]
        }
        guard !names.isEmpty else { throw .badRequest("The event needs at least one name in channel or channels.") }
        for name in names { try check(channel: name, limits: limits) }
        if names.count > 1, names.contains(where: { PusherChannelKind(of: $0).access == .encrypted }) {
            throw .badRequest(
                "An event for an encrypted channel must have no other channels, because it is encrypted for one channel.")
        }
        return names
    }

    static func check(channel name: String, limits: ApplicationLimits) throws(HTTPProblem) {
        let parsed = try? PusherChannelName(name, limit: limits.bytes(ofChannelName: name))
        // Reserved names are refused, except for the channels of single users.
        let isKnown = parsed?.isReserved == false || name.utf8.starts(with: PusherChannelName.serverToUser("").utf8)
        guard parsed != nil, isKnown else {
            throw .badRequest(
                "Invalid channel name: it has 1 to \(limits.channelNameBytes) letters, digits and characters of _-=@,.;")
        }
    }

    private static func socketID(_ text: String?) throws(HTTPProblem) -> SocketID? {
        guard let text else { return nil }
        guard PusherLimits.accepts(socketID: text) else { throw .badRequest("socket_id has to be two numbers with a point.") }
        // A well-formed id without a connection is accepted; it excludes no subscriber.
        return SocketID(text)
    }

    private static func json(_ body: [UInt8]) throws(HTTPProblem) -> JSONText {
        do throws(JSONSyntaxError) {
            return try JSONText(bytes: body)
        } catch {
            throw .badRequest("The request body is not JSON.")
        }
    }
}
