import Identifiers
import PubNubProtocol
import ServerRuntime

/// Requests about channel groups (rules PV-60 to PV-62 and PV-184).
extension PubNubREST {
    func groups() -> HTTPAnswer {
        // The names are sorted. The order in which the groups were created is lost in a restart, and differs between the nodes of a
        // cluster.
        let names = application.withState { $0.groups.names }.sorted().texts
        return .pubnub(
            Self.registry { body in
                body.key("payload")
                body.object { body in
                    body.member("namespace", "")
                    body.key("groups")
                    body.strings(names)
                }
            })
    }

    /// Lists the channels of a group, or changes them by the parameters `add` and `remove`.
    func group(_ name: String, _ request: PubNubServerRequest) async throws(PubNubErrorBody) -> HTTPAnswer {
        guard request.parameter("add") != nil || request.parameter("remove") != nil else {
            let channels = application.withState { $0.groups.channels(of: Identifier(name)).texts }
            return .pubnub(
                Self.registry { body in
                    body.key("payload")
                    body.object { body in
                        body.key("channels")
                        body.strings(channels)
                        body.member("group", name)
                    }
                })
        }
        let group = Identifier(name)
        let (added, removed) = (request.list("add").identifiers, request.list("remove").identifiers)
        try await changeGroup(by: owner(of: request)) { try $0.change(group, adding: added, removing: removed) }
        return Self.groupChanged
    }

    func removeGroup(_ name: String, _ request: PubNubServerRequest) async throws(PubNubErrorBody) -> HTTPAnswer {
        try await changeGroup(by: owner(of: request)) { $0.remove(group: Identifier(name)) }
        return Self.groupChanged
    }

    private func changeGroup(
        by owner: Identifier?, _ change: @escaping @Sendable (inout ChannelGroups) throws -> ChannelGroupEffect
    ) async throws(PubNubErrorBody) {
        do {
            _ = try await application.changeGroup(by: owner, change)
        } catch is ShareUsed {
            throw .channelRegistry(429, ShareUsed.message)
        } catch {
            switch error as? GroupRefusal {
            case .invalidName: throw .reservedCharacter
            case .tooManyGroups, .full: throw .tooManyGroups
            case .tooManyChannels(let limit): throw .channelRegistry(400, "A channel group can have at most \(limit) channels.")
            case .tooManyChannelsInOneCall(let limit):
                throw .channelRegistry(400, "A request can add or remove at most \(limit) channels.")
            case nil: throw .channelRegistry(503, "The change could not be stored. Send the request again later.")
            }
        }
    }

    private static let groupChanged = HTTPAnswer.pubnub(registry { $0.member("message", "OK") })

    private static func registry(_ content: (inout JSONBody) -> Void) -> [UInt8] {
        JSONBody.object(isSpaced: true) { body in
            body.member("status", 200)
            content(&body)
            body.member("service", "channel-registry")
            body.member("error", false)
        }
    }
}
