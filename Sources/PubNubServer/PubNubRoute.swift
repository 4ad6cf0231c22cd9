import Identifiers
import ServerRuntime

/// The requests of the PubNub API. Names are percent-decoded.
///
/// Lists contain the names in the order of the request. A lone comma, which stands for no channels, gives an empty list.
enum PubNubRoute: Hashable, Sendable {
    case time
    case subscribe(channels: [String])
    /// Publishes a message; `payload` is nil when the request body contains the message.
    case publish(publishKey: String, channel: String, payload: String?)
    case signal(publishKey: String, channel: String, payload: String?)
    /// Publishes a message about a file. The file may be stored by another service.
    case publishFile(publishKey: String, channel: String, payload: String?)

    /// Reads the history of one channel, in version 2 of the API.
    case pastMessages(channel: String)
    /// Reads the history of several channels, in version 3 of the API.
    case history(channels: [String])
    case historyWithActions(channel: String)
    case deleteHistory(channel: String)
    case counts(channels: [String])

    case heartbeat(channels: [String])
    case leave(channels: [String])
    case hereNow(channels: [String])
    case hereNowEverywhere
    case whereNow(user: String)
    case state(channels: [String], user: String)
    case setState(channels: [String], user: String)

    case groups
    /// Lists, adds or removes channels of a group, depending on the query parameters.
    case group(String)
    case removeGroup(String)

    case actions(channel: String)
    case addAction(channel: String, message: String)
    case removeAction(channel: String, message: String, action: String)

    /// A request of App Context.
    case objects(ObjectsRoute)
    /// Lists, adds or removes the channels of a device, depending on the query parameters.
    case pushChannels(PushInterface, token: String)
    case removeDevice(PushInterface, token: String)

    case file(PubNubFileRoute)

    case grantToken
    case revokeToken(String)
    /// A grant of access manager version 2.
    case grant
    case audit
}

/// The route of a request, with the subscribe key in its path.
struct PubNubAddress: Hashable, Sendable {
    var route: PubNubRoute
    /// The subscribe key in the path; empty for ``PubNubRoute/time``, which belongs to no keyset.
    var subscribeKey: String

    private init(_ route: PubNubRoute, _ subscribeKey: String = "") {
        self.route = route
        self.subscribeKey = subscribeKey
    }

    /// Whether a path belongs to the PubNub API. If so, errors are answered in PubNub's format.
    static func owns(_ segments: [String]) -> Bool {
        switch segments.first {
        case "publish", "signal", "subscribe", "time", "v1", "v2", "v3": true
        default: false
        }
    }

    /// Whether the path of a target belongs to the PubNub API. The target has not been split into segments yet.
    static func owns(_ target: UnsafeRawBufferPointer) -> Bool {
        let first = target.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        return owns([String(decoding: first, as: UTF8.self)])
    }

    /// - Parameter segments: the decoded segments of the path.
    /// - Throws: 404 for an unknown path and 405 for a known path with another method.
    init(method: String, segments: [String]) throws(HTTPProblem) {
        let found: (address: PubNubAddress, methods: [String])?
        switch segments.first {
        case "time": found = segments.count == 2 ? (Self(.time), ["GET"]) : nil
        case "publish", "signal": found = Self.publishing(segments, method)
        case "subscribe":
            // Version 1 of subscribe: its path ends with the cursor.
            found = segments.count == 5 ? (Self(.subscribe(channels: Self.list(segments[2])), segments[1]), ["GET"]) : nil
        case "v1": found = Self.version1(segments, method)
        case "v2": found = Self.version2(segments, method)
        case "v3": found = Self.version3(segments, method)
        default: found = nil
        }
        guard let found else { throw .notFound }
        guard found.methods.contains(method) else { throw .methodNotAllowed(found.methods.joined(separator: ", ")) }
        self = found.address
    }

    private typealias Match = (address: PubNubAddress, methods: [String])?

    /// Parses `/publish/PUB/SUB/0/CHANNEL/0[/JSON]`, and the same path for signals and messages about files.
    private static func publishing(_ parts: [String], _ method: String) -> Match {
        guard parts.count == 6 || parts.count == 7, !parts[4].isEmpty else { return nil }
        let payload = parts.count == 7 ? parts[6] : nil
        let route: PubNubRoute =
            switch parts[0] {
            case "publish": .publish(publishKey: parts[1], channel: parts[4], payload: payload)
            case "publish-file": .publishFile(publishKey: parts[1], channel: parts[4], payload: payload)
            default: .signal(publishKey: parts[1], channel: parts[4], payload: payload)
            }
        return (Self(route, parts[2]), payload == nil ? ["POST"] : ["GET"])
    }

    private static func version1(_ parts: [String], _ method: String) -> Match {
        switch parts.count {
        case 8... where parts[1] == "files" && parts[2] == "publish-file": publishing(Array(parts.dropFirst(2)), method)
        case 4... where parts[1] == "files":
            PubNubFileRoute.match(parts[3...], method).map { (Self(.file($0.route), parts[2]), $0.methods) }
        case 5 where parts[1] == "channel-registration" && isKey(parts[2]) && parts[4] == "channel-group":
            (Self(.groups, parts[3]), ["GET"])
        case 6 where parts[1] == "channel-registration" && isKey(parts[2]) && parts[4] == "channel-group":
            (Self(.group(parts[5]), parts[3]), ["GET"])
        case 7 where parts[1] == "channel-registration" && isKey(parts[2]) && parts[4] == "channel-group" && parts[6] == "remove":
            (Self(.removeGroup(parts[5]), parts[3]), ["GET"])
        case 6 where parts[1] == "push" && isKey(parts[2]) && parts[4] == "devices":
            (Self(.pushChannels(.first, token: parts[5]), parts[3]), ["GET"])
        case 7 where parts[1] == "push" && isKey(parts[2]) && parts[4] == "devices" && parts[6] == "remove":
            (Self(.removeDevice(.first, token: parts[5]), parts[3]), ["GET"])
        case 5 where parts[1] == "message-actions" && parts[3] == "channel":
            (Self(.actions(channel: parts[4]), parts[2]), ["GET"])
        case 7 where parts[1] == "message-actions" && parts[3] == "channel" && parts[5] == "message":
            (Self(.addAction(channel: parts[4], message: parts[6]), parts[2]), ["POST"])
        case 9 where parts[1] == "message-actions" && parts[3] == "channel" && parts[5] == "message" && parts[7] == "action":
            (Self(.removeAction(channel: parts[4], message: parts[6], action: parts[8]), parts[2]), ["DELETE"])
        default: nil
        }
    }

    private static func version2(_ parts: [String], _ method: String) -> Match {
        switch parts.count {
        case 5 where parts[1] == "subscribe": (Self(.subscribe(channels: list(parts[3])), parts[2]), ["GET"])
        case 6 where parts[1] == "history" && isKey(parts[2]) && parts[4] == "channel":
            (Self(.pastMessages(channel: parts[5]), parts[3]), ["GET"])
        case 4... where parts[1] == "objects":
            ObjectsRoute.parse(Array(parts.dropFirst(3)), method).map { (Self(.objects($0.route), parts[2]), $0.methods) }
        case 6 where parts[1] == "push" && isKey(parts[2]) && parts[4] == "devices-apns2":
            (Self(.pushChannels(.apple, token: parts[5]), parts[3]), ["GET"])
        case 7 where parts[1] == "push" && isKey(parts[2]) && parts[4] == "devices-apns2" && parts[6] == "remove":
            (Self(.removeDevice(.apple, token: parts[5]), parts[3]), ["GET"])
        case 5 where parts[1] == "auth" && parts[2] == "grant" && isKey(parts[3]): (Self(.grant, parts[4]), ["GET"])
        case 5 where parts[1] == "auth" && parts[2] == "audit" && isKey(parts[3]): (Self(.audit, parts[4]), ["GET"])
        case 4... where parts[1] == "presence" && isKey(parts[2]):
            presence(Array(parts.dropFirst(4))).map { (Self($0, parts[3]), ["GET"]) }
        default: nil
        }
    }

    /// Routes below `/v2/presence/sub-key/SUB`.
    private static func presence(_ rest: [String]) -> PubNubRoute? {
        switch rest.count {
        case 0: .hereNowEverywhere
        case 2 where rest[0] == "channel": .hereNow(channels: list(rest[1]))
        case 2 where rest[0] == "uuid": .whereNow(user: rest[1])
        case 3 where rest[0] == "channel" && rest[2] == "heartbeat": .heartbeat(channels: list(rest[1]))
        case 3 where rest[0] == "channel" && rest[2] == "leave": .leave(channels: list(rest[1]))
        case 4 where rest[0] == "channel" && rest[2] == "uuid": .state(channels: list(rest[1]), user: rest[3])
        case 5 where rest[0] == "channel" && rest[2] == "uuid" && rest[4] == "data":
            .setState(channels: list(rest[1]), user: rest[3])
        default: nil
        }
    }

    private static func version3(_ parts: [String], _ method: String) -> Match {
        switch parts.count {
        case 4 where parts[1] == "pam" && parts[3] == "grant": (Self(.grantToken, parts[2]), ["POST"])
        case 5 where parts[1] == "pam" && parts[3] == "grant": (Self(.revokeToken(parts[4]), parts[2]), ["DELETE"])
        case 6 where parts[1] == "history" && isKey(parts[2]) && parts[4] == "channel":
            method == "DELETE"
                ? (Self(.deleteHistory(channel: parts[5]), parts[3]), ["DELETE"])
                : (Self(.history(channels: list(parts[5])), parts[3]), ["GET", "DELETE"])
        case 6 where parts[1] == "history-with-actions" && isKey(parts[2]) && parts[4] == "channel":
            (Self(.historyWithActions(channel: parts[5]), parts[3]), ["GET"])
        case 6 where parts[1] == "history" && isKey(parts[2]) && parts[4] == "message-counts":
            (Self(.counts(channels: list(parts[5])), parts[3]), ["GET"])
        default: nil
        }
    }

    /// Whether a path segment is `sub-key`, which some client libraries spell `sub_key`.
    private static func isKey(_ part: String) -> Bool { part == "sub-key" || part == "sub_key" }

    /// Splits a list of names at its commas. A percent-encoded comma separates names, too, because the text is already decoded.
    static func list(_ text: String) -> [String] {
        text.split(atByte: UInt8(ascii: ","))
    }
}
