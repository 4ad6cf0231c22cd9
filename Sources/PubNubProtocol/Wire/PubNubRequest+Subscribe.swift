import Identifiers
import WireCoding

extension PubNubRequest {
    /// Makes a long poll, or the handshake before it (rules PN-4 and PN-5).
    ///
    /// - Parameters:
    ///   - cursor: the position to continue from; zero for a handshake. `tt` is always sent, `tr` only once a region is known.
    ///   - resumesAfter: for a handshake, the position from which polling will continue. This project's server then reports whether
    ///     messages after it are missing (rule PV-181). Other services ignore the parameter.
    ///   - filter: the filter expression for the whole list; nil for none.
    ///   - heartbeat: the presence timeout in seconds; sent when above 0.
    ///   - state: presence state, a JSON object by channel and group; nil for none.
    public static func subscribe(
        list: PubNubList, cursor: PubNubCursor, resumesAfter: Timetoken? = nil, filter: String? = nil, heartbeat: Int = 0,
        state: String? = nil, settings: PubNubSettings
    ) -> PubNubRequest {
        var parameters = [Parameter("tt", cursor.timetoken.description)]
        if let region = cursor.region { parameters.append(Parameter("tr", String(region))) }
        if let resumesAfter { parameters.append(Parameter("lifeline-after", resumesAfter.description)) }
        parameters += heartbeatParameters(list.groups, heartbeat: heartbeat, state: state)
        if let filter { parameters.append(Parameter("filter-expr", filter)) }
        let key = PercentEncoding.encode(settings.subscribeKey)
        return PubNubRequest(path: ["v2", "subscribe", key, pathList(list.channels), "0"], parameters: parameters)
    }

    /// Makes a heartbeat, which reports that the user is still present (rule PN-6). The presence channels and groups of the list are left
    /// out.
    public static func heartbeat(
        list: PubNubList, heartbeat: Int, state: String? = nil, settings: PubNubSettings
    ) -> PubNubRequest {
        let list = list.withoutPresence
        let key = PercentEncoding.encode(settings.subscribeKey)
        return PubNubRequest(
            path: ["v2", "presence", "sub-key", key, "channel", pathList(list.channels), "heartbeat"],
            parameters: heartbeatParameters(list.groups, heartbeat: heartbeat, state: state))
    }

    /// Makes a leave request, which reports that the user has left (rule PN-6). The presence channels and groups of the list are left out.
    /// The path contains `sub_key`, as in the Cocoa SDK.
    public static func leave(list: PubNubList, settings: PubNubSettings) -> PubNubRequest {
        let list = list.withoutPresence
        let key = PercentEncoding.encode(settings.subscribeKey)
        return PubNubRequest(
            path: ["v2", "presence", "sub_key", key, "channel", pathList(list.channels), "leave"],
            parameters: heartbeatParameters(list.groups, heartbeat: 0, state: nil))
    }

    /// A request for the service's time. It also checks whether the service can be reached.
    public static let time = PubNubRequest(path: ["time", "0"])

    private static func heartbeatParameters(_ groups: [String], heartbeat: Int, state: String?) -> [Parameter] {
        var parameters: [Parameter] = []
        if !groups.isEmpty { parameters.append(Parameter("channel-group", groups.joined(separator: ","))) }
        if heartbeat > 0 { parameters.append(Parameter("heartbeat", String(heartbeat))) }
        if let state { parameters.append(Parameter("state", state)) }
        return parameters
    }
}

extension PubNubList {
    /// The list without presence channels and groups, whose names end in `-pnpres`.
    public var withoutPresence: PubNubList {
        PubNubList(
            channels: channels.filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) },
            groups: groups.filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) })
    }
}
