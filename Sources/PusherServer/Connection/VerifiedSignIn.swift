import Identifiers
import PusherProtocol
import ServerStorage
import WireCoding

/// A verified sign-in: the user and the watchlist. Pusher protocol, user authentication.
struct VerifiedSignIn: Hashable, Sendable {
    var user: PusherFront.User
    /// The distinct user ids of the watchlist, at most as many as the application's limit.
    var watchlist: [String] = []
    /// Whether the client's watchlist was longer than the application's limit.
    var isWatchlistCut = false

    enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        case unusableID(limit: Int)
        case unusableWatchlist(limit: Int)
        case infoTooLarge(limit: Int)

        var description: String {
            switch self {
            case .unusableID(let limit): "user_data needs an id, a string of 1 to \(limit) bytes."
            case .infoTooLarge(let limit): "The user_info in user_data must have at most \(limit) bytes."
            case .unusableWatchlist(let limit):
                "The watchlist in user_data must be an array of user ids of 1 to \(limit) bytes each."
            }
        }
    }

    init(user: PusherFront.User) {
        self.user = user
    }

    /// Parses `user_data`, whose signature has been checked.
    init(parsing userData: String, limits: ApplicationLimits) throws(Problem) {
        let object = try? JSONText(userData)
        guard let id = object?["id"]?.string, Self.accepts(id, limits) else { throw .unusableID(limit: limits.userIDBytes) }
        let info = object?["user_info"]
        user = PusherFront.User(id: id, info: info?.kind == .object ? info?.text : nil)
        // The size of the user's information is limited, because it is stored as long as the connection lives, and members of presence
        // channels receive it.
        guard (user.info ?? "").utf8.count <= limits.presenceMemberBytes else {
            throw .infoTooLarge(limit: limits.presenceMemberBytes)
        }
        guard let list = object?["watchlist"], !list.isNull else { return }
        guard let elements = list.elements else { throw .unusableWatchlist(limit: limits.userIDBytes) }
        var seen: Set<Identifier> = []
        for element in elements {
            guard let id = element.identifier, Self.accepts(id, limits) else {
                throw .unusableWatchlist(limit: limits.userIDBytes)
            }
            guard seen.insert(Identifier(id)).inserted else { continue }
            if watchlist.count < limits.watchlistUsers { watchlist.append(id) } else { isWatchlistCut = true }
        }
    }

    private static func accepts(_ id: String, _ limits: ApplicationLimits) -> Bool {
        !id.isEmpty && id.utf8.count <= limits.userIDBytes
    }
}
