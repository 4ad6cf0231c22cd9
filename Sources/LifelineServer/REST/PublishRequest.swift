import PusherProtocol
import RealtimeHub
import WireCoding

/// What `events` is asked to publish, and one part of what `batch_events` is. Pusher HTTP API (rule SV-11).
struct PublishRequest: Hashable, Sendable {
    var event: String
    var data: String
    var channels: [String]
    /// The connection that must not get the event.
    var excluded: SocketID?
    var info: ChannelAttributes

    /// Reads the body of `events`: one event for `channels` or for `channel`.
    init(parsing body: [UInt8], limits: ApplicationLimits) throws(HTTPProblem) {
        try self.init(try Self.json(body), limits: limits, inBatch: false)
    }

    /// Reads the body of `batch_events`.
    static func batch(parsing body: [UInt8], limits: ApplicationLimits) throws(HTTPProblem) -> [PublishRequest] {
        guard let events = try json(body)["batch"]?.elements else { throw .badRequest("batch has to be an array.") }
        guard events.count <= limits.eventsPerBatch else {
            throw .badRequest("A batch has at most \(limits.eventsPerBatch) events.")
        }
        var requests: [PublishRequest] = []
        for event in events { requests.append(try PublishRequest(event, limits: limits, inBatch: true)) }
        return requests
    }

    private init(_ json: JSONText, limits: ApplicationLimits, inBatch: Bool) throws(HTTPProblem) {
        guard let members = json.members else { throw .badRequest("An event has to be an object.") }
        var fields: [String: JSONText] = [:]
        for member in members { fields[member.key] = member.value }
        guard let event = fields["name"]?.string else { throw .badRequest("name has to be a string.") }
        guard !event.isEmpty, event.utf8.count <= limits.eventNameBytes else {
            throw .badRequest("name has 1 to \(limits.eventNameBytes) bytes.")
        }
        guard let data = fields["data"]?.string else {
            throw .badRequest("data has to be a string. Encode other values as JSON first.")
        }
        guard data.utf8.count <= limits.eventDataBytes else {
            throw HTTPProblem(413, "data is larger than \(limits.eventDataBytes) bytes.")
        }
        self.event = event
        self.data = data
        channels = try Self.channels(fields, limits: limits, inBatch: inBatch)
        excluded = try Self.socketID(fields["socket_id"])
        info = try ChannelAttributes(parsing: Self.text(fields["info"], "info"))
    }

    private static func channels(
        _ fields: [String: JSONText], limits: ApplicationLimits, inBatch: Bool
    ) throws(HTTPProblem) -> [String] {
        var names: [String] = []
        if !inBatch, let list = fields["channels"], !list.isNull {
            guard let elements = list.elements else { throw .badRequest("channels has to be an array.") }
            guard elements.count <= limits.channelsPerPublish else {
                throw .badRequest("An event goes to at most \(limits.channelsPerPublish) channels.")
            }
            for element in elements {
                guard let name = element.string else { throw .badRequest("channels has to hold strings.") }
                if !names.contains(name) { names.append(name) }
            }
        } else if let name = try text(fields["channel"], "channel") {
            names = [name]
        }
        guard !names.isEmpty else { throw .badRequest("The event needs at least one channel.") }
        for name in names { try check(channel: name, limits: limits) }
        if names.count > 1, names.contains(where: { PusherChannelKind(of: $0).access == .encrypted }) {
            throw .badRequest("An event for an encrypted channel goes to that channel only.")
        }
        return names
    }

    static func check(channel name: String, limits: ApplicationLimits) throws(HTTPProblem) {
        let isValid = (try? PusherChannelName(name)) != nil && name.utf8.count <= limits.channelNameBytes
        guard isValid else {
            throw .badRequest("A channel name has 1 to \(limits.channelNameBytes) letters, digits and characters of _-=@,.;")
        }
    }

    private static func socketID(_ value: JSONText?) throws(HTTPProblem) -> SocketID? {
        guard let text = try text(value, "socket_id") else { return nil }
        guard PusherLimits.accepts(socketID: text) else { throw .badRequest("socket_id has to be two numbers with a point.") }
        // A well-formed id that names no connection excludes nobody.
        return SocketID(text)
    }

    private static func text(_ value: JSONText?, _ name: String) throws(HTTPProblem) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.string else { throw .badRequest("\(name) has to be a string.") }
        return text
    }

    private static func json(_ body: [UInt8]) throws(HTTPProblem) -> JSONText {
        do throws(JSONSyntaxError) {
            return try JSONText(bytes: body)
        } catch {
            throw .badRequest("The body is not JSON.")
        }
    }
}

/// What a request wants to know of a channel.
struct ChannelAttributes: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let userCount = ChannelAttributes(rawValue: 1)
    static let subscriptionCount = ChannelAttributes(rawValue: 2)
    static let cache = ChannelAttributes(rawValue: 4)

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Reads a list with commas.
    init(parsing text: String?) throws(HTTPProblem) {
        self = []
        for part in (text ?? "").split(separator: ",") {
            switch part {
            case "user_count": insert(.userCount)
            case "subscription_count": insert(.subscriptionCount)
            case "cache": insert(.cache)
            default: throw .badRequest("info knows user_count, subscription_count and cache.")
            }
        }
    }
}
