import PusherProtocol
import WireCoding

// Asking. Rule BK-2: all of these may be repeated.
extension PusherBackend {
    /// The occupied channels.
    ///
    /// - Parameters:
    ///   - prefix: how their names begin; nil for all.
    ///   - attributes: what the answer says about each. The service counts users only when the prefix begins with `presence-`.
    /// - Throws: what the call failed with.
    public func channels(
        prefix: String? = nil, attributes: Set<PusherChannelAttribute> = []
    ) async throws(BackendError) -> [PusherChannelInfo] {
        var parameters: [(name: String, value: String)] = []
        if let prefix { parameters.append(("filter_by_prefix", prefix)) }
        if !attributes.isEmpty { parameters.append(("info", attributes.text)) }
        let all = parameters
        let answer = try await caller.json(.always) { call("GET", "channels", parameters: all) }
        return try PusherChannelInfo.list(answer, isOccupied: true)
    }

    /// One channel, occupied or not.
    ///
    /// - Throws: what the call failed with.
    public func channel(
        _ name: String, attributes: Set<PusherChannelAttribute> = []
    ) async throws(BackendError) -> PusherChannelInfo {
        try Self.check(channel: name)
        let parameters = attributes.isEmpty ? [] : [(name: "info", value: attributes.text)]
        // The letters of a channel's name need no encoding in a path.
        let answer = try await caller.json(.always) { call("GET", "channels/\(name)", parameters: parameters) }
        return PusherChannelInfo(name: name, isOccupied: nil, answer)
    }

    /// The ids of the users on a presence channel.
    ///
    /// - Throws: what the call failed with.
    public func users(on channel: String) async throws(BackendError) -> [String] {
        guard try Self.check(channel: channel).access == .presence else {
            throw .badRequest("\(channel) is not a presence channel, so its users are not known.")
        }
        let answer = try await caller.json(.always) { call("GET", "channels/\(channel)/users") }
        guard let users = answer["users"]?.elements else {
            throw BackendError(.malformedResponse, "The service's answer has no users.")
        }
        return users.compactMap { $0["id"]?.identifier }
    }
}
