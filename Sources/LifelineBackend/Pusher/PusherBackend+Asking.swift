import PusherProtocol
import WireCoding

// Calls that only read, so all of them may be repeated (rule BK-2).
extension PusherBackend {
    /// Requests the occupied channels.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the channels' names; nil for all channels.
    ///   - attributes: the attributes of each channel that the answer is to contain. The service counts users only when the prefix begins
    ///     with `presence-`.
    /// - Throws: the error of the call.
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

    /// Requests the given attributes of one channel, and whether the channel is occupied.
    ///
    /// - Throws: the error of the call.
    public func channel(
        _ name: String, attributes: Set<PusherChannelAttribute> = []
    ) async throws(BackendError) -> PusherChannelInfo {
        try Self.check(channel: name)
        let parameters = attributes.isEmpty ? [] : [(name: "info", value: attributes.text)]
        // The name is not encoded, because the characters that a channel name may have need no percent-encoding in a path.
        let answer = try await caller.json(.always) { call("GET", "channels/\(name)", parameters: parameters) }
        return PusherChannelInfo(name: name, isOccupied: nil, answer)
    }

    /// Requests the ids of the users on a presence channel.
    ///
    /// - Throws: the error of the call.
    public func users(on channel: String) async throws(BackendError) -> [String] {
        guard try Self.check(channel: channel).access == .presence else {
            throw .badRequest("Channel \(channel) is not a presence channel, so the service has no list of its users.")
        }
        let answer = try await caller.json(.always) { call("GET", "channels/\(channel)/users") }
        guard let users = answer["users"]?.elements else {
            throw BackendError(.malformedResponse, "The field users of the service's answer is missing or is not a list.")
        }
        return users.compactMap { $0["id"]?.identifier }
    }
}
