import Identifiers
import PubNubProtocol

/// A right that a request needs on a resource.
struct AccessNeed: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case channel
        case group
        /// The App Context metadata of a user.
        case user
    }

    var kind: Kind
    var name: Identifier
    var right: PubNubRights

    static func channels(_ names: [String], _ right: PubNubRights) -> [AccessNeed] {
        names.map { AccessNeed(kind: .channel, name: Identifier($0), right: right) }
    }

    static func groups(_ names: [String], _ right: PubNubRights) -> [AccessNeed] {
        names.map { AccessNeed(kind: .group, name: Identifier($0), right: right) }
    }

    static func users(_ names: [String], _ right: PubNubRights) -> [AccessNeed] {
        names.map { AccessNeed(kind: .user, name: Identifier($0), right: right) }
    }

    /// The name that stands for all channels, groups or users together. Only a token pattern that matches `*`, or a grant for the whole
    /// keyset, gives rights on it (rule PV-83).
    static let everything = "*"

    /// All groups that a request names. If the query parameter is repeated, only one of its occurrences takes effect. The groups of all
    /// occurrences are returned, so that the effective ones are checked in any case (rule PV-89).
    private static func allGroups(_ request: PubNubServerRequest) -> [String] {
        all(["channel-group"], of: request)
    }

    /// The list elements of all query parameters with one of these names.
    private static func all(_ names: [String], of request: PubNubServerRequest) -> [String] {
        request.target.parameters.filter { names.contains($0.name) }.flatMap { PubNubAddress.list($0.value) }
    }

    /// The rights that a request needs (rule PV-82). Presence channels and presence groups are separate resources.
    static func needs(of request: PubNubServerRequest, _ route: PubNubRoute) -> [AccessNeed] {
        switch route {
        case .subscribe(let list), .heartbeat(let list), .leave(let list), .hereNow(let list), .state(let list, _),
            .setState(let list, _):
            channels(list, .read) + groups(allGroups(request), .read)
        case .publish(_, let channel, _), .signal(_, let channel, _), .publishFile(_, let channel, _), .addAction(let channel, _):
            channels([channel], .write)
        case .pastMessages(let channel), .historyWithActions(let channel), .actions(let channel): channels([channel], .read)
        case .history(let list), .counts(let list): channels(list, .read)
        case .deleteHistory(let channel), .removeAction(let channel, _, _): channels([channel], .delete)
        case .hereNowEverywhere: channels([everything], .read)
        case .groups: groups([everything], .read)
        case .group(let name):
            groups([name], request.parameter("add") != nil || request.parameter("remove") != nil ? .manage : .read)
        case .removeGroup(let name): groups([name], .manage)
        case .objects(let route): needs(of: request, route)
        case .file(.generateUpload(let channel)): channels([channel], .write)
        case .file(.list(let channel)), .file(.file(let channel, _, _)): channels([channel], .read)
        case .file(.delete(let channel, _, _)): channels([channel], .delete)
        case .pushChannels: channels(all(["add", "remove"], of: request), .read)
        // No right is needed for the time and for the channels of a user. None is needed for removing a device either, because the caller
        // has to name the device's token. Grants, uploads and links to file contents are checked by their signatures instead.
        case .time, .whereNow, .removeDevice, .file(.upload), .file(.content), .grant, .audit, .grantToken, .revokeToken: []
        }
    }

    /// The rights that an App Context request needs (rule PO-20).
    private static func needs(of request: PubNubServerRequest, _ route: ObjectsRoute) -> [AccessNeed] {
        switch route {
        case .users: users([everything], .get)
        case .channels: channels([everything], .get)
        case .user(let id, let action): users([id], right(action))
        case .channel(let id, let action): channels([id], right(action))
        case .memberships(let user, false): users([user], .get)
        case .memberships(let user, true): users([user], .update)
        case .members(let channel, let isChange): channels([channel], isChange ? .manage : .get)
        }
    }

    /// The additional rights that the body of a request needs. Call it only for a request that already has the rights of `needs(of:_:)`:
    /// the body of any other request is not read.
    static func needs(ofBody request: PubNubServerRequest, _ route: PubNubRoute) -> [AccessNeed] {
        guard case .objects(.memberships(_, isChange: true)) = route else { return [] }
        // The body is parsed in the same way as when the request is performed. A malformed body needs no right, because it changes nothing.
        return channels(
            ((try? ObjectInput.memberships(request.body, "channel", limits: ObjectLimits())) ?? []).map(\.id.text), .join)
    }

    private static func right(_ action: ObjectsRoute.Action) -> PubNubRights {
        switch action {
        case .get: .get
        case .set: .update
        case .remove: .delete
        }
    }
}
