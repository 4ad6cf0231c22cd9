import Identifiers
import PubNubProtocol

/// The limits on the names and values of presence requests (rules PV-113 to PV-116).
enum PresenceLimits {
    /// The number of channels and patterns of a request, and of its groups.
    static let channels = 2000
    static let groups = 100
    /// The number of channels of a request, including those of its groups.
    static let places = 20_000
    /// The length of a name in characters: of a channel or group without `-pnpres`, a user or an instance.
    static let nameLength = 92
    /// The number of places that are changed in one step, between which other work can be done.
    static let slice = 200
    /// The size of an answer in bytes beyond which further users and channels are left out.
    static let answerBytes = 1 << 20

    /// Throws when there are too many names, or when one is too long.
    static func check(channels: [Identifier], groups: [Identifier]) throws(PubNubErrorBody) {
        guard channels.count <= Self.channels, groups.count <= Self.groups else { throw .tooManyNames }
        for name in channels + groups where !isValid(name) { throw .invalidPresenceName }
    }

    /// Whether a user id or an instance is short enough.
    static func isValid(user: String) -> Bool {
        user.utf8.count <= nameLength || user.unicodeScalars.count <= nameLength
    }

    private static func isValid(_ name: Identifier) -> Bool {
        let longest = nameLength + PubNubMessage.presenceSuffix.utf8.count
        guard name.utf8.count > nameLength else { return true }
        let length = name.text.unicodeScalars.count
        return length <= (name.isPresenceChannel ? longest : nameLength)
    }
}

extension PubNubErrorBody {
    static let tooManyNames = PubNubErrorBody.accessManager(
        400, "A request names at most \(PresenceLimits.channels) channels and \(PresenceLimits.groups) groups.")
    static let tooManyPlaces = PubNubErrorBody.accessManager(
        400, "A request names at most \(PresenceLimits.places) channels with those of its groups.")
    static let invalidPresenceName = PubNubErrorBody.accessManager(
        400, "Names of channels and groups have at most \(PresenceLimits.nameLength) characters.")
    static let invalidUser = PubNubErrorBody.presence(400, "Invalid uuid parameter.")
    static let stateTooLarge = PubNubErrorBody.presence(413, "State Too Large")

    /// The error answer for a refused join or a refused presence state.
    init(_ refusal: OccupancyRefusal) {
        switch refusal {
        case .tooManyChannels(let limit): self = .presence(400, "A user is on at most \(limit) channels.")
        case .full: self = .presence(429, "There is no room for more users or states.")
        case .stateTooLong: self = .stateTooLarge
        }
    }
}
