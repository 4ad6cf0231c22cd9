/// The target of an App Context request (rule PO-1). Names are percent-decoded.
enum ObjectsRoute: Hashable, Sendable {
    case users
    case channels
    case user(String, Action)
    case channel(String, Action)
    /// The channels that a user is a member of.
    case memberships(user: String, isChange: Bool)
    /// The users that are members of a channel.
    case members(channel: String, isChange: Bool)

    enum Action: Hashable, Sendable {
        case get
        case set
        case remove
    }

    /// The route of a path `/v2/objects/SUB/…`, and the methods that the path allows; nil for an unknown path.
    ///
    /// - Parameter rest: the path segments after the subscribe key.
    static func parse(_ rest: [String], _ method: String) -> (route: ObjectsRoute, methods: [String])? {
        let action: Action =
            switch method {
            case "PATCH": .set
            case "DELETE": .remove
            default: .get
            }
        guard rest.allSatisfy({ !$0.isEmpty }) else { return nil }
        switch rest.count {
        case 1 where rest[0] == "uuids": return (.users, ["GET"])
        case 1 where rest[0] == "channels": return (.channels, ["GET"])
        case 2 where rest[0] == "uuids": return (.user(rest[1], action), ["GET", "PATCH", "DELETE"])
        case 2 where rest[0] == "channels": return (.channel(rest[1], action), ["GET", "PATCH", "DELETE"])
        case 3 where rest[0] == "uuids" && rest[2] == "channels":
            return (.memberships(user: rest[1], isChange: action == .set), ["GET", "PATCH"])
        case 3 where rest[0] == "channels" && rest[2] == "uuids":
            return (.members(channel: rest[1], isChange: action == .set), ["GET", "PATCH"])
        default: return nil
        }
    }
}
